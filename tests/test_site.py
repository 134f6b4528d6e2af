"""The documentation builds strictly, and its reference has every public name."""

from __future__ import annotations

import importlib
import os
import re
import subprocess
import sys
import zlib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
FACES = ["assay", "assay.verifiers", "assay.sandbox", "assay.evaluation", "assay.integrations.trl"]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(folder)],
        cwd=ROOT,
        env=os.environ | {"NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


def test_every_public_name_is_in_the_reference(site: Path) -> None:
    inventory = (site / "objects.inv").read_bytes().split(b"zlib.\n", 1)[1]
    documented = {line.split(" ")[0].rsplit(".", 1)[-1] for line in zlib.decompress(inventory).decode().splitlines()}
    missing = [
        f"{face}.{name}"
        for face in FACES
        for name in importlib.import_module(face).__all__
        if name not in documented and not name.startswith("__")
    ]
    assert missing == []


def test_nothing_is_fetched_from_elsewhere_when_a_page_is_opened(site: Path) -> None:
    fetched = re.compile(r'<(?:script|link|img)[^>]+(?:src|href)="(https?://[^"]+)"')
    assert {url for page in site.rglob("*.html") for url in fetched.findall(page.read_text(encoding="utf-8"))} == set()
