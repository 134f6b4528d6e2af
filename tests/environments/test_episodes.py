"""Tasks of several turns: TRL's contract, isolation, limits, replays; and what a model may do to them."""

from __future__ import annotations

import gc
import inspect
import json
import pickle
import re
import weakref
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from assay import Verdict, make
from assay.environments.base import Task
from assay.environments.code.repair import CodeRepair, RepairEpisode
from assay.environments.episodes import (
    MultiTurnEnvironment,
    ReplayVerifier,
    ScoredEpisode,
    call_tool,
    calls_text,
    play,
    tool_calls,
    tools_of,
)
from assay.environments.games.guess_number import GuessEpisode, GuessNumber
from assay.environments.tools.calculator import CalculatorEpisode, shown
from assay.environments.tools.python import PythonEpisode, PythonTool
from assay.environments.tools.shared_sandbox import SharedSandbox
from assay.errors import InputError, SandboxUnavailable, VerifierFailed
from assay.sandbox import Execution, Program, Sandbox, open_sandbox
from assay.verifiers.code import CodeVerifier
from assay.verifiers.conformance import VerifierConformance

SECRET = json.dumps({"low": 1, "high": 10, "secret": 7, "guesses": 3})
TOOLS = {
    "games/guess-number": {"guess"},
    "tools/calculator": {"calculate"},
    "tools/python": {"run"},
    "code/repair": {"test"},
    "bridge/gymnasium": {"act"},
}


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    with open_sandbox("auto") as opened:
        yield opened


def multi_turn(name: str) -> MultiTurnEnvironment:
    environment = make(name)
    assert isinstance(environment, MultiTurnEnvironment)
    return environment


def caller(*calls: tuple[str, dict[str, Any]], answer: str = "done") -> Callable[..., dict[str, Any]]:
    """A policy that makes calls one after the other, then answers."""
    waiting = list(calls)

    def policy(messages: Sequence[Any], tools: Sequence[Any]) -> dict[str, Any]:
        if not waiting:
            return {"role": "assistant", "content": answer}
        name, arguments = waiting.pop(0)
        function = {"name": name, "arguments": arguments}
        return {"role": "assistant", "content": "", "tool_calls": [{"type": "function", "function": function}]}

    return policy


@pytest.mark.parametrize("name", TOOLS)
def test_an_episode_keeps_the_contract_of_a_trainer(name: str) -> None:
    """What GRPOTrainer looks at: a picklable factory without arguments, `reset`, tools by their public names."""
    factory = pickle.loads(pickle.dumps(multi_turn(name).environment_factory))
    episode = factory()
    public = {member for member, _ in inspect.getmembers(type(episode), inspect.isfunction) if member[0] != "_"}
    assert public - {"reset", "get_reward"} == TOOLS[name] == {tool.__name__ for tool in tools_of(episode)}
    assert ("get_reward" in public) == multi_turn(name).owns_reward == isinstance(episode, ScoredEpisode)
    for tool in tools_of(episode):
        assert tool.__doc__ is not None
        assert "Args:" in tool.__doc__
        assert "Returns:" in tool.__doc__
        assert all(p.annotation is not p.empty for p in inspect.signature(tool).parameters.values())


@pytest.mark.parametrize("name", ["games/guess-number", "tools/calculator", "tools/python"])
def test_a_procedural_task_is_reset_alike_every_time(name: str) -> None:
    environment = multi_turn(name)
    [task] = environment.tasks("test", limit=1)
    first, second = environment.environment_factory(), environment.environment_factory()
    row = {"prompt": task.prompt, "answer": task.reference, "task_id": task.id, "difficulty": 1.0, "level": 1}
    assert first.reset(**row) == second.reset(**row)
    if name != "tools/python":  # a session's options hold the sandbox
        assert vars(first) == vars(second)


def test_members_of_a_group_are_isolated_and_an_episode_used_again_begins_anew() -> None:
    one, two = GuessEpisode(), GuessEpisode()
    one.reset(answer=SECRET)
    two.reset(answer=SECRET)
    assert one.guess(7) == "Correct: the number is 7."
    assert (one.get_reward(), two.get_reward()) == (1.0, 0.0)
    one.reset(answer=SECRET)
    assert one.get_reward() == 0.0
    assert one.guess(9) == "The number is lower than 9. Guesses left: 2."


