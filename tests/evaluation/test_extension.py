"""A run that is asked for more samples keeps those it has."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from assay.environments.base import Prompt
from assay.errors import InputError
from assay.evaluation import Completion, evaluate, load_report
from assay.evaluation.samplers.transformers import TransformersSampler


class Counting(TransformersSampler):
    """Counts the rows that it is asked for, and can be told to stop."""

    rows = 0
    most = 10_000

    def sample(self, prompts: Sequence[Prompt], seeds: Sequence[int]) -> list[Completion]:
        if self.rows + len(prompts) > self.most:
            raise KeyboardInterrupt
        self.rows += len(prompts)
        return super().sample(prompts, seeds)


def lines(folder: Path) -> list[bytes]:
    return (folder / "samples.jsonl").read_bytes().splitlines()


@pytest.mark.parametrize("size", [5, 64])
def test_four_samples_become_ten_and_the_four_stay(
    signs: Any, tiny: tuple[Any, Any], tmp_path: Path, size: int
) -> None:
    sampler = Counting(*tiny, max_new_tokens=6, batch_size=size)
    evaluate(signs, sampler, samples=4, limit=6, folder=tmp_path / "run", progress=False)
    before = lines(tmp_path / "run")
    report = evaluate(signs, sampler, samples=10, limit=6, folder=tmp_path / "run", progress=False)
    assert lines(tmp_path / "run")[: len(before)] == before
    assert sampler.rows == 60  # none was taken twice
    straight = evaluate(signs, sampler, samples=10, limit=6, folder=tmp_path / "straight", progress=False)
    assert sorted(lines(tmp_path / "run")) == sorted(lines(tmp_path / "straight"))
    assert report.to_json() == straight.to_json()
    assert report.complete
    assert json.loads((tmp_path / "run/config.json").read_text())["stages"] == [4, 10]


def test_an_extension_that_is_interrupted_says_so_and_goes_on(
    signs: Any, tiny: tuple[Any, Any], tmp_path: Path
) -> None:
    sampler = Counting(*tiny, max_new_tokens=6, batch_size=7)
    evaluate(signs, sampler, samples=2, limit=6, folder=tmp_path, progress=False)
    sampler.most = 30
    with pytest.raises(KeyboardInterrupt):
        evaluate(signs, sampler, samples=8, limit=6, folder=tmp_path, progress=False)
    assert "Incomplete: 26 of 48 samples are there." in load_report(tmp_path).notes
    sampler.most = 10_000
    with pytest.raises(
        InputError, match=r"holds 8 samples of each task, more than the 2 asked for; its report is there"
    ):
        evaluate(signs, sampler, samples=2, limit=6, folder=tmp_path, progress=False)
    assert evaluate(signs, sampler, samples=8, limit=6, folder=tmp_path, progress=False).complete
    assert sampler.rows == 48


def test_more_samples_and_another_setting_is_another_run(signs: Any, tiny: tuple[Any, Any], tmp_path: Path) -> None:
    evaluate(signs, Counting(*tiny, max_new_tokens=2), samples=2, limit=2, folder=tmp_path, progress=False)
    with pytest.raises(
        InputError, match=r"differs in samples: 2 there, 4 now; sampler\.max_new_tokens: 2 there, 3 now"
    ):
        evaluate(signs, Counting(*tiny, max_new_tokens=3), samples=4, limit=2, folder=tmp_path, progress=False)
    assert load_report(tmp_path).samples == 2
