"""MkDocs hooks: what the reference is read from, and how our code blocks look on the site."""

from __future__ import annotations

import re
import shutil
import tomllib
from pathlib import Path
from typing import Any

_ROOT = Path(__file__).resolve().parents[2]
_FLAGS = re.compile(r"^(```\w+)[^\n]+$", re.MULTILINE)


def on_startup(**_: Any) -> None:
    """Lay the package alone into build/api: the root is the package, and it also holds .venv, tests and builds."""
    target = _ROOT / "build" / "api"
    shutil.rmtree(target, ignore_errors=True)
    packages = tomllib.loads((_ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["setuptools"]["packages"]
    for name in packages:
        folder = Path(*name.split(".")[1:])
        (target / "assay" / folder).mkdir(parents=True, exist_ok=True)
        for file in (_ROOT / folder).glob("*.py"):
            shutil.copy(file, target / "assay" / folder)


def on_page_markdown(markdown: str, **_: Any) -> str:
    """```` ```python needs=model ```` becomes ```` ```python ````, which is all that the highlighter knows."""
    return _FLAGS.sub(r"\1", markdown)
