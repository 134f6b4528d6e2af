"""Call a function with a deadline, from any thread and without signals."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


def call_within(seconds: float | None, function: Callable[[], T]) -> T:
    """``function()``, or ``TimeoutError`` when it does not return in time.

    The function runs in a daemon thread; one that hangs is left behind and never keeps the process from ending. This
    is the last resort that keeps a training run alive: what may hang by design belongs into a killable process.

    Args:
        seconds: Wall time; None calls the function right here, without a limit.
        function: What to call; what it raises comes out here.

    Raises:
        TimeoutError: It did not return within ``seconds``.
    """
    if seconds is None:
        return function()
    outcome: list[T] = []
    failure: list[BaseException] = []

    def run() -> None:
        try:
            outcome.append(function())
        except BaseException as error:  # noqa: BLE001 - handed to the caller's thread, which raises it
            failure.append(error)

    thread = threading.Thread(target=run, name="assay-deadline", daemon=True)
    thread.start()
    thread.join(seconds)
    if failure:
        raise failure[0]
    if not outcome:
        raise TimeoutError(f"no result within {seconds:g} seconds")
    return outcome[0]
