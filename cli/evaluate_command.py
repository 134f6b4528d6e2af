"""``assay evaluate``."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

import click
from rich.console import Console
from rich.text import Text

from ..environments.registry import make
from ..environments.wording import counted
from ..errors import InputError
from ..evaluation.evaluate import evaluate
from ..evaluation.report import Report
from ..evaluation.samplers.base import Sampler
from ..evaluation.samplers.openai import OpenAISampler
from ..evaluation.samplers.transformers import TransformersSampler
from ..evaluation.samplers.vllm import VLLMSampler
from ..evaluation.tables import overview
from .options import environment_options, parsed_options

_BOUND = re.compile(r"(?P<metric>pass|maj)@(?P<k>\d+)=(?P<value>\d*\.?\d+)\Z")


class _Bound(NamedTuple):
    """What a metric must reach."""

    metric: str
    k: int
    value: float


@click.command("evaluate")
@click.option(
    "--model", "models", required=True, multiple=True, help="Folder, hub name, or name at --server; repeatable."
)
@click.option(
    "--env", "environments", required=True, multiple=True, help="Name, package:Class or file.py:Class; repeatable."
)
@click.option("--server", help="Address of an OpenAI-compatible server, such as http://localhost:8000/v1.")
@environment_options
@click.option("--split", default="test", show_default=True, help="Which tasks.")
@click.option("--samples", default=4, show_default=True, type=click.IntRange(1), help="Completions of each task.")
@click.option("--limit", type=click.IntRange(1), help="The first tasks only.")
@click.option("--k", "ks", type=click.IntRange(1), multiple=True, help="Print these K only; repeatable.")
@click.option("--temperature", default=1.0, show_default=True, type=float, help="0 is greedy.")
@click.option("--top-p", default=1.0, show_default=True, type=float, help="Share of probability that is kept.")
@click.option("--max-new-tokens", default=512, show_default=True, type=click.IntRange(1), help="Longest completion.")
@click.option("--batch-size", type=click.IntRange(1), help="Completions at once  [default: 32; with vLLM 1024]")
@click.option("--seed", default=0, show_default=True, type=int, help="Of the whole run.")
@click.option(
    "--backend",
    type=click.Choice(["transformers", "vllm"]),
    help="What samples in this process, without --server  [default: transformers]",
)
@click.option("--engine", multiple=True, metavar="NAME=VALUE", help="For vllm.LLM, as max_model_len=4096; repeatable.")
@click.option("--device", help="cpu, cuda, ...; a GPU where there is one by default.")
@click.option("--output", type=click.Path(path_type=Path), help="Folder of the run  [default: runs/MODEL-ENV-SPLIT]")
@click.option("--fail-under", "bounds", multiple=True, metavar="METRIC@K=VALUE", help="Exit 1 below, as in pass@4=0.3.")
def command(
    models: Sequence[str],
    environments: Sequence[str],
    server: str | None,
    pairs: tuple[str, ...],
    split: str,
    samples: int,
    limit: int | None,
    ks: tuple[int, ...],
    backend: str | None,
    engine: tuple[str, ...],
    device: str | None,
    output: Path | None,
    bounds: tuple[str, ...],
    **settings: Any,
) -> None:
    """Sample completions of a model, judge them, and report pass@k and maj@k.

    Samples go to the output folder as they come; the same command again goes on where it was interrupted. With several
    models (the checkpoints of one training, say) or environments, each pair has a folder of its own.
    """
    wanted = [_bound(text) for text in bounds]
    _check_enough(samples, [*ks, *(bound.k for bound in wanted)])
    options = parsed_options(pairs)
    chosen = [make(name, **options) for name in environments]
    console, reports = Console(), []
    for model in models:
        sampler = _sampler(model, server, backend, parsed_options(engine, "--engine"), device, dict(settings))
        for environment in chosen:
            folder = _folder(output, f"{Path(model).name}-{environment.name}-{split}", len(models) * len(chosen))
            with _interrupted(folder):
                report = evaluate(environment, sampler, split=split, samples=samples, limit=limit, folder=folder)
            console.print(report.table(ks))
            console.print(Text(f"Samples and report: {folder}"))
            reports.append(report)
    if len(reports) > 1:
        console.print(overview(reports))
    _refuse_lost(reports)
    if failed := [text for report in reports for text in (_failure(report, bound) for bound in wanted) if text]:
        console.print(Text("\n".join(failed), style="red"))
        sys.exit(1)


def _check_enough(samples: int, ks: Sequence[int]) -> None:
    for k in ks:
        if k > samples:
            raise InputError(f"K = {k} needs at least {counted(k, 'sample')} of each task; --samples is {samples}")


def _refuse_lost(reports: Sequence[Report]) -> None:
    """A run whose every sample failed has measured nothing."""
    lost = [report for report in reports if all(item.failures == item.samples for item in report.outcomes)]
    if lost:
        titles = ", ".join(report.title for report in lost)
        raise InputError(f"nothing could be sampled or judged: {titles}. {' '.join(lost[0].notes)}")


def _sampler(
    model: str,
    server: str | None,
    backend: str | None,
    engine: dict[str, Any],
    device: str | None,
    settings: dict[str, Any],
) -> Sampler:
    if server is not None and backend is not None:
        raise InputError(
            f"--backend {backend} samples in this process and --server {server} elsewhere: give one of the two. What "
            "the server runs is its own affair"
        )
    in_vllm = backend == "vllm"
    if engine and not in_vllm:
        raise InputError("--engine is for vLLM in this process: give --backend vllm and no --server")
    if device is not None and (in_vllm or server is not None):
        raise InputError(f"--device is for transformers; {'vLLM' if in_vllm else 'a server'} has its own way to choose")
    at_once = settings.pop("batch_size") or (1024 if in_vllm else 32)
    if server is not None:
        return OpenAISampler(server, model, concurrency=at_once, **settings)
    if in_vllm:
        return VLLMSampler(model, batch_size=at_once, engine=engine, **settings)
    _hush()
    return TransformersSampler(model, batch_size=at_once, device=device, **settings)


@contextmanager
def _interrupted(folder: Path) -> Iterator[None]:
    """Ctrl-C says where the samples are and that nothing is lost; the exit status is a shell's for it."""
    try:
        yield
    except KeyboardInterrupt:
        click.echo(f"\nassay: interrupted; the samples so far are in {folder}, and the same command goes on", err=True)
        sys.exit(130)


