"""Alarms that fire for what they name and for nothing else, and the page a run leaves behind."""

from __future__ import annotations

import json
import logging
from collections.abc import Sequence
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from toy_trainer import make_config, make_dataset, make_model, make_reward, make_tokenizer

from assay.integrations.trl import CurriculumConfig, CurriculumGRPOTrainer, Monitor
from assay.integrations.trl.page import page
from assay.integrations.trl.watch import Watch


def watched(strict: str | None = None, **series: Sequence[float | None]) -> Watch:
    watch = Watch(strict)
    names = {name.replace("__", "/"): values for name, values in series.items()}
    for step in range(max(map(len, names.values()))):
        watch.see(step, {name: values[step] for name, values in names.items() if values[step] is not None})
    return watch


def ramp(start: float, end: float, steps: int = 40) -> list[float]:
    return [start + (end - start) * step / (steps - 1) for step in range(steps)]


def kinds(watch: Watch) -> list[str]:
    return [alarm.kind for alarm in watch.alarms]


def test_a_healthy_run_raises_no_alarm() -> None:
    numbers = {"reward": ramp(0.2, 0.7), "entropy": ramp(2.0, 0.3), "completions__mean_length": ramp(50, 150)}
    assert kinds(watched("eval_x/correct", **numbers, eval_x__correct=ramp(0.2, 0.6))) == []


def test_entropy_that_falls_for_nothing_is_told_with_its_numbers() -> None:
    watch = watched(reward=[0.3] * 40, entropy=ramp(2.0, 0.01))
    assert kinds(watch) == ["entropy"]
    assert "while the reward went from 0.300 to 0.300" in watch.alarms[0].message


def test_length_that_grows_for_nothing_is_told() -> None:
    watch = watched(reward=[0.3] * 40, completions__mean_length=ramp(50, 300))
    assert kinds(watch) == ["length"]
    assert watch.alarms[0].message.startswith("completions grew from 79 to")


@pytest.mark.parametrize(
    ("reward", "strict", "alarmed"),
    [
        (ramp(0.2, 0.9), [0.3] * 40, True),
        (ramp(0.2, 0.9), ramp(0.3, 0.1), True),
        (ramp(0.2, 0.9), ramp(0.3, 0.5), False),
        ([0.5] * 40, ramp(0.3, 0.1), False),
        (ramp(0.5, 0.52), ramp(0.3, 0.1), False),
        (ramp(0.9, 0.2), ramp(0.3, 0.1), False),
        (ramp(0.2, 0.9), [0.3, *[None] * 39], False),
    ],
)
def test_hacking_needs_a_reward_that_moved_and_a_strict_metric_that_did_not(
    reward: list[float], strict: list[float | None], alarmed: bool
) -> None:
    assert ("hacking" in kinds(watched("eval_x/correct", reward=reward, eval_x__correct=strict))) is alarmed


def test_without_a_strict_metric_hacking_is_never_claimed() -> None:
    assert kinds(watched(reward=ramp(0.0, 1.0))) == []


def test_a_judge_that_fails_and_groups_that_stay_dead_are_told_once() -> None:
    watch = watched(math__our_errors=[0.5] * 40, curriculum__trained_dead=[1.0] * 40)
    assert sorted(kinds(watch)) == ["dead", "judge"]
    assert {alarm.step for alarm in watch.alarms} == {9}
    messages = " ".join(alarm.message for alarm in watch.alarms)
    assert "50% of the completions could not be judged (math/our_errors)" in messages
    assert "100% of the groups trained on teach nothing (curriculum/trained_dead)" in messages


def test_what_is_no_number_is_passed_over() -> None:
    watch = Watch()
    watch.see(1, {"reward": float("nan"), "note": "text", "flag": True})
    assert set(watch.history[0]) == {"step", "reward", "flag"}
    assert "<svg" in page(watch, "a < b")
    assert "a &lt; b" in page(watch, "a < b")


class Balance(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.curves = 0
        self.links: list[str] = []

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.curves += tag == "polyline"
        self.links += [value for name, value in attrs if name in ("src", "href")]


def test_a_run_leaves_its_numbers_and_one_page(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    tokenizer = make_tokenizer()
    trainer = CurriculumGRPOTrainer(
        make_model(tokenizer),
        args=make_config(tmp_path / "run", max_steps=4),
        processing_class=tokenizer,
        train_dataset=make_dataset(kinds=["hard"]),
        reward_funcs=[make_reward()],
        curriculum=CurriculumConfig(mode="resample", max_rounds=0),
        callbacks=[Monitor(window=2)],
    )
    with caplog.at_level(logging.WARNING, "assay.trl"):
        trainer.train()
    lines = [json.loads(line) for line in (tmp_path / "run" / "monitor.jsonl").read_text().splitlines()]
    steps = [line for line in lines if "toy/correct" in line]
    assert [line["step"] for line in steps] == [1.0, 2.0, 3.0, 4.0]
    assert {"toy/length_wrong", "curriculum/raw_dead", "entropy", "completions/clipped_ratio"} <= set(steps[0])
    text = (tmp_path / "run" / "monitor.html").read_text()
    reader = Balance()
    reader.feed(text)
    assert reader.curves > 10
    assert reader.links == []
    assert "step 2, dead: 100% of the groups trained on teach nothing (curriculum/trained_dead)" in caplog.text
    assert "100% of the groups trained on teach nothing" in text
