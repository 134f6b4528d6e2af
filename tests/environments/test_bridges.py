"""Bridged packages: reasoning-gym without its leaks and open scorers, Gymnasium's text environments."""

from __future__ import annotations

import json
import pickle
import subprocess
import sys
import warnings
from typing import Any

import pytest

from assay import Verdict, make
from assay.environments.bridge.gymnasium import GymnasiumEnvironment
from assay.environments.bridge.reasoning_gym import EXCLUDED, ReasoningGym, ReasoningGymVerifier, offered, score
from assay.environments.episodes import MultiTurnEnvironment, call_tool, play
from assay.errors import InputError, MissingExtra


def upstream(name: str, **settings: Any) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import reasoning_gym

        return reasoning_gym.create_dataset(name, **settings)


def test_seeds_and_splits_that_upstream_shares_are_apart_here() -> None:
    leaked = [{item["question"] for item in upstream("basic_arithmetic", size=50, seed=seed)} for seed in (42, 43)]
    assert len(leaked[0] & leaked[1]) >= 45
    made = [
        {task.id for task in ReasoningGym("basic_arithmetic", seed=seed).tasks(split, limit=50)}
        for seed in (42, 43)
        for split in ("train", "validation", "test")
    ]
    assert len(set().union(*made)) == sum(map(len, made)) == 300


@pytest.mark.parametrize(
    ("name", "answer"),
    [("game_of_life_halting", "garbage zzz"), ("coin_flip", "0"), ("complex_arithmetic", "nan")],
)
def test_a_scorer_that_pays_for_anything_is_measured_and_excluded(name: str, answer: str) -> None:
    items = [upstream(name, size=500, seed=0)[number] for number in range(0, 400, 100)]
    paid = [upstream(name, size=500, seed=0).score_answer(answer, item) for item in items]
    assert paid.count(1.0) >= 3
    with pytest.raises(InputError, match=rf"reasoning-gym's '{name}' is not offered: its scorer pays in full for"):
        ReasoningGym(name)


def test_a_scorer_that_runs_the_answer_is_excluded_or_not_called() -> None:
    item = upstream("spiral_matrix", size=5, seed=0)[0]
    sys.modules.pop("assay_was_here", None)
    attack = "[__import__('sys').modules.setdefault('assay_was_here', 1)]"
    upstream("spiral_matrix", size=5, seed=0).score_answer(attack, item)
    assert sys.modules.pop("assay_was_here", None) is not None  # upstream ran it
    environment = ReasoningGym("spiral_matrix")
    [task] = environment.tasks("test", limit=1)
    assert environment.verify([f"<answer>{attack}</answer>"], [task])[0].score == 0.0
    assert "assay_was_here" not in sys.modules
    for name in ("n_queens", "puzzle24", "countdown", "simple_integration"):
        assert "hands the answer to eval" in EXCLUDED[name]


def test_a_crash_of_a_scorer_is_a_wrong_answer() -> None:
    with pytest.raises(ValueError, match="invalid literal"):
        upstream("prime_factorization", size=5, seed=0).score_answer(
            "abc", upstream("prime_factorization", size=5, seed=0)[0]
        )
    environment = ReasoningGym("prime_factorization")
    [task] = environment.tasks("test", limit=1)
    right, wrong = environment.verify([environment.reference_completions(task)[0], "<answer>abc</answer>"], [task] * 2)
    assert (right.verdict, wrong.verdict) == (Verdict.CORRECT, Verdict.INCORRECT)
    assert wrong.reason == "the scorer cannot read it: ValueError"


def test_part_marks_for_containing_the_answer_are_not_paid() -> None:
    environment = ReasoningGym("gsm_symbolic")
    [task] = environment.tasks("test", limit=1)
    answer = json.loads(task.reference)["answer"]
    texts = [f"<answer>{answer}</answer>", f"<answer>{answer}, or else 7</answer>", f"it is {answer}"]
    verdicts = [result.verdict for result in environment.verify(texts, [task] * 3)]
    assert verdicts == [Verdict.CORRECT, Verdict.INCORRECT, Verdict.NO_ANSWER]


