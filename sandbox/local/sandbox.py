"""``LocalSandbox``: programs through a pool of warm slots on this machine."""

from __future__ import annotations

import warnings

from ...bounds import at_least
from ..base import Execution, Limits, Program
from . import unisolated
from .census import strays
from .job import Command
from .languages import Languages
from .machine import check_scratch_folder, choose, machine, usable_cores
from .pool import Batch, Pool
from .pooled import Order, PooledSandbox
from .profiles import installed, profile, within
from .selftest import check as check_isolation
from .slots import Slot

_UNISOLATED = (
    "programs run without isolation, as asked for by unsafe_allow_unisolated=True: they can read, write, send and kill "
    "whatever this user can. `assay doctor` says what this machine lacks."
)


class UnisolatedWarning(UserWarning):
    """A sandbox was opened that isolates nothing."""


class LocalSandbox(PooledSandbox):
    """Runs programs on this machine, isolated as strongly as it allows; see ``docs/guide/sandbox.md``.

    Slots are started when first needed and kept warm. Usable from many threads and from asyncio. In a forked copy of
    the process it starts slots of its own.

    Args:
        slots: How many programs run at once; the number of usable CPU cores where None.
        mode: "auto" for the strongest that the machine allows, or a letter from A to D.
        scratch_folder: Modes C and D only: a folder on a small tmpfs in which programs may then write files.
        unsafe_allow_unisolated: Where the machine cannot isolate programs, run them all the same, with resource limits
            alone; a warning says so each time.

    Raises:
        SandboxUnavailable: The machine cannot isolate programs, or an attack of the self-test got out.
        InputError: An argument is not as described.
    """

    name = "local"

    def __init__(
        self,
        slots: int | None = None,
        *,
        mode: str = "auto",
        scratch_folder: str | None = None,
        unsafe_allow_unisolated: bool = False,
    ) -> None:
        if slots is not None:
            at_least(1, slots=slots)
        self.slots = slots or usable_cores()
        self.mode = choose(mode, unsafe_allow_unisolated=unsafe_allow_unisolated)
        if scratch_folder is not None:
            check_scratch_folder(scratch_folder, self.mode)
        writable = self.mode not in "CD" or scratch_folder is not None
        self.enforced = machine().enforced(self.mode)
        self.missing = machine().missing(self.mode, writable=writable)
        self._pool = Pool(self.slots, lambda name, _batch: Slot(self.mode, profile(name), scratch_folder))
        self._languages = Languages(self.mode, self._compile, writable=writable)
        if self.mode == "E":
            warnings.warn(_UNISOLATED, UnisolatedWarning, stacklevel=2)
            return
        try:
            check_isolation(self.run, self._strays, f"mode {self.mode}")
        except BaseException:
            self.close()
            raise

    @property
    def languages(self) -> tuple[str, ...]:
        """The languages whose programs run here."""
        return self._languages.usable()

    def _strays(self) -> list[str]:
        return strays([slot.keeper for slot in self._pool.idle()])

    def _kind(self, command: Command, limits: Limits) -> str:
        """What is preloaded is no more than what is installed: a program without it gets its own ImportError."""
        return within(command.profile, installed())

    def _run_prepared(
        self,
        programs: list[Program],
        commands: list[Command],
        order: Order,
        batch: Batch,
        wall: float,
        *,
        cut_by_batch: bool,
    ) -> tuple[list[Execution], bool]:
        if self.mode != "E":
            return super()._run_prepared(programs, commands, order, batch, wall, cut_by_batch=cut_by_batch)
        found = unisolated.run(programs, commands, order.limits, wall)
        return [self._stamped(execution, order) for execution in found], False
