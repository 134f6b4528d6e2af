"""Without an extra, what needs it says which package is missing and the line that installs it."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

# In a process of its own, where the package cannot be imported: what the code raised, and its text.
CHILD = """
import json, sys
for name in sys.argv[1].split():
    sys.modules[name] = None
try:
    exec(sys.argv[2])
except Exception as error:
    print(json.dumps([type(error).__name__, str(error)]))
"""
REWARD_MODEL = """
from assay.verifiers import RewardModel
[result] = RewardModel("some/model").verify(["a"], [None])
raise RuntimeError(f"{result.score} {result.reason}")
"""


def raised(code: str, *absent: str) -> tuple[str, str]:
    done = subprocess.run(
        [sys.executable, "-P", "-c", CHILD, " ".join(absent), code], capture_output=True, text=True, check=True
    )
    kind, text = json.loads(done.stdout)
    return kind, text


@pytest.mark.parametrize("package", ["fastapi", "uvicorn", "prometheus_client"])
def test_the_server_in_python_names_the_extra_that_is_not_installed(package: str) -> None:
    kind, text = raised("from assay.integrations.server import create_app", package)
    assert (kind, text) == (
        "MissingExtra",
        f"{package!r} is not installed. Install it with: pip install 'assay[server]'",
    )


@pytest.mark.parametrize(
    "name", ["CurriculumConfig", "CurriculumGRPOTrainer", "CurriculumMixin", "AsyncCurriculumGRPOTrainer"]
)
def test_what_trains_names_the_extra_that_is_not_installed(name: str) -> None:
    kind, text = raised(f"from assay.integrations.trl import {name}", "torch")
    assert (kind, text) == ("MissingExtra", "'torch' is not installed. Install it with: pip install 'assay[trl]'")


def test_a_learned_reward_without_torch_gives_no_score_and_names_the_extra() -> None:
    _, text = raised(REWARD_MODEL, "torch")
    assert (
        text
        == "None RewardModel failed: MissingExtra: 'torch' is not installed. Install it with: pip install 'assay[trl]'"
    )
