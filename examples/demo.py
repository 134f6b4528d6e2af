"""The demonstration: warm a tiny model up, measure it, train it with GRPO, measure it again, and say what changed.

GRPO is run twice from the same start, plain and with a curriculum: as many optimizer steps, on groups that teach.

    make demo                          # or: python examples/demo.py
    python examples/demo.py --seed 1 --output runs/demo-1

Each stage leaves its result in the output folder and is not done again: a run that was stopped goes on where it was.
"""

from __future__ import annotations

import json
import logging
import os
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

os.environ.setdefault("HF_HUB_OFFLINE", "1")  # nothing is downloaded
os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")

import click
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from assay import make
from assay.environments.base import Environment, Task
from assay.errors import InputError

if TYPE_CHECKING:
    from demo_page import Arm

    from assay.evaluation import Report

console = Console()
ENVIRONMENT = "math/arithmetic-v1"


@click.command()
@click.option("--output", type=click.Path(path_type=Path), default=Path("runs/demo"), show_default=True)
@click.option("--seed", default=0, show_default=True, help="Of the model, its warm-up, its training and the samples.")
@click.option("--warm-up-steps", default=900, show_default=True, help="Optimizer steps on demonstrations.")
@click.option("--grpo-steps", default=150, show_default=True, help="Optimizer steps of GRPO.")
@click.option("--samples", default=64, show_default=True, help="Completions a problem in each evaluation.")
@click.option("--limit", default=180, show_default=True, help="Problems in each evaluation.")
def demo(output: Path, seed: int, warm_up_steps: int, grpo_steps: int, samples: int, limit: int) -> None:
    """Train a tiny model with GRPO through assay's reward and measure what changed."""
    settings = {
        "seed": seed,
        "warm_up_steps": warm_up_steps,
        "grpo_steps": grpo_steps,
        "samples": samples,
        "limit": limit,
    }
    _claim(output, settings)
    with console.status("Loading torch, transformers and TRL"):
        _quieten()
    environment = make(ENVIRONMENT)
    console.print(f"[bold]assay demo[/]: {ENVIRONMENT}, seed {seed}, in {output}")
    started = time.monotonic()
    tasks = environment.tasks("test", limit=limit)
    _check_overlap(environment, tasks)
    warm_up_stage(environment, output / "warmed-up", seed=seed, steps=warm_up_steps)
    before = evaluate_stage("before", output, "warmed-up", environment, tasks, samples=samples, seed=seed)
    arms = []
    for name in ("plain", "curriculum"):
        arm = grpo_stage(name, environment, output / name, output / "warmed-up", seed=seed, steps=grpo_steps)
        arm.report = evaluate_stage("after", output / name, "model", environment, tasks, samples=samples, seed=seed)
        arms.append(arm)
    conclude(before, arms, tasks, output, seconds=time.monotonic() - started)


def warm_up_stage(environment: Environment, folder: Path, *, seed: int, steps: int) -> None:
    """Supervised warm-up on sums of one to five digits from the train split."""
    from tiny_model import questions_of, warm_up

    if (folder / "config.json").is_file():
        console.print("Warm-up: done before")
        return
    questions = questions_of(environment.tasks("train"))
    with _progress("Warm-up", steps) as show:
        warm_up(questions, folder, seed=seed, steps=steps, on_step=lambda step, loss: show(step, f"loss {loss:.2f}"))


def evaluate_stage(
    name: str, output: Path, model: str, environment: Environment, tasks: list[Task], *, samples: int, seed: int
) -> Report:
    """Sample every test problem ``samples`` times and judge; resumes by itself."""
    from assay.evaluation import evaluate
    from assay.evaluation.samplers.transformers import TransformersSampler

    sampler = TransformersSampler(str(output / model), temperature=1.0, max_new_tokens=24, batch_size=512, seed=seed)
    console.print(f"Evaluation {name} GRPO: {len(tasks)} problems, {samples} samples each")
    return evaluate(environment, sampler, split="test", tasks=tasks, samples=samples, folder=output / name)


