"""Recorded completions are judged again without the model."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from assay.errors import InputError
from assay.evaluation import Sampler, evaluate
from assay.evaluation.samplers.recorded import RecordedSampler
from assay.evaluation.samplers.transformers import TransformersSampler


def test_a_run_judged_again_gives_the_same_numbers(signs: Any, tiny: tuple[Any, Any], tmp_path: Path) -> None:
    first = evaluate(
        signs, TransformersSampler(*tiny, max_new_tokens=4, seed=7), samples=4, folder=tmp_path / "a", progress=False
    )
    again = evaluate(signs, RecordedSampler(tmp_path / "a"), samples=4, folder=tmp_path / "b", progress=False)
    assert again.curves == first.curves
    assert again.rates == first.rates
    fewer = evaluate(signs, RecordedSampler(tmp_path / "a"), samples=2, folder=tmp_path / "c", progress=False)
    assert fewer.rates["failed"] == 0.0


def test_what_was_not_recorded_is_a_failure(signs: Any, tiny: tuple[Any, Any], tmp_path: Path) -> None:
    evaluate(signs, TransformersSampler(*tiny, max_new_tokens=2), samples=2, folder=tmp_path / "a", progress=False)
    more = evaluate(signs, RecordedSampler(tmp_path / "a"), samples=4, folder=tmp_path / "b", progress=False)
    assert more.rates["failed"] == 0.5
    assert "holds no completion for this task and sample" in (tmp_path / "b/samples.jsonl").read_text()


def test_it_is_a_sampler_whose_settings_are_the_content(tmp_path: Path) -> None:
    file = tmp_path / "rows.jsonl"
    file.write_text('{"task": "t", "sample": 0, "completion": "c"}\n')
    one = RecordedSampler(file)
    assert isinstance(one, Sampler)
    before = dict(one.settings)
    file.write_text('{"task": "t", "sample": 0, "completion": "d"}\n')
    assert RecordedSampler(file).settings != before


def test_files_that_are_no_recording_are_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"no recorded completions: .*samples.jsonl is not a file"):
        RecordedSampler(tmp_path)
    (tmp_path / "samples.jsonl").write_text('{"task": "t"}\n')
    with pytest.raises(InputError, match="line 1 lacks task, sample or completion: KeyError"):
        RecordedSampler(tmp_path)
