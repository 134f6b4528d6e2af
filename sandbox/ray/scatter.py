"""``Scatter``: one call's items, cut into batches and given to the hosts of a fleet; again, where a host is lost."""

from __future__ import annotations

import contextlib
import math
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ...errors import SandboxUnavailable
from .fleet import Fleet
from .package import ray
from .packing import Packer
from .plan import Post

_LEAST, _MOST = 32, 256  # items of a batch: fewer would pay for the way, more would leave hosts idle at the end
_LOST_TRIES = 4  # attempts of an item whose hosts were lost
_FAILED_TRIES = 2  # attempts of an item that a host could not do
_SPLIT = 8  # what was lost with its host is sent again in pieces so much smaller: one item may be what kills the host
_POLL_SECONDS = 0.2
_PAUSE_SECONDS = 0.02
_GRACE_SECONDS = 2.0  # after a deadline, for hosts to say what was done by then


@dataclass(frozen=True)
class Work:
    """What is asked of the hosts.

    Attributes:
        method: The name under which their engines know it.
        arguments: Made anew for each batch, when it is sent.
        kind: What an engine must be able to do for an item.
        failed: Whether a result is a failure of the host's, to be tried on another one.
        lost: The result of an item that no host could do, from the reason.
        until: When to give up, in seconds of ``time.monotonic``.
    """

    method: str
    arguments: Callable[[], Mapping[str, Any]]
    kind: Callable[[Any], str]
    failed: Callable[[Any], bool]
    lost: Callable[[str], Any]
    until: float | None = None


@dataclass(frozen=True)
class _Batch:
    """Some of the items, by number, and what became of their earlier attempts."""

    kind: str
    numbers: Sequence[int]
    tries: int = 0
    avoid: frozenset[str] = field(default_factory=frozenset)

    def again(self, numbers: Sequence[int], node: str) -> _Batch:
        """These of its items, after they failed on a node."""
        return _Batch(self.kind, numbers, self.tries + 1, self.avoid | {node})


