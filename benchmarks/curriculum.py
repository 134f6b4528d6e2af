"""What choosing prompts and resampling gain on the demonstration's task, at equal steps and at equal generated tokens.

    python -P benchmarks/curriculum.py run --pool skewed --seeds 0 1 2      # resumes; one JSON line a measurement
    python -P benchmarks/curriculum.py table                                # -P: this folder holds a math.py

Every arm starts from the same warmed-up model (examples/tiny_model.py) and trains 100 steps of 16 groups of 8, but for
the large batch. Pass@1 is measured on the 180 test questions, 16 samples each, none of which is in the pool; the share
is checked before anything runs. No arm sees a level. Generated tokens count prompts and completions of everything that
was generated, the offline window's probe included.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import statistics
import sys
import time
import warnings
from pathlib import Path
from typing import Any

os.environ.setdefault("HF_HUB_OFFLINE", "1")
os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "examples"))

from assay import make
from assay.environments.base import Task

FOLDER = Path("runs/curriculum-benchmark")
POOLS = {"skewed": {1: 512, 2: 256, 3: 256, 4: 256, 5: 256, 6: 1024}, "uniform": dict.fromkeys(range(1, 7), 427)}
ARMS: dict[str, dict[str, Any]] = {
    "plain": {},
    "plain, larger batch": {"batch": 160},  # a quarter more, where the last arm costs two fifths more
    "window": {"window": True},
    "curriculum": {"curriculum": {"mode": "off", "order": "informative"}},
    "resample": {"curriculum": {"mode": "resample", "order": "stock"}},
    "curriculum + resample": {"curriculum": {"mode": "resample", "order": "informative"}},
}
MEASURED = (0, 20, 40, 60, 80, 100)


def pool_of(name: str) -> list[Task]:
    """The training questions, by level in the pool's shares; a level with fewer questions repeats them."""
    found: dict[int, list[Task]] = {level: [] for level in POOLS[name]}
    for task in make("math/arithmetic-v1").tasks("train"):
        tasks = found[task.metadata["level"]]
        if len(tasks) < POOLS[name][task.metadata["level"]]:
            tasks.append(task)
    return [task for tasks in found.values() for task in tasks]


def warmed_up(seed: int) -> Path:
    """The common base model of one seed, made once."""
    from tiny_model import questions_of, warm_up

    folder = FOLDER / f"base-{seed}"
    if not (folder / "config.json").is_file():
        warm_up(questions_of(make("math/arithmetic-v1").tasks("train")), folder, seed=seed)
    return folder


def sample(model: Any, tokenizer: Any, tasks: list[Task], samples: int, seed: int) -> tuple[list[float], int]:
    """Pass rates of tasks, and the tokens generated for them."""
    import torch

    environment = make("math/arithmetic-v1")
    training = model.training
    model.eval()
    texts = [tokenizer.apply_chat_template(task.prompt, tokenize=False, add_generation_prompt=True) for task in tasks]
    rows = tokenizer(texts, return_tensors="pt", padding=True, add_special_tokens=False)
    with torch.random.fork_rng(), torch.no_grad():
        torch.manual_seed(seed)
        out = model.generate(**rows, do_sample=True, temperature=1.0, max_new_tokens=24, num_return_sequences=samples)
    model.train(training)
    completions = tokenizer.batch_decode(out[:, rows.input_ids.shape[1] :], skip_special_tokens=True)
    results = environment.verify(completions, [task for task in tasks for _ in range(samples)])
    passed = [result.score or 0.0 for result in results]
    rates = [statistics.fmean(passed[i * samples : (i + 1) * samples]) for i in range(len(tasks))]
    return rates, int((out != tokenizer.pad_token_id).sum())