def test_items_are_the_same_in_a_process_with_another_hash_seed() -> None:
    code = (
        "from assay import make\n"
        "for name in ('knights_knaves', 'acre', 'pool_matrix', 'spell_backward'):\n"
        "    print([t.id for t in make('bridge/reasoning-gym', dataset=name).tasks('test', limit=5)])"
    )
    said = {
        subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=True, env={"PYTHONHASHSEED": seed}
        ).stdout
        for seed in ("1", "2")
    }
    assert len(said) == 1


def test_an_answer_in_another_form_is_judged_by_the_scorer_in_a_process_of_its_own() -> None:
    environment = pickle.loads(pickle.dumps(ReasoningGym("knights_knaves")))
    [task] = environment.tasks("test", limit=1)
    recipe = json.loads(task.reference)
    shuffled = ", and ".join(reversed(recipe["answer"].rstrip(".").split(", and "))).replace(", and ", ", ")
    [result] = environment.verify([f"<answer>{shuffled}</answer>"], [task])
    assert result.details == {"score": score(recipe, shuffled)[0]}


def test_an_item_of_another_version_is_a_bad_reference() -> None:
    [task] = ReasoningGym("knights_knaves").tasks("test", limit=1)
    changed = json.dumps({**json.loads(task.reference), "answer": "nobody"})
    results = ReasoningGymVerifier().verify(["<answer>x</answer>"] * 2, [changed, "{}"])
    assert [result.verdict for result in results] == [Verdict.BAD_REFERENCE] * 2
    assert results[0].reason == "this version of reasoning-gym draws another item under that number"
    assert "is not JSON with dataset, settings, item and answer" in results[1].reason


def test_data_sets_and_settings_that_are_not_there_are_refused() -> None:
    assert len(offered()) == 86
    with pytest.raises(InputError, match="reasoning-gym has no data set 'chess' that is offered; known: ab, acre, "):
        ReasoningGym("chess")
    with pytest.raises(
        InputError, match=r"reasoning-gym's 'basic_arithmetic' refuses \{\"min_terms\": 0\}: AssertionError"
    ):
        ReasoningGym("basic_arithmetic", config={"min_terms": 0})
    config = {"min_terms": 2, "max_terms": 2}
    assert ReasoningGym("basic_arithmetic", config=config).tasks("train", limit=3)


def test_a_missing_package_carries_its_pip_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "reasoning_gym", None)
    monkeypatch.setitem(sys.modules, "gymnasium", None)
    for name in ("bridge/reasoning-gym", "bridge/gymnasium"):
        with pytest.raises(MissingExtra, match=r"is not installed. Install it with: pip install 'assay\[bridge\]'"):
            make(name)


@pytest.fixture
def lake() -> MultiTurnEnvironment:
    return GymnasiumEnvironment("FrozenLake-v1", options={"is_slippery": False}, train_size=3)


def walk(*moves: str) -> Any:
    waiting = list(moves)

    def policy(messages: Any, tools: Any) -> dict[str, Any]:
        if not waiting:
            return {"role": "assistant", "content": "done"}
        function = {"name": "act", "arguments": {"action": waiting.pop(0)}}
        return {"role": "assistant", "content": "", "tool_calls": [{"type": "function", "function": function}]}

    return policy