def test_guesses_run_out_and_nonsense_is_refused() -> None:
    episode = GuessEpisode()
    episode.reset(answer=SECRET)
    for number in (1, 2, 3):
        assert "higher" in episode.guess(number)
    with pytest.raises(InputError, match="there is no guess left"):
        episode.guess(7)
    assert episode.get_reward() == 0.0
    episode.reset(answer=SECRET)
    for bad in ("7", 7.0, True, None):
        with pytest.raises(InputError, match=r"number is .*; expected a whole number"):
            episode.guess(bad)  # type: ignore[arg-type]
    episode.guess(7)
    with pytest.raises(InputError, match="the game is over"):
        episode.guess(7)


def test_halving_finds_every_number_of_every_level() -> None:
    environment = GuessNumber()
    tasks = environment.tasks("test", limit=80)
    calls = [environment.reference_completions(task)[0] for task in tasks]
    assert {result.verdict for result in environment.verify(calls, tasks)} == {Verdict.CORRECT}


def test_a_rollout_is_played_and_its_replay_agrees() -> None:
    environment = GuessNumber(levels=[1])
    [task] = environment.tasks("test", limit=1)
    secret, low = (json.loads(task.reference)[key] for key in ("secret", "low"))
    good = play(environment, task, caller(("guess", {"number": low - 1}), ("guess", {"number": secret})))
    bad = play(environment, task, caller(("guess", {"number": "x"}), ("shout", {}), ("guess", {"nr": 1})))
    assert (good.result.verdict, bad.result.verdict) == (Verdict.CORRECT, Verdict.NO_ANSWER)
    assert [message["content"] for message in bad.messages if message["role"] == "tool"] == [
        json.dumps({"error": "number is 'x'; expected a whole number"}),
        json.dumps({"error": "Tool shout not found."}),
        json.dumps({"error": "GuessEpisode.guess() got an unexpected keyword argument 'nr'"}),
    ]
    replayed = environment.verify([json.dumps(good.messages), json.dumps(bad.messages)], [task, task])
    assert [result.verdict for result in replayed] == [Verdict.CORRECT, Verdict.NO_ANSWER]


def test_a_policy_that_never_stops_is_stopped() -> None:
    environment = GuessNumber(levels=[1])
    [task] = environment.tasks("test", limit=1)
    played = play(environment, task, lambda messages, tools: caller(("guess", {"number": 0}))(messages, tools))
    assert sum(message["role"] == "assistant" for message in played.messages) == environment.most_turns


class TestReplayVerifier(VerifierConformance):
    verifier = ReplayVerifier(GuessEpisode)
    examples = (
        (calls_text([("guess", {"number": 7})]), SECRET, Verdict.CORRECT),
        ('[{"role": "assistant", "tool_calls": [{"function": {"name": "guess", "arguments": "{\\"number\\": 7}"}}]}]',
         SECRET, Verdict.CORRECT),
        (calls_text([("guess", {"number": 6})]), SECRET, Verdict.INCORRECT),
        (calls_text([("get_reward", {}), ("_result", {}), ("reset", {"answer": SECRET})]), SECRET, Verdict.NO_ANSWER),
        (calls_text([("guess", {"number": 7})]), "{}", Verdict.BAD_REFERENCE),
        ("the number is 7", SECRET, Verdict.NO_ANSWER),
    )  # fmt: skip


@pytest.mark.parametrize(
    ("text", "calls"),
    [
        ("[]", []),
        ('[{"name": "f", "arguments": {"x": 1}}]', [("f", {"x": 1})]),
        ('[{"role": "assistant", "tool_calls": [{"function": {"name": "f", "arguments": "{"}}, 5]}]', []),
        ('[{"name": 5, "arguments": {}}]', []),
        ("{}", None),
        ("[1]", None),
        ("nothing", None),
        ("[" * 100_000, None),
    ],
)
def test_calls_are_read_out_of_whatever_a_rollout_holds(text: str, calls: list[Any] | None) -> None:
    assert tool_calls(text) == calls


