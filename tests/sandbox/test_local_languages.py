"""Languages of the local sandbox, and how a program's profile is chosen."""

import os
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from assay.errors import SandboxUnavailable
from assay.sandbox import Limits, Program, Status
from assay.sandbox.local import LocalSandbox, languages, profiles, toolchains
from assay.sandbox.local.machine import interpreter, machine
from assay.sandbox.local.profiles import wanted

pytestmark = pytest.mark.skipif(machine().modes[0] not in "AB", reason="compiling needs a mode with namespaces")

C = (
    "#include <stdio.h>\n"
    'int main(int c, char **v) { int x; scanf("%d", &x); printf("%d %s\\n", x * x, v[1]); return 0; }'
)
CPP = (
    "#include <bits/stdc++.h>\nusing namespace std;\n"
    "int main(int c, char **v) { int x; cin >> x; vector<int> a(x, x);"
    ' cout << accumulate(a.begin(), a.end(), 0) << " " << v[1] << endl; }'
)
JAVASCRIPT = 'const x = +require("fs").readFileSync(0, "utf8"); console.log(x * x, process.argv[2]);'
JAVA = (
    "import java.util.*;\n\nclass Helper { static int square(int x) { return x * x; } }\n"
    "public class Solution { public static void main(String[] a) {"
    ' int x = new Scanner(System.in).nextInt(); System.out.println(Helper.square(x) + " " + a[0]); } }'
)
SQUARES = {"c": C, "c++": CPP, "javascript": JAVASCRIPT, "java": JAVA}


@pytest.fixture(scope="module")
def sandbox() -> Iterator[LocalSandbox]:
    with LocalSandbox(slots=2) as sandbox:
        yield sandbox


def need(language: str) -> None:
    absent = toolchains.TOOLCHAINS[language].absent()
    if absent:
        pytest.skip(f"{', '.join(absent)} not on this machine")


@pytest.mark.parametrize("language", SQUARES)
def test_a_program_of_each_language_reads_input_and_arguments(sandbox: LocalSandbox, language: str) -> None:
    need(language)
    program = Program(SQUARES[language], stdin=b"7\n", language=language, arguments=("word",))
    [execution] = sandbox.run([program])
    assert (execution.status, execution.stdout) == (Status.OK, b"49 word\n"), execution


@pytest.mark.parametrize(
    ("language", "source", "words"),
    [
        ("c", "int main( { return 0; }", "error"),
        ("c++", "int main() { return undefined_name; }", "undefined_name"),
        ("java", "public class A { int x = ; }", "illegal start of expression"),
    ],
)
def test_what_does_not_compile_says_why(sandbox: LocalSandbox, language: str, source: str, words: str) -> None:
    need(language)
    [execution] = sandbox.run([Program(source, language=language)])
    assert (execution.status, execution.reason) == (Status.COMPILE_ERROR, "it does not compile")
    assert words in execution.stderr.decode()


