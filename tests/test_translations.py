"""README in other languages says what README says: the same blocks, pictures, commands, links and figures."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
TRANSLATIONS = sorted(ROOT.glob("README.*.md"))
_BLOCK = re.compile(r"^```.*?^```$", re.DOTALL | re.MULTILINE)
_NUMBER = re.compile(r"\d[\d,.]*\d|\d")


def rows(text: str) -> list[list[str]]:
    """Of each row of the measured table: its figures, sorted, since languages order words differently; its command."""
    lines = [line for line in text.splitlines() if line.startswith("| ")][1:]
    return [[*sorted(_NUMBER.findall(line)), line.split("|")[-2].strip()] for line in lines]


def targets(text: str) -> set[str]:
    return set(re.findall(r"\]\(([^)]+)\)", text))


@pytest.mark.parametrize("page", TRANSLATIONS, ids=lambda page: page.name)
def test_a_translation_has_the_blocks_the_table_and_the_headings(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert _BLOCK.findall(text) == _BLOCK.findall(README)
    assert rows(text) == rows(README)
    assert len(rows(text)) >= 7
    assert text.count("\n## ") == README.count("\n## ")


@pytest.mark.parametrize("page", TRANSLATIONS, ids=lambda page: page.name)
def test_a_translation_leads_nowhere_else(page: Path) -> None:
    own = {"README.md", *(other.name for other in TRANSLATIONS), "docs/guide"}
    assert targets(page.read_text(encoding="utf-8")) - own <= targets(README)


def test_both_translations_are_named() -> None:
    assert {page.name for page in TRANSLATIONS} == {"README.es.md", "README.zh.md"} <= targets(README)
