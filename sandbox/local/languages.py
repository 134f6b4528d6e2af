"""From a program's source to the command that runs it; what must be compiled is, once, in the sandbox itself."""

from __future__ import annotations

import contextlib
import threading
from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import replace
from hashlib import sha256

from ...errors import InputError, SandboxUnavailable
from ..base import Execution, Limits, Program, Status
from .job import Command
from .pool import Batch
from .profiles import wanted
from .slot import protocol
from .toolchains import COMPILE_LIMITS, TOOLCHAINS, Find, Toolchain, which

Compile = Callable[[Program, Limits, Batch], Execution]
LANGUAGES = ("python", *TOOLCHAINS)
_CACHE_BYTES = 256 << 20
_CACHE_ENTRIES = 1024
_PLAIN_COMPILATIONS = 4
_LARGE_SLOTS = 4  # a slot with a precompiled header holds 100 MB


class Languages:
    """Turns programs into commands, and keeps what it compiled.

    Args:
        mode: The sandbox's mode.
        writable: Whether programs may write files in it.
        compile_: Runs a compiler's driver in the sandbox.
        find: Where a tool lies, as programs see it; None where they cannot see it.
        place: Where tools are looked for, for messages.
    """

    def __init__(
        self, mode: str, compile_: Compile, *, writable: bool, find: Find | None = None, place: str = "here"
    ) -> None:
        self._mode = mode
        self._find = find
        self._place = place
        self._writable = writable
        self._compile = compile_
        self._lock = threading.Lock()
        self._cpp_compilations = 0
        self._large_slots = threading.BoundedSemaphore(_LARGE_SLOTS)
        self._cache: OrderedDict[str, Future[Execution]] = OrderedDict()

    def check(self, language: str) -> None:
        """Refuse a language before anything runs.

        Raises:
            InputError: It is unknown.
            SandboxUnavailable: Its tools are missing, or this mode cannot run them.
        """
        if language not in LANGUAGES:
            raise InputError(f"language is {language!r}; expected one of {', '.join(LANGUAGES)}")
        chain = TOOLCHAINS.get(language)
        if chain is None:
            return
        absent = chain.absent(self._find)
        if absent:
            raise SandboxUnavailable(
                f"{language} programs need {' and '.join(absent)}, which programs in the sandbox cannot see "
                f"{self._place}; install {' and '.join(dict.fromkeys(absent.values()))}"
            )
        if chain.compiled and (self._mode == "D" or not self._writable):
            why = "its programs cannot start processes" if self._mode == "D" else "its programs cannot write files"
            raise SandboxUnavailable(
                f"{language} programs must be compiled, which mode {self._mode} does not allow: {why}; use a mode with "
                "namespaces (see `assay doctor`)"
            )

    def usable(self) -> tuple[str, ...]:
        """The languages that ``check`` lets pass."""
        found = []
        for language in LANGUAGES:
            with contextlib.suppress(SandboxUnavailable):
                self.check(language)
                found.append(language)
        return tuple(found)

    def prepare(self, program: Program, limits: Limits, batch: Batch) -> Command | Execution:
        """How to run ``program``; an ``Execution`` where it does not compile."""
        chain = TOOLCHAINS.get(program.language)
        if chain is None:
            return Command(protocol.PYTHON, program.arguments, wanted(program.source, program.profile))
        command = chain.command(program.source, limits, self._find or which)
        files: dict[str, bytes] = {}
        binary = None
        if not chain.compiled:
            files[chain.file_name(program.source)] = program.source.encode("utf-8", "surrogatepass")
        else:
            compiled = self._compiled(chain, program.source, batch)
            if compiled.status is not Status.OK:
                return compiled
            artefact = compiled.files[chain.artefact]
            if command[0] == f"./{chain.artefact}":
                binary = artefact
            else:
                files[chain.artefact] = artefact
        return Command(
            protocol.EXECUTE,
            (*command, *program.arguments),
            files=files,
            binary=binary,
            address_limit=chain.address_limit,
        )

    def _compiled(self, chain: Toolchain, source: str, batch: Batch) -> Execution:
        """The execution of the compiler; of equal sources one compiles and the others wait for it."""
        key = sha256(f"{chain.language}\0{source}".encode("utf-8", "surrogatepass")).hexdigest()
        with self._lock:
            known = self._cache.get(key)
            ours = known is None or (known.done() and not _worth_keeping(known))
            if ours:
                known = self._cache[key] = Future()
            self._cache.move_to_end(key)
        assert known is not None
        if ours:
            try:
                known.set_result(self._compile_now(chain, source, batch))
            except BaseException as error:
                known.set_exception(error)
                raise
            self._shrink()
        return known.result()

    def _compile_now(self, chain: Toolchain, source: str, batch: Batch) -> Execution:
        assert chain.compile_driver is not None
        name = chain.file_name(source)
        profile = self._profile(chain)
        driver = Program(
            chain.compile_driver(name, self._find or which),
            files={name: source.encode("utf-8", "surrogatepass")},
            collect=(chain.artefact,),
            profile=profile,
        )
        with self._large_slots if profile == "c++" else contextlib.nullcontext():
            execution = self._compile(driver, COMPILE_LIMITS, batch)
        if execution.status is Status.OK and chain.artefact not in execution.files:
            return replace(execution, status=Status.SANDBOX_ERROR, reason="the compiler made no program")
        if execution.status in (Status.OK, Status.SANDBOX_ERROR):
            return execution
        reason = "it does not compile" if execution.exit_code else f"compiling it failed: {execution.reason}"
        return replace(execution, status=Status.COMPILE_ERROR, reason=reason)

    def _profile(self, chain: Toolchain) -> str:
        """Precompiling the standard header takes as long as a few compilations: it is done when there are many."""
        if chain.language != "c++":
            return "light"
        with self._lock:
            self._cpp_compilations += 1
            return "c++" if self._cpp_compilations > _PLAIN_COMPILATIONS else "light"

    def _shrink(self) -> None:
        """Forget what was used longest ago, until the rest fits."""
        with self._lock:
            sizes = {key: _size(known) for key, known in self._cache.items()}
            while len(sizes) > 1 and (sum(sizes.values()) > _CACHE_BYTES or len(sizes) > _CACHE_ENTRIES):
                oldest = next(iter(sizes))
                del sizes[oldest], self._cache[oldest]


def _worth_keeping(known: Future[Execution]) -> bool:
    return known.exception() is None and known.result().status in (Status.OK, Status.COMPILE_ERROR)


def _size(known: Future[Execution]) -> int:
    if not known.done() or known.exception() is not None:
        return 0
    return sum(len(content) for content in known.result().files.values())
