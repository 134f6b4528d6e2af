"""The recipes of CONTRIBUTING.md, followed to the letter in a copy of the repository."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
_BLOCK = re.compile(
    r"^```(?:python|text) (?P<how>file|insert)=(?P<path>\S+)(?: needs=checkout)?(?: after=(?P<after>[^\n]+))?\n"
    r"(?P<code>.*?)^```",
    re.MULTILINE | re.DOTALL,
)
_LEFT_OUT = shutil.ignore_patterns(
    ".git", ".venv*", ".types", "runs", "build", "dist", "__pycache__", ".*_cache", ".hypothesis", "*.egg-info"
)


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the repository, under the name assay, with every recipe done."""
    copy = tmp_path_factory.mktemp("scratch") / "assay"
    shutil.copytree(ROOT, copy, ignore=_LEFT_OUT)
    for block in _BLOCK.finditer((ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")):
        path = copy / block["path"]
        if block["how"] == "file":
            assert not path.exists(), f"{path} is there already"
            path.write_text(block["code"], encoding="utf-8")
        else:
            insert(path, block["code"].strip(), after=block["after"])
    return copy


def insert(path: Path, line: str, *, after: str) -> None:
    """Put a line below the first that contains ``after``, as a reader would: indented like its neighbour."""
    lines = path.read_text(encoding="utf-8").splitlines()
    place = next(number for number, text in enumerate(lines) if after in text)
    indent = re.match(r"\s*", lines[place])
    assert indent is not None
    if "{" in lines[place] and "}" in lines[place]:  # a table on one line
        lines[place] = lines[place].replace("}", ", " + line.rstrip(",") + "}", 1)
    else:
        lines.insert(place + 1, indent[0] + line)
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def run(copy: Path, *command: str) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {"PYTHONPATH": str(copy.parent), "PYTHONDONTWRITEBYTECODE": "1", "COLUMNS": "200"}
    return subprocess.run([sys.executable, *command], cwd=copy, env=environment, capture_output=True, text=True)


@pytest.mark.parametrize(
    "tests",
    [
        ["tests/verifiers/test_shout.py"],
        ["tests/integrations/test_plain_lists.py"],
        ["tests/sandbox/test_frugal.py", "-k", "status or network or n01 or p01"],
        ["tests/test_packaging.py", "-k", "face or folder"],
    ],
    ids=["verifier", "adapter", "sandbox", "packaging"],
)
def test_the_tests_of_a_recipe_pass(copy: Path, tests: list[str]) -> None:
    done = run(copy, "-m", "pytest", "-q", "-n", "0", "-p", "no:cacheprovider", *tests)
    assert done.returncode == 0, done.stdout[-3000:]


def test_the_environment_is_listed_and_passes_its_check(copy: Path) -> None:
    assert "math/doubling-v1" in run(copy, "-m", "assay", "list").stdout
    done = run(copy, "-m", "assay", "check", "math/doubling")
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_code_of_the_recipes_is_in_the_house_style(copy: Path) -> None:
    files = ["verifiers/shout.py", "verifiers/__init__.py", "environments/math/doubling.py", "sandbox/frugal.py"]
    done = run(copy, "-m", "ruff", "check", *files, "integrations/plain_lists.py")
    assert done.returncode == 0, done.stdout
