"""Every example in docstrings, README and docs runs."""

from __future__ import annotations

import doctest
import importlib
import json
import os
import pkgutil
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import yaml  # type: ignore[import-untyped,unused-ignore]

import assay

ROOT = Path(__file__).resolve().parents[1]
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
TRANSLATIONS = {*ROOT.glob("README.*.md")}  # they have the blocks of README (tests/test_translations.py)
NOT_PACKAGES = {"tests", "docs", "benchmarks", "examples", "__main__"}
_BLOCK = re.compile(r"^```python(?P<flags>[^\n]*)\n(?P<code>.*?)^```", re.DOTALL | re.MULTILINE)
_SETTINGS = re.compile(r"^```(yaml|json|toml)\n(.*?)^```", re.DOTALL | re.MULTILINE)
_LINK = re.compile(r"\]\((?!https?:|#|mailto:)([^)#\s]+)")


def modules() -> list[str]:
    names = [module.name for module in pkgutil.walk_packages(assay.__path__, "assay.")]
    return sorted(name for name in names if name.split(".")[1] not in NOT_PACKAGES)


@pytest.mark.parametrize("name", modules())
def test_the_examples_in_docstrings_are_true(name: str) -> None:
    results = doctest.testmod(importlib.import_module(name), optionflags=doctest.ELLIPSIS)
    assert results.failed == 0


@pytest.mark.parametrize("page", sorted({*PAGES} - TRANSLATIONS), ids=lambda page: str(page.relative_to(ROOT)))
def test_the_code_on_a_page_runs(page: Path, tmp_path: Path) -> None:
    """All blocks of a page are one program, in order.

    Those that need a model are marked, and tests/pages runs them, with the page's commands; those that need a
    service of others are compiled here, and the tests of that adapter run them with a stand-in.

    Lines to insert into a file are tested by what follows the recipes, tests/test_contributing.py.
    """
    text = page.read_text(encoding="utf-8")
    program = []
    for block in _BLOCK.finditer(text):
        if "insert=" in block["flags"]:
            continue
        compile(block["code"], str(page), "exec")
        if "needs" not in block["flags"]:
            program.append(block["code"])
    if program:
        file = tmp_path / "page.py"
        file.write_text("\n".join(program), encoding="utf-8")
        done = subprocess.run(
            [sys.executable, str(file)],
            capture_output=True,
            text=True,
            cwd=tmp_path,
            env=os.environ | {"COLUMNS": "120"},
        )
        assert done.returncode == 0, done.stderr[-3000:]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_the_links_on_a_page_lead_somewhere(page: Path) -> None:
    missing = [link for link in _LINK.findall(page.read_text(encoding="utf-8")) if not (page.parent / link).exists()]
    assert missing == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_the_settings_on_a_page_can_be_read(page: Path) -> None:
    readers = {"yaml": yaml.safe_load, "json": json.loads, "toml": tomllib.loads}
    for language, block in _SETTINGS.findall(page.read_text(encoding="utf-8")):
        assert readers[language](block)
