"""verl and OpenRLHF themselves, where an environment has them: they pin other packages than assay's tests need.

Such an environment: install the trainer without its dependencies, add those that its modules below import, put assay
beside, and run this file with `python -P -m pytest`.
"""

from __future__ import annotations

import asyncio
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

EXAMPLES = Path(__file__).parents[2] / "examples" / "adapters"
TEXTS = (r"\boxed{18}", r"\boxed{17}", "none")


class Letters:
    """A tokenizer whose tokens are letters."""

    def __call__(self, text: str, **unused: Any) -> Any:
        import torch

        return {"input_ids": torch.tensor([[ord(letter) for letter in text]])}

    def decode(self, ids: Any, skip_special_tokens: bool = True) -> str:
        return "".join(chr(int(number)) for number in ids)


@pytest.mark.parametrize("path", ["pkg://assay.integrations.verl", str(EXAMPLES / "verl_reward.py")])
def test_verls_loader_and_reward_managers_take_the_function(path: str) -> None:
    reward = pytest.importorskip("verl.trainer.ppo.reward")
    import numpy as np
    import torch

    batch_manager = pytest.importorskip("verl.workers.reward_manager.batch")
    naive = pytest.importorskip("verl.experimental.reward_loop.reward_manager.naive")
    configuration = pytest.importorskip("omegaconf").OmegaConf
    verl = pytest.importorskip("verl")

    def function(name: str) -> Any:
        given = {"path": path, "name": name, "reward_kwargs": {"judge": "assay.verifiers:MathVerifier"}}
        return reward.get_custom_reward_fn(configuration.create({"reward": {"custom_reward_function": given}}))

    width = 16
    responses = [[ord(letter) for letter in text] + [0] * (width - len(text)) for text in TEXTS]
    masks = [[1] * (2 + len(text)) + [0] * (width - len(text)) for text in TEXTS]
    rows = {"data_source": "a", "reward_model": {"ground_truth": "18", "style": "rule"}}
    data = verl.DataProto.from_dict(
        tensors={
            "prompts": torch.ones(3, 2, dtype=torch.long),
            "responses": torch.tensor(responses),
            "attention_mask": torch.tensor(masks),
        },
        non_tensors={
            **{name: np.array([value] * 3, dtype=object) for name, value in rows.items()},
            "extra_info": np.array([{"index": n} for n in range(3)], dtype=object),
        },
    )

    async def singly() -> list[Any]:
        manager = naive.NaiveRewardManager(None, Letters(), function("compute_score"))
        return [await manager.run_single(data[n : n + 1]) for n in range(3)]

    told = asyncio.run(singly())
    assert [one["reward_score"] for one in told] == [1.0, 0.0, 0.0]
    assert len({tuple(one["reward_extra_info"]) for one in told}) == 1
    together = batch_manager.BatchRewardManager(Letters(), 0, function("compute_scores"))(data, return_dict=True)
    assert together["reward_tensor"].sum(dim=1).tolist() == [1.0, 0.0, 0.0]
    assert together["reward_extra_info"]["judge_failed"] == [0.0] * 3


def test_openrlhfs_executor_loads_the_file_and_takes_its_rewards() -> None:
    agent = pytest.importorskip("openrlhf.utils.agent")
    executor = agent.SingleTurnAgentExecutor(str(EXAMPLES / "openrlhf_reward.py"))
    sampling = SimpleNamespace(max_tokens=100, logprobs=None)

    class Engine:
        async def generate(self, ids: Any, parameters: Any, multi_modal_data: Any = None) -> Any:
            output = {"token_ids": [ord(letter) for letter in self.text], "finish_reason": "stop", "logprobs": None}
            return SimpleNamespace(outputs=[SimpleNamespace(text=self.text, **output)])

        def __init__(self, text: str) -> None:
            self.text = text

    def answered(text: str, label: str) -> Any:
        prompt = r"<|im_start|>Is it \boxed{18}?<|im_end|>"
        return asyncio.run(executor.execute(prompt, label, sampling, 1000, Letters(), Engine(text)))

    for text, score in zip(TEXTS, (1.0, 0.0, 0.0), strict=True):
        told = answered(f"{text}<|im_end|>", "18")
        assert (float(told["reward"]), float(told["scores"])) == (score, score)
    broken = answered(TEXTS[0], "")  # a reference that cannot be judged against
    assert (broken["reward"], broken["scores"]) == (None, None)
