"""The stage on which pages are run that name a model: stand-ins under the names that the pages use, and small settings.

Run as a script, ``stage.py JOBS``: JOBS is a JSON file of ``[{"page": name, "folder": folder, "script": file}, ...]``.
Importing torch and TRL takes longer than any page, so it is done once; each page then runs in a child of its own.
"""

from __future__ import annotations

import functools
import importlib
import json
import os
import runpy
import shutil
import sys
import traceback
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

# The names under which pages speak of a model, by page.
MODELS = ("MODEL", "Qwen/Qwen2.5-0.5B-Instruct", "HuggingFaceTB/SmolLM2-135M-Instruct", "smollm2")
OWN_MODELS = {"evaluate-checkpoints.md": ("runs/base", "runs/trained")}
# What `assay evaluate` is given after the page's own options, so that a stand-in is done in a second.
SMALL = ("--limit", "2", "--samples", "2", "--max-new-tokens", "4", "--device", "cpu")
# Commands that serve until stopped or ask another machine are read, options and all, but not run.
READ_ONLY = {"serve", "image"}
READ_ONLY_OPTIONS = {"--server", "--backend"}


def command(*words: str) -> None:
    """Run one command line of a page, its words without the first."""
    from assay.cli import main

    after: tuple[str, ...] = SMALL if words[0] == "evaluate" else ()
    if words[0] in READ_ONLY or READ_ONLY_OPTIONS & set(words):
        after = ("--help",)
    if words[0] == "profile":
        some_solved(Path(words[1]))
    if "--strict" in words:
        measured(Path(words[1]), words[words.index("--strict") + 1])
    sys.argv = ["assay", *words, *after]
    try:
        main()
    except SystemExit as end:
        if end.code:
            raise RuntimeError(f"{' '.join(sys.argv)}: exit status {end.code}") from end


def rows(file: str, *records: dict[str, Any]) -> None:
    """Write a JSONL file."""
    Path(file).write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")


def audited() -> None:
    """The files of the page on audits."""
    Path("my_rewards.py").write_text(
        "def reward(completions, answer, **columns):\n"
        "    return [float(text[0]['content'] == a) for text, a in zip(completions, answer)]\n"
    )
    rows("cases.jsonl", {"prompt": "2+2?", "answer": "4"}, {"prompt": "3+4?", "answer": "7"})
    right, wrong = "<think>\nso\n</think>\n4", "no tags"
    rows("forms.jsonl", {"prompt": "Think.", "right": [right], "wrong": [wrong]})


def rejudged() -> None:
    """The files of the page on other trainers."""
    from assay import make

    Path("my_reward.py").write_text("def old_verifier(completions, **columns):\n    return [0.0] * len(completions)\n")
    tasks = make("math/gsm8k-v1").tasks("test", limit=2)
    rows("rollouts.jsonl", *({"id": task.id, "completion": f"#### {task.reference}"} for task in tasks))


def compared(*folders: str) -> None:
    """Runs, for pages that speak of more than they make."""
    for folder in folders:
        command("evaluate", "--model", "MODEL", "--env", "math/gsm8k-v1", "--output", folder)


def some_solved(folder: Path) -> None:
    """A stand-in solves nothing, and of that no profile can be made: call one sample right in each task."""
    samples = [json.loads(line) for line in (folder / "samples.jsonl").read_text().splitlines()]
    for sample in samples:
        sample["score"] = float(sample["sample"] == 0)
        sample["verdict"] = "correct" if sample["score"] else sample["verdict"]
    rows(str(folder / "samples.jsonl"), *samples)


def measured(folder: Path, metric: str) -> None:
    """The one step of a stand-in's training has no evaluation: log what the page's run would have."""
    for file in folder.glob("checkpoint-*/trainer_state.json"):
        state = json.loads(file.read_text())
        state["log_history"].append({"step": 1, metric: 0.5})
        file.write_text(json.dumps(state))


PROPS: dict[str, Callable[[], None]] = {
    "README.md": functools.partial(compared, "runs/trained"),
    "audit.md": audited,
    "evaluation.md": functools.partial(compared, "runs/base", "runs/trained"),
    "from-verl-and-openrlhf.md": rejudged,
}


def make_small() -> None:
    """One step, few tokens, no accelerator, whatever a page asks for."""
    from transformers import TrainingArguments

    from assay.evaluation.samplers.transformers import TransformersSampler

    finish: Callable[[Any], None] = TrainingArguments.__post_init__
    open_sampler = TransformersSampler.__init__

    def one_step(config: Any) -> None:
        config.max_steps, config.max_completion_length = 1, 4
        config.use_cpu, config.bf16, config.gradient_checkpointing = True, False, False
        config.logging_steps, config.save_strategy, config.save_steps = 1, "steps", 1
        config.report_to, config.disable_tqdm = "none", True
        finish(config)

    def few_tokens(sampler: TransformersSampler, model: Any, **options: Any) -> None:
        open_sampler(sampler, model, **options | {"max_new_tokens": 4, "device": "cpu"})

    patch = pytest.MonkeyPatch()
    patch.setattr(TrainingArguments, "__post_init__", one_step)
    patch.setattr(TransformersSampler, "__init__", few_tokens)


def save_models(folder: Path) -> None:
    """The stand-ins: a policy, and a reward model with one output."""
    stand_in = importlib.import_module("stand_in")
    rewards: Any = importlib.import_module("transformers").Qwen2ForSequenceClassification
    policy, tokenizer = stand_in.load(None)
    policy.save_pretrained(folder / "policy")
    tokenizer.save_pretrained(folder / "policy")
    policy.config.num_labels = 1
    rewards(policy.config).save_pretrained(folder / "reward")
    tokenizer.save_pretrained(folder / "reward")


def perform(job: dict[str, str], models: Path) -> None:
    """Set one page up in its folder and run it."""
    os.chdir(job["folder"])
    page = Path(job["page"])
    for name in (*MODELS, *OWN_MODELS.get(page.name, ())):
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copytree(models / "policy", name)
    Path("path/to").mkdir(parents=True)
    Path("path/to/reward-model").symlink_to(models / "reward")
    PROPS.get(page.name, lambda: None)()
    sys.argv = [job["script"]]
    runpy.run_path(job["script"], {"run": command, "typical_texts": ["good", "bad", "neither"]}, "__main__")


def main(jobs: Path) -> None:
    """Every page in a child; the last line of each says how it went."""
    warnings.simplefilter("ignore")  # what the trainer's own packages say about one another
    make_small()
    models = jobs.parent / "models"
    save_models(models)
    for job in json.loads(jobs.read_text()):
        sys.stdout.flush()
        child = os.fork()
        if child == 0:
            log = os.open(f"{job['folder']}.log", os.O_CREAT | os.O_WRONLY)
            os.dup2(log, 1)
            os.dup2(log, 2)
            try:
                perform(job, models)
                status = 0
            except BaseException:
                traceback.print_exc()
                status = 1
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(status)
        print(job["page"], os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
