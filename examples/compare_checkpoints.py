"""Evaluate two checkpoints on the same tasks and say what changed.

python examples/compare_checkpoints.py BEFORE AFTER --env math/gsm8k-v1 --samples 16 --limit 200
python examples/compare_checkpoints.py            # two random stand-ins, which differ in nothing but their seed
"""

from __future__ import annotations

from pathlib import Path

import click
import stand_in
import torch

from assay import make
from assay.evaluation import compare, evaluate
from assay.evaluation.samplers.transformers import TransformersSampler


@click.command()
@click.argument("checkpoints", nargs=-1)
@click.option("--env", "name", default="math/countdown-v1", show_default=True)
@click.option("--split", default="test", show_default=True)
@click.option("--samples", default=4, show_default=True)
@click.option("--limit", default=10, show_default=True)
@click.option("--max-new-tokens", default=16, show_default=True)
@click.option("--output", type=click.Path(path_type=Path), default=Path("runs/compared"), show_default=True)
def main(
    checkpoints: tuple[str, ...],
    name: str,
    split: str,
    samples: int,
    limit: int,
    max_new_tokens: int,
    output: Path,
) -> None:
    """Samples go to disk as they come; the same command again goes on where it was."""
    if len(checkpoints) not in (0, 2):
        raise click.UsageError("give two checkpoints, or none for the stand-ins")
    reports = []
    for place, checkpoint in zip(("before", "after"), checkpoints or _stand_ins(output), strict=True):
        sampler = TransformersSampler(checkpoint, max_new_tokens=max_new_tokens, seed=0)
        report = evaluate(make(name), sampler, split=split, samples=samples, limit=limit, folder=output / place)
        reports.append(report)
        click.echo(f"{place}: pass@1 {report.curves['pass@k'][1].estimate:.3f}")
    comparison = compare(*reports)
    click.echo(f"{comparison.shift}: {comparison.reason}")


def _stand_ins(output: Path) -> list[str]:
    folders = []
    for seed in (0, 1):
        folder = output / f"stand-in-{seed}"
        model, tokenizer = stand_in.load(None)
        torch.manual_seed(seed)
        model.apply(model._init_weights)
        model.save_pretrained(folder)
        tokenizer.save_pretrained(folder)
        folders.append(str(folder))
    return folders


if __name__ == "__main__":
    main()