def test_a_walk_over_the_ice_is_played_and_replayed(lake: MultiTurnEnvironment) -> None:
    [task] = lake.tasks("test", limit=1)
    good = play(lake, task, walk("down", "down", "right", "right", "Down", "right"))
    bad = play(lake, task, walk("right", "down"))
    assert good.result.verdict is Verdict.CORRECT
    assert bad.result.reason == "0 after 2 steps; solved is 1"
    assert "[S]FFF\nFHFH\nFFFH\nHFFG" in good.messages[0]["content"]
    assert good.messages[-2]["content"].endswith("HFF[G]\nThe run has ended.")
    replayed = lake.verify([json.dumps(good.messages), json.dumps(bad.messages), "[]"], [task] * 3)
    assert [result.verdict for result in replayed] == [Verdict.CORRECT, Verdict.INCORRECT, Verdict.NO_ANSWER]


def test_the_same_seed_is_the_same_run_and_no_other(lake: MultiTurnEnvironment) -> None:
    blackjack = GymnasiumEnvironment("Blackjack-v1", train_size=20)
    tasks = blackjack.tasks("train")
    first, second = (
        [e.reset(answer=t.reference) for t in tasks] for e in (blackjack.environment_factory() for _ in "ab")
    )
    assert first == second
    assert len(set(first)) > 5
    assert len({task.id for split in blackjack.splits for task in blackjack.tasks(split, limit=20)}) == 60


def test_actions_are_words_and_others_are_refused(lake: MultiTurnEnvironment) -> None:
    [task] = lake.tasks("test", limit=1)
    assert "with one of these actions, one at a time: left, down, right, up." in task.prompt[0]["content"]  # type: ignore[index]
    episode = lake.environment_factory()
    episode.reset(answer=task.reference)
    said = call_tool(episode, "act", {"action": "fly"})
    assert json.loads(said)["error"] == "action is 'fly'; expected one of left, down, right, up"
    short = GymnasiumEnvironment("FrozenLake-v1", most_steps=1).environment_factory()
    short.reset(answer=task.reference)
    call_tool(short, "act", {"action": "up"})
    assert "all 1 steps are used" in call_tool(short, "act", {"action": "up"})


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"environment_id": "Nowhere-v0"}, "gymnasium cannot make 'Nowhere-v0' with {}"),
        ({"environment_id": "CartPole-v1"}, "which is no text, and has no render mode 'ansi'"),
        ({"environment_id": "Pendulum-v1"}, "expected numbered ones"),
        ({"environment_id": "FrozenLake-v1", "actions": ["a"]}, "FrozenLake-v1 has 4 actions; 1 words were given"),
        (
            {"environment_id": "FrozenLake-v1", "options": {"wet": 1}},
            "gymnasium cannot make 'FrozenLake-v1' with {'wet'",
        ),
    ],
)
def test_an_environment_that_is_no_text_is_refused(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError) as caught:
        GymnasiumEnvironment(**arguments)
    assert message in str(caught.value)


def test_an_item_at_which_the_package_crashes_is_passed_over(monkeypatch: pytest.MonkeyPatch) -> None:
    """Upstream's basic_arithmetic divides by zero at some numbers; a split of 5,000 meets one."""
    from assay.environments.bridge import reasoning_gym as module

    real, calls = module._entry, []

    def fragile(name: str, settings: str, number: int) -> dict[str, Any]:
        calls.append(number)
        if len(calls) % 3 == 1:
            raise ZeroDivisionError("integer division or modulo by zero")
        return real(name, settings, number)

    wanted = make("bridge/reasoning-gym").tasks("test", limit=3)
    assert len(wanted) == 3
    environment = make("bridge/reasoning-gym")
    monkeypatch.setattr(module, "_entry", fragile)
    tasks = environment.tasks("test", limit=3)
    assert len({task.id for task in tasks}) == 3
    assert all(environment.verify([f"<answer>{json.loads(task.reference)['answer']}</answer>"], [task])[0].is_correct
               for task in tasks)  # fmt: skip
    monkeypatch.setattr(module, "_entry", lambda *key: 1 / 0)
    monkeypatch.setattr(module, "_MOST_DRAWS", 20)
    with pytest.raises(InputError, match=r"in 20 draws .* accepts; the last crashed with ZeroDivisionError"):
        environment.tasks("test", limit=1)