def test_a_source_that_would_eat_the_compiler_is_a_compile_error(
    sandbox: LocalSandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    need("c")
    monkeypatch.setattr(languages, "COMPILE_LIMITS", Limits(cpu_seconds=1, processes=64, memory_bytes=1 << 30))
    bomb = "#define A(x) x x x x x x x x x x\n#define B(x) A(A(A(A(x))))\nint a[] = { B(B(1,)) };\nint main() {}"
    [execution] = sandbox.run([Program(bomb, language="c")])
    assert execution.status is Status.COMPILE_ERROR
    assert "compiling it failed" in execution.reason or "does not compile" in execution.reason


@pytest.mark.parametrize(
    ("language", "source"),
    [
        ("c++", "#include <vector>\nint main() { std::vector<long> v; while (1) v.push_back(1); }"),
        ("javascript", "let a = []; while (1) a.push(new Array(1000).fill(1.5))"),
        (
            "java",
            "import java.util.*; public class A { public static void main(String[] z) {"
            " List<long[]> l = new ArrayList<>(); while (true) l.add(new long[100000]); } }",
        ),
    ],
)
def test_memory_is_limited_in_every_language(sandbox: LocalSandbox, language: str, source: str) -> None:
    need(language)
    [execution] = sandbox.run([Program(source, language=language)], Limits(cpu_seconds=20, memory_bytes=256 << 20))
    assert execution.status is Status.MEMORY_LIMIT, execution


@pytest.mark.parametrize(
    ("language", "source"),
    [("c", "int main() { for (;;); }"), ("javascript", "while (true);")],
)
def test_time_is_limited_in_every_language(sandbox: LocalSandbox, language: str, source: str) -> None:
    need(language)
    [execution] = sandbox.run([Program(source, language=language)], Limits(cpu_seconds=0.3, wall_seconds=30))
    assert (execution.status, execution.exit_code) == (Status.TIME_LIMIT, None)


def test_equal_sources_are_compiled_once_however_many_ask(monkeypatch: pytest.MonkeyPatch) -> None:
    need("c")
    compiled: list[str] = []
    with LocalSandbox(slots=2) as sandbox:
        original = sandbox._languages._compile_now

        def counting(chain: toolchains.Toolchain, source: str, batch: object) -> object:
            compiled.append(source)
            return original(chain, source, batch)  # type: ignore[arg-type]

        monkeypatch.setattr(sandbox._languages, "_compile_now", counting)
        programs = [Program(C, stdin=b"%d\n" % n, language="c", arguments=("x",)) for n in range(6)]
        results: list[list[bytes]] = []
        threads = [
            threading.Thread(target=lambda: results.append([e.stdout for e in sandbox.run(programs)])) for _ in range(3)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert results == [[b"%d x\n" % n**2 for n in range(6)]] * 3
    assert compiled == [C]


def test_after_a_few_programs_cpp_is_compiled_with_a_precompiled_header(monkeypatch: pytest.MonkeyPatch) -> None:
    need("c++")
    monkeypatch.setattr(languages, "_PLAIN_COMPILATIONS", 1)
    with LocalSandbox(slots=1) as sandbox:
        for number in range(2):
            [execution] = sandbox.run([Program(f"{CPP}\n// {number}", stdin=b"7", language="c++", arguments=("w",))])
            assert (execution.status, execution.stdout) == (Status.OK, b"49 w\n"), execution
        assert set(sandbox._pool._idle) == {"light", "c++"}
        look = "import os; print(os.path.getsize('/headers/bits/stdc++.h.gch') > 1 << 20)\nopen('/headers/x', 'w')"
        [header] = sandbox._pool.map(
            lambda program, batch: sandbox._compile(program, Limits(), batch), [Program(look, profile="c++")]
        )
        assert header.stdout == b"True\n"
        assert b"Read-only file system" in header.stderr or b"Permission denied" in header.stderr


def test_a_missing_toolchain_is_an_error_before_anything_runs(
    sandbox: LocalSandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    toolchains.which.cache_clear()
    monkeypatch.setattr(toolchains, "SEARCH_PATH", "/nowhere")
    try:
        with pytest.raises(SandboxUnavailable, match=r"java programs need javac and java, .* install a JDK \(Debian"):
            sandbox.run([Program(JAVA, language="java")])
    finally:
        monkeypatch.undo()
        toolchains.which.cache_clear()


def test_a_mode_that_cannot_compile_says_so() -> None:
    if "C" not in machine().modes:
        pytest.skip("mode C is not to be had here")
    need("c")
    with (
        LocalSandbox(slots=1, mode="C") as sandbox,
        pytest.raises(
            SandboxUnavailable, match="c programs must be compiled, which mode C does not allow: its programs"
        ),
    ):
        sandbox.run([Program(C, language="c")])


@pytest.mark.parametrize(
    ("source", "profile"),
    [
        ("print(1)", "light"),
        ("import numpy as np", "numpy"),
        ("def f():\n    import os, numpy", "numpy"),
        ("from numpy.linalg import det", "numpy"),
        ("import numpy\nfrom sympy import Symbol", "sci"),
        ("import sympy as sp", "sci"),
        ("# import numpy", "light"),
        ("import numpyish", "light"),
        ("text = 'numpy'", "light"),
    ],
)
def test_the_imports_choose_the_profile(source: str, profile: str) -> None:
    assert wanted(source, "auto") == profile
    assert wanted(source, "light") == "light"


def test_where_numpy_is_not_installed_a_program_that_names_it_runs_all_the_same(tmp_path: Path) -> None:
    (tmp_path / "assay").symlink_to(Path(__file__).parents[2])
    script = (
        f"import sys; sys.path.insert(0, {str(tmp_path)!r})\n"
        "from assay.sandbox import Program, open_sandbox\n"
        "from assay.sandbox.local.profiles import installed\n"
        "if installed(): sys.exit()\n"
        'named = \'"""\\nimport numpy\\nimport sympy\\n"""\\nprint(42)\'\n'
        "with open_sandbox('local', slots=1) as sandbox:\n"
        "    programs = [Program(named), Program('import numpy'), Program('print(42)', profile='sci')]\n"
        "    for run in sandbox.run(programs): print(run.status.name, run.stdout, run.stderr[-45:])\n"
    )
    for python in filter(os.path.exists, (interpreter(), "/usr/bin/python3", "/usr/local/bin/python3")):
        done = subprocess.run([python, "-I", "-S", "-c", script], capture_output=True, text=True)
        if done.stdout:
            break
    else:
        pytest.skip(f"every Python here has numpy, or is too old: {done.stderr[-300:]}")
    assert done.stdout.splitlines() == [
        "OK b'42\\n' b''",
        "NONZERO_EXIT b'' b\"ModuleNotFoundError: No module named 'numpy'\\n\"",
        "OK b'42\\n' b''",
    ]


def test_an_interpreter_in_a_home_folder_does_not_show_the_home_folder(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "lib").mkdir()
    (tmp_path / "lib" / "libpython3.so").touch()
    monkeypatch.setattr(profiles, "interpreter", lambda: str(tmp_path / "bin" / "python3"))
    monkeypatch.setattr("sys.base_prefix", str(tmp_path))
    assert profiles._interpreter_folders() == [str(tmp_path)]
    for home in (tmp_path, tmp_path / "somebody"):
        monkeypatch.setenv("HOME", str(home))
        shown = profiles._interpreter_folders()
        assert str(tmp_path) not in shown
        assert str(tmp_path / "lib" / "libpython3.so") in shown
        assert all(path.startswith((f"{tmp_path}/bin/python", f"{tmp_path}/lib/")) for path in shown)


def test_a_profile_has_its_modules_loaded_before_the_program_starts(sandbox: LocalSandbox) -> None:
    source = "import sys; print([name in sys.modules for name in ('numpy', 'sympy')])"
    programs = [Program(source, profile=profile) for profile in ("light", "numpy", "sci")]
    limits = Limits(cpu_seconds=20, memory_bytes=1 << 30)
    assert [e.stdout for e in sandbox.run(programs, limits)] == [
        b"[False, False]\n",
        b"[True, False]\n",
        b"[True, True]\n",
    ]