class Scatter:
    """One call.

    Args:
        fleet: Whose hosts do it.
        work: What is to be done.
        items: With what; each is sent to one host at a time, and may be done twice where a host is lost.
        packer: Packs them.
        stop: Set from another thread to end it.
    """

    def __init__(
        self, fleet: Fleet, work: Work, items: Sequence[Any], packer: Packer, stop: threading.Event | None = None
    ) -> None:
        self._fleet = fleet
        self._work = work
        self._items = items
        self._packer = packer
        self._stop = stop or threading.Event()
        self._sent: dict[int, float] = {}
        self._results: dict[int, Any] = {}
        self._fresh: dict[str, deque[int]] = {}
        for number, item in enumerate(items):
            self._fresh.setdefault(work.kind(item), deque()).append(number)
        self._again: deque[_Batch] = deque()
        self._flying: dict[Any, tuple[_Batch, Post]] = {}
        self._alone_since: float | None = None

    def run(self) -> list[Any]:
        """One result for each item, in their order.

        Raises:
            SandboxUnavailable: The fleet was closed or the call stopped meanwhile.
        """
        try:
            while self._fresh or self._again or self._flying:
                self._fleet.check_open()
                if self._stop.is_set():
                    raise SandboxUnavailable("the batch was cancelled")
                if self._work.until is not None and time.monotonic() > self._work.until + _GRACE_SECONDS:
                    self._give_up("the batch's deadline passed", lambda kind: False)
                    break
                self._send_what_fits()
                self._collect()
        finally:
            self._abandon()
        return [self._results[number] for number in range(len(self._items))]

    def waited(self, number: int, since: float) -> float:
        """Seconds from ``since`` until an item was last sent to a host; until now, for one that never was."""
        return self._sent.get(number, time.monotonic()) - since

    def _send_what_fits(self) -> None:
        for batch in list(self._again):
            post = self._fleet.take(batch.kind, batch.avoid, self._calls(batch))
            if post is not None:
                self._again.remove(batch)
                self._send(batch, post)
        for kind, numbers in list(self._fresh.items()):
            while numbers and (post := self._fleet.take(kind, frozenset())) is not None:
                size = batch_size(len(numbers), len(self._items), len(self._fleet.posts()))
                self._send(_Batch(kind, [numbers.popleft() for _ in range(size)]), post)
            if not numbers:
                del self._fresh[kind]

    def _calls(self, batch: _Batch) -> int:
        """What was lost twice has its host to itself: another batch would be lost along with it."""
        return 1 if batch.tries < 2 else self._fleet.plan.most_calls

    def _send(self, batch: _Batch, post: Post) -> None:
        package = ray()
        try:
            data, references = self._packer.pack([self._items[number] for number in batch.numbers])
            call = post.actor.call.remote(self._work.method, data, references, self._work.arguments())
        except package.exceptions.RayError as error:  # the store is full, or the actor known to be dead
            self._fleet.lose(post, self._calls(batch), str(error))
            self._retry(batch, post, str(error), lost=True)
        except BaseException:  # an item that cannot be pickled: the caller's to know, and the host stays free
            self._fleet.give(post, self._calls(batch))
            raise
        else:
            self._flying[call] = (batch, post)
            self._sent.update(dict.fromkeys(batch.numbers, time.monotonic()))

    def _collect(self) -> None:
        """Wait a moment for batches, and read those that ended."""
        if not self._flying:
            self._wait_for_hosts()
            return
        package = ray()
        ready, _ = package.wait(list(self._flying), num_returns=1, timeout=_POLL_SECONDS)
        for call in ready:
            batch, post = self._flying.pop(call)
            try:
                results = package.get(call)
            except package.exceptions.RayTaskError as error:
                self._fleet.give(post, self._calls(batch), sick=True)
                self._retry(batch, post, f"{type(error.cause).__name__}: {error.cause}", lost=False)
            except package.exceptions.RayError as error:
                reason = f"was lost: {type(error).__name__}"
                self._fleet.lose(post, self._calls(batch), reason)
                self._retry(batch, post, f"the host on node {post.node[:8]} {reason}", lost=True)
            else:
                self._keep(batch, post, results)

    def _keep(self, batch: _Batch, post: Post, results: Sequence[Any]) -> None:
        again = []
        for number, result in zip(batch.numbers, results, strict=True):
            self._results[number] = result
            if self._work.failed(result):
                again.append(number)
        self._fleet.give(post, self._calls(batch), sick=bool(again))
        if again and batch.tries + 1 < _FAILED_TRIES and not self._late:
            self._again.append(batch.again(again, post.node))

    def _retry(self, batch: _Batch, post: Post, reason: str, *, lost: bool) -> None:
        """Send a batch again that came to nothing; give it up after some attempts."""
        for number in batch.numbers:
            self._results[number] = self._work.lost(reason)
        if batch.tries + 1 >= (_LOST_TRIES if lost else _FAILED_TRIES) or self._late:
            return
        size = max(1, len(batch.numbers) // _SPLIT) if lost else len(batch.numbers)
        for start in range(0, len(batch.numbers), size):
            self._again.append(batch.again(batch.numbers[start : start + size], post.node))

    @property
    def _late(self) -> bool:
        return self._work.until is not None and time.monotonic() >= self._work.until

    def _wait_for_hosts(self) -> None:
        """Nothing is under way: hosts are busy with other calls, or there are none for some time."""
        kinds = {*self._fresh, *(batch.kind for batch in self._again)}
        has = {kind: self._fleet.has(kind) for kind in kinds}
        if all(has.values()):
            self._alone_since = None
        elif self._alone_since is None:
            self._alone_since = time.monotonic()
        elif time.monotonic() - self._alone_since > self._fleet.plan.start_seconds:
            seconds = self._fleet.plan.start_seconds
            self._give_up(
                f"no host of the Ray cluster answered for {seconds:g} s: {self._fleet.state()}", has.__getitem__
            )
        time.sleep(_PAUSE_SECONDS)

    def _give_up(self, reason: str, keeps: Callable[[str], bool]) -> None:
        """Do without what is not done, kinds apart that ``keeps`` names."""
        flying = [batch for batch, _ in self._flying.values()]
        for kind, numbers in [*self._fresh.items(), *((b.kind, b.numbers) for b in (*self._again, *flying))]:
            if not keeps(kind):
                self._results.update((number, self._work.lost(reason)) for number in numbers)
        self._fresh = {kind: numbers for kind, numbers in self._fresh.items() if keeps(kind)}
        self._again = deque(batch for batch in self._again if keeps(batch.kind))

    def _abandon(self) -> None:
        """End what is still under way."""
        for call, (batch, post) in self._flying.items():
            with contextlib.suppress(Exception):  # Ray may be shut down by now, and there is nobody to tell
                ray().cancel(call)
            self._fleet.give(post, self._calls(batch))
        self._flying.clear()


def batch_size(remaining: int, total: int, hosts: int) -> int:
    """Items of the next batch: large ones first, small ones towards the end, so that all hosts end together."""
    hosts = max(1, hosts)
    least = min(_LEAST, math.ceil(total / hosts))
    return min(remaining, _MOST, max(least, remaining // (2 * hosts)))
