# ruff: noqa: D102 - the name of a test is its sentence
"""The contract of a sandbox as an inheritable test class, with the attacks.

A backend's tests inherit it, say where the programs lie and how a sandbox is opened::

    class TestMine(SandboxConformance):
        programs = Path(__file__).parent.parent / "data" / "sandbox"

        def open(self):
            return open_sandbox("mine", slots=1)

``programs`` holds folders whose names end in ``attacks`` and ``honest``; the README there tells the rules. Needs
pytest.
"""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import ClassVar

import pytest

from ..errors import AssayError
from .base import Execution, Limits, Program, Sandbox, Status
from .canaries import Canaries

_TIMEOUT = {Status.TIME_LIMIT, Status.MEMORY_LIMIT, Status.PROCESS_LIMIT}
_MOST_OUTPUT_BYTES = 80 << 20


class SandboxConformance:
    """What every sandbox does. See the module for how to inherit it.

    Attributes:
        programs: The folder that holds those of the attacks and of the honest programs.
        attack_limits: What each attack may use.
        uncovered: Programs that this backend is known not to handle, by name, with the reason: these must fail.
    """

    programs: ClassVar[Path]
    attack_limits: ClassVar[Limits] = Limits(cpu_seconds=2, wall_seconds=3, memory_bytes=512 << 20, processes=64)
    uncovered: ClassVar[Mapping[str, str]] = {}

    def open(self) -> Sandbox:
        """A new sandbox, of one slot where the backend has slots."""
        raise NotImplementedError

    def survivors(self) -> list[str]:
        """Processes of programs that are alive although nothing runs, as text."""
        return []

    def pytest_generate_tests(self, metafunc: pytest.Metafunc) -> None:
        """One test for each program."""
        for kind in ("attacks", "honest"):
            if kind in metafunc.fixturenames:
                paths = sorted(self.programs.glob(f"*{kind}/*.py"), key=lambda path: path.name)
                marks = {name: [pytest.mark.xfail(reason=why, strict=True)] for name, why in self.uncovered.items()}
                metafunc.parametrize(kind, [pytest.param(p, id=p.stem, marks=marks.get(p.stem, [])) for p in paths])

    @pytest.fixture(scope="class")
    @classmethod
    def canaries(cls) -> Iterator[Canaries]:
        with Canaries() as canaries:
            yield canaries

    @pytest.fixture(scope="class")
    @classmethod
    def sandbox(cls, canaries: Canaries) -> Iterator[Sandbox]:
        with cls().open() as sandbox:
            yield sandbox

    def answers(self, sandbox: Sandbox) -> None:
        """Fail unless the sandbox still works and nothing is left of what ran before."""
        [execution] = sandbox.run([Program("print(6*7)")])
        assert (execution.status, execution.stdout) == (Status.OK, b"42\n"), execution
        assert self.survivors() == []

    def test_no_attack_gets_through(self, sandbox: Sandbox, canaries: Canaries, attacks: Path) -> None:
        first = [attacks.with_name("i09_state_leak_write.py")] if attacks.stem == "i10_state_leak_read" else []
        for path in [*first, attacks]:
            source = path.read_text()
            [execution] = sandbox.run([Program(source)], self.attack_limits)
            _judge(source, execution, canaries)
        self.answers(sandbox)

    def test_an_honest_program_runs_as_it_would_anywhere(self, sandbox: Sandbox, honest: Path) -> None:
        source = honest.read_text()
        memory = 1 << 30 if re.search("numpy|sympy", source) else 512 << 20
        # CPU time decides; the wall limit is wide because the machine may be busy with other tests.
        limits = Limits(cpu_seconds=5, wall_seconds=60, memory_bytes=memory)
        [execution] = sandbox.run([Program(source, stdin=honest.with_suffix(".in").read_bytes())], limits)
        assert execution.status is Status.OK, execution
        assert execution.stdout.rstrip() == honest.with_suffix(".out").read_bytes().rstrip()

    @pytest.mark.parametrize(
        ("source", "status", "wanted"),
        [
            ("print('hello')", Status.OK, {"exit_code": 0, "signal": None, "stdout": b"hello\n", "stderr": b""}),
            ("import sys; sys.exit(3)", Status.NONZERO_EXIT, {"exit_code": 3, "signal": None}),
            ("import sys; sys.exit('no')", Status.NONZERO_EXIT, {"exit_code": 1, "stderr": b"no\n"}),
            ("import os; os.abort()", Status.SIGNALLED, {"exit_code": None, "signal": 6}),
            ("while True: pass", Status.TIME_LIMIT, {"exit_code": None}),
            ("import time; time.sleep(60)", Status.TIME_LIMIT, {"exit_code": None}),
            ("x = bytearray(3 << 30)", Status.MEMORY_LIMIT, {}),
            ("print('x' * 3000)", Status.OUTPUT_LIMIT, {"stdout": b"x" * 2000, "truncated": True}),
            ("import sys; sys.stderr.write('x' * 3000)", Status.OUTPUT_LIMIT, {"stderr": b"x" * 1000}),
            ("def f(:", Status.NONZERO_EXIT, {"exit_code": 1}),
        ],
    )
    def test_each_fate_has_its_status(
        self, sandbox: Sandbox, source: str, status: Status, wanted: Mapping[str, object]
    ) -> None:
        limits = Limits(cpu_seconds=0.5, wall_seconds=1.0, stdout_bytes=2000, stderr_bytes=1000)
        if status not in (Status.TIME_LIMIT, Status.OUTPUT_LIMIT):
            limits = replace(limits, cpu_seconds=10, wall_seconds=20, stderr_bytes=10_000)
        [execution] = sandbox.run([Program(source)], limits)
        assert execution.status is status, execution
        assert {name: getattr(execution, name) for name in wanted} == wanted
        assert execution.status is Status.OK or execution.reason
        assert execution.backend
        assert execution.enforced

    def test_a_limit_is_answered_soon_after_it(self, sandbox: Sandbox) -> None:
        self.answers(sandbox)
        sleep, limits = Program("import time; time.sleep(60)"), Limits(cpu_seconds=1, wall_seconds=0.5)
        executions = [sandbox.run([sleep], limits)[0] for _ in range(4)]
        assert all(execution.wall_seconds >= 0.5 for execution in executions)
        assert min(execution.wall_seconds for execution in executions) < 1.0  # the best of four: machines are busy

    def test_executions_come_in_the_order_of_the_programs(self, sandbox: Sandbox) -> None:
        programs = [Program(f"import time; time.sleep({0.05 * (n % 3)}); print({n})") for n in range(9)]
        assert [execution.stdout for execution in sandbox.run(programs)] == [b"%d\n" % n for n in range(9)]
        assert sandbox.run([]) == []

    def test_input_arguments_and_files_reach_the_program_and_named_files_come_back(self, sandbox: Sandbox) -> None:
        program = Program(
            "import sys\nprint(sys.stdin.read(), sys.argv[1:], open('in/data.txt').read())",
            stdin="grüße\0".encode(),
            arguments=("one", "two words"),
            files={"in/data.txt": b"content"},
            collect=("in/data.txt", "absent.txt"),
        )
        [execution] = sandbox.run([program])
        assert execution.stdout.decode() == "grüße\0 ['one', 'two words'] content\n"
        assert execution.files == {"in/data.txt": b"content"}

    def test_the_private_channel_is_apart_from_the_output(self, sandbox: Sandbox) -> None:
        source = "import os\nprint('out')\nos.write(3, b'private')"
        [with_channel, without] = sandbox.run([Program(source, channel=True), Program(source)])
        assert (with_channel.status, with_channel.stdout, with_channel.result) == (Status.OK, b"out\n", b"private")
        assert (without.status, without.result) == (Status.NONZERO_EXIT, b"")
        [cut] = sandbox.run(
            [Program("import os; os.write(3, b'x' * 99)", channel=True)], Limits(cpu_seconds=9, result_bytes=50)
        )
        assert (cut.status, len(cut.result)) == (Status.OUTPUT_LIMIT, 50)

    def test_linked_programs_talk_over_one_stream_and_see_each_other_end(self, sandbox: Sandbox) -> None:
        server = "import os\nwhile data := os.read(3, 100): os.write(3, data.upper())\nprint('end of file')"
        client = "import os\nos.write(3, b'ping'); print(os.read(3, 100))"
        for left, right in sandbox.run_linked([(Program(server), Program(client))] * 3, Limits(cpu_seconds=9)):
            assert (left.status, left.stdout) == (Status.OK, b"end of file\n"), left
            assert (right.status, right.stdout) == (Status.OK, b"b'PING'\n"), right

    def test_a_batch_deadline_is_our_failure_not_the_programs(self, sandbox: Sandbox) -> None:
        self.answers(sandbox)
        started = time.monotonic()
        executions = sandbox.run([Program("import time; time.sleep(60)")] * 3, Limits(60), deadline_seconds=0.5)
        assert [execution.status for execution in executions] == [Status.SANDBOX_ERROR] * 3
        assert all("deadline" in execution.reason for execution in executions)
        assert time.monotonic() - started < 30

    def test_the_async_twin_leaves_the_event_loop_free(self, sandbox: Sandbox) -> None:
        async def both() -> tuple[list[Execution], int]:
            ticks = 0
            task = asyncio.ensure_future(sandbox.arun([Program("import time; time.sleep(0.3); print(1)")] * 2))
            while not task.done():
                await asyncio.sleep(0.01)
                ticks += 1
            return await task, ticks

        executions, ticks = asyncio.run(both())
        assert [execution.stdout for execution in executions] == [b"1\n", b"1\n"]
        assert ticks > 1

    def test_bad_requests_are_refused_before_anything_runs(self, sandbox: Sandbox) -> None:
        for program, message in (
            (Program("", files={"../x": b""}), "file name '../x' is not relative and plain"),
            (Program("", collect=("/etc/passwd",)), "file name '/etc/passwd' is not relative and plain"),
            (Program("", files={"a" * 256: b""}), "... is too long; expected at most 255 bytes between slashes"),
            (Program("", collect=("a/" * 600 + "b",)), "... is too long; expected at most 255 bytes between slashes"),
            (Program("", files={"a\ud800": b""}), "file name 'a\\ud800' is not Unicode"),
            (
                Program("", files={"a": b"", "a/b": b""}),
                "file name 'a/b' makes a folder of 'a', which is a file as well",
            ),
            (Program("", language="cobol"), "language is 'cobol'; expected one of python"),
            (Program(b"print(1)"), "the source is b'print(1)'; expected text"),  # type: ignore[arg-type]
            (Program("", stdin="4"), "stdin is '4'; expected bytes"),  # type: ignore[arg-type]
            (Program("", files={"a": "4"}), "a is '4'; expected bytes"),  # type: ignore[dict-item]
            ("print(1)", "a program is 'print(1)'; expected Program(source, ...)"),
        ):
            with pytest.raises(AssayError, match=re.escape(message)):
                sandbox.run([program])  # type: ignore[list-item]
        with pytest.raises(AssayError, match=re.escape("programs is Program(source='print(1)'")):
            sandbox.run(Program("print(1)"))  # type: ignore[arg-type]
        with pytest.raises(AssayError, match=re.escape("limits is 5; expected Limits(cpu_seconds=5, ...)")):
            sandbox.run([Program("")], 5)  # type: ignore[arg-type]
        with pytest.raises(AssayError, match="limit cpu_seconds is 0; expected a positive number"):
            sandbox.run([Program("")], Limits(cpu_seconds=0))

    def test_a_closed_sandbox_refuses_further_runs(self) -> None:
        sandbox = self.open()
        sandbox.close()
        sandbox.close()
        with pytest.raises(AssayError, match="this sandbox is closed"):
            sandbox.run([Program("")])


def _judge(source: str, execution: Execution, canaries: Canaries) -> None:
    """Apply the JUDGE rules of an attack's header."""
    found = re.search(r"^# JUDGE: (.*)$", source, re.MULTILINE)
    assert found is not None, "an attack without JUDGE rules"
    lines = execution.stdout.decode("utf-8", "replace").splitlines()
    assert execution.status is not Status.SANDBOX_ERROR, execution
    for rule in found[1].split():
        if rule == "nobreach":
            assert [line for line in lines if line.startswith("BREACH")] == []
        elif rule == "nonet":
            assert canaries.touched == []
        elif rule == "status!=ok":
            assert execution.status is not Status.OK
        elif rule == "status=timeout":
            assert execution.status in _TIMEOUT, execution
        elif rule == "outmax":
            assert len(execution.stdout) + len(execution.stderr) <= _MOST_OUTPUT_BYTES
        elif rule.startswith("count<="):
            counts = [int(line.split()[1]) for line in lines if line.startswith("COUNT ")]
            assert all(count <= int(rule.removeprefix("count<=")) for count in counts)
        else:
            assert rule == "nosurvivor", f"unknown rule {rule}"  # looked at after every attack
