"""Whisper with text while speaking: a server for the Wyoming protocol with an event for partial text."""

VERSION = "1.0"
