"""Asynchronous GRPO trains for real, its child process drops dead groups, and counts them as done.

What stands for hardware that is not here is in ``examples/stand_in_vllm.py``: a server for vLLM, and attention in plain
torch for the Hopper kernel. All else is TRL's: the spawned child, its loops and queues, the trainer.
"""

from __future__ import annotations

import importlib
import json
import multiprocessing
import queue
import random
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import stand_in_vllm
from accelerate import PartialState
from toy_trainer import make_dataset, make_model, make_reward, make_tokenizer

from assay.errors import InputError, NoSignal, Unsupported
from assay.integrations.trl import CurriculumConfig
from assay.integrations.trl.async_rollouts import DropSettings, informative_loop
from assay.integrations.trl.signals import GroupTest

aiohttp = pytest.importorskip("aiohttp")
pytest.importorskip("trl.experimental.async_grpo.packing")  # not there in trl 1.9
worker_module = pytest.importorskip("trl.experimental.async_grpo.async_rollout_worker")


@pytest.fixture
def server() -> Iterator[str]:
    """Of a policy that writes letters at random."""

    def letters(prompt: list[int], dice: random.Random) -> list[int]:
        return [*(dice.randrange(7, 69) for _ in range(dice.randrange(2, 6))), 2]

    with stand_in_vllm.vllm_server(letters) as address:
        yield address


def chat_tokenizer() -> Any:
    """With the way to read an answer that TRL's loop asks of a tokenizer."""
    tokenizer = make_tokenizer()
    tokenizer.response_template = stand_in_vllm.ANSWER
    return tokenizer


@pytest.fixture
def trainer(server: str, tmp_path: Path) -> Iterator[Any]:
    from trl.experimental.async_grpo import AsyncGRPOConfig

    from assay.integrations.trl import AsyncCurriculumGRPOTrainer

    tokenizer = chat_tokenizer()
    folder = tmp_path / "model"
    make_model(tokenizer).save_pretrained(folder)
    tokenizer.save_pretrained(folder)

    def make(**options: Any) -> Any:
        settings: dict[str, Any] = {"max_steps": 2, "save_strategy": "steps", "save_steps": 1}
        settings |= options.pop("settings", {})
        args = AsyncGRPOConfig(
            str(tmp_path / "run"),
            use_cpu=True,
            bf16=False,
            gradient_checkpointing=False,
            report_to="none",
            disable_tqdm=True,
            dataloader_pin_memory=False,
            logging_steps=1,
            per_device_train_batch_size=8,
            gradient_accumulation_steps=1,
            num_generations=4,
            max_completion_length=6,
            token_budget=0,
            max_staleness=100,
            queue_maxsize=16,
            max_inflight_tasks=8,
            vllm_server_base_url=server,
            **settings,
        )
        given = {"reward_funcs": [make_reward()], "train_dataset": make_dataset(chat=True), **options}
        given |= {"processing_class": tokenizer, "weight_transfer": stand_in_vllm.NoTransfer()}
        return AsyncCurriculumGRPOTrainer(str(folder), args=args, **given)

    with stand_in_vllm.without_hardware():
        yield make


def test_dead_groups_are_dropped_counted_and_done(trainer: Any, tmp_path: Path) -> None:
    made = trainer(curriculum=CurriculumConfig(order="stock", max_rounds=50))  # else a run of bad luck is trained on
    made.train()
    entries = [entry for entry in made.state.log_history if "curriculum/raw_dead" in entry]
    assert entries
    assert all(entry["curriculum/raw_dead"] > 0.3 for entry in entries)  # two prompts in three never teach
    assert {entry["curriculum/trained_dead"] for entry in entries if "curriculum/trained_dead" in entry} == {0.0}
    assert entries[0]["toy/correct"] > 0.0  # the hooks that TRL's loop lacks
    trained = made._trained_groups
    assert len(trained) >= 4  # two steps of two groups; TRL makes the next batch ready meanwhile
    assert {number % 3 for number in trained} == {1}  # the prompts between the easy and the hard ones
    state = json.loads((tmp_path / "run" / "checkpoint-2" / "rollout_state.json").read_text())
    assert state["prompt_index"] > 0  # TRL alone would go on from prompt 0, which was dropped


def test_an_epoch_ends_when_all_prompts_had_their_turn(trainer: Any) -> None:
    made = trainer(settings={"max_steps": -1, "num_train_epochs": 1}, train_dataset=make_dataset(12, chat=True))
    made.train()
    assert made.state.global_step <= 3  # four of twelve prompts teach: TRL alone would wait for twelve trained groups


def score(server: str, count: int, **options: Any) -> tuple[list[Any], list[int], dict[str, Any]]:
    """What the loop hands over, the groups it dropped, and the sums it counted, of ``count`` groups in turn."""
    PartialState()
    dropped = multiprocessing.get_context("spawn").Queue()
    loop = informative(server, dropped, **options)
    kept = []

    async def generate_and_score() -> None:
        async with aiohttp.ClientSession() as loop.session:
            rows = loop._repeat_iterator()
            for _ in range(count):
                kept.extend(await loop._score_group(await whole_group(loop, rows)))

    try:
        loop._loop.run_until_complete(generate_and_score())
    finally:
        loop._tool_pool.shutdown()
        loop._loop.close()
    counted = {name: list(sums) for name, sums in loop._rates.items()}
    while not loop._metrics_queue.empty():
        for name, sums in loop._metrics_queue.get().items():
            if isinstance(sums, tuple):
                counted[name] = [a + b for a, b in zip(counted.get(name, [0, 0]), sums, strict=True)]
    lost = count - len({sample.group_id for sample in kept})
    return kept, [dropped.get(timeout=30) for _ in range(lost)], counted


