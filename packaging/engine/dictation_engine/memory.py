"""Gives memory back to the system."""

import ctypes


def trim() -> None:
    """Returns what the C library keeps for later. Loading a model and long passages leave some 100 MB there."""
    try:
        ctypes.CDLL(None).malloc_trim(0)
    except AttributeError:
        # Only the GNU C library has it.
        return
