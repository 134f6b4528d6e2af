"""A real server of somebody else's: ``transformers serve`` with the tiny model, sampled through ``OpenAISampler``.

Needs what ``pip install 'transformers[serving]'`` brings; without it the test is skipped, and the server of
``test_openai_sampler.py`` stands alone.
"""

from __future__ import annotations

import importlib.util
import json
import os
import socket
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from time import sleep
from typing import Any

import pytest

from assay.evaluation import evaluate
from assay.evaluation.samplers.openai import OpenAISampler

MISSING = [name for name in ("fastapi", "uvicorn", "openai", "pydantic") if importlib.util.find_spec(name) is None]
START = "from transformers.cli.transformers import main; main()"  # the command, wherever its script lies
pytestmark = pytest.mark.skipif(bool(MISSING), reason=f"transformers serve needs {', '.join(MISSING)}")
_MOST_SECONDS = 120


@pytest.fixture(scope="module")
def sampling(tmp_path_factory: pytest.TempPathFactory, tiny: tuple[Any, Any]) -> Path:
    """The tiny model as one that samples by default: the server draws only for models that say so."""
    folder = tmp_path_factory.mktemp("sampling")
    for part in tiny:
        part.save_pretrained(folder)
    config = json.loads((folder / "generation_config.json").read_text())
    (folder / "generation_config.json").write_text(json.dumps(config | {"do_sample": True}))
    return folder


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-c", START, "serve", "--host", "127.0.0.1", "--port", str(port)]
    settings = os.environ | {"HF_HUB_OFFLINE": "1", "OMP_NUM_THREADS": "1"}
    with subprocess.Popen(
        [*command, "--device", "cpu", "--dtype", "float32"],
        env=settings,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    ) as process:
        try:
            wait_for(f"http://127.0.0.1:{port}/health", process)
            yield f"http://127.0.0.1:{port}/v1"
        finally:
            process.kill()


def wait_for(address: str, process: subprocess.Popen[bytes]) -> None:
    """Until the server answers; it loads torch first."""
    for _ in range(2 * _MOST_SECONDS):
        assert process.poll() is None, "transformers serve ended by itself"
        try:
            with urllib.request.urlopen(address, timeout=5):
                return
        except OSError:
            sleep(0.5)
    raise AssertionError(f"transformers serve did not answer within {_MOST_SECONDS} s")


def samples(folder: Path) -> list[str]:
    return sorted((folder / "samples.jsonl").read_text().splitlines())


def test_equal_seeds_give_equal_samples_where_requests_come_one_by_one(
    address: str, sampling: Path, signs: Any, tmp_path: Path
) -> None:
    """The server seeds torch's one generator for each request: several at once draw from it in turn."""

    def run(name: str, concurrency: int, samples: int = 3) -> Any:
        sampler = OpenAISampler(address, str(sampling), max_new_tokens=6, concurrency=concurrency)
        return evaluate(signs, sampler, samples=samples, limit=5, folder=tmp_path / name, progress=False)

    reports = [run("one", 1), run("again", 1), run("eight", 8)]
    assert all(report.complete and not report.rates["failed"] for report in reports)
    assert samples(tmp_path / "one") == samples(tmp_path / "again")
    assert len({line.partition('"completion": ')[2].partition(", ")[0] for line in samples(tmp_path / "one")}) > 10
    # cut off after seven, resumed, and extended: still the same samples
    kept = (tmp_path / "one/samples.jsonl").read_text().splitlines()[:7]
    (tmp_path / "again/samples.jsonl").write_text("\n".join(kept) + "\n")
    assert run("again", 1).to_json() == reports[0].to_json()
    run("again", 1, samples=5)
    run("straight", 1, samples=5)
    assert samples(tmp_path / "again") == samples(tmp_path / "straight")


def test_a_server_that_decodes_greedily_in_spite_of_the_temperature_is_found_out(
    address: str, tiny_folder: Path, signs: Any, tmp_path: Path
) -> None:
    sampler = OpenAISampler(address, str(tiny_folder), max_new_tokens=4)
    report = evaluate(signs, sampler, samples=3, limit=4, folder=tmp_path / "run", progress=False)
    [note] = report.notes if report.rates["truncated"] <= 0.05 else report.notes[:1]
    assert note.startswith("All samples of each task are the same text, though the temperature is not 0: a model")