def informative(
    server: str, dropped: Any, *, rewards: Any = None, kinds: Any = ("easy", "mid", "hard"), **settings: Any
) -> Any:
    """TRL's loop that drops dead groups, in this process."""
    tokenizer = chat_tokenizer()
    given = {"test": GroupTest(), "signal": None, "drops": True, "most_in_a_row": 100, "raises": False, **settings}
    return informative_loop(
        worker_module._AsyncRolloutLoop,
        DropSettings(**given),
        dropped,
        model_name="toy",
        dataset=make_dataset(60, chat=True, kinds=kinds),
        reward_funcs=rewards or [make_reward()],
        processing_class=tokenizer,
        eos_token_ids=[tokenizer.eos_token_id],
        rollout_buffer=queue.Queue(),
        model_version_value=SimpleNamespace(value=0),
        heartbeat_value=SimpleNamespace(value=0.0),
        failed_event=threading.Event(),
        exception_info_queue=queue.Queue(),
        metrics_queue=queue.Queue(),
        num_generations=4,
        vllm_server_url=server,
    )


async def whole_group(loop: Any, rows: Any) -> Any:
    """A group as TRL's loop puts it together from the completions of one prompt."""
    members = [next(rows) for _ in range(loop.num_generations)]
    number, row = members[0]
    done = [await loop._generate_one(row["prompt"], tool_dict={}, tools=[], group_id=number) for _ in members]
    return worker_module.RolloutGroup(
        prompts=[row["prompt"]] * len(members),
        reward_kwargs={name: [value] * len(members) for name, value in row.items() if name != "prompt"},
        completions=[one[0] for one in done],
        completions_ids=[one[1] for one in done],
        completions_sequences=[one[2] for one in done],
        tool_call_counts=[0] * len(members),
        tool_failure_counts=[0] * len(members),
        model_version=0,
        group_id=number,
        env_rewards=[None] * len(members),
        rollout_rewards=[None] * len(members),
    )


def test_what_is_handed_over_teaches_and_the_rest_is_named(server: str) -> None:
    kept, dropped, counted = score(server, 30)
    alive = {sample.group_id for sample in kept}
    assert sorted([*alive, *dropped]) == list(range(30))
    assert {number % 3 for number in alive} == {1}
    for number in alive:
        group = [sample.advantage for sample in kept if sample.group_id == number]
        assert len(group) == 4
        assert max(group) > 0 > min(group)
    assert counted["curriculum/raw_dead"] == [len(dropped), 30]
    assert counted["curriculum/generated_per_trained"] == [30, len(alive)]
    assert counted["curriculum/trained_dead"] == [0, len(alive)]
    assert counted["toy/our_errors"] == [0, 120]  # one value for each completion


def test_the_mode_off_counts_and_drops_nothing(server: str) -> None:
    kept, dropped, counted = score(server, 12, drops=False)
    assert len(kept) == 48
    assert dropped == []
    assert counted["curriculum/trained_dead"] == counted["curriculum/raw_dead"]


def test_values_of_rewards_that_are_not_ours_are_judged(server: str) -> None:
    def length(completion_ids: list[list[int]], **given: Any) -> list[float]:
        return [float(len(ids)) for ids in completion_ids]

    kept, dropped, _ = score(server, 12, rewards=[length], kinds=["hard"])
    assert len(kept) // 4 + len(dropped) == 12
    assert all(len({s.metrics["reward"] for s in kept if s.group_id == n}) > 1 for n in {s.group_id for s in kept})


def test_after_many_dead_groups_one_is_let_through_or_the_run_ends(server: str) -> None:
    kept, dropped, _ = score(server, 10, kinds=["hard"], most_in_a_row=5)
    assert {sample.group_id for sample in kept} == {4, 9}
    assert len(dropped) == 8
    with pytest.raises(NoSignal, match="5 groups in a row teach nothing; .*on_exhausted='keep'"):
        score(server, 10, kinds=["hard"], most_in_a_row=5, raises=True)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"order": "informative"}, "in the data set's order; order is 'informative', expected 'stock'"),
        ({"order": "stock", "mode": "mask"}, "knows the modes 'resample' and 'off'.*mode is 'mask'"),
        ({"order": "stock", "on_exhausted": "duplicate"}, "on_exhausted 'duplicate'"),
    ],
)
def test_what_the_asynchronous_trainer_cannot_do_is_refused(trainer: Any, options: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        trainer(curriculum=CurriculumConfig(**options))


def test_a_rollout_worker_of_another_kind_is_refused(trainer: Any) -> None:
    worker = SimpleNamespace(rollout_buffer=queue.Queue(), metrics_queue=queue.Queue())
    with pytest.raises(Unsupported, match="rollout_worker is SimpleNamespace; dead groups are dropped in the loop of"):
        trainer(rollout_worker=worker)


def test_a_trl_without_the_loop_is_named(trainer: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker_module.AsyncRolloutWorker, "_loop_cls", None)
    with pytest.raises(Unsupported, match=r"AsyncRolloutWorker of trl 1\..* has no loop class with _score_group"):
        trainer()


def test_a_trl_without_the_trainers_modules_is_not_said_to_be_missing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delitem(sys.modules, "assay.integrations.trl.async_trainer", raising=False)
    monkeypatch.setitem(sys.modules, worker_module.__name__, None)
    with pytest.raises(Unsupported, match=r"trl 1\..* has no asynchronous trainer of the kind .*; install trl 1.16"):
        importlib.import_module("assay.integrations.trl.async_trainer")
