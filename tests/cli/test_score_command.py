"""``assay score`` with files: what is no completion is not judged as one, and what cannot be read says where."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from assay.cli.score_command import command
from assay.errors import InputError


def said(*arguments: str | Path) -> str:
    with pytest.raises(InputError) as caught:
        CliRunner().invoke(command, list(map(str, arguments)), catch_exceptions=False)
    return str(caught.value)


def test_a_file_is_not_judged_as_if_its_name_were_the_answer(tmp_path: Path) -> None:
    file = tmp_path / "samples.jsonl"
    file.write_text('{"completion": "4"}\n')
    for arguments in ([file], [file, "--reference", "4"]):
        message = said(*arguments)
        assert message.startswith(f"{str(file)!r} is a file: judge the completions in it as tasks of an environment")
        assert "--env NAME" in message
        assert f"assay score - --reference ANSWER < {file}" in message


def test_a_completion_too_long_for_a_name_is_a_completion() -> None:
    done = CliRunner().invoke(command, ["so " * 3000 + "\\boxed{4}", "--reference", "4"])
    assert done.output.startswith("correct  1")


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('{"completion": 4', "line 2 is not JSON: Expecting ',' delimiter at character 17 of '{\"completion\": 4'"),
        ('["4"]', "line 2 is a list, '[\"4\"]'; expected one JSON object a line"),
        ("null", "line 2 is null, 'null'; expected one JSON object a line"),
        ('{"completion": "4"}', "line 2: it has completion; expected an object with the texts"),
        ('{"completion": 4, "reference": "4"}', "line 2: completion is 4; expected an object with the texts"),
        ("[" * 100_000, "line 2 is not JSON: "),
    ],
)
def test_a_line_that_cannot_be_used_is_shown_with_its_place(tmp_path: Path, line: str, message: str) -> None:
    file = tmp_path / "rows.jsonl"
    file.write_text('{"completion": "4", "reference": "4"}\n' + line + "\n")
    found = said("--file", file)
    assert found.startswith(f"{file}, {message}")
    assert len(found) < 400
