"""``assay audit``: its targets, its table, its file and its exit status."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

REWARDS = '''
import re
from assay.verifiers import TextVerifier

def careless(completions, answer, **columns):
    """Pays whatever holds the answer."""
    return [2.0 if gold in text else 0.0 for text, gold in zip(completions, answer)]

class Careful(TextVerifier):
    pass

def broken(completions, **columns):
    """Cannot judge anything."""
    raise RuntimeError("the judge is away")

def wrong_number(completions, **columns):
    return [1.0]

def squares(first=12):
    from assay import make_env
    from assay.verifiers import MathVerifier
    rows = [{"question": f"What is {n} * {n}?", "answer": str(n * n)} for n in range(first, first + 3)]
    return make_env(rows, "{question}", verifier=MathVerifier(), name="mine/squares-v1")

def nowhere(**options):
    raise OSError("no such place")

nothing = 3
'''


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "rewards.py").write_text(REWARDS, encoding="utf-8")
    rows = [{"prompt": f"Capital number {i}?", "answer": city} for i, city in enumerate(("Paris", "Rome", "Berlin"))]
    (tmp_path / "cases.jsonl").write_text("\n".join(map(json.dumps, rows)) + "\n", encoding="utf-8")
    (tmp_path / "broken.jsonl").write_text(json.dumps(rows[0]) + "\nno JSON\n", encoding="utf-8")
    (tmp_path / "promptless.jsonl").write_text('{"answer": "4"}\n', encoding="utf-8")
    return tmp_path


def assay(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "assay", "audit", *arguments],
        capture_output=True,
        text=True,
        cwd=folder,
        env=os.environ | {"COLUMNS": "200"},
    )


def test_a_careless_function_fails_the_condition_and_is_shown_why(folder: Path) -> None:
    done = assay(
        folder, "rewards.py:careless", "--data", "cases.jsonl", "--reference", "answer", "--full-reward", "2",
        "--fail-on", "false_pass>0", "--json", "audit.json", "--examples", "2",
    )  # fmt: skip
    assert done.returncode == 1, done.stderr
    assert done.stderr == "failed: false_pass>0 (false_pass is 1)\n"
    assert "false-pass ceiling 1.000   lazy-policy reward 0.000" in done.stdout
    assert "false-fail rate 0.000" in done.stdout
    assert "false pass in" in done.stdout
    written = json.loads((folder / "audit.json").read_text(encoding="utf-8"))
    assert written["measures"]["false_pass"] == 1.0
    assert written["payable"] == 3


def test_a_careful_verifier_passes(folder: Path) -> None:
    done = assay(
        folder, "rewards.py:Careful", "--data", "cases.jsonl", "--reference", "answer", "--skip", "huge",
        "--fail-on", "false_pass>0", "--fail-on", "false_fail>0",
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    assert "3 of 3 cases have a right completion that is known and paid" in done.stdout
    assert " huge " not in done.stdout


def test_an_environment_brings_its_own_cases(folder: Path) -> None:
    done = assay(folder, "math/countdown-v1", "--limit", "2", "--fail-on", "false_pass>0")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "2 of 2 cases" in done.stdout


def test_a_function_that_makes_an_environment_is_audited_as_one(folder: Path) -> None:
    done = assay(folder, "rewards.py:squares", "--option", "first=20", "--fail-on", "false_pass>0")
    assert done.returncode == 1, done.stdout + done.stderr
    assert "3 of 3 cases have a right completion that is known and paid" in done.stdout
    assert r"false pass in unevaluated: '\\boxed{20 * 20}' got 1" in done.stdout
    assert "failed: false_pass>0 (false_pass is 1)" in done.stderr


def test_a_pipe_has_no_width_to_wrap_at(folder: Path) -> None:
    command = [sys.executable, "-m", "assay", "audit", "rewards.py:Careful", "--data", "cases.jsonl", "--skip", "huge",
               "--reference", "answer"]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, cwd=folder, env=os.environ | {"COLUMNS": "30"})
    [head] = [line for line in done.stdout.splitlines() if line.lstrip().startswith("probe")]
    assert head.split() == ["probe", "completions", "owed", "paid", "mean", "score", "paid,", "95", "%"]


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (["rewards.py:careless"], "needs --data, a JSONL file"),
        (
            ["rewards.py:wrong_number", "--data", "cases.jsonl", "--reference", "answer"],
            "so nothing was audited: 1 reward for 4 completions",
        ),
        (["rewards.py:squares", "--option", "frist=2"], "its options are first"),
        (["rewards.py:nowhere"], "'rewards.py:nowhere' cannot be made: OSError: no such place (rewards.py, line 26)"),
        (["rewards.py:nothing", "--data", "cases.jsonl"], "rewards.py:nothing is 3; expected a verifier"),
        (
            ["rewards.py:careless", "--data", "broken.jsonl"],
            "broken.jsonl, line 2 is not JSON: Expecting value at character 1",
        ),
        (["rewards.py:careless", "--data", "rewards.py"], "rewards.py has an unknown suffix; expected one of .jsonl"),
        (["rewards.py:careless", "--data", "nofile.jsonl"], "no file 'nofile.jsonl'"),
        (["rewards.py:careless", "--data", "promptless.jsonl"], "promptless.jsonl, row 1: a row's prompt is None"),
        (["rewards.py:careless", "--data", "cases.jsonl", "--option", "a=1"], "takes no --option; a was given"),
        (["rewards.py:Careful", "--data", "cases.jsonl", "--option", "a=1"], "cannot be made with {'a': 1}"),
        (["math/countdown-v1", "--option", "levl=[3]"], "'math/countdown-v1' was given levl"),
        (
            ["rewards.py:careless", "--data", "cases.jsonl", "--reference", "gold"],
            "cases.jsonl, row 1: a row has no column 'gold'",
        ),
        (["rewards.py:careless", "--data", "cases.jsonl", "--fail-on", "luck>0"], "'luck>0' is not a condition"),
        (["rewards.py:careless", "--data", "cases.jsonl", "--skip", "hugh"], "no probes are called hugh"),
        (["math/countdwn-v1"], "did you mean 'math/countdown-v1'"),
    ],
)
def test_what_cannot_be_audited_is_said_in_one_line(folder: Path, arguments: list[str], why: str) -> None:
    done = assay(folder, *arguments)
    assert done.returncode == 2
    assert why in done.stderr
    assert "Traceback" not in done.stderr


def test_options_are_for_the_environment(folder: Path) -> None:
    done = assay(folder, "math/countdown-v1", "--limit", "2", "--option", "levels=[3]", "--json", "audit.json")
    assert done.returncode == 0, done.stdout + done.stderr
    written = json.loads((folder / "audit.json").read_text(encoding="utf-8"))
    assert written["cases"] == 2


def test_a_grader_that_always_raises_has_not_passed(folder: Path) -> None:
    done = assay(folder, "rewards.py:broken", "--data", "cases.jsonl", "--reference", "answer")
    assert done.returncode == 2
    assert "rewards.py:broken gave no score to any of" in done.stderr
    assert "so nothing was audited: RuntimeError: the judge is away" in done.stderr


def test_cases_come_from_standard_input_and_a_file_that_cannot_be_written_is_said(folder: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "assay", "audit", "rewards.py:Careful", "--data", "-", "--reference", "answer",
         "--skip", "huge", "--json", "nowhere/audit.json"],
        capture_output=True,
        cwd=folder,
        input=(folder / "cases.jsonl").read_bytes(),
    )  # fmt: skip
    assert b"3 of 3 cases" in done.stdout
    assert done.returncode == 2
    assert done.stderr.startswith(b"assay: nowhere/audit.json cannot be written: No such file or directory")
