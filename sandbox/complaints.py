"""What a failed program's own words say about the limit that made it fail.

They only tell one failure from another, so nothing is won by forging them.
"""

from __future__ import annotations

from .base import Status

_SIGNS = {
    Status.MEMORY_LIMIT: (
        b"MemoryError",
        b"std::bad_alloc",
        b"JavaScript heap out of memory",
        b"java.lang.OutOfMemoryError",
    ),
    Status.PROCESS_LIMIT: (
        b"can't start new thread",
        b"Resource temporarily unavailable",
        b"unable to create native thread",
    ),
    Status.DISK_LIMIT: (b"No space left on device", b"File too large", b"ENOSPC"),
}


def limit_named(words: bytes) -> Status | None:
    """The limit that the end of a program's standard error names; None where it names none."""
    return next((status for status, signs in _SIGNS.items() if any(sign in words for sign in signs)), None)
