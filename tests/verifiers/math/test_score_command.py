"""``assay score``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from assay.cli.score_command import command
from assay.errors import InputError


def _run(*arguments: str, stdin: str | None = None) -> Result:
    return CliRunner().invoke(command, list(arguments), input=stdin)


def test_a_right_completion_exits_with_zero() -> None:
    result = _run(r"so \boxed{\frac12}", "--reference", "0.5")
    assert (result.exit_code, result.output) == (0, "correct  1\n")


def test_a_wrong_answer_exits_with_one_and_says_what_differed() -> None:
    result = _run("1/3", "-r", "1/2", "--answer")
    assert (result.exit_code, result.output) == (1, "incorrect  0  1/3 against 1/2: another number\n")


def test_a_bad_reference_has_no_score() -> None:
    result = _run(r"\boxed{1}", "-r", r"\frac{")
    assert result.exit_code == 1
    assert result.output.startswith("bad_reference  no score  the reference \\frac{ cannot be read")


def test_standard_input_is_read() -> None:
    assert _run("-", "-r", "42", stdin="The answer is 42.\n").exit_code == 0


def test_an_explanation_shows_extraction_readings_and_keys() -> None:
    output = _run(r"x = \boxed{(0, 1)}", "-r", "0 < x < 1", "--explain").output
    assert "extracted: '(0, 1)' (box)" in output
    assert "answer:    '(0, 1)' as a tuple, or a set of real numbers, or a matrix with the key (0, 1)\n" in output
    assert "reference: '0 < x < 1' as a set of real numbers" in output


def test_an_explanation_shows_a_few_digits_of_a_key() -> None:
    output = _run(r"1+\sqrt2", "-r", r"\sqrt2+1", "--answer", "--explain").output
    assert "'1+\\\\sqrt2' as a value with the key 2.414213562…\n" in output


def test_an_explanation_points_at_what_could_not_be_read() -> None:
    output = _run("2 + )", "-r", "2", "--answer", "--explain").output
    assert output.startswith("no_answer  0  the answer 2 + ) cannot be read: ')' where something else was due")
    assert "'2 + )' cannot be read" in output
    assert "\n           2 + )\n               ^\n" in output
    assert "extracted" not in output


def test_a_file_gives_a_json_line_for_each_row(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    rows = [{"completion": r"\boxed{2}", "reference": "2.0"}, {"completion": "I do not know", "reference": "2"}]
    path.write_text("\n".join(map(json.dumps, rows)) + "\n\n")
    result = _run("--file", str(path))
    lines = [json.loads(line) for line in result.output.splitlines()]
    assert result.exit_code == 0
    assert [(line["verdict"], line["score"], line["answer"]) for line in lines] == [
        ("correct", 1.0, "2"),
        ("no_answer", 0.0, None),
    ]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("{", "line 1 is not JSON: Expecting property name"),
        ("[1]", "line 1 is a list"),
        (
            '{"completion": "1"}',
            "row 1: it has completion; expected an object with the texts `completion` and `reference`",
        ),
    ],
)
def test_a_row_that_is_no_row_is_named(tmp_path: Path, content: str, message: str) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text(content)
    result = _run("--file", str(path))
    assert isinstance(result.exception, InputError)
    assert message in str(result.exception)


def test_missing_arguments_and_files_are_named(tmp_path: Path) -> None:
    assert "give a completion and --reference, or --file" in str(_run("1").exception)
    assert "no file " in str(_run("--file", str(tmp_path / "none")).exception)
