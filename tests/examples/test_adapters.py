"""Every adapter's example runs, and prints what its trainer would be given."""

from __future__ import annotations

import importlib.machinery
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
ADAPTERS = ROOT / "examples" / "adapters"
#: Stand-ins for packages that do not install here, written down from their own sources.
CONTRACTS = ROOT / "tests" / "data" / "trainers"
PACKAGES = {"nemo_gym_server": "nemo_gym", "nemo_rl_environment": "nemo_rl", "swift_plugin": "swift"}
PRINTED = {
    "nemo_gym_server": ["1.0 correct 18", "0.0 no_answer 18"],
    "nemo_rl_environment": ["[1.0, 0.0] [1.0, 1.0] ['18', '17']"],
    "openrlhf_reward": ["[1.0] [1.0] {'no_answer': [0.0]", "[0.0] [0.0] {'no_answer': [1.0]"],
    "prime_rewards": ["[1.0, 0.0]"],
    "skyrl_environment": ["1.0 True correct", "0.0 True incorrect"],
    "swift_plugin": ["[1.0, 0.0, 0.0]"],
    "unsloth_rewards": ["arithmetic [1.0, 0.0]"],
    "verl_reward": ["{'score': 1.0, 'acc': 1.0, ", "{'score': 0.0, 'acc': 0.0, 'no_answer': 1.0", "[1.0, 1.0]"],
}


def test_every_example_is_run() -> None:
    assert {path.stem for path in ADAPTERS.glob("*.py")} == set(PRINTED)


@pytest.mark.parametrize("name", sorted(PRINTED))
def test_an_adapters_example_runs(name: str) -> None:
    if name == "skyrl_environment":
        pytest.importorskip("skyrl_gym")
    environment = dict(os.environ)
    package = PACKAGES.get(name)
    if package is not None and importlib.machinery.PathFinder.find_spec(package) is None:
        environment["PYTHONPATH"] = str(CONTRACTS)
    command = [sys.executable, str(ADAPTERS / f"{name}.py"), *(["--ask"] if name == "nemo_gym_server" else [])]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, cwd=ROOT.parent)
    assert done.returncode == 0, done.stderr[-3000:]
    for line in PRINTED[name]:
        assert line in done.stdout
