"""``AsyncCurriculumGRPOTrainer``: TRL's asynchronous GRPO, fed with groups that teach alone."""

from __future__ import annotations

import functools
import inspect
import queue
import warnings
from importlib.util import find_spec
from typing import Any

from ...environments.curriculum import Order
from ...errors import InputError, MissingExtra, Unsupported
from .async_rollouts import DropSettings, informative_loop
from .config import CurriculumConfig
from .guards import check_rewards, trl_version

try:
    from transformers import TrainerCallback

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that it is experimental, which the class below says as well
        from trl.experimental.async_grpo import AsyncGRPOTrainer
        from trl.experimental.async_grpo.async_rollout_worker import AsyncRolloutWorker
except ImportError as error:
    if find_spec("trl") is None:
        raise MissingExtra("trl", "trl") from error
    raise Unsupported(
        f"trl {trl_version()} has no asynchronous trainer of the kind that assay builds on ({error}); install trl 1.16"
    ) from error


class _DroppedGroups(TrainerCallback):  # type: ignore[misc, unused-ignore]
    """Takes in, step by step, which groups the child process dropped; it stands before TRL's own callbacks."""

    def __init__(self, trainer: AsyncCurriculumGRPOTrainer) -> None:
        self._trainer = trainer

    def on_train_begin(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        """Group numbers start anew with each call of ``train``."""
        self._trainer._take_in_dropped()
        self._trainer.dropped_groups.clear()

    def on_step_end(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        """An epoch is over when all prompts had their turn, be it that their groups were dropped."""
        self._trainer._groups_before_resume += self._trainer._take_in_dropped()


class AsyncCurriculumGRPOTrainer(AsyncGRPOTrainer):  # type: ignore[misc, unused-ignore]
    """``AsyncGRPOTrainer`` that drops dead groups in its rollout loop; generation without end brings others.

    Its prompts come in the data set's order, so ``order`` must be "stock". ``mode`` is "resample", which drops, or
    "off", which only logs the shares of dead groups. ``window``, ``signal``, ``pass_above`` and ``tolerance`` are as
    everywhere; rewards of ours get their log hooks. When ``max_rounds`` + 1 batches of groups in a row are dead, the
    next dead group is trained on (``on_exhausted="keep"``) or the run ends (``"raise"``): the trainer never waits for
    ever.

    Dropped groups count as done: an epoch ends, and a resumed run goes on, after prompts that were generated for.
    (TRL alone counts trained groups, and would go on from the first dropped one.)

    TRL calls its trainer experimental: other releases than 1.16 may differ, and are refused where that can be seen.

    Args:
        *args: The trainer's own.
        curriculum: When a group is dropped; ``CurriculumConfig(order="stock")`` where None.
        callbacks: The trainer's own.
        **kwargs: The trainer's own.

    Raises:
        InputError: The configuration asks for what this trainer cannot do.
        Unsupported: The rollout worker, or the installed trl, is not what this builds on.
    """

    _tag_names = ["trl", "async-grpo", "assay"]  # noqa: RUF012 - trl's own form
    args: Any
    rollout_worker: Any

    def __init__(
        self, *args: Any, curriculum: CurriculumConfig | None = None, callbacks: Any = None, **kwargs: Any
    ) -> None:
        config = curriculum or CurriculumConfig(order=Order.STOCK)
        _check_config(config)
        super().__init__(*args, **{**kwargs, "callbacks": [_DroppedGroups(self), *(callbacks or [])]})
        self.dropped_groups: set[int] = set()
        self._dropped_queue: Any = None
        worker = self.rollout_worker  # process 0 has it
        if worker is not None:
            _check_worker(worker)
            functions = worker._loop_kwargs["reward_funcs"] or []
            names = [getattr(function, "__name__", type(function).__name__) for function in functions]
            columns = getattr(self.train_dataset, "column_names", None)
            check_rewards(functions, names, columns, float(self.args.ddp_timeout))
            self._dropped_queue = worker._mp_ctx.Queue()
            loop = worker._loop_cls
            worker._loop_cls = functools.partial(informative_loop, loop, self._settings(config), self._dropped_queue)

    def _settings(self, config: CurriculumConfig) -> DropSettings:
        rows = self.args.per_device_train_batch_size * self.args.gradient_accumulation_steps
        groups = max(1, rows * self.accelerator.num_processes // self.args.num_generations)
        return DropSettings(
            test=config.group_test(),
            signal=config.signal,
            drops=config.mode == "resample",
            most_in_a_row=groups * (config.max_rounds + 1),
            raises=config.on_exhausted == "raise",
        )

    def _take_in_dropped(self) -> int:
        """Read what the child process reported; how many groups were new."""
        before = len(self.dropped_groups)
        while self._dropped_queue is not None:
            try:
                self.dropped_groups.add(self._dropped_queue.get_nowait())
            except queue.Empty:
                break
        return len(self.dropped_groups) - before

    def _save_checkpoint(self, model: Any, trial: Any) -> None:
        """TRL saves the first group that was not trained as the place to go on from; dropped ones are done as well."""
        self._groups_before_resume += self._take_in_dropped()
        trained = self._trained_groups
        self._trained_groups = trained | self.dropped_groups
        upstream: Any = super()
        try:
            upstream._save_checkpoint(model, trial)
        finally:
            self._trained_groups = trained


def _check_config(config: CurriculumConfig) -> None:
    if Order(config.order) is not Order.STOCK:
        raise InputError(
            f"the asynchronous trainer generates for its prompts in the data set's order; order is "
            f"{Order(config.order).value!r}, expected 'stock'. To choose tasks by what they teach, use "
            "CurriculumGRPOTrainer, or sort or filter the data set with `assay profile`"
        )
    if config.mode not in ("resample", "off") or config.on_exhausted == "duplicate":
        raise InputError(
            f"the asynchronous trainer knows the modes 'resample' and 'off', and 'keep' and 'raise' for exhaustion; "
            f"mode is {config.mode!r}, on_exhausted {config.on_exhausted!r}"
        )


def _check_worker(worker: Any) -> None:
    if not isinstance(worker, AsyncRolloutWorker):
        raise Unsupported(
            f"rollout_worker is {type(worker).__name__}; dead groups are dropped in the loop of TRL's "
            "AsyncRolloutWorker and of classes made from it. Drop them in your worker, or train with AsyncGRPOTrainer"
        )
    loop = getattr(worker, "_loop_cls", None)
    score = getattr(loop, "_score_group", None)
    found = tuple(inspect.signature(score).parameters) if score is not None else ()
    if found != ("self", "group") or not hasattr(worker, "_mp_ctx"):
        raise Unsupported(
            f"AsyncRolloutWorker of trl {trl_version()} has no loop class with _score_group(group), which assay builds "
            "on; install trl 1.16, or train with AsyncGRPOTrainer and RewardFunction"
        )
