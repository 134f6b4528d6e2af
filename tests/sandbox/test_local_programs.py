"""What a program finds in the local sandbox: an interpreter as anywhere, its files, its streams."""

import subprocess
import sys
from collections.abc import Iterator

import pytest

from assay.sandbox import Limits, Program, Status
from assay.sandbox.local import LocalSandbox
from assay.sandbox.local.machine import machine

isolating = pytest.mark.skipif("E" in machine().modes, reason="this machine cannot isolate programs at all")


@pytest.fixture(scope="module")
def sandbox() -> Iterator[LocalSandbox]:
    with LocalSandbox(slots=2) as sandbox:
        yield sandbox


@isolating
def test_the_environment_and_the_hash_seed_are_the_same_for_every_run(
    sandbox: LocalSandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOME_SECRET", "x")
    source = "import os; print(sorted(os.environ), hash('a'), list({'a', 'b', 'c'}))"
    outputs = {execution.stdout for execution in sandbox.run([Program(source)] * 6)}
    with LocalSandbox(slots=1) as other:
        outputs.add(other.run([Program(source)])[0].stdout)
    assert len(outputs) == 1
    assert b"SOME_SECRET" not in outputs.pop()


@isolating
def test_the_library_path_of_the_interpreter_itself_is_kept(
    sandbox: LocalSandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = f"{sys.base_prefix}/lib"
    monkeypatch.setenv("LD_LIBRARY_PATH", f"/home/somebody/lib:{own}")
    with LocalSandbox(slots=1) as other:
        [execution] = other.run([Program("import os; print(os.environ['LD_LIBRARY_PATH'])")])
    assert execution.stdout.decode() == f"{own}\n"


@isolating
def test_python_behaves_as_it_does_outside(sandbox: LocalSandbox) -> None:
    source = (
        "import sys, os\n"
        "print(__name__, sys.argv, __file__ == os.path.join(os.getcwd(), 'program.py'), sys.stdin.encoding)\n"
        "print(os.path.dirname(sys.path[0]) != '', 'slot' in sys.modules, sys.flags.optimize)\n"
        "def f():\n    return 1 / 0  # here\n"
        "f()\n"
    )
    [execution] = sandbox.run([Program(source)])
    assert execution.stdout == b"__main__ ['program.py'] True utf-8\nTrue False 0\n"
    words = execution.stderr.decode()
    assert words.startswith('Traceback (most recent call last):\n  File "program.py", line 6, in <module>\n    f()\n')
    assert "return 1 / 0  # here" in words
    assert words.endswith("ZeroDivisionError: division by zero\n")


@isolating
def test_files_that_are_links_or_no_files_do_not_come_back(sandbox: LocalSandbox) -> None:
    if sandbox.mode not in "AB":
        pytest.skip("without namespaces programs write no files")
    source = (
        "import os, socket\nos.symlink('/etc/passwd', 'link'); os.mkdir('folder'); open('good', 'w').write('yes')\n"
        "os.symlink('folder', 'linked'); open('folder/inner', 'w').write('in')\n"
        "socket.socket(socket.AF_UNIX).bind('socket'); open('big', 'w').truncate(200 << 20) if 0 else None"
    )
    names = ("link", "folder", "good", "linked/inner", "folder/inner", "socket", "absent")
    [execution] = sandbox.run([Program(source, collect=names)])
    assert execution.status is Status.OK, execution
    assert execution.files == {"good": b"yes", "folder/inner": b"in"}


@pytest.mark.parametrize(
    ("source", "stdout"),
    [
        ("out = open(1, 'w'); out.write('42')", b"42"),
        ("import sys; print('a'); sys.stdout = open('/dev/null', 'w')", b"a\n"),
        ("class A:\n    def __del__(self): print('end')\na = A()", b"end\n"),
        ("import sys; write = sys.stdout.write; sys.stdout = None; write('42')", b"42"),
        ("print(42); import sys; sys.stdout.close()", b"42\n"),
        ("print(42); raise ValueError", b"42\n"),
        ("import sys; print(sys.stdin.mode, sys.stdout.mode, sys.stdin.name)", b"r w <stdin>\n"),
        ("print(__annotations__, __cached__, __spec__)", b"{} None None\n"),
        ("print(type(__loader__).__name__, __loader__.name)", b"SourceFileLoader __main__\n"),
    ],
)
def test_what_a_program_wrote_late_is_kept_as_python_keeps_it(
    sandbox: LocalSandbox, source: str, stdout: bytes
) -> None:
    assert sandbox.run([Program(source)])[0].stdout == stdout


NO_GLOBALS = """
import sys
class Late:
    def __init__(self): self.text = []
    def write(self, text): self.text.append(text)
    def flush(self): sys.__stdout__.write("".join(self.text)); self.text = []
"""


@isolating
@pytest.mark.parametrize(
    "source",
    [
        f"{NO_GLOBALS}sys.stdout = Late()\nprint(42)",
        f"{NO_GLOBALS}class Ends(Late):\n    def __del__(self): self.flush()\nheld = Ends(); held.write('42')",
        "import sys, os\nclass A:\n    def __del__(self): os.write(1, NAME)\nNAME = b'end'; a = A(); a.a = a",
        "import sys, io\nsys.stdout = io.TextIOWrapper(io.FileIO(1, 'w'))\nprint(42)",
        "import sys, os\nsys.stdout = os.fdopen(1, 'w', 1 << 20)\nprint(42)",
        "import sys\nprint(42)\nsys.stdout.close()\nprint(43)",
        "import sys\nsys.stdout = object()",
        "import sys\nsys.stderr = object()",
        "import sys\nsys.stdout = sys.stderr = None\nprint(42)",
        "import sys\nclass A:\n    closed = property(lambda self: 1 / 0)\n    flush = print\nsys.stdout = A()",
        "import os\nprint(42)\nos.close(1)",
        "import atexit\natexit.register(lambda: 1 / 0)\natexit.register(print, 42)",
        "import atexit, sys\natexit.register(lambda: sys.exit(3))",
        "import atexit, threading\natexit.register(print, 2)\nt = threading.Timer(0.1, lambda: print(1)); t.start()",
        "import sys\ndef hook(*_): print('hook')\nsys.excepthook = hook\n1 / 0",
        "import sys, __main__\nsys.modules['__main__'] = 5\nprint(42)",
        "import sys\ndel sys.modules['__main__']\nprint(42)",
        "import sys\nsys.stdout.write('42')\nsys.exit(7)",
    ],
)
def test_a_program_ends_as_under_an_interpreter_of_its_own(sandbox: LocalSandbox, source: str) -> None:
    [execution] = sandbox.run([Program(source)], Limits(cpu_seconds=9))
    outside = subprocess.run([sys.executable, "-I", "-S", "-c", source], capture_output=True)
    assert (execution.exit_code, execution.stdout) == (outside.returncode, outside.stdout), execution


@isolating
def test_output_that_is_opened_anew_keeps_its_limits_and_its_end(sandbox: LocalSandbox) -> None:
    if sandbox.mode == "D":
        pytest.skip("no processes in mode D")
    flood = "f = open('/dev/stdout', 'w')\nwhile True: f.write('x' * 1000)"
    limits = Limits(cpu_seconds=9, stdout_bytes=100_000, stderr_bytes=1000)
    [flooded] = sandbox.run([Program(flood)], limits)
    assert (flooded.status, flooded.stdout) == (Status.OUTPUT_LIMIT, b"x" * 100_000)
    [errors] = sandbox.run([Program("open('/dev/stderr', 'w').write('e' * 1001)")], limits)
    assert (errors.status, errors.stderr) == (Status.OUTPUT_LIMIT, b"e" * 1000)
    closed = "import os, time  # /dev/stdout\nos.close(1); os.close(2); time.sleep(0.3)"
    left = "import os, time  # /dev/stdout\nif os.fork() == 0: print('x', flush=True); time.sleep(60)\ntime.sleep(0.3)"
    for source, stdout in (
        (closed, b""),
        (left, b"x\n"),
        ("print('x' * 99_998)  # /dev/stdout", b"x" * 99_998 + b"\n"),
    ):
        [execution] = sandbox.run([Program(source)], limits)
        assert (execution.status, execution.stdout) == (Status.OK, stdout), execution
        assert execution.cpu_seconds < 0.3


@isolating
def test_a_program_that_reads_itself_finds_its_file_and_no_other_pays_for_that(sandbox: LocalSandbox) -> None:
    reads = "print(open(__file__).read() == open('program.py').read(), 'é')"
    [execution] = sandbox.run([Program(reads)])
    assert execution.stdout.decode() == "True é\n", execution
    [own] = sandbox.run([Program("print(open('program.py').read())", files={"program.py": b"mine"})])
    assert own.stdout == b"mine\n"
    [full] = sandbox.run([Program(f"__file__\n# {'x' * 9000}\nprint(1)")], Limits(scratch_bytes=4096, cpu_seconds=9))
    assert (full.status, full.stdout) == (Status.OK, b"1\n")
    [other] = sandbox.run([Program("import os; print(os.listdir('.'))")])
    assert other.stdout == b"[]\n"
