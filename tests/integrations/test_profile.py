"""From a checkpoint to the tasks it can learn from: evaluate, profile, filter, train."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import ClassVar

import numpy as np
import pytest
from click.testing import CliRunner
from toy_trainer import ToyVerifier, make_config, make_model, make_tokenizer
from trl import GRPOTrainer

from assay.cli.profile_command import command
from assay.environments.base import Environment, Task
from assay.errors import ColumnError, InputError, StorageFailed
from assay.evaluation import Report, evaluate
from assay.evaluation.outcomes import TaskOutcome
from assay.evaluation.profile import Profile
from assay.evaluation.samplers.transformers import TransformersSampler
from assay.evaluation.voting import Votes


class Kinds(Environment):
    name = "test/kinds-v1"
    splits: ClassVar[Mapping[str, int | None]] = {"train": 24}

    def __init__(self) -> None:
        self.verifier = ToyVerifier()

    def load(self, split: str) -> Iterator[Task]:
        for number in range(24):
            kind = ("easy", "mid", "hard", "odd")[number % 4]
            yield Task(f"{kind} {number}:", kind)


def outcomes(counts: Sequence[tuple[int, int]], failures: int = 0) -> Report:
    config = {"samples": max(n for _, n in counts), "environment": "e-v1", "sampler": {"model": "m"}, "verifier": {}}
    items = [
        TaskOutcome(str(row), n, passed, failures, 0, passed / n, Votes((), ()))
        for row, (passed, n) in enumerate(counts)
    ]
    return Report({**config, "assay": "0"}, tuple(items))


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An evaluation of the toy policy on its own training tasks."""
    folder = tmp_path_factory.mktemp("profile")
    tokenizer = make_tokenizer()
    make_model(tokenizer).save_pretrained(folder / "model")
    tokenizer.save_pretrained(folder / "model")
    sampler = TransformersSampler(str(folder / "model"), max_new_tokens=6, seed=1, batch_size=96)
    evaluate(Kinds(), sampler, split="train", samples=8, folder=folder / "run", progress=False)
    return folder / "run"


def test_a_profile_names_what_it_was_measured_with_and_training_takes_its_tasks(run: Path, tmp_path: Path) -> None:
    file = tmp_path / "kept.jsonl"
    done = CliRunner().invoke(command, [str(run), "--output", str(file)])
    assert done.exit_code == 0, done.output
    rows = [json.loads(line) for line in file.read_text().splitlines()]
    assert {row["reference"] for row in rows} == {"mid", "odd"}
    assert f"{len(rows)} of 24 tasks have a pass rate between 0 and 1" in done.output
    for row in rows:
        assert row["pass_rate"] == row["passed"] / row["judged"]
        assert (row["judged"], row["temperature"], row["environment"]) == (8, 1.0, "test/kinds-v1")
        assert row["model"].endswith("model")
        assert row["verifier"]["class"] == "ToyVerifier"
    arguments = Kinds().trl("train", profile=file)
    assert sorted(arguments["train_dataset"]["task_id"]) == sorted(row["id"] for row in rows)
    assert set(arguments["train_dataset"]["pass_rate"]) == {row["pass_rate"] for row in rows}
    tokenizer = make_tokenizer()
    trainer = GRPOTrainer(make_model(tokenizer), args=make_config(tmp_path), processing_class=tokenizer, **arguments)
    trainer.train()
    assert trainer.state.global_step == 2


def test_a_window_keeps_what_lies_strictly_inside(run: Path, tmp_path: Path) -> None:
    file = tmp_path / "kept.jsonl"
    done = CliRunner().invoke(command, [str(run), "--low", "0.3", "--high", "0.7", "--output", str(file)])
    assert done.exit_code == 0
    kept = [json.loads(line)["pass_rate"] for line in file.read_text().splitlines()]
    assert all(0.3 < rate < 0.7 for rate in kept)
    narrower = Kinds().trl("train", profile=file, window=(0.4, 0.6))["train_dataset"]["pass_rate"]
    assert sorted(narrower) == sorted(rate for rate in kept if 0.4 < rate < 0.6)


