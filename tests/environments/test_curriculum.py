"""Which tasks are drawn: chances against brute force, orders, learning from alike prompts, exact resumption."""

from __future__ import annotations

import itertools
import json
from collections import Counter
from typing import Any

import numpy as np
import pytest

from assay.environments.base import prompt_text
from assay.environments.curriculum import Curriculum, DrawOptions, Order
from assay.environments.difficulty import DifficultyModel, features
from assay.environments.pass_rates import PassRates, informative_chance
from assay.errors import InputError

KEYS = [f"task-{number}" for number in range(40)]
PROMPTS = [f"easy {number}" if number % 2 else f"hard {number}" for number in range(40)]


def make_curriculum(**options: Any) -> Curriculum:
    difficulties = [float(number % 8) for number in range(40)]
    return Curriculum(KEYS, PROMPTS, group_size=8, difficulties=difficulties, options=DrawOptions(**options))


@pytest.mark.parametrize("group_size", [2, 3, 8, 64])
@pytest.mark.parametrize(("passed", "failed"), [(1.0, 1.0), (0.5, 3.0), (7.0, 2.0), (1e-3, 4.0)])
def test_the_chance_of_an_informative_group_is_the_integral_over_the_beta_distribution(
    passed: float, failed: float, group_size: int
) -> None:
    from scipy.integrate import quad
    from scipy.stats import beta

    belief = beta(passed, failed)
    integral, _ = quad(
        lambda x: 1 - belief.ppf(x) ** group_size - (1 - belief.ppf(x)) ** group_size, 0, 1, limit=200, epsabs=1e-7
    )
    assert informative_chance(np.array([passed]), np.array([failed]), group_size)[0] == pytest.approx(
        integral, abs=2e-4
    )


def test_with_much_evidence_the_chance_is_that_of_the_rate_itself() -> None:
    for rate in (0.02, 0.3, 0.5, 0.97):
        counts = np.array([rate * 1e7]), np.array([(1 - rate) * 1e7])
        assert informative_chance(*counts, 8)[0] == pytest.approx(1 - rate**8 - (1 - rate) ** 8, abs=1e-5)


def test_nothing_known_gives_every_task_the_same_chance() -> None:
    assert PassRates(KEYS, PROMPTS).informative(8) == pytest.approx(np.full(40, 1 - 2 / 9))


def test_old_judgements_fade_by_their_half_life() -> None:
    rates = PassRates(["a", "b"], None, half_life=2.0)
    rates.update([("a", 8.0, 8.0)])
    fresh = rates.expected()[0]
    for _ in range(20):
        rates.update([])
    assert fresh == pytest.approx((2 + 8) / (4 + 8))
    assert rates.expected()[0] == pytest.approx(0.5, abs=0.01)


def test_what_alike_prompts_did_is_expected_of_a_prompt_never_seen() -> None:
    rates = PassRates(KEYS, PROMPTS)
    for _ in range(5):
        rates.update([(KEYS[number], 8.0 * (number % 2), 8.0) for number in range(20)])
    unseen = rates.expected()[20:]
    assert min(unseen[1::2]) > 0.8
    assert max(unseen[0::2]) < 0.2


def test_sizes_of_numbers_are_learned_without_being_told() -> None:
    prompts = [
        f"{first:06d}+{second:06d}=" for first, second in itertools.product([3, 7, 45, 81, 4567, 98765], repeat=2)
    ]
    sizes = np.array([max(len(part.strip("=").lstrip("0")) for part in prompt.split("+")) for prompt in prompts])
    model = DifficultyModel(prompts)
    rows = np.arange(0, 36, 2)
    for _ in range(10):
        model.fit(rows, np.where(sizes[rows] <= 2, 8.0, 0.0), np.full(18, 8.0))
    rates = model.pass_rates()[1::2]
    assert rates[sizes[1::2] <= 2].min() > rates[sizes[1::2] > 2].max()


def test_features_are_unit_rows_and_long_texts_are_cut() -> None:
    table = features(["one 2 three", [{"role": "user", "content": "one 2 three"}], "x " * 10**6, ""])
    assert table.shape == (4, 4096)
    assert np.sqrt((table.multiply(table)).sum(axis=1)) == pytest.approx(np.ones(4))
    assert table[[0]].toarray().tolist() == table[[1]].toarray().tolist()
    assert prompt_text([{"role": "system", "content": "a"}, {"role": "user", "content": "b"}]) == "a\nb"


@pytest.mark.parametrize("order", list(Order))
def test_every_order_draws_what_was_asked_without_a_key_twice(order: Order) -> None:
    curriculum = make_curriculum(order=order)
    for _ in range(5):
        drawn = curriculum.draw(10)
        assert len(drawn) == len(set(drawn)) == 10
        curriculum.update([(KEYS[task], 4.0, 8.0) for task in drawn])


@pytest.mark.parametrize("order", list(Order))
def test_excluded_tasks_come_only_where_nothing_else_is_left(order: Order) -> None:
    curriculum = make_curriculum(order=order)
    assert set(curriculum.draw(10, exclude=KEYS[10:])) == set(range(10))
    drawn = curriculum.draw(50, exclude=KEYS[:5])
    assert len(drawn) == 50
    assert set(drawn[:35]) == set(range(5, 40))


