"""Compiled programs that cannot be started: what is wrong with a binary is its program's failure, never ours."""

import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from assay.sandbox import Execution, Program, Status
from assay.sandbox.local import LocalSandbox, languages
from assay.sandbox.local.machine import machine
from assay.sandbox.local.toolchains import TOOLCHAINS

pytestmark = [
    pytest.mark.skipif(machine().modes[0] not in "AB", reason="compiling needs a mode with namespaces"),
    pytest.mark.skipif(bool(TOOLCHAINS["c"].absent()), reason="no C compiler on this machine"),
]


@pytest.fixture(scope="module")
def sandbox() -> Iterator[LocalSandbox]:
    with LocalSandbox(slots=2) as sandbox:
        yield sandbox


WRONG = '#include <stdio.h>\nint main(void) { puts("ran"); return 0; }\n'
NO_KERNEL_STARTS = {
    "no end in its loader's name": '__attribute__((section(".interp"), used)) static const char x = 120;\n' + WRONG,
    "a name that is too long": '__attribute__((section(".interp"), used)) static const char x[5000];\n' + WRONG,
    "more data than addresses": "static volatile char x[1L << 40];\n" + WRONG.replace("puts", "x[5] = 1; puts"),
    "more data than memory": "static volatile char x[1L << 30];\n" + WRONG.replace("puts", "x[5] = 1; puts"),
    "no entry": 'asm(".globl main\\nmain = 1\\n");\n',
}


@pytest.mark.parametrize("kind", NO_KERNEL_STARTS)
def test_a_binary_that_no_kernel_starts_is_the_programs_own_failure(sandbox: LocalSandbox, kind: str) -> None:
    [execution] = sandbox.run([Program(NO_KERNEL_STARTS[kind], language="c")])
    assert execution.status not in (Status.OK, Status.SANDBOX_ERROR), execution
    assert execution.stdout == b""


@pytest.mark.parametrize(
    ("loader", "code", "words"),
    [
        (b"/usr/lib/none", 127, b"No such file or directory"),
        (b"/usr", 126, b"Permission denied"),
        (b"/dev/null", 126, b"Permission denied"),
        (b"/etc/passwd", 126, b"Permission denied"),
        (b"", 126, b"Exec format error"),
    ],
)
def test_what_execve_answers_to_a_binary_is_told_as_a_shell_would(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, loader: bytes, code: int, words: bytes
) -> None:
    (tmp_path / "program.c").write_text(WRONG)
    subprocess.run(["gcc", "program.c", "-o", "program"], cwd=tmp_path, check=True)
    binary = (tmp_path / "program").read_bytes()
    found = re.search(rb"/lib[\w/.-]*/ld-linux[\w.-]*\0", binary)
    assert found is not None
    changed = binary.replace(found[0], loader.ljust(len(found[0]), b"\0"), 1) if loader else b""
    done = Execution(Status.OK, files={"program": changed})
    monkeypatch.setattr(languages.Languages, "_compile_now", lambda *_: done)
    with LocalSandbox(slots=1) as sandbox:
        [execution] = sandbox.run([Program(WRONG, language="c")])
    assert (execution.status, execution.exit_code) == (Status.NONZERO_EXIT, code), execution
    assert execution.stderr == b"./program: %b\n" % words


def test_names_in_java_that_are_too_long_are_the_programs_own_failure(sandbox: LocalSandbox) -> None:
    if TOOLCHAINS["java"].absent():
        pytest.skip("no JDK on this machine")
    long_file = Program(f"public class {'A' * 300} {{}}", language="java")
    hidden = "class Main { public static void main(String[] a) {} }"
    long_command = Program(f"/* class {'A' * 200_000} static void main( */ {hidden}", language="java")
    file, command = sandbox.run([long_file, long_command])
    assert file.status is Status.COMPILE_ERROR, file
    assert (command.status, command.exit_code) == (Status.NONZERO_EXIT, 126), command
    assert b"Argument list too long" in command.stderr
