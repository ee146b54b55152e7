"""What this machine has."""

import os


def usual_threads() -> int:
    """Threads of the decoder: two on small machines, because the final text is waited for, and half of larger ones."""
    processors = len(os.sched_getaffinity(0))
    return min(processors, max(2, min(4, processors // 2)))
