"""What cannot be evaluated is refused in words, before or instead of a table of zeros."""

from __future__ import annotations

from typing import Any

import pytest

from assay import Verdict, make
from assay.errors import InputError
from assay.evaluation.samplers.transformers import TransformersSampler
from assay.verifiers import MathVerifier


def test_a_prompt_and_its_completion_must_fit_into_the_model(tiny: tuple[Any, Any]) -> None:
    positions = tiny[0].config.max_position_embeddings
    sampler = TransformersSampler(*tiny, max_new_tokens=positions)
    with pytest.raises(InputError, match=rf"max_new_tokens={positions} do not fit into the {positions} positions"):
        sampler.sample(["1+1="], [0])


def test_a_negative_limit_is_named() -> None:
    with pytest.raises(InputError, match="limit is -1; expected 0 or more"):
        make("math/arithmetic-v1").tasks("test", limit=-1)


def test_references_that_are_numbers_are_read_as_their_text_and_others_are_bad_references() -> None:
    results = MathVerifier().verify([r"\boxed{4}"] * 4, [4, 4.0, None, True])  # type: ignore[list-item]
    assert [result.verdict for result in results[:2]] == [Verdict.CORRECT] * 2
    assert [result.verdict for result in results[2:]] == [Verdict.BAD_REFERENCE] * 2
    assert results[2].reason == "the reference None is a NoneType; expected text or a number, as '4'"
