"""Measures the engine."""
