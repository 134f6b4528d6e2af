"""A Python session as a tool: it keeps its variables, is limited, and is alone."""

from __future__ import annotations

import gc
import pickle
import re
import weakref
from collections.abc import Iterator
from typing import Any

import pytest

from assay.environments.episodes import (
    call_tool,
)
from assay.environments.tools.python import PythonEpisode, PythonTool
from assay.environments.tools.shared_sandbox import SharedSandbox
from assay.errors import InputError, SandboxUnavailable
from assay.sandbox import Execution, Program, Sandbox, open_sandbox


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    with open_sandbox("auto") as opened:
        yield opened


def python_session(sandbox: Sandbox, **limits: Any) -> PythonEpisode:
    session = PythonEpisode(SharedSandbox(sandbox), **limits)
    session.reset(answer="1")
    return session


def test_a_python_session_keeps_its_variables_and_prints_what_a_prompt_would(sandbox: Sandbox) -> None:
    session = python_session(sandbox)
    assert session.run("import random\nx = [1]\nprint('hi')\nn = random.random()") == "hi"
    assert session.run("x.append(2)\nx") == "[1, 2]"
    assert session.run("x") == "[1, 2]"
    assert session.run("x = 3") == "(no output)"
    first = session.run("n")
    assert session.run("n") == first


def test_a_python_session_says_how_code_failed_and_goes_on(sandbox: Sandbox) -> None:
    session = python_session(sandbox, most_calls=5)
    assert session.run("y = 1\n1 / 0").splitlines()[-1] == "ZeroDivisionError: division by zero"
    assert session.run("y") == "1"
    assert "SyntaxError" in session.run("for")
    assert session.run("import os\ny = 2\nos._exit(3)") == "Stopped: exit code 3. The call is forgotten."
    assert session.run("y") == "1"
    with pytest.raises(InputError, match="the session's 5 calls are spent; answer now"):
        session.run("y")


def test_a_python_session_is_limited_in_time_and_output(sandbox: Sandbox) -> None:
    session = python_session(sandbox, cpu_seconds=0.5)
    assert session.run("print('x' * 100000)").endswith("\n... (100000 characters)")
    stopped = session.run("while True: pass")
    assert stopped.startswith("Stopped: ")
    assert stopped.endswith("The call is forgotten.")
    with pytest.raises(InputError, match="code is no text of at most 20000 characters"):
        session.run(5)  # type: ignore[arg-type]
    spent = python_session(sandbox, episode_cpu_seconds=1e-6)
    spent.run("sum(range(1000))")
    with pytest.raises(InputError, match=r"the session's 1e-06 s of CPU time are spent; answer now"):
        spent.run("1")


def test_two_python_sessions_see_nothing_of_each_other(sandbox: Sandbox) -> None:
    one, two = python_session(sandbox), python_session(sandbox)
    one.run("secret = 42\nopen('note.txt', 'w').write('42')")
    assert "NameError" in two.run("secret")
    assert "FileNotFoundError" in two.run("open('note.txt').read()")


def test_a_failing_sandbox_is_told_as_such_and_is_no_answer_of_the_model() -> None:
    class Broken:
        def run(self, programs: Any, limits: Any = None) -> list[Execution]:
            return [Execution(reason="out of order")]

    session = PythonEpisode(SharedSandbox(Broken()))  # type: ignore[arg-type]
    session.reset(answer="1")
    with pytest.raises(SandboxUnavailable, match="the code could not be run: out of order"):
        session.run("1")


def test_a_shared_sandbox_is_opened_late_once_and_closed_with_its_owner() -> None:
    environment = PythonTool()
    holder = environment.episode_options()["sandbox"]
    episodes = [environment.environment_factory() for _ in range(3)]
    assert holder._opened is None
    for episode in episodes:
        episode.reset(answer="1")
        assert call_tool(episode, "run", {"code": "1+1"}) == "2"
    opened = holder._opened
    assert opened is not None
    copy = pickle.loads(pickle.dumps(holder))
    assert copy._opened is None
    gone = weakref.ref(holder)
    del environment, holder, episodes, episode
    gc.collect()
    assert gone() is None
    with pytest.raises(SandboxUnavailable, match="this sandbox is closed"):
        opened.run([Program("print(1)")])


def test_a_questions_answer_is_what_python_says(sandbox: Sandbox) -> None:
    checks = {
        "prime": "sum(n > 1 and all(n % d for d in range(2, int(n ** 0.5) + 1)) for n in range({0}, {1} + 1))",
        "digits": "sum(map(int, str({0} ** {1})))",
    }
    tasks = PythonTool(levels=[1]).tasks("test", limit=30)
    for key, code in checks.items():
        chosen = [task for task in tasks if key in task.prompt[0]["content"]]  # type: ignore[index]
        assert chosen
        for task in chosen[:2]:
            numbers = re.findall(r"\d+", task.prompt[0]["content"])[:2]  # type: ignore[index]
            assert python_session(sandbox).run(code.format(*numbers)) == task.reference
