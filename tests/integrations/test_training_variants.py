"""Dynamic sampling in the company of TRL's other features: each trains for real, and what TRL promises still holds."""

from __future__ import annotations

import importlib
from collections import Counter
from pathlib import Path
from typing import Any, ClassVar

import pytest
import torch
import transformers
from packaging.version import Version
from toy_trainer import CHAT_TEMPLATE, make_config, make_dataset, make_model, make_reward, make_tokenizer
from trl import GRPOTrainer, RLOOConfig, RLOOTrainer

from assay.errors import InputError, Unsupported
from assay.integrations.trl import CurriculumConfig, CurriculumGRPOTrainer, CurriculumMixin
from assay.integrations.trl.guards import check_generated, check_trainer

ALIVE = CurriculumConfig(mode="resample", order="informative", max_rounds=20)


def build(folder: Path, *, cls: Any = CurriculumGRPOTrainer, tokenizer: Any = None, **options: Any) -> Any:
    tokenizer = tokenizer or make_tokenizer()
    arguments = {
        "model": make_model(tokenizer),
        "processing_class": tokenizer,
        "train_dataset": make_dataset(),
        "reward_funcs": [make_reward()],
        "curriculum": ALIVE,
    }
    own = {name: options.pop(name) for name in [*arguments, *PASSED] if name in options}
    args = options.pop("args", None) or make_config(folder, **options)
    return cls(args=args, **{**arguments, **own})


PASSED = ("peft_config", "rollout_func", "environment_factory", "eval_dataset")


def logged(trainer: Any, name: str) -> list[float]:
    return [entry[name] for entry in trainer.state.log_history if name in entry]


def trained(trainer: Any) -> Any:
    before = [parameter.detach().clone() for parameter in trainer.model.parameters() if parameter.requires_grad]
    trainer.train()
    after = [parameter.detach() for parameter in trainer.model.parameters() if parameter.requires_grad]
    assert any(not torch.equal(old, new) for old, new in zip(before, after, strict=True))
    assert logged(trainer, "curriculum/trained_dead")
    assert set(logged(trainer, "curriculum/trained_dead")) == {0.0}
    return trainer


def test_a_reference_model_and_its_divergence(tmp_path: Path) -> None:
    tokenizer = make_tokenizer()
    make_model(tokenizer).save_pretrained(tmp_path / "model")  # the reference is loaded anew from where the model is
    trainer = build(tmp_path, model=str(tmp_path / "model"), tokenizer=tokenizer, beta=0.1, max_steps=3)
    assert any(value > 0.0 for value in logged(trained(trainer), "kl"))


def test_low_rank_adapters(tmp_path: Path) -> None:
    peft = importlib.import_module("peft")
    adapters = peft.LoraConfig(r=2, target_modules=["q_proj", "v_proj"], task_type="CAUSAL_LM")
    trainer = trained(build(tmp_path, peft_config=adapters, beta=0.05))
    assert logged(trainer, "frac_reward_zero_std") == [0.0, 0.0]


def test_accumulated_gradients_over_a_window_of_generations(tmp_path: Path) -> None:
    trainer = build(
        tmp_path,
        per_device_train_batch_size=4,
        gradient_accumulation_steps=2,
        steps_per_generation=4,
        num_iterations=2,
        max_steps=8,
    )
    assert len(logged(trained(trainer), "curriculum/rounds")) == 2  # 16 micro-steps, 8 for each generation


SMALL_CACHE = {"transformers_continuous_batching_config": {"num_blocks": 32, "page_size": 16, "max_batch_tokens": 256}}


@pytest.mark.skipif(Version(transformers.__version__) < Version("5.8"), reason="trl wants transformers 5.8 for this")
def test_continuous_batching(tmp_path: Path) -> None:
    trainer = build(tmp_path, max_steps=1, use_transformers_continuous_batching=True, **SMALL_CACHE)
    assert logged(trained(trainer), "frac_reward_zero_std") == [0.0]


