"""Tasks of several turns: TRL's contract, isolation, limits, replays; and what a model may do to them."""

from __future__ import annotations

import inspect
import json
import pickle
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from typing import Any

import pytest

from assay import Verdict, make
from assay.environments.code.repair import RepairEpisode
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
from assay.errors import InputError
from assay.sandbox import Sandbox, open_sandbox
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


@pytest.mark.parametrize(("episode", "reference"), [(GuessEpisode, "7"), (RepairEpisode, "{}")])
def test_a_reference_that_is_none_is_refused(episode: type[ScoredEpisode], reference: str) -> None:
    made = episode(CodeVerifier()) if episode is RepairEpisode else episode()
    with pytest.raises(InputError, match="the reference "):
        made.reset(answer=reference)