def _hush() -> None:
    """No bars and remarks of transformers' own: what goes wrong is said by us. A download keeps its bar."""
    with suppress(ImportError):
        logging, hub = (import_module(name) for name in ("transformers.utils.logging", "huggingface_hub.utils"))
        logging.set_verbosity_error()
        logging.disable_progress_bar()
        hub.enable_progress_bars()


def _folder(output: Path | None, name: str, runs: int) -> Path:
    """``output`` itself for a single run; a folder of its own for each of several."""
    if output is not None and runs == 1:
        return output
    return (output or Path("runs")) / re.sub(r"[^\w.-]+", "-", name)


def _bound(text: str) -> _Bound:
    found = _BOUND.match(text)
    if not found:
        raise InputError(f"--fail-under {text!r} is not of the form METRIC@K=VALUE, such as pass@4=0.3 or maj@4=0.3")
    value = float(found["value"])
    if value > 1.0:
        share = f"{value / 100:g} for {value:g} %" if value <= 100.0 else "0.5 for 50 %"
        raise InputError(
            f"--fail-under {text!r}: {value:g} is more than 1; expected a share in [0, 1], such as {share}"
        )
    return _Bound(f"{found['metric']}@k", int(found["k"]), value)


def _failure(report: Report, bound: _Bound) -> str:
    """Why the bound is missed; empty where it is reached. A number that could not be measured misses it."""
    found = report.estimate(bound.metric, bound.k).estimate
    if found >= bound.value:
        return ""
    return f"{report.title}: {bound.metric[:-1]}{bound.k} is {found:.4f}, below the {bound.value} that was asked for"
