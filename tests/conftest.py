"""What every test may use: where the handed corpora lie."""

from __future__ import annotations

import os
from pathlib import Path

import pytest


def shared_folder() -> Path | None:
    """The folder with `cases` and `data`: ASSAY_SHARED, else `shared` beside the checkout; None where absent."""
    folder = Path(os.environ.get("ASSAY_SHARED", Path(__file__).resolve().parents[2] / "shared"))
    return folder if (folder / "cases").is_dir() else None


@pytest.fixture(scope="session")
def shared() -> Path:
    """The handed corpora; skips, with the reason, where they are absent."""
    folder = shared_folder()
    if folder is None:
        pytest.skip("the handed corpora are absent: set ASSAY_SHARED to the folder that holds `cases` and `data`")
    return folder