def test_a_rollout_function_with_its_own_fields(tmp_path: Path) -> None:
    calls: list[int] = []

    def rollout(prompts: list[str], trainer: Any) -> dict[str, Any]:
        calls.append(len(prompts))
        tokenizer = trainer.processing_class
        letters = [tokenizer.encode("a" if number % 3 else "Z") for number in range(len(prompts))]
        return {
            "prompt_ids": [tokenizer.encode(prompt) for prompt in prompts],
            "completion_ids": letters,
            "logprobs": None,
            "turns": [number % 2 for number in range(len(prompts))],
            "episode": "toy",
        }

    seen: list[tuple[Any, Any]] = []

    def watch(completions: list[str], turns: list[int], episode: list[str], **columns: Any) -> list[float]:
        seen.extend(zip(turns, episode, strict=True))
        return [0.0] * len(completions)

    trainer = build(tmp_path, rollout_func=rollout, reward_funcs=[make_reward(), watch])
    trained(trainer)
    assert len(calls) == 2 + sum(logged(trainer, "curriculum/rounds"))
    assert sum(calls) == len(seen) == 4 * logged(trainer, "curriculum/generated_groups")[-1]
    assert set(seen) == {(0, "toy"), (1, "toy")}


class ToolTokenizer:
    """Mixed into a tokenizer: an answer that begins with a small letter is a call of ``guess``, until a tool spoke.

    The oldest TRL names no tools, and with the oldest transformers no prefix: there later ones are calls as well.
    """

    def parse_response(self: Any, ids: Any, prefix: Any = None, tools: Any = True) -> dict[str, Any]:
        text = self.decode(ids, skip_special_tokens=True)
        message: dict[str, Any] = {"role": "assistant", "content": text}
        if text[:1].islower() and tools and "<|tool|>" not in self.decode(prefix or []):
            call = {"type": "function", "function": {"name": "guess", "arguments": {"letter": text[0]}}}
            message = {"role": "assistant", "content": "", "tool_calls": [call]}
        return message


class GuessingGame:
    """The smallest environment: one guess, rewarded when the letter is in the first half of the alphabet."""

    counts: ClassVar[Counter[str]] = Counter()

    def reset(self, **row: Any) -> str:
        """Start over."""
        self.reward = 0.0
        self.counts["reset"] += 1
        return " go"

    def guess(self, letter: str) -> str:
        """Guess a letter.

        Args:
            letter: The letter.
        """
        self.counts["guess"] += 1
        self.reward = float(letter <= "m")
        return "ok"

    def get_reward(self) -> float:
        """1 for a good guess."""
        self.counts["reward"] += 1
        return self.reward


TOOL_TEMPLATE = CHAT_TEMPLATE.replace(
    "+ message['content'] +",
    "+ (message['content'] or '')"
    " + (message['tool_calls'][0]['function']|string if message.get('tool_calls') else '') +",
)


def test_an_environment_of_several_turns_that_owns_its_reward(tmp_path: Path) -> None:
    GuessingGame.counts.clear()
    tokenizer = make_tokenizer(chat_template=TOOL_TEMPLATE)
    tokenizer.response_template = "toy"
    tokenizer.__class__ = type("ToyTools", (ToolTokenizer, type(tokenizer)), {})
    trainer = build(
        tmp_path,
        tokenizer=tokenizer,
        train_dataset=make_dataset(chat=True),
        environment_factory=GuessingGame,
        reward_funcs=None,
        curriculum=CurriculumConfig(mode="resample", order="uniform", max_rounds=20),
        max_completion_length=24,
    )
    trained(trainer)
    generated = int(4 * logged(trainer, "curriculum/generated_groups")[-1])
    assert GuessingGame.counts["reset"] == GuessingGame.counts["reward"] == generated  # nothing twice in the replay
    assert GuessingGame.counts["guess"] > 0
    assert max(logged(trainer, "tools/call_frequency")) > 0.0
    assert set(logged(trainer, "tools/failure_frequency")) == {0.0}
    assert logged(trainer, "frac_reward_zero_std") == [0.0, 0.0]


def test_rloo_trains_on_groups_that_teach_as_well(tmp_path: Path) -> None:
    class CurriculumRLOOTrainer(CurriculumMixin, RLOOTrainer):
        pass

    config = make_config(tmp_path)
    shared = ("output_dir", "use_cpu", "report_to", "save_strategy", "disable_tqdm", "dataloader_pin_memory",
              "logging_steps", "per_device_train_batch_size", "num_generations", "max_completion_length",
              "learning_rate", "max_steps", "seed", "beta")  # fmt: skip
    args = RLOOConfig(**{name: getattr(config, name) for name in shared}, bf16=False, gradient_checkpointing=False)
    trainer = trained(build(tmp_path, cls=CurriculumRLOOTrainer, args=args))
    assert logged(trainer, "frac_reward_zero_std") == [0.0, 0.0]