def grpo_stage(name: str, environment: Environment, folder: Path, start: Path, *, seed: int, steps: int) -> Arm:
    """GRPO with assay's data set and reward: TRL's own trainer, or the same on groups that teach."""
    from demo_page import Arm
    from transformers import AutoModelForCausalLM, AutoTokenizer, PrinterCallback
    from transformers.trainer_utils import get_last_checkpoint
    from trl import GRPOTrainer

    from assay.integrations.trl import CurriculumConfig, CurriculumGRPOTrainer, Monitor

    work = folder / "run"
    if (folder / "arm.json").is_file():
        console.print(f"GRPO, {name}: done before")
        return Arm.load(folder)
    curriculum = {"curriculum": CurriculumConfig()} if name == "curriculum" else {}
    with _progress(f"GRPO, {name}", steps) as show:
        trainer = (CurriculumGRPOTrainer if curriculum else GRPOTrainer)(
            AutoModelForCausalLM.from_pretrained(start),
            args=_grpo_arguments(work, seed=seed, steps=steps),
            processing_class=AutoTokenizer.from_pretrained(start),
            callbacks=[_shower(show), Monitor()],
            **curriculum,
            **environment.trl("train"),
        )
        trainer.remove_callback(PrinterCallback)
        trainer.train(resume_from_checkpoint=get_last_checkpoint(str(work)) if work.is_dir() else None)
    trainer.save_model(str(folder / "model"))
    arm = Arm.of(name, trainer.state.log_history)
    arm.save(folder)
    return arm


def _grpo_arguments(work: Path, *, seed: int, steps: int) -> Any:
    from tiny_model import GRPO
    from trl import GRPOConfig

    return GRPOConfig(
        output_dir=str(work),
        seed=seed,
        max_steps=steps,
        per_device_train_batch_size=256,
        learning_rate=1e-4,
        loss_type="dapo",
        save_steps=20,
        save_total_limit=1,
        **GRPO,
    )


def conclude(before: Report, arms: list[Arm], tasks: list[Task], output: Path, *, seconds: float) -> None:
    """The tables, what they say, and the page to open."""
    from demo_page import arms_table, change_table, level_table, write_page

    from assay.evaluation import before_after, compare

    plain = arms[0].report
    assert plain is not None
    change = before_after(before, plain, output, title=f"{ENVIRONMENT}: before and after GRPO")
    console.print(level_table(before, plain, tasks))
    for metric, name in (("pass@k", "Pass@K"), ("maj@k", "Maj@K")):
        console.print(f"{name} in percent: {change.tasks} problems, {change.samples[0]} samples each")
        console.print(change_table(change, metric))
    for sentence in [*change.sentences, *change.notes]:
        console.print(sentence)
    comparison = compare(before, plain)
    console.print(f"[bold]{comparison.shift}[/]: {comparison.reason}")
    console.print(arms_table(before, arms))
    page = write_page(output, before, arms, comparison)
    console.print(f"\n{seconds:.0f} seconds. The page to open: {page.resolve()}", soft_wrap=True)


def _claim(output: Path, settings: dict[str, int]) -> None:
    """An output folder belongs to one set of settings; mixing two would mix their results."""
    file = output / "demo.json"
    if file.is_file() and (found := json.loads(file.read_text())) != settings:
        raise click.ClickException(
            f"{output} holds a run with {found}, this one has {settings}. Name another folder by --output, or delete it"
        )
    output.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(settings))


def _check_overlap(environment: Environment, tasks: list[Task]) -> None:
    """No test question may be trained on: looked at, not assumed."""
    asked = {task.id for task in tasks}
    shared = sum(task.id in asked for task in environment.tasks("train"))
    console.print(f"Train and test split share {shared} questions")
    if shared:
        raise InputError(f"{shared} test questions of {ENVIRONMENT} are in its train split; expected none")


@contextmanager
def _progress(name: str, total: int) -> Iterator[Callable[[int, str], None]]:
    """A bar that a callback moves: ``show(done, text)``."""
    columns = [TextColumn(name), BarColumn(), MofNCompleteColumn(), TextColumn("{task.fields[note]}")]
    with Progress(*columns, TimeElapsedColumn(), TimeRemainingColumn(), console=console) as progress:
        bar = progress.add_task(name, total=total, note="")
        yield lambda done, note: progress.update(bar, completed=done, note=note)


def _shower(show: Callable[[int, str], None]) -> Any:
    from transformers import TrainerCallback

    class Shower(TrainerCallback):
        """Moves the bar at each logged step."""

        def on_log(self, args: Any, state: Any, control: Any, logs: Any = None, **kwargs: Any) -> None:
            if logs and "reward" in logs:
                show(state.global_step, f"reward {logs['reward']:.2f}")

    return Shower()


def _quieten() -> None:
    """One thread (two cost more than they give at this size), and no warnings about what the demo does on purpose."""
    import torch
    import transformers

    torch.set_num_threads(1)
    transformers.utils.logging.set_verbosity_error()
    transformers.utils.logging.disable_progress_bar()
    logging.getLogger("accelerate").setLevel(logging.ERROR)
    warnings.filterwarnings("ignore", module="(torch|transformers|trl|accelerate)")


if __name__ == "__main__":
    demo()
