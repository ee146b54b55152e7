"""The settings of dictation as a window, with the steps of the first run."""
