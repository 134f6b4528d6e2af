"""``CurriculumGRPOTrainer``: GRPO on groups that teach, with what was learned about tasks saved and restored."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from ...environments.curriculum import Curriculum, Order
from ...errors import InputError, MissingExtra
from .capture import CaptureMixin
from .config import CurriculumConfig
from .dynamic_sampling import Batch, DynamicSamplingMixin
from .guards import check_rewards, check_trainer
from .signals import Signal

try:
    from accelerate.utils import broadcast_object_list
    from trl import GRPOTrainer
except ImportError as error:
    raise MissingExtra("trl", "trl") from error

_STATE_FILE = "curriculum_state.json"
_METRICS = "curriculum"


class CurriculumMixin(DynamicSamplingMixin):
    """Curricula and dynamic sampling for ``GRPOTrainer``, ``RLOOTrainer`` and classes made from them.

    It goes before the trainer: ``class Mine(CurriculumMixin, MyGRPOTrainer)``. Evaluation is left as it is. Metrics are
    logged as ``curriculum/…``; ``completions/*`` and ``num_tokens`` count all that was generated, ``rewards/*`` and
    ``frac_reward_zero_std`` what was trained on. What rewards log (``<name>/correct``) is of all that was judged.

    Args:
        *args: The trainer's own.
        curriculum: How groups are found; the defaults where None.
        **kwargs: The trainer's own.

    Raises:
        InputError: The configuration does not fit the trainer or its data.
        ColumnError: The data set lacks a column that a reward reads.
        Unsupported: The trainer is not what this builds on.
    """

    args: Any
    model: Any
    state: Any
    train_dataset: Any
    reward_funcs: list[Any]
    reward_func_names: list[str]
    _metrics: Any

    def __init__(self, *args: Any, curriculum: CurriculumConfig | None = None, **kwargs: Any) -> None:
        self.curriculum_config = curriculum or CurriculumConfig()
        self._steps = []
        if self.curriculum_config.mode != "off" or self.curriculum_config.draws_tasks:
            upstream = type(self).__mro__[type(self).__mro__.index(CaptureMixin) + 1]
            check_trainer(upstream, type(self))
        super().__init__(*args, **kwargs)
        columns = getattr(self.train_dataset, "column_names", None)
        check_rewards(self.reward_funcs, self.reward_func_names, columns, float(self.args.ddp_timeout))
        self._signal = Signal(self.reward_funcs, self.reward_func_names, self.curriculum_config.signal)
        self._group_test = self.curriculum_config.group_test()
        self.curriculum = self._make_curriculum(columns or [])
        self.generated_groups = 0

    def _make_curriculum(self, columns: list[str]) -> Curriculum | None:
        config = self.curriculum_config
        if not config.draws_tasks:
            return None
        if not hasattr(self.train_dataset, "__len__"):
            raise InputError(
                f"mode {config.mode!r} with order {Order(config.order).value!r} draws tasks by index, which a streamed "
                "data set does not allow; load it whole, or use mode='mask' or 'off' with order='stock'"
            )
        if {"image", "images"} & set(columns):
            raise InputError("tasks with images cannot be drawn yet; use mode='mask' or 'off' with order='stock'")
        if "prompt" not in columns:
            raise InputError(f"the data set has no column 'prompt'; its columns are {', '.join(columns) or 'none'}")
        prompts = list(self.train_dataset["prompt"])
        ids = self.train_dataset[config.id_column] if config.id_column in columns else prompts
        difficulties = (
            list(self.train_dataset[config.difficulty_column]) if config.difficulty_column in columns else None
        )
        return Curriculum(
            [_key(value) for value in ids],
            prompts,
            group_size=self.num_generations,
            difficulties=difficulties,
            options=config,
        )

    def _row_key(self, row: dict[str, Any]) -> str:
        return _key(row.get(self.curriculum_config.id_column, row.get("prompt")))

    def _draw_rows(self, groups: int, exclude: Any) -> list[dict[str, Any]]:
        assert self.curriculum is not None
        # Process 0 decides: float arithmetic may differ in the last bit between machines.
        tasks = broadcast_object_list([self.curriculum.draw(groups, exclude)])[0]
        rows = [task for task in tasks for _ in range(self.num_generations)]
        share = len(rows) // self.accelerator.num_processes
        first = self.accelerator.process_index * share
        return [dict(self.train_dataset[task]) for task in rows[first : first + share]]

    def _generate_and_score_completions(self, inputs: list[dict[str, Any]]) -> dict[str, Any]:
        if self._phase is not None or not self.model.training:
            output: dict[str, Any] = super()._generate_and_score_completions(inputs)  # type: ignore[misc]
            return output
        config = self.curriculum_config
        rows = [dict(row) for row in inputs]
        if Order(config.order) is not Order.STOCK:
            rows = self._draw_rows(len(rows) * self.accelerator.num_processes // self.num_generations, ())
        if config.mode == "resample":
            output, batch = self._resample(
                rows, max_rounds=config.max_rounds, oversample=config.oversample, on_exhausted=config.on_exhausted
            )
        elif config.mode == "mask":
            output, batch = self._mask(rows)
        else:
            output, batch = self._watch(rows)
        self._note_counts(redrawn=batch.rounds > 0)
        self._learn(batch)
        return output

    def _watch(self, rows: list[dict[str, Any]]) -> tuple[dict[str, Any], Batch]:
        """TRL's generation step as it is."""
        keys = self._keys_of(rows)
        output, round_ = self._observe(rows)
        groups = self._groups_of(round_)
        return output, Batch(len(keys), groups=[groups], keys=keys, unfilled=len(keys) - sum(groups.alive))

    def _learn(self, batch: Batch) -> None:
        if self.curriculum is not None:
            self.curriculum.update(batch.judged())
        self.generated_groups += len(batch.keys)
        metrics = {**batch.metrics(), "generated_groups": float(self.generated_groups)}
        for name, value in metrics.items():
            self._metrics["train"][f"{_METRICS}/{name}"].append(value)

    def _save_checkpoint(self, model: Any, trial: Any) -> None:
        super()._save_checkpoint(model, trial)  # type: ignore[misc]
        if self.args.should_save:
            folder = Path(self._get_output_dir(trial=trial)) / f"checkpoint-{self.state.global_step}"  # type: ignore[attr-defined]
            state = None if self.curriculum is None else self.curriculum.state_dict()
            text = json.dumps({"curriculum": state, "generated_groups": self.generated_groups})
            (folder / _STATE_FILE).write_text(text)

    def _load_optimizer_and_scheduler(self, checkpoint: str | None) -> None:
        super()._load_optimizer_and_scheduler(checkpoint)  # type: ignore[misc]
        path = Path(checkpoint) / _STATE_FILE if checkpoint else None
        if path is not None and path.is_file():
            saved = json.loads(path.read_text())
            self.generated_groups = saved["generated_groups"]
            if self.curriculum is not None:
                self.curriculum.load_state_dict(saved["curriculum"] or {})


class CurriculumGRPOTrainer(CurriculumMixin, GRPOTrainer):
    """``GRPOTrainer`` with ``curriculum=CurriculumConfig(…)``: see ``CurriculumMixin``."""

    _tag_names = ["trl", "grpo", "assay"]  # noqa: RUF012 - trl's own form


def _key(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, sort_keys=True, ensure_ascii=False, default=str)
