"""The command line: what it prints, and how it fails."""

from __future__ import annotations

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