def test_evaluation_is_left_as_it_is(tmp_path: Path) -> None:
    runs = {}
    arms: list[tuple[Any, dict[str, Any]]] = [(GRPOTrainer, {}), (CurriculumGRPOTrainer, {"curriculum": ALIVE})]
    for cls, extra in arms:
        tokenizer = make_tokenizer()
        trainer = cls(
            make_model(tokenizer),
            args=make_config(tmp_path, per_device_eval_batch_size=8),
            processing_class=tokenizer,
            train_dataset=make_dataset(),
            eval_dataset=make_dataset(8, kinds=["hard", "mid"]),
            reward_funcs=[make_reward()],
            **extra,
        )
        torch.manual_seed(5)
        runs[cls] = {k: v for k, v in trainer.evaluate().items() if "time" not in k and "second" not in k}
    assert runs[CurriculumGRPOTrainer] == runs[GRPOTrainer]


def test_evaluating_between_steps_does_not_disturb_training(tmp_path: Path) -> None:
    trainer = build(
        tmp_path,
        eval_dataset=make_dataset(8, kinds=["hard", "mid"]),
        eval_strategy="steps",
        eval_steps=1,
        per_device_eval_batch_size=8,
    )
    trained(trainer)
    assert len(logged(trainer, "eval_rewards/toy/mean")) == 2
    assert not any(name.startswith("eval_curriculum") for entry in trainer.state.log_history for name in entry)


def test_a_trainer_patched_by_unsloth_is_refused(tmp_path: Path) -> None:
    class UnslothGRPOTrainer(GRPOTrainer):
        pass

    class Mine(CurriculumMixin, UnslothGRPOTrainer):
        pass

    with pytest.raises(
        Unsupported, match=r"UnslothGRPOTrainer is GRPOTrainer patched by Unsloth.*use assay's RewardFunction"
    ):
        build(tmp_path, cls=Mine)


def test_a_trainer_with_other_methods_is_refused_and_named_with_its_version() -> None:
    class Lacking:
        def _generate(self, prompts: Any) -> None: ...

    class Changed(Lacking):
        def _calculate_rewards(self, inputs: Any, prompts: Any) -> None: ...

    with pytest.raises(
        Unsupported, match=r"Lacking\._calculate_rewards of trl 1\.\d+\.\d+ has no such method; assay builds on"
    ):
        check_trainer(Lacking, Lacking)
    with pytest.raises(
        Unsupported, match=r"Changed\._calculate_rewards of trl [\d.]+ takes \(inputs, prompts\); .*trl>=1\.9,<2"
    ):
        check_trainer(Changed, Changed)
    check_trainer(GRPOTrainer, GRPOTrainer)
    check_trainer(RLOOTrainer, RLOOTrainer)


def test_the_asynchronous_trainer_is_refused_and_another_one_named() -> None:
    from trl.experimental.async_grpo import AsyncGRPOTrainer

    with pytest.raises(
        Unsupported, match=r"AsyncGRPOTrainer\._generate of trl .* no such method.* AsyncCurriculumGRPO"
    ):
        check_trainer(AsyncGRPOTrainer, AsyncGRPOTrainer)


def test_another_number_of_generated_things_is_refused() -> None:
    with pytest.raises(
        Unsupported, match=r"GRPOTrainer\._generate of trl [\d.]+ returned 9 values; assay knows the forms with 3 and 8"
    ):
        check_generated((None,) * 9, GRPOTrainer)
    with pytest.raises(Unsupported, match=r"groups with images cannot be resampled yet"):
        check_generated((None,) * 6 + (["picture"], None), GRPOTrainer)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"reward_funcs": [make_reward(), make_reward()]},
            r"several reward functions are called toy; give each a name",
        ),
        ({"reward_funcs": [make_reward(reference="gold")]}, r"reward 'toy' reads 'gold', which the data set lacks"),
        ({"ddp_timeout": 300}, r"the deadlines of the rewards add up to 600 seconds.*ddp_timeout=300; lower"),
        (
            {"train_dataset": make_dataset().to_iterable_dataset()},
            r"draws tasks by index, which a streamed data set does",
        ),
        ({"train_dataset": make_dataset().add_column("image", [0] * 60)}, r"tasks with images cannot be drawn yet"),
        (
            {"curriculum": CurriculumConfig(mode="resample", order="target")},
            r"the order 'target' needs a difficulty for every task",
        ),
    ],
)
def test_what_does_not_fit_is_said_before_training(tmp_path: Path, options: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        build(tmp_path, **options)
