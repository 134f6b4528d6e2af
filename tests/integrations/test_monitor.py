"""Alarms that fire for what they name and for nothing else, and the page a run leaves behind."""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Sequence
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from toy_trainer import make_config, make_dataset, make_model, make_reward, make_tokenizer

from assay.cli.report_command import command
from assay.errors import InputError
from assay.integrations.trl import CurriculumConfig, CurriculumGRPOTrainer, Monitor
from assay.integrations.trl.page import page
from assay.integrations.trl.run_log import find_log, read_log
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


def test_a_constant_is_a_line_through_the_middle_whatever_its_last_digits_are() -> None:
    watch = watched(a=[7.0] * 3, b=[0.3, 0.1 + 0.2, 0.3], c=[0.0, 1.0, 0.5], d=[float("inf")] * 3)
    curves = re.findall('points="([^"]*)"', page(watch, "run"))
    assert curves == [
        "0.0,60.0 180.0,60.0 360.0,60.0",
        "0.0,60.0 180.0,60.0 360.0,60.0",
        "0.0,116.0 180.0,4.0 360.0,60.0",
    ]


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
    log = tmp_path / "run" / "monitor.jsonl"
    lines = [json.loads(line) for line in log.read_text().splitlines()]
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
    assert page(read_log(log), "run") == text
    from_state = read_log(state_of(trainer, tmp_path / "stated"))
    assert [entry for entry in from_state.history if "toy/correct" in entry] == steps


def state_of(trainer: Any, folder: Path) -> Path:
    """What a trainer saves without any callback of ours."""
    folder.mkdir()
    trainer.state.save_to_json(str(folder / "trainer_state.json"))
    found = find_log(folder)
    assert found is not None
    return found


def test_a_resumed_run_goes_on_in_the_same_log_and_page(tmp_path: Path) -> None:
    def build(steps: int, monitor: Monitor) -> Any:
        tokenizer = make_tokenizer()
        return CurriculumGRPOTrainer(
            make_model(tokenizer),
            args=make_config(tmp_path / "run", max_steps=steps, save_strategy="steps", save_steps=2),
            processing_class=tokenizer,
            train_dataset=make_dataset(kinds=["hard"]),
            reward_funcs=[make_reward()],
            curriculum=CurriculumConfig(mode="resample", max_rounds=0),
            callbacks=[monitor],
        )

    build(3, Monitor("eval_toy/correct", window=2)).train()
    again = Monitor("eval_toy/correct", window=2)
    build(4, again).train(resume_from_checkpoint=str(tmp_path / "run" / "checkpoint-2"))
    told = [entry["step"] for entry in again.watch.history if "toy/correct" in entry]
    assert told == [1, 2, 3, 4]  # step 3 was trained twice; what was trained first is forgotten
    assert [alarm.kind for alarm in again.watch.alarms] == ["dead"]
    log = find_log(tmp_path / "run")
    assert log is not None
    assert len(again.watch.history) == 5  # with the summary of the second call of train()
    assert read_log(log).history == again.watch.history
    assert read_log(log).strict == "eval_toy/correct"


def report(folder: Path, *arguments: str) -> Any:
    return CliRunner().invoke(command, [str(folder), *arguments])


def test_the_command_makes_the_page_of_a_run_from_its_log_or_its_last_state(tmp_path: Path) -> None:
    run = tmp_path / "run"
    entries = [{"step": step, "reward": step / 40, "eval_x/correct": 0.3} for step in range(1, 41)]
    for number, last in ((9, 20), (10, 40)):
        (run / f"checkpoint-{number}").mkdir(parents=True)
        state = {"log_history": entries[:last], "global_step": last}
        (run / f"checkpoint-{number}" / "trainer_state.json").write_text(json.dumps(state))
    (run / "config.json").write_text('{"model_type": "gpt2"}')  # a model saved beside is no evaluation
    assert report(run).output.split() == [str(run / "report.html")]
    made = (run / "report.html").read_text()
    assert "step 1: 0.025, step 40: 1;" in made
    assert "no alarm" in made
    report(run, "--strict", "eval_x/correct", "--output", str(tmp_path / "new" / "strict.html"))
    assert "eval_x/correct went from 0.300 to 0.300" in (tmp_path / "new" / "strict.html").read_text()
    settings = {"monitor": {"strict": "eval_x/correct", "window": 5, "moved": 0.05}, "step": 0}
    lines = [json.dumps(line) for line in (settings, *entries)]
    (run / "monitor.jsonl").write_text("\n".join(lines) + '\n{"step": 41, "rew')  # killed while it wrote
    report(run)
    assert "eval_x/correct went from 0.300 to 0.300" in (run / "report.html").read_text()


