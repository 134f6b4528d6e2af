"""``DockerSandbox``: programs through a pool of warm, hardened containers."""

from __future__ import annotations

from ...bounds import at_least
from ...errors import SandboxUnavailable
from ..base import Limits
from ..local.census import children_of
from ..local.job import Command, allowance
from ..local.languages import Languages
from ..local.machine import usable_cores
from ..local.pool import Batch, Pool
from ..local.pooled import PooledSandbox
from ..local.profiles import within
from ..local.selftest import check as check_isolation
from .engine import Engine
from .greeting import Contents
from .hardening import Kind
from .images import IMAGE, check_image
from .owners import reap
from .slots import DockerSlot
from .warm import WarmContainers

GVISOR = "runsc"
_IDLE_FOR_EACH_SLOT = 3


class DockerSandbox(PooledSandbox):
    """Runs programs in containers of a Docker engine on this machine; see ``docs/guide/sandbox.md``.

    Each container runs our fork server as its first process and is used for many programs. Usable from many threads and
    from asyncio. In a forked copy of the process it starts containers of its own.

    Args:
        slots: How many programs run at once; the number of usable CPU cores where None.
        image: The image; ``assay image build`` makes the usual one.
        runtime: The engine's runtime: "auto" for gVisor (``runsc``) where the engine has it and it works, else the
            engine's default; or the name of one.

    Raises:
        MissingExtra: The package ``docker`` is not installed.
        SandboxUnavailable: No daemon answers, the image is missing, a container cannot start, or an attack of the
            self-test got out.
        InputError: An argument is not as described.
    """

    name = "docker"

    def __init__(self, slots: int | None = None, *, image: str = IMAGE, runtime: str = "auto") -> None:
        if slots is not None:
            at_least(1, slots=slots)
        self.slots = slots or usable_cores()
        self.image = image
        self._engine = Engine()
        check_image(self._engine, image)
        reap(self._engine)
        self._contents = Contents()
        self._warm = WarmContainers(self._engine, self._launch)
        self._pool = Pool(self.slots, self._warm.take, most_idle=_IDLE_FOR_EACH_SLOT * self.slots)
        try:
            self.runtime, gap = self._choose(runtime)
            self._look_around()
            self.missing += gap
            self._languages = Languages(
                "P", self._compile, writable=True, find=self._contents.tools.get, place=f"in the image {image!r}"
            )
            check_isolation(self.run, self._strays, f"image {image!r}")
        except BaseException:
            self.close()
            raise

    def _choose(self, wanted: str) -> tuple[str, tuple[str, ...]]:
        """The runtime to use, and what is missing for want of a better one.

        Raises:
            SandboxUnavailable: The engine has no runtime of that name.
        """
        known = self._engine.facts.runtimes
        if wanted != "auto" and wanted not in known:
            raise SandboxUnavailable(
                f"the Docker engine has no runtime {wanted!r}; it has {', '.join(known)}. Install it and name it in "
                "/etc/docker/daemon.json, or leave runtime out"
            )
        if wanted != "auto":
            return wanted, ()
        if GVISOR not in known:
            return "", ("a kernel of its own (gVisor's runsc is not installed)",)
        self.runtime = GVISOR
        try:
            self._launch(self._plain()).close()
        except SandboxUnavailable as error:
            return "", (f"a kernel of its own (gVisor is installed but did not work: {error})",)
        return GVISOR, ()

    def _look_around(self) -> None:
        """Start the first container; see what it holds and what is enforced there."""
        with self._pool.slot(self._plain(), Batch()) as slot:
            self._contents = slot.contents
        facts = self._engine.facts
        landlock = bool(self._contents.landlock)
        self.enforced = (
            "container",
            *(("gvisor",) if self.runtime == GVISOR else ()),
            "namespaces",
            "read-only root",
            "seccomp",
            *(("landlock",) if landlock else ()),
            *(() if facts.unsupported else ("memory and process cgroup",)),
            "rlimits",
            "user id of the slot",
        )
        self.missing = (
            *(() if landlock else ("landlock (kernel 5.13 and lsm=landlock)",)),
            *(() if facts.remapped else ("a user namespace (rootless Docker, or userns-remap)",)),
            *facts.unsupported,
        )

    def _plain(self) -> Kind:
        return Kind.of("light", Limits())

    def _launch(self, kind: Kind) -> DockerSlot:
        return DockerSlot(
            self._engine,
            self.image,
            kind,
            allowance(Limits()),
            runtime=self.runtime,
            tools=self._contents.tools,
            discard=self._warm.discard,
        )

    def _kind(self, command: Command, limits: Limits) -> Kind:
        """What is preloaded is no more than what the image holds."""
        return Kind.of(within(command.profile, self._contents.packages), limits)

    def _strays(self) -> list[str]:
        return children_of([slot.zygote for slot in self._pool.idle()])

    def close(self) -> None:
        """End every container of this sandbox; a closed sandbox refuses further runs."""
        super().close()
        self._warm.close()
        self._engine.close()
