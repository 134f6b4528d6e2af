"""What a route refuses after it has read a request."""

from __future__ import annotations

from starlette.exceptions import HTTPException


class TooMany(HTTPException):
    """A batch is larger than the server takes."""

    def __init__(self, given: int, most: int) -> None:
        super().__init__(413, f"the batch has {given} completions; this server takes {most} at once, so split it")