def build(arm: dict[str, Any], pool: str, seed: int, steps: int) -> tuple[Any, int]:
    """The trainer of one arm, and the tokens spent before it starts."""
    from datasets import Dataset
    from tiny_model import GRPO
    from transformers import AutoModelForCausalLM, AutoTokenizer
    from trl import GRPOConfig, GRPOTrainer

    from assay.integrations.trl import CurriculumConfig, CurriculumGRPOTrainer

    base = warmed_up(seed)
    model, tokenizer = AutoModelForCausalLM.from_pretrained(base), AutoTokenizer.from_pretrained(base)
    tasks, spent = pool_of(pool), 0
    if arm.get("window"):
        probe = tasks[:: len(tasks) // 512]
        rates, spent = sample(model, tokenizer, probe, 8, seed=1000 + seed)
        tasks = [task for task, rate in zip(probe, rates, strict=True) if 0.0 < rate < 1.0]
    batch = arm.get("batch", 128)
    arguments = GRPOConfig(
        output_dir=str(FOLDER / "work"),
        seed=100 + seed,
        max_steps=steps,
        per_device_train_batch_size=batch,
        learning_rate=2e-4,
        save_strategy="no",
        **GRPO,
    )
    columns = {
        "prompt": [task.prompt for task in tasks],
        "answer": [task.reference for task in tasks],
        "task_id": [task.id for task in tasks],
    }
    [reward] = make("math/arithmetic-v1").reward_funcs
    given = {"args": arguments, "processing_class": tokenizer, "train_dataset": Dataset.from_dict(columns)}
    if "curriculum" in arm:
        config = CurriculumConfig(seed=seed, **arm["curriculum"])
        return CurriculumGRPOTrainer(model, reward_funcs=[reward], curriculum=config, **given), spent
    return GRPOTrainer(model, reward_funcs=[reward], **given), spent


def run_arm(name: str, pool: str, seed: int, steps: int, *, arm: dict[str, Any], results: Path) -> None:
    """Train one arm and append its measurements."""
    from transformers import PrinterCallback, TrainerCallback

    trainer, spent = build(arm, pool, seed, steps)
    trainer.remove_callback(PrinterCallback)
    test = make("math/arithmetic-v1").tasks("test")
    lines: list[dict[str, Any]] = []
    clock = {"started": time.process_time(), "measuring": 0.0}

    def measure(step: int) -> None:
        before = time.process_time()
        rates, _ = sample(trainer.model, trainer.processing_class, test, 16, seed=7)
        clock["measuring"] += time.process_time() - before
        line = {"arm": name, "pool": pool, "seed": seed, "step": step, "pass@1": 100 * statistics.fmean(rates)}
        line["tokens"] = int(trainer.state.num_input_tokens_seen) + spent
        line["cpu_seconds"] = time.process_time() - clock["started"] - clock["measuring"]
        lines.append(line)

    class Measure(TrainerCallback):  # type: ignore[misc]
        def on_step_end(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
            if state.global_step in MEASURED:
                measure(state.global_step)

    trainer.add_callback(Measure())
    measure(0)
    trainer.train()
    history = [entry for entry in trainer.state.log_history if "frac_reward_zero_std" in entry]
    lines[-1]["trained_dead"] = statistics.fmean(entry["frac_reward_zero_std"] for entry in history)
    lines[-1]["generated_per_trained"] = statistics.fmean(
        entry.get("curriculum/generated_per_trained", 1.0) for entry in history
    )
    with results.open("a") as file:
        file.writelines(json.dumps(line) + "\n" for line in lines)


def run(pool: str, seeds: list[int], arms: list[str], steps: int, results: Path) -> None:
    """All arms and seeds that the file does not hold yet."""
    import torch
    import transformers

    torch.set_num_threads(1)
    transformers.utils.logging.set_verbosity_error()
    warnings.filterwarnings("ignore")
    test = {task.id for task in make("math/arithmetic-v1").tasks("test")}
    if shared := test & {task.id for task in pool_of(pool)}:
        sys.exit(f"{len(shared)} test questions are in the pool; expected none")
    print(f"pool {pool}: {POOLS[pool]}, no test question among them", flush=True)
    for seed in seeds:
        for name in arms:
            done = {(line["arm"], line["pool"], line["seed"]) for line in read(results)}
            if (name, pool, seed) not in done:
                started = time.time()
                run_arm(name, pool, seed, steps, arm=ARMS[name], results=results)
                print(f"{pool}, seed {seed}, {name}: {time.time() - started:.0f} s", flush=True)


def read(results: Path) -> list[dict[str, Any]]:
    """All measurements so far."""
    return [json.loads(line) for line in results.read_text().splitlines()] if results.is_file() else []


def at_tokens(line: list[dict[str, Any]], tokens: float) -> float:
    """Pass@1 where a run had generated so many tokens, between its measurements on a straight line."""
    for low, high in itertools.pairwise(line):
        if low["tokens"] <= tokens <= high["tokens"]:
            share = (tokens - low["tokens"]) / max(high["tokens"] - low["tokens"], 1)
            return float(low["pass@1"] + share * (high["pass@1"] - low["pass@1"]))
    return float("nan") if tokens < line[0]["tokens"] else float(line[-1]["pass@1"])


def tokens_to(line: list[dict[str, Any]], level: float) -> float:
    """Tokens generated until pass@1 first reaches ``level``; NaN where it never does."""
    for low, high in itertools.pairwise(line):
        if high["pass@1"] >= level:
            rise = high["pass@1"] - low["pass@1"]
            share = (level - low["pass@1"]) / rise if rise > 0 else 1.0
            return float(low["tokens"] + max(share, 0.0) * (high["tokens"] - low["tokens"]))
    return float("nan")


def table(results: Path) -> None:
    """The tables of the guide, as Markdown."""
    lines = read(results)
    for pool in dict.fromkeys(line["pool"] for line in lines):
        runs: dict[str, dict[int, list[dict[str, Any]]]] = {}
        for line in lines:
            if line["pool"] == pool:
                runs.setdefault(line["arm"], {}).setdefault(line["seed"], []).append(line)
        print(f"\n{pool} pool; gains in pass@1, mean and standard deviation over seeds\n")
        print("| arm | seeds | step 40 | step 100 | at plain's tokens | the same less plain, by seed", end="")
        print(" | plain's end reached with | trained dead | generated per trained | CPU s |")
        print("|---" * 10 + "|")
        for arm, by_seed in runs.items():
            print(_row(arm, by_seed, runs["plain"]))


def _row(arm: str, by_seed: dict[int, list[dict[str, Any]]], plain: dict[int, list[dict[str, Any]]]) -> str:
    pairs = [(line, plain[seed]) for seed, line in by_seed.items() if seed in plain]
    gains = {
        step: [next(p["pass@1"] for p in line if p["step"] == step) - line[0]["pass@1"] for line, _ in pairs]
        for step in (40, 100)
    }
    equal = [at_tokens(line, base[-1]["tokens"]) - base[0]["pass@1"] for line, base in pairs]
    share = [tokens_to(line, base[-1]["pass@1"]) / base[-1]["tokens"] for line, base in pairs]
    reached = [value for value in share if value == value]
    plains = [base[-1]["pass@1"] - base[0]["pass@1"] for _, base in pairs]
    last = [line[-1] for line, _ in pairs]
    cells = [
        *(_spread(values) for values in (gains[40], gains[100], equal)),
        " ".join(f"{gain - own:+.1f}" for gain, own in zip(equal, plains, strict=True)),
        f"{100 * statistics.fmean(reached):.0f} % of its tokens ({len(reached)} of {len(share)})"
        if reached
        else "never",
        f"{100 * statistics.fmean(end['trained_dead'] for end in last):.0f} %",
        f"{statistics.fmean(end['generated_per_trained'] for end in last):.1f}",
        f"{statistics.fmean(end['cpu_seconds'] for end in last):.0f}",
    ]
    return f"| {arm} | {len(pairs)} | " + " | ".join(cells) + " |"


def _spread(values: list[float]) -> str:
    spread = statistics.stdev(values) if len(values) > 1 else float("nan")
    return f"{statistics.fmean(values):+.1f} ± {spread:.1f}"


def main() -> None:
    parser = argparse.ArgumentParser(description="Measure what curricula and resampling gain.")
    parser.add_argument("what", choices=["run", "table"])
    parser.add_argument("--pool", choices=list(POOLS), default="skewed")
    parser.add_argument("--seeds", type=int, nargs="+", default=[0, 1, 2])
    parser.add_argument("--arms", nargs="+", choices=list(ARMS), default=list(ARMS))
    parser.add_argument("--steps", type=int, default=100)
    parser.add_argument("--results", type=Path, default=FOLDER / "results.jsonl")
    arguments = parser.parse_args()
    FOLDER.mkdir(parents=True, exist_ok=True)
    if arguments.what == "run":
        run(arguments.pool, arguments.seeds, arguments.arms, arguments.steps, arguments.results)
    else:
        table(arguments.results)


if __name__ == "__main__":
    main()