def test_equal_keys_count_as_one_task() -> None:
    curriculum = Curriculum(
        ["a", "a", "b", "b"], ["p", "p", "q", "q"], group_size=4, options=DrawOptions(order="uniform")
    )
    for _ in range(10):
        drawn = curriculum.draw(2)
        assert {task // 2 for task in drawn} == {0, 1}


def test_the_given_order_goes_round() -> None:
    curriculum = make_curriculum(order="given")
    assert curriculum.draw(30) == list(range(30))
    assert curriculum.draw(15) == [*range(30, 40), *range(5)]


def test_easy_to_hard_goes_upwards() -> None:
    curriculum = make_curriculum(order="easy_to_hard")
    assert [task % 8 for task in curriculum.draw(40)] == sorted(number % 8 for number in range(40))


def test_the_target_difficulty_rises_with_success_and_falls_with_failure() -> None:
    curriculum = make_curriculum(order="target")
    assert {task % 8 for task in curriculum.draw(5)} == {0}
    for _ in range(3):
        curriculum.update([("task-0", 8.0, 8.0)])
    assert {task % 8 for task in curriculum.draw(5)} == {7}
    curriculum.update([("task-0", 0.0, 8.0)])
    assert max(task % 8 for task in curriculum.draw(5)) < 7


def test_the_target_moves_as_adarft_says() -> None:
    curriculum = make_curriculum(order="target")
    curriculum.update([("task-0", 6.0, 8.0)])
    assert curriculum.state_dict()["target"] == pytest.approx(0.5 * 7 * np.tanh(2 * 0.25))


def test_informative_tasks_are_preferred_but_no_task_is_forgotten() -> None:
    curriculum = make_curriculum(order="informative")
    rates = [0.0, 0.5, 1.0, 1.0]
    for _ in range(10):
        curriculum.update([(key, 8.0 * rates[number % 4], 8.0) for number, key in enumerate(KEYS)])
    drawn = Counter(task % 4 for _ in range(300) for task in curriculum.draw(4))
    assert drawn[1] > 0.8 * sum(drawn.values())
    assert set(drawn) == {0, 1, 2, 3}


def test_tasks_that_teach_take_turns() -> None:
    curriculum = make_curriculum(order="informative")
    for _ in range(20):
        curriculum.update([(key, 4.0, 8.0) for key in KEYS[:4]])  # well known, and seen again and again
    curriculum.update([(key, 4.0, 8.0) for key in KEYS[4:]])
    drawn = Counter(task for _ in range(100) for task in curriculum.draw(4))
    assert sum(drawn[task] for task in range(4)) < 0.02 * sum(drawn.values())  # a tenth of the tasks


def test_easy_tasks_keep_their_quota() -> None:
    curriculum = make_curriculum(order="informative", easy_fraction=0.25, easy_above=0.8)
    for _ in range(10):
        curriculum.update([(key, [0.0, 4.0, 4.0, 8.0][number % 4], 8.0) for number, key in enumerate(KEYS)])
    for _ in range(20):
        assert sum(task % 4 == 3 for task in curriculum.draw(8)) >= 2


def test_equal_seeds_draw_alike_and_others_do_not() -> None:
    first, same, other = (make_curriculum(order="uniform", seed=seed) for seed in (0, 0, 1))
    drawn = [first.draw(10) for _ in range(3)]
    assert [same.draw(10) for _ in range(3)] == drawn
    assert [other.draw(10) for _ in range(3)] != drawn


def test_no_global_generator_is_touched() -> None:
    before = np.random.get_state()[1].tolist()  # type: ignore[index]
    make_curriculum().draw(10)
    assert np.random.get_state()[1].tolist() == before  # type: ignore[index]


@pytest.mark.parametrize("order", list(Order))
def test_a_saved_curriculum_goes_on_exactly(order: Order) -> None:
    def run(curriculum: Curriculum, steps: int) -> list[list[int]]:
        drawn = []
        for _ in range(steps):
            drawn.append(curriculum.draw(6))
            curriculum.update([(KEYS[task], float(task % 9), 8.0) for task in drawn[-1]])
        return drawn

    whole = run(make_curriculum(order=order), 8)
    first = make_curriculum(order=order)
    run(first, 4)
    second = make_curriculum(order=order)
    second.load_state_dict(json.loads(json.dumps(first.state_dict())))
    assert run(second, 4) == whole[4:]


def test_a_state_of_another_curriculum_is_refused() -> None:
    state = make_curriculum(order="uniform").state_dict()
    with pytest.raises(
        InputError, match=r'the saved curriculum is {"version": 1, "order": "uniform", "tasks": 40}, this'
    ):
        make_curriculum(order="given").load_state_dict(state)
    with pytest.raises(InputError, match=r"the saved curriculum is .*null.*resume with the same order and data set"):
        make_curriculum().load_state_dict({})


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"order": "random"},
            r"order is 'random'; expected one of stock, uniform, informative, target, easy_to_hard, given",
        ),
        ({"exploration": 1.5}, r"exploration is 1\.5; expected a number in \[0, 1\]"),
        ({"easy_fraction": -0.1}, r"easy_fraction is -0\.1; expected a number in \[0, 1\]"),
        ({"half_life": 0.0}, r"half_life is 0\.0; expected a positive number"),
        ({"sharpness": float("nan")}, r"sharpness is nan; expected a positive number"),
    ],
)
def test_a_bad_option_says_what_was_expected(options: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        DrawOptions(**options)


def test_orders_by_difficulty_ask_for_difficulties() -> None:
    for difficulties, found in ((None, "there are none"), ([1.0, None], "some have none")):
        with pytest.raises(InputError, match=rf"the order 'target' needs a difficulty for every task; {found}"):
            Curriculum(
                ["a", "b"], ["p", "q"], group_size=4, difficulties=difficulties, options=DrawOptions(order="target")
            )


def test_no_tasks_are_refused() -> None:
    with pytest.raises(InputError, match=r"a curriculum was given no tasks; expected at least one"):
        Curriculum([], [], group_size=4)
