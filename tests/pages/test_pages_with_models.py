"""Pages that name a model run as well, commands and all, with a stand-in under that name: see ``stage.py``."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
STAGE = Path(__file__).with_name("stage.py")
_BLOCK = re.compile(
    r"^```(?P<language>python|sh|bash|console)(?P<flags>[^\n]*)\n(?P<code>.*?)^```", re.DOTALL | re.MULTILINE
)
_COMMAND = re.compile(r"^(?:\$ )?assay (.*)", re.MULTILINE)


def lines(code: str) -> list[list[str]]:
    """The words of each ``assay`` command of a block, without ``assay``."""
    return [shlex.split(match[1], comments=True) for match in _COMMAND.finditer(code.replace("\\\n", " "))]


def script(page: Path) -> str | None:
    """The page as one program, in its order; None for a page that names neither a model nor a command."""
    parts, staged = [], False
    for block in _BLOCK.finditer(page.read_text(encoding="utf-8")):
        if block["language"] == "python":
            staged = staged or "needs=model" in block["flags"]
            if (file := re.search(r"file=(\S+)$", block["flags"])) is not None:
                parts.append(f"open({file[1]!r}, 'w', encoding='utf-8').write({block['code']!r})\n")
            elif "needs" not in block["flags"] or "needs=model" in block["flags"]:
                parts.append(block["code"])
        else:
            staged = staged or bool(lines(block["code"]))
            parts += [f"run(*{words!r})\n" for words in lines(block["code"])]
    return "".join(parts) if staged else None


# README in other languages has the same blocks (tests/test_translations.py).
PAGES = sorted({*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")} - {*ROOT.glob("README.*.md")})
SCRIPTS = {page: text for page in PAGES if (text := script(page)) is not None}


@pytest.fixture(scope="module")
def statuses(tmp_path_factory: pytest.TempPathFactory, shared: Path) -> dict[str, tuple[int, str]]:
    """Of each page: 0 or 1, and what it printed."""
    folder = tmp_path_factory.mktemp("pages")
    jobs = []
    for number, (page, text) in enumerate(SCRIPTS.items()):
        place = folder / str(number)
        place.mkdir()
        file = place / "page.py"
        file.write_text(text, encoding="utf-8")
        jobs.append({"page": str(page), "folder": str(place), "script": str(file)})
    (folder / "jobs.json").write_text(json.dumps(jobs))
    environment = {
        "ASSAY_DATA": str(shared / "data"),
        "HF_HUB_OFFLINE": "1",
        "TOKENIZERS_PARALLELISM": "false",
        "OMP_NUM_THREADS": "1",
        "COLUMNS": "120",
        "PYTHONPATH": str(ROOT / "examples"),
    }
    done = subprocess.run(
        [sys.executable, str(STAGE), str(folder / "jobs.json")],
        capture_output=True,
        text=True,
        env=os.environ | environment,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    status = {line.split()[0]: int(line.split()[1]) for line in done.stdout.splitlines() if line.startswith("/")}
    return {
        job["page"]: (status[job["page"]], Path(f"{job['folder']}.log").read_text(errors="replace")) for job in jobs
    }


@pytest.mark.parametrize("page", SCRIPTS, ids=lambda page: str(page.relative_to(ROOT)))
def test_a_page_with_a_model_or_a_command_runs(page: Path, statuses: dict[str, tuple[int, str]]) -> None:
    status, log = statuses[str(page)]
    assert status == 0, log[-3000:]


def test_the_pages_are_found() -> None:
    names = {page.name for page in SCRIPTS}
    assert {"README.md", "trl.md", "evaluation.md", "evaluate-checkpoints.md", "choose-a-sandbox.md"} <= names