def test_a_calculator_is_exact_bounded_and_limited() -> None:
    episode = CalculatorEpisode()
    episode.reset(answer="1")
    assert episode.calculate("123456789 * 987654321") == "121932631112635269"
    assert episode.calculate("1/8 - 2") == "-1.875"
    assert episode.calculate("10/3") == "10/3 = 3.333333333333..."
    for bad, message in (("9**9**9", "a power is too large"), ("__import__('os')", "is neither a number nor one of")):
        assert message in call_tool(episode, "calculate", {"expression": bad})
    assert "expression is 5; expected text" in call_tool(episode, "calculate", {"expression": 5})
    episode.calculate("1")
    episode.calculate("1")
    with pytest.raises(InputError, match="the calculator was used 8 times, which is all there is; answer now"):
        episode.calculate("1")
    assert shown(Fraction(-1, 3)) == "-1/3 = -0.333333333333..."


def test_the_last_message_is_judged_where_the_answer_is_said() -> None:
    environment = make("tools/calculator")
    assert isinstance(environment, MultiTurnEnvironment)
    [task] = environment.tasks("test", limit=1)
    call = ("calculate", {"expression": "2+2"})
    assert play(environment, task, caller(call, answer=f"\\boxed{{{task.reference}}}")).result.is_correct
    assert not play(environment, task, caller(call, answer="\\boxed{0.5}")).result.is_correct


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


@pytest.fixture
def repair(shared: Path, sandbox: Sandbox) -> CodeRepair:
    return CodeRepair(shared / "data/mbpp", judge=CodeVerifier(sandbox, all_or_nothing=True))


def test_a_program_that_passes_the_visible_test_alone_fails_the_hidden_ones(repair: CodeRepair) -> None:
    [task] = repair.tasks("validation", limit=1)
    solution = tool_calls(repair.reference_completions(task)[0])
    assert solution is not None
    visible = json.loads(json.loads(task.reference)["visible"])
    name = visible["source"].split("assert ")[1].split("(")[0]
    expected = visible["source"].rpartition("==")[2].strip()
    episode = repair.environment_factory()
    assert isinstance(episode, RepairEpisode)
    episode.reset(answer=task.reference)
    assert episode.test("def other(): pass").startswith("The visible test fails: ")
    assert episode.get_reward() == 0.0
    assert episode.test(f"def {name}(*_): return {expected}") == "The visible test passes."
    assert episode.get_reward() == 0.0
    assert call_tool(episode, *solution[0]) == "The visible test passes."
    assert episode.get_reward() == 1.0


def test_attempts_run_out_and_the_last_one_counts(repair: CodeRepair) -> None:
    [task] = repair.tasks("validation", limit=1)
    episode = RepairEpisode(repair._judge, most_calls=1)
    episode.reset(answer=task.reference)
    assert episode._result().reason == "no program was tested"
    episode.test("nonsense(")
    with pytest.raises(InputError, match="all 1 attempts are used; the last program tested is your answer"):
        episode.test("nonsense(")
    with pytest.raises(InputError, match="program is 5; expected the text of a Python program"):
        RepairEpisode(repair._judge).test(5)  # type: ignore[arg-type]


def test_a_test_that_cannot_be_run_is_no_failure_of_the_program() -> None:
    class Broken:
        def run(self, programs: Any, limits: Any = None, **options: Any) -> list[Execution]:
            return [Execution(reason="out of order") for _ in programs]

    suite = '{"kind":"stdio","cases":[["1","1"]]}'
    episode = RepairEpisode(CodeVerifier(Broken()))  # type: ignore[arg-type]
    episode.reset(answer=json.dumps({"visible": suite, "hidden": suite}))
    with pytest.raises(VerifierFailed, match=r"the test could not be run: .*out of order"):
        episode.test("print(1)")
    assert episode.get_reward() is None


@pytest.mark.parametrize(("episode", "reference"), [(GuessEpisode, "7"), (RepairEpisode, "{}")])
def test_a_reference_that_is_none_is_refused(episode: type[ScoredEpisode], reference: str) -> None:
    made = episode(CodeVerifier()) if episode is RepairEpisode else episode()
    with pytest.raises(InputError, match="the reference "):
        made.reset(answer=reference)


def test_a_task_is_a_value(repair: CodeRepair) -> None:
    [task] = repair.tasks("test", limit=1)
    assert isinstance(task, Task)
    assert task == repair.tasks("test", limit=1)[0]