def test_a_strict_metric_that_the_log_lacks_is_refused_with_the_nearest(tmp_path: Path) -> None:
    entries = [{"step": step, "reward": 0.5, "eval_lucky/correct": 0.3, "lucky/correct": 0.2} for step in range(3)]
    (tmp_path / "monitor.jsonl").write_text("\n".join(map(json.dumps, entries)))
    refused = report(tmp_path, "--strict", "eval_luky/correct").exception
    assert isinstance(refused, InputError)
    assert "--strict 'eval_luky/correct': in " in str(refused)
    assert "the strict metric 'eval_luky/correct' was never logged; did you mean 'eval_lucky/correct'" in str(refused)
    assert not (tmp_path / "report.html").exists()
    assert report(tmp_path, "--strict", "eval_lucky/correct").exit_code == 0
    settings = {"monitor": {"strict": "eval_lucky/corect", "window": 5, "moved": 0.05}, "step": 0}
    (tmp_path / "monitor.jsonl").write_text("\n".join(map(json.dumps, [settings, *entries])))
    assert report(tmp_path).exit_code == 0
    page_text = (tmp_path / "report.html").read_text()
    assert "the strict metric &#x27;eval_lucky/corect&#x27; was never logged; did you mean" in page_text
    assert "no alarm" not in page_text


@pytest.mark.parametrize(
    ("strict", "steps"), [("eval_toy/corect", [1, 3]), ("eval_toy/correct", []), (None, [])], ids=str
)
def test_a_mistyped_strict_metric_is_warned_of_after_the_first_evaluation_of_all_data_sets(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, strict: str | None, steps: list[int]
) -> None:
    tokenizer = make_tokenizer()
    trainer = CurriculumGRPOTrainer(
        make_model(tokenizer),
        args=make_config(tmp_path, max_steps=3, eval_strategy="steps", eval_steps=1, per_device_eval_batch_size=4),
        processing_class=tokenizer,
        train_dataset=make_dataset(),
        eval_dataset={"a": make_dataset(1), "b": make_dataset(1)},
        reward_funcs=[make_reward()],
        curriculum=CurriculumConfig(mode="resample", max_rounds=0),
        callbacks=[Monitor(strict)],
    )
    with caplog.at_level(logging.WARNING, "assay.trl"):
        trainer.train()
    warned = [record.getMessage() for record in caplog.records if "strict" in record.getMessage()]
    names = [name for entry in trainer.state.log_history for name in entry if name.endswith("toy/correct")]
    assert "eval_toy/correct" in names
    assert [int(message.split()[1].rstrip(",")) for message in warned] == steps
    assert all("'eval_toy/corect' was never logged; did you mean 'eval_toy/correct'" in m for m in warned)


def test_a_log_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    for name, text, message in (
        ("trainer_state.json", "{}", "is no state of a trainer: expected JSON with a list 'log_history'"),
        (
            "trainer_state.json",
            '{"log_history": [{"loss": 1}]}',
            "entry 1 is .*expected an object with a number 'step'",
        ),
        ("monitor.jsonl", '{"step\n{"step": 1}', "line 1 is no JSON"),
        ("monitor.jsonl", '{"step": 0, "monitor": {"strct": 1}}', "expected the settings strict, window and moved"),
        ("monitor.jsonl", "", "has no entry yet"),
    ):
        run = tmp_path / f"run-{len(list(tmp_path.iterdir()))}"
        run.mkdir()
        (run / name).write_text(text)
        error = report(run).exception
        assert isinstance(error, InputError)
        assert re.search(message, str(error)), error


def test_a_folder_that_is_neither_an_evaluation_nor_a_run_says_what_was_looked_for(tmp_path: Path) -> None:
    for folder, arguments, message in (
        (tmp_path / "none", (), "no folder .*none'; expected that of an evaluation or of a training run"),
        (tmp_path, (), "neither an evaluation .*tasks.jsonl and samples.jsonl.* nor a training run .*monitor.jsonl"),
        (tmp_path, ("--strict", "a"), "--strict is for training runs; .* holds none"),
    ):
        assert re.search(message, str(report(folder, *arguments).exception))
    (tmp_path / "monitor.jsonl").write_text('{"step": 1, "reward": 0.5}\n')
    failed = report(tmp_path, "--output", str(tmp_path / "a.csv")).exception
    assert "'a.csv' has the suffix '.csv'; a training run is written as .html alone" in str(failed)
