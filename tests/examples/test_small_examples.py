"""Each example runs as a user would start it, at the size of the stand-in model."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"
# Importing torch and TRL takes longer than the examples, so one process runs them all.
DRIVER = """
import importlib, sys, warnings
warnings.simplefilter("ignore")  # what the trainer's own packages say about one another
sys.path.insert(0, sys.argv[1])
for line in sys.stdin.read().splitlines():
    name, *arguments = line.split()
    module = importlib.import_module(name)
    command = getattr(module, "train", None) or module.main
    command(arguments, standalone_mode=False)
    print("==", name, "done", flush=True)
"""


def has_async_trainer() -> bool:
    """Whether the installed trl has the asynchronous trainer, and what its rollout loop needs; nothing is imported."""
    trl = find_spec("trl")
    folders = (trl.submodule_search_locations if trl is not None else None) or []
    return find_spec("aiohttp") is not None and any(
        Path(folder, "experimental/async_grpo/packing.py").is_file() for folder in folders
    )


@pytest.fixture(scope="module")
def printed(tmp_path_factory: pytest.TempPathFactory, shared: Path) -> str:
    folder = tmp_path_factory.mktemp("examples")
    lines = [
        f"gsm8k_lora --data {shared / 'data/gsm8k'} --output gsm8k",
        f"code_grpo --data {shared / 'data/mbpp'} --output code",
        "tools_grpo --output tools",
        "mixed_tasks --output mixed",
        *(["async_grpo --output async"] if has_async_trainer() else []),
        "compare_checkpoints --output compared",
    ]
    done = subprocess.run(
        [sys.executable, "-c", DRIVER, str(EXAMPLES)],
        input="\n".join(lines),
        capture_output=True,
        text=True,
        cwd=folder,
        env=os.environ | {"HF_HUB_OFFLINE": "1", "TOKENIZERS_PARALLELISM": "false"},
    )
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-3000:]
    assert (folder / "gsm8k/adapter_config.json").is_file()
    assert (folder / "gsm8k/monitor.html").is_file()
    assert (folder / "compared/after/samples.jsonl").is_file()
    return done.stdout


@pytest.mark.parametrize(
    "words",
    [
        "trained 2 steps; adapters and monitor.html are in gsm8k",
        "trained 2 steps; share of tests passed",
        "trained 2 steps; 1.0 tool calls an answer in the last",
        "trained 2 steps on sums, puzzles, forms",
        pytest.param(
            "groups taught nothing and were dropped",
            marks=pytest.mark.skipif(not has_async_trainer(), reason="needs aiohttp, and the trainer of trl 1.16"),
        ),
        "INCONCLUSIVE: No difference lies outside the band",
    ],
    ids=["gsm8k_lora", "code_grpo", "tools_grpo", "mixed_tasks", "async_grpo", "compare_checkpoints"],
)
def test_an_example_says_what_it_did(printed: str, words: str) -> None:
    assert words in printed
