"""The recipe of the guide for another service, run with a stand-in for that service's package."""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
import types
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from assay.sandbox import Limits, Program, Status
from assay.verifiers import CodeVerifier, TestSuite

GUIDE = Path(__file__).resolve().parents[2] / "docs" / "guide" / "serving.md"
LINES = 40


class TimeoutException(Exception):
    """As E2B's."""


class Machine:
    """E2B's ``Sandbox`` as far as the recipe uses it: a folder in place of a machine."""

    def __init__(self, folder: str) -> None:
        self.folder = folder
        self.files = self.commands = self

    @classmethod
    @contextmanager
    def create(cls, *, timeout: int, allow_internet_access: bool) -> Iterator[Machine]:
        assert timeout > 0
        assert not allow_internet_access
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
            yield cls(folder)

    def write(self, path: str, data: bytes) -> None:
        file = Path(self.folder, path.lstrip("/"))
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(data)

    def run(self, command: str, *, cwd: str, timeout: float, on_stdout: Callable[[str], None]) -> None:
        command = command.replace("python3", sys.executable)
        try:
            done = subprocess.run(
                command, shell=True, cwd=self.folder + cwd, timeout=timeout, capture_output=True, text=True
            )
        except subprocess.TimeoutExpired as error:
            raise TimeoutException from error
        on_stdout(done.stdout)


@pytest.fixture
def recipe(monkeypatch: pytest.MonkeyPatch) -> Any:
    found = re.search(r"```python needs=e2b\n(.*?)```", GUIDE.read_text(encoding="utf-8"), re.DOTALL)
    assert found is not None
    assert len(found[1].splitlines()) <= LINES
    package = types.ModuleType("e2b")
    package.__dict__.update(Sandbox=Machine, TimeoutException=TimeoutException)
    monkeypatch.setitem(sys.modules, "e2b", package)
    names: dict[str, Any] = {}
    exec(compile(found[1], str(GUIDE), "exec"), names)
    return names["E2BSandbox"]()


def test_the_recipes_sandbox_runs_programs_and_judges_code(recipe: Any) -> None:
    limits = Limits(cpu_seconds=5, wall_seconds=30)
    program = Program("import sys; print(open('a').read() + sys.stdin.read())", stdin=b"b", files={"a": b"a"})
    large = Program("print('x' * 200_000)")
    failing = Program("raise SystemExit(3)")
    found = recipe.run([program, large, failing], limits)
    assert [execution.status for execution in found] == [Status.OK, Status.OK, Status.NONZERO_EXIT]
    assert found[0].stdout == b"ab\n"
    assert found[1].stdout == b"x" * 200_000 + b"\n"
    suite = TestSuite.from_asserts("assert f(2) == 4", entry_point="f")
    verifier = CodeVerifier(recipe, limits=limits)
    assert [r.score for r in verifier.verify(["def f(x): return x * 2", "def f(x): return 5"], [suite] * 2)] == [
        1.0,
        0.0,
    ]


def test_the_services_failure_is_nobodys_zero(recipe: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Machine, "write", lambda *_: (_ for _ in ()).throw(OSError("no such machine")))
    [execution] = recipe.run([Program("print(1)")])
    assert (execution.status, execution.reason) == (Status.SANDBOX_ERROR, "E2B failed: no such machine")