def test_the_command_prints_histogram_and_dead_groups(run: Path) -> None:
    done = CliRunner().invoke(command, [str(run)])
    assert "dead groups" in done.output
    assert "64  " in done.output
    assert "(extrapolated)" in done.output
    assert done.output.count("█") > 20


def test_rates_of_nought_and_one_have_their_own_bins() -> None:
    bins = Profile(outcomes([(0, 8), (0, 8), (1, 8), (4, 8), (7, 8), (8, 8)])).histogram()
    assert [bins[0], bins[-1]] == [(0.0, 0.0, 2), (1.0, 1.0, 1)]
    assert [(round(low, 1), count) for low, _, count in bins[1:-1] if count] == [(0.1, 1), (0.5, 1), (0.8, 1)]
    assert sum(count for _, _, count in bins) == 6


def test_failures_of_ours_are_no_failures_of_the_policy() -> None:
    assert Profile(outcomes([(2, 8)], failures=4)).rates() == {"0": 0.5}
    assert Profile(outcomes([(0, 8)], failures=8)).rates() == {}


def test_dead_groups_within_the_samples_are_counted_without_bias() -> None:
    found = Profile(outcomes([(0, 8), (8, 8), (4, 8), (1, 8)])).dead_groups(4)
    chance = (2 + 2 * math.comb(4, 4) / math.comb(8, 4) + math.comb(7, 4) / math.comb(8, 4)) / 4
    assert found.share == pytest.approx(chance)
    assert found.wasted == pytest.approx(1 / (1 - chance))
    assert not found.extrapolated


@pytest.mark.parametrize(("a", "b"), [(0.4, 0.6), (2.0, 1.0), (5.0, 5.0)])
def test_dead_groups_beyond_the_samples_are_extrapolated_near_the_truth(a: float, b: float) -> None:
    random = np.random.default_rng(5)
    rates = random.beta(a, b, 2000)
    profile = Profile(outcomes([(int(passed), 16) for passed in random.binomial(16, rates)]))
    for size in (32, 64):
        found = profile.dead_groups(size)
        assert found.extrapolated
        assert found.share == pytest.approx(float(np.mean(rates**size + (1 - rates) ** size)), abs=0.03)


def test_nothing_but_dead_tasks_wastes_everything() -> None:
    profile = Profile(outcomes([(0, 8), (8, 8)]))
    assert profile.dead_groups(8).wasted == math.inf
    with pytest.raises(InputError, match=r"this report was never on disk"):
        profile.write("nowhere.jsonl")


def test_what_cannot_be_profiled_is_said(run: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"no sample was judged; there is nothing to profile"):
        Profile(outcomes([(0, 4)], failures=4)).dead_groups(4)
    with pytest.raises(InputError, match=r"the window is 0\.5 to 0\.5; expected 0 <= low < high <= 1"):
        Profile(outcomes([(2, 4)])).inside(0.5, 0.5)
    from assay.evaluation import load_report

    with pytest.raises(
        InputError, match=r"no pass rate lies between 0\.99 and 1\.0; nothing would be left to train on"
    ):
        Profile(load_report(run)).write(tmp_path / "x.jsonl", 0.99, 1.0)
    (tmp_path / "file").write_text("")
    with pytest.raises(StorageFailed, match=r"file/x\.jsonl cannot be written: "):
        Profile(load_report(run)).write(tmp_path / "file" / "x.jsonl")


def test_a_file_that_is_no_profile_or_of_other_tasks_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "p.jsonl"
    file.write_text('{"id": "a"}\n')
    with pytest.raises(ColumnError, match=r"p\.jsonl, row 1 lacks id or pass_rate; expected a file of `assay profile"):
        Kinds().trl("train", profile=file)
    file.write_text('{"id": "a", "pass_rate": 0.5}\n')
    with pytest.raises(InputError, match=r"no task of test/kinds-v1 \(train\) is in .*p\.jsonl within \(0\.0, 1\.0\)"):
        Kinds().trl("train", profile=file)
