"""JSON read strictly, against schemas that may themselves be hostile to read by."""

from __future__ import annotations

import json
from typing import Any

import pytest

from assay import Result, Verdict
from assay.errors import InputError
from assay.verifiers import JSONFormat
from assay.verifiers.conformance import VerifierConformance

PERSON = {
    "type": "object",
    "required": ["name", "age"],
    "properties": {"name": {"type": "string"}, "age": {"type": "integer", "minimum": 0}},
    "additionalProperties": False,
}


class TestJSONFormatConforms(VerifierConformance):
    verifier = JSONFormat(PERSON)
    examples = (
        ('{"name": "Ada", "age": 36}', None, Verdict.CORRECT),
        ('{"name": "Ada"}', None, Verdict.INCORRECT),
        ("[1]", {"type": "array"}, Verdict.CORRECT),
        (" ", None, Verdict.NO_ANSWER),
        ("{}", {"type": "thing"}, Verdict.BAD_REFERENCE),
    )


def judge(text: str, reference: Any = None, schema: Any = None, **options: Any) -> Result:
    return JSONFormat(schema, **options).verify([text], [reference])[0]


@pytest.mark.parametrize(
    "text", ["{}", "[1, 2]", '"text"', "5", "null", '<think>a {</think>\n{"a": 1}\n', '```json\n{"a": 1}\n```']
)
def test_one_json_value_is_correct(text: str) -> None:
    result = judge(text)
    assert result.is_correct, result.reason
    assert set(result.parts.values()) == {1.0}


@pytest.mark.parametrize(
    ("text", "why", "broken"),
    [
        ("{a: 1}", "not JSON at line 1, column 2", "parsed"),
        ("{'a': 1}", "not JSON at line 1, column 2", "parsed"),
        ('{"a": 1,}', "not JSON at line 1", "parsed"),
        ('{"a": 1', "not JSON at line 1", "parsed"),
        ("\ufeff{}", "not JSON at line 1", "parsed"),
        ('Here: {"a": 1}', "not JSON at line 1, column 1", "parsed"),
        ("[" * 100_000, "not readable: nested too deeply", "parsed"),
        ("9" * 5_000, "not readable: Exceeds the limit", "parsed"),
        ('{"a": 1} and more', "text after the value: 'and more'", "one_value"),
        ('{"a": 1} {"a": 2}', "text after the value", "one_value"),
        ('{"a": 1, "a": 2}', "the key 'a' is there twice", "no_duplicate_keys"),
        ('{"b": {"a": 1, "a": 1}}', "the key 'a' is there twice", "no_duplicate_keys"),
        ('{"a": NaN}', "NaN is not JSON", "finite"),
        ("[-Infinity]", "-Infinity is not JSON", "finite"),
        ("```json\n{}", "not JSON at line 1, column 1", "parsed"),
    ],
)
def test_each_way_to_break_json_is_named_and_scored(text: str, why: str, broken: str) -> None:
    result = judge(text)
    assert (result.verdict, result.score) == (Verdict.INCORRECT, 0.0)
    assert why in result.reason
    assert result.parts[broken] == 0.0


def test_partial_credit_is_the_mean_of_the_rules() -> None:
    result = judge('{"a": 1, "a": 2} x', partial=True)
    assert result.verdict is Verdict.PARTIAL
    assert result.score == pytest.approx(3 / 5)
    assert judge("{a}", partial=True).score == 0.0


@pytest.mark.parametrize(
    ("text", "share", "why"),
    [
        ('{"name": "Ada", "age": 36}', 1.0, ""),
        ('{"name": "Ada"}', 2 / 3, "'age' is a required property"),
        ('{"name": 5, "age": 36}', 2 / 3, "name: 5 is not of type 'string'"),
        ('{"name": 5, "age": -1}', 1 / 3, "name: 5 is not of type 'string'"),
        ("[]", 0.0, "is not of type 'object'"),
    ],
)
def test_the_schema_part_is_the_share_that_holds(text: str, share: float, why: str) -> None:
    result = judge(text, PERSON, partial=True)
    assert result.parts["schema"] == pytest.approx(share)
    assert why in result.reason


def test_a_reference_may_be_a_mapping_its_text_or_nothing() -> None:
    assert not judge('{"name": 1}', PERSON).is_correct
    assert not judge('{"name": 1}', json.dumps(PERSON)).is_correct
    assert not judge('{"name": 1}', schema=PERSON).is_correct
    assert judge('{"name": 1}', {"type": "object"}, schema=PERSON).is_correct
    assert judge("5", "true").is_correct
    assert not judge("5", "false").is_correct


@pytest.mark.parametrize(
    ("reference", "why"),
    [
        ("{", "the reference is not a JSON schema"),
        ({"type": "thing"}, "the reference is not a JSON schema: 'thing' is not valid"),
        ('"text"', "the reference is the JSON text of a text"),
        (7, "the reference is int; expected a JSON schema, its text, or None"),
        ({"$ref": "http://example.com/schema.json"}, "refers to 'http://example.com/schema.json', which is not in it"),
    ],
)
def test_a_broken_schema_has_no_score(reference: Any, why: str) -> None:
    result = judge("{}", reference)
    assert result.verdict is Verdict.BAD_REFERENCE
    assert why in result.reason


def test_references_inside_a_schema_are_followed() -> None:
    schema = {"$defs": {"n": {"type": "integer"}}, "items": {"$ref": "#/$defs/n"}}
    assert judge("[1, 2]", schema).is_correct
    assert not judge('[1, "x"]', schema).is_correct


def test_a_pattern_that_backtracks_without_end_is_stopped() -> None:
    schema = {"properties": {"a": {"type": "string", "pattern": "^(a+)+$"}}}
    good, bad = judge('{"a": "aaaa"}', schema), judge(json.dumps({"a": "a" * 50 + "!"}), schema)
    assert good.is_correct
    assert (bad.verdict, bad.reason) == (
        Verdict.INCORRECT,
        "a pattern of the schema needs more than 0.5 s on this value",
    )


def test_fences_are_allowed_required_or_forbidden() -> None:
    fenced, bare = "```json\n{}\n```", "{}"
    assert judge(fenced).is_correct
    assert judge(bare).is_correct
    assert judge(fenced, fence="require").is_correct
    assert judge(bare, fence="require").reason == "the value is not inside a code fence"
    assert not judge(fenced, fence="forbid").is_correct
    with pytest.raises(InputError, match="fence is 'maybe'; expected one of allow, require, forbid"):
        JSONFormat(fence="maybe")


def test_a_schema_that_is_none_is_refused_at_once() -> None:
    with pytest.raises(InputError, match="schema is not a JSON schema: 'thing' is not valid"):
        JSONFormat({"type": "thing"})
