"""One environment of each family trains two GRPO steps on a CPU through ``env.trl()``; so does a newcomer's file."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from assay import make
from assay.environments.base import Environment

os.environ.setdefault("TRANSFORMERS_OFFLINE", "1")
os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
os.environ.setdefault("TRL_EXPERIMENTAL_SILENCE", "1")
sys.path.insert(0, str(Path(__file__).parents[1] / "integrations"))

# What the trainer's own packages say about one another.
pytestmark = pytest.mark.filterwarnings(
    "ignore::FutureWarning", "ignore::DeprecationWarning", "ignore::ResourceWarning", "ignore::UserWarning"
)

SINGLE_TURN = [
    ("math/countdown", {"levels": [3]}),
    ("math/gsm8k", {"path": "gsm8k"}),
    ("logic/knights-and-knaves", {"levels": [3]}),
    ("qa/mmlu-stem", {"path": "mmlu_stem"}),
    ("format/json-schema", {"levels": [1]}),
    ("format/ifeval", {"path": "ifeval"}),
    ("code/mbpp", {"path": "mbpp"}),
    ("bridge/reasoning-gym", {"dataset": "chain_sum"}),
]
Call = Callable[[str], dict[str, Any]]
MULTI_TURN: list[tuple[str, dict[str, Any], str, Call]] = [
    ("games/guess-number", {}, "guess", lambda text: {"number": ord(text[0])}),
    ("tools/calculator", {}, "calculate", lambda text: {"expression": f"{ord(text[0])} + 1"}),
    ("tools/python", {}, "run", lambda text: {"code": f"print({ord(text[0])})"}),
    ("code/repair", {"path": "mbpp", "start": "mutant"}, "test", lambda text: {"program": f"x = {ord(text[0])}"}),
    ("bridge/gymnasium", {}, "act", lambda text: {"action": "down"}),
]
README = Path(__file__).parents[2] / "docs/guide/environments.md"


def trained(environment: Environment, folder: Path, split: str, tokenizer: Any = None, **options: Any) -> Any:
    """The trainer after two steps with groups of two."""
    from toy_trainer import make_config, make_model, make_tokenizer
    from trl import GRPOTrainer

    tokenizer = tokenizer or make_tokenizer()
    config = make_config(folder, per_device_train_batch_size=4, num_generations=2, max_completion_length=12, **options)
    trainer = GRPOTrainer(
        make_model(tokenizer), args=config, processing_class=tokenizer, **environment.trl(split, limit=4)
    )
    trainer.train()
    assert trainer.state.global_step == 2
    steps = [entry for entry in trainer.state.log_history if "reward" in entry]
    assert [0.0 <= entry["reward"] <= 1.0 for entry in steps] == [True, True]
    return trainer


@pytest.mark.parametrize(("name", "options"), SINGLE_TURN, ids=[row[0] for row in SINGLE_TURN])
def test_an_environment_of_each_family_trains(shared: Path, tmp_path: Path, name: str, options: dict[str, Any]) -> None:
    if "path" in options:
        options = {"path": shared / "data" / options["path"]}
    environment = make(name, **options)
    trainer = trained(environment, tmp_path, "train" if "train" in environment.splits else "test")
    [reward] = trainer.reward_funcs
    assert any(f"{reward.__name__}/our_errors" in entry for entry in trainer.state.log_history)
    failed = [
        entry[f"{reward.__name__}/our_errors"]
        for entry in trainer.state.log_history
        if f"{reward.__name__}/our_errors" in entry
    ]
    assert failed == [0.0, 0.0]


class Calling:
    """Mixed into a tokenizer: every answer to a prompt is a call, every answer to a tool's words is the last one.

    The oldest TRL names no tools, and with the oldest transformers no prefix: there all answers are calls.
    """

    tool = ""
    arguments: Call = staticmethod(lambda text: {})

    def parse_response(self: Any, ids: Any, prefix: Any = None, tools: Any = True) -> dict[str, Any]:
        text = self.decode(ids, skip_special_tokens=True) or "?"
        if not tools or "<|tool|>" in self.decode(prefix or []):
            return {"role": "assistant", "content": text}
        function = {"name": self.tool, "arguments": type(self).arguments(text)}
        return {"role": "assistant", "content": "", "tool_calls": [{"type": "function", "function": function}]}


@pytest.mark.parametrize(("name", "options", "tool", "arguments"), MULTI_TURN, ids=[row[0] for row in MULTI_TURN])
def test_an_environment_of_several_turns_trains(
    shared: Path, tmp_path: Path, name: str, options: dict[str, Any], tool: str, arguments: Call
) -> None:
    if "path" in options:
        options = options | {"path": shared / "data" / options["path"]}
    from toy_trainer import CHAT_TEMPLATE, make_tokenizer

    template = CHAT_TEMPLATE.replace(
        "+ message['content'] +",
        "+ (message['content'] or '')"
        " + (message['tool_calls'][0]['function']|string if message.get('tool_calls') else '') +",
    )
    tokenizer = make_tokenizer(chat_template=template)
    tokenizer.response_template = "toy"
    body = {"tool": tool, "arguments": staticmethod(arguments)}
    tokenizer.__class__ = type("ToyTools", (Calling, type(tokenizer)), body)
    environment = make(name, **options)
    trainer = trained(environment, tmp_path, "train", tokenizer, max_tool_calling_iterations=2)
    calls = [entry["tools/call_frequency"] for entry in trainer.state.log_history if "tools/call_frequency" in entry]
    failures = [
        entry["tools/failure_frequency"] for entry in trainer.state.log_history if "tools/failure_frequency" in entry
    ]
    assert all(frequency > 0 for frequency in calls), calls
    assert set(failures) == {0.0}
    assert len(trainer.reward_funcs) == 1  # the episode's own, or the function


def test_the_ten_lines_of_the_guide_run_through_list_check_evaluate_and_train(tmp_path: Path) -> None:
    """A newcomer's file, without touching the package."""
    text = README.read_text(encoding="utf-8")
    [lines] = re.findall(r"```python file=sums\.py\n(.*?)```", text, re.DOTALL)
    assert len([line for line in lines.splitlines() if line.strip()]) <= 10
    (tmp_path / "sums.py").write_text(lines)
    (tmp_path / "prepare.py").write_text(PREPARE)
    environment = os.environ | {"COLUMNS": "200", "PYTHONPATH": str(Path(__file__).parents[1] / "integrations")}

    def run(*command: str) -> str:
        done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, env=environment)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    assay = [sys.executable, "-m", "assay"]
    assert "mine/sums-v1" in run(*assay, "list", "sums.py:Sums")
    assert "Nothing found." in run(*assay, "check", "sums.py:Sums")
    assert "trained 2 steps" in run(sys.executable, "prepare.py")
    evaluate = ["evaluate", "--model", "model", "--env", "sums.py:Sums", "--split", "test"]
    said = run(*assay, *evaluate, "--samples", "2", "--limit", "3", "--max-new-tokens", "4", "--output", "run")
    assert "Pass@K" in said
    assert len((tmp_path / "run/samples.jsonl").read_text().splitlines()) == 6
    scored = run(*assay, "score", "run/samples.jsonl", "--env", "sums.py:Sums", "--split", "test")
    assert "0 stored scores that are others now" in scored
    assert json.loads((tmp_path / "run/config.json").read_text())["config"]["environment"] == "mine/sums-v1"


PREPARE = """
from pathlib import Path
from assay import make
from toy_trainer import make_config, make_model, make_tokenizer
from trl import GRPOTrainer

tokenizer = make_tokenizer()
model = make_model(tokenizer)
config = make_config("out", per_device_train_batch_size=4, num_generations=2, max_completion_length=4)
trainer = GRPOTrainer(model, args=config, processing_class=tokenizer, **make("sums.py:Sums").trl("train", limit=4))
trainer.train()
model.save_pretrained("model")
tokenizer.save_pretrained("model")
print("trained", trainer.state.global_step, "steps")
"""
