"""The command line: what it prints, and how it fails."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path


def assay(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    import os

    return subprocess.run(
        [sys.executable, "-m", "assay", *arguments],
        capture_output=True,
        text=True,
        env=os.environ | {"COLUMNS": "200"} | environment,
    )


def test_help_lists_each_command_and_each_command_has_its_own_help() -> None:
    from assay.cli.group import _COMMANDS

    top = assay("--help")
    assert top.returncode == 0
    for name in _COMMANDS:
        assert f"  {name} " in top.stdout
        assert assay(name, "--help").returncode == 0, name


def test_version_is_the_packages() -> None:
    import assay as package

    assert assay("--version").stdout == f"assay, version {package.__version__}\n"


def test_an_unknown_command_is_a_usage_error() -> None:
    done = assay("evalute")
    assert done.returncode == 2
    assert "No such command 'evalute'; did you mean 'evaluate'" in done.stderr


def test_list_shows_every_environment_with_its_splits_and_licence() -> None:
    done = assay("list")
    assert done.returncode == 0
    for word in ("math/arithmetic-v1", "math/gsm8k-v1", "train 7473", "MIT"):
        assert word in done.stdout


def test_what_assay_raises_is_one_line_and_status_two() -> None:
    done = assay("evaluate", "--model", "nowhere", "--env", "math/gsm8")
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.startswith("assay: no environment is called 'math/gsm8'; did you mean 'math/gsm8k-v1'")
    assert "Traceback" not in done.stderr


def test_a_plugin_that_cannot_be_loaded_is_listed_and_spares_the_others(tmp_path: Path) -> None:
    package = tmp_path / "broken_plugin-1.dist-info"
    package.mkdir()
    (package / "METADATA").write_text("Metadata-Version: 2.1\nName: broken-plugin\nVersion: 1\n")
    (package / "entry_points.txt").write_text("[assay.environments]\nbroken/nothing-v1 = no_such_module:Nothing\n")
    done = assay("list", PYTHONPATH=str(tmp_path))
    assert done.returncode == 0
    assert "cannot be loaded" in done.stdout
    assert "math/gsm8k-v1" in done.stdout


def test_a_domain_that_no_environment_has_lists_those_there_are() -> None:
    done = assay("list", "--domain", "maths")
    assert done.returncode == 2
    assert "no environment has the domain 'maths'; there are" in done.stderr


def test_the_list_is_one_line_an_environment_whatever_the_width() -> None:
    from assay.cli.list_command import lines_of

    piped = assay("list", COLUMNS="40").stdout.splitlines()
    named = [json.loads(line)["name"] for line in assay("list", "--json").stdout.splitlines()]
    assert [line.split()[0] for line in piped] == ["environment", *named]
    assert piped[0].split() == ["environment", "domain", "splits", "licence", "source"]
    [gsm8k] = [line for line in piped if line.startswith("math/gsm8k-v1 ")]
    assert gsm8k.endswith("  MIT                  openai/gsm8k@740312add88f")
    row = {"name": "my/sums-v1", "domain": "math", "splits": {"train": 90}, "licence": "CC0", "source": "far/away"}
    assert lines_of([row], 80) == [
        "environment  domain  splits    licence  source",
        "my/sums-v1   math    train 90  CC0      far/away",
    ]
    assert lines_of([row, {"name": "my/b-v1", "error": "gone"}], 30) == [
        "environment  domain  splits",
        "my/sums-v1   math    train 90",
        "my/b-v1  cannot be loaded: gone",
        "(licence, source: in a wider terminal, a pipe, or with --json)",
    ]
    assert lines_of([row], 10)[1] == "my/sums-v1   train 90"  # what is asked for is never cut


def test_the_list_fits_a_terminal_of_eighty_columns() -> None:
    from assay.cli.list_command import _described, lines_of
    from assay.environments.registry import ENVIRONMENTS

    lines = lines_of([_described(name) for name in ENVIRONMENTS], 80)
    assert max(map(len, lines)) <= 80
    assert len(lines) == len(list(ENVIRONMENTS)) + 2
