"""Settings for tests that train with TRL: no hub, no second thread pool, toy policy and stand-ins importable."""

import os
import sys
from importlib.metadata import version
from pathlib import Path

import pytest

os.environ.setdefault("HF_HUB_OFFLINE", "1")
os.environ.setdefault("TRANSFORMERS_OFFLINE", "1")
os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
os.environ.setdefault("TRL_EXPERIMENTAL_SILENCE", "1")  # TRL's own switch for its notice about environment_factory
sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parents[2] / "examples")]

# TRL 1.16 passes the two old names itself, and transformers 5.24 says so in every step; nothing of ours uses them.
_UPSTREAM_WARNINGS = (
    r"ignore:`gradient_checkpointing` is deprecated:FutureWarning",
    r"ignore:`is_gradient_checkpointing` is deprecated:FutureWarning",
)


def pytest_report_header() -> str:
    """Which trl is tested: `make contracts` puts others before the installed one."""
    return f"trl {version('trl')}"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Silence these for the tests of this folder alone."""
    for item in items:
        if Path(__file__).parent in item.path.parents:
            for warning in _UPSTREAM_WARNINGS:
                item.add_marker(pytest.mark.filterwarnings(warning))
