"""``assay score`` with files: what is no completion is not judged as one, and what cannot be read says where."""

from __future__ import annotations

import gzip
import json
import os
import subprocess
import sys
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
        ('{"completion": "4"}', "row 2: it has completion; expected an object with the texts"),
        ('{"completion": 4, "reference": "4"}', "row 2: completion is 4; expected an object with the texts"),
        ("[" * 100_000, "line 2 is not JSON: "),
    ],
)
def test_a_line_that_cannot_be_used_is_shown_with_its_place(tmp_path: Path, line: str, message: str) -> None:
    file = tmp_path / "rows.jsonl"
    file.write_text('{"completion": "4", "reference": "4"}\n' + line + "\n")
    found = said("--file", file)
    assert found.startswith(f"{file}, {message}")
    assert len(found) < 400


RIGHT = '{"completion": "\\\\boxed{4}", "reference": "4"}\n'


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("bom.jsonl", b"\xef\xbb\xbf" + RIGHT.encode().replace(b"\n", b"\r\n")),
        ("rows.jsonl.gz", gzip.compress(RIGHT.encode())),
        ("rows.csv", b"completion,reference\r\n\\boxed{4},4\r\n"),
        ("separators.jsonl", RIGHT.replace("boxed{4}", "boxed{4}\u2028ok").encode()),
    ],
)
def test_files_are_read_however_they_were_saved(tmp_path: Path, name: str, content: bytes) -> None:
    (tmp_path / name).write_bytes(content)
    [line] = CliRunner().invoke(command, ["--file", str(tmp_path / name)]).stdout.splitlines()
    assert json.loads(line)["verdict"] == "correct"


def test_rows_and_a_completion_come_from_standard_input() -> None:
    done = CliRunner().invoke(command, ["--file", "-"], input=RIGHT * 2)
    assert [json.loads(line)["score"] for line in done.stdout.splitlines()] == [1.0, 1.0]
    done = CliRunner().invoke(command, ["-", "-r", "4"], input=b"\xff\xfe \\boxed{4}")
    assert done.output.startswith("correct  1")
    assert said("-", "--verifier", "assay.verifiers:MathVerifier") == (
        "completions to judge again are read from a file, not from standard input: give its name"
    )


def test_a_folder_is_not_judged_again_but_a_file_in_it(tmp_path: Path) -> None:
    assert said(tmp_path, "--env", "math/countdown-v1") == (
        f"{str(tmp_path)!r} is a folder; give a file in it, such as {tmp_path / 'samples.jsonl'}"
    )


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "{file} holds no row"),
        (b"\x80\x81 binary", "{file} cannot be read: 'utf-8' codec can't decode byte 0x80 in position 0"),
        (None, "{file!r} is a folder; give a file of JSON lines in it"),
    ],
    ids=["empty", "binary", "folder"],
)
def test_what_is_no_file_of_rows_is_said_to_be_none(tmp_path: Path, content: bytes | None, message: str) -> None:
    file = tmp_path / "rows.jsonl"
    if content is None:
        file.mkdir()
    else:
        file.write_bytes(content)
    assert said("--file", file).startswith(message.format(file=str(file)))


def test_what_is_wrong_with_a_file_is_said_without_a_bar(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "assay", "score", "nofile.jsonl", "--verifier", "assay.verifiers:MathVerifier"],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env=os.environ | {"FORCE_COLOR": "1", "COLUMNS": "100"},
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "assay: no file 'nofile.jsonl'\n"


JUDGE = """
from assay import Result, Verifier

class Away(Verifier):
    def _verify_one(self, completion, reference, **columns):
        if completion != "present":
            raise RuntimeError("the judge is away")
        return Result.correct(answer=completion)
"""


def test_where_nothing_could_be_judged_the_first_reason_is_told_and_the_status_is_2(tmp_path: Path) -> None:
    (tmp_path / "judge.py").write_text(JUDGE)
    rows = tmp_path / "rows.jsonl"

    def score(*completions: str) -> subprocess.CompletedProcess[str]:
        rows.write_text("".join(json.dumps({"completion": text, "reference": "4"}) + "\n" for text in completions))
        return subprocess.run(
            [sys.executable, "-m", "assay", "score", str(rows), "--verifier", "judge.py:Away"],
            capture_output=True,
            text=True,
            cwd=tmp_path,
            env=os.environ | {"COLUMNS": "200"},
        )

    reason = "row 1: Away failed: RuntimeError: the judge is away"
    none = score("a", "b")
    assert none.returncode == 2
    assert none.stdout.startswith("2 completions: 2 error\n")
    assert f"assay: nothing in {str(rows)!r} could be judged: {reason}" in none.stderr
    some = score("a", "present")
    assert some.returncode == 0
    assert some.stdout.splitlines()[0] == "2 completions: 0.5000 correct (1 correct, 1 error)"
    assert f"1 completion could not be judged (not correct in that share); the first: {reason}" in some.stdout
    assert "could not be judged" not in score("present").stdout
