"""verl: reward functions for ``reward.custom_reward_function``.

::

    reward.custom_reward_function.path=pkg://assay.integrations.verl
    reward.custom_reward_function.name=compute_score            # compute_scores for the "batch" reward manager
    +reward.custom_reward_function.reward_kwargs.judge=math/gsm8k-v1

Read at verl 0.9.1 (``trainer/ppo/reward.py``, ``experimental/reward_loop/reward_manager/naive.py``, ``dapo.py``,
``workers/reward_manager/batch.py``): keyword arguments; ``score`` in the dictionary is the reward, all other entries
are logged and must have the same names in every row; ``acc`` is what ``algorithm.filter_groups`` should look at,
``pred`` what votes are counted by in validation. verl calls the function in threads of its reward workers.

**Failures of the judge.** verl has no missing reward: a NaN would reach every advantage of its group. So ``on_failure``
is "raise", which ends the run with the reason, or a number of your choice; ``judge_failed`` counts such rows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..errors import InputError
from ..verifiers.base import Result
from .judging import Judge, OnFailure, judge_of, measures

Row = dict[str, float | str]


def compute_score(
    data_source: str,
    solution_str: str,
    ground_truth: Any,
    extra_info: Mapping[str, Any] | None = None,
    *,
    judge: str | Mapping[str, str],
    options: Mapping[str, Any] | None = None,
    on_failure: OnFailure = "raise",
    **unused: Any,
) -> Row:
    """The reward of one response.

    Args:
        data_source: Of the row; it chooses among several judges.
        solution_str: The response.
        ground_truth: The reference.
        extra_info: Of the row; columns that an environment's verifier reads are looked up here.
        judge: The name of a judge as ``Judge`` takes it; or names by data source, for mixtures.
        options: What the judge named is made with; with names by data source, options by data source.
        on_failure: "raise", or the reward of what could not be judged.
        **unused: What verl passes beside.

    Returns:
        ``score``, ``acc``, ``no_answer``, ``limit_exceeded``, ``judge_failed``, and ``pred``, the answer as text.

    Raises:
        VerifierFailed: The judge failed and ``on_failure`` is "raise".
        InputError: There is no judge for the data source, or an argument is not as described.
    """
    found = _judge_for(data_source, judge, options, on_failure)
    [result] = found.judge([solution_str], [ground_truth], [extra_info or {}])
    return _row(found, result)


def compute_scores(
    data_sources: Sequence[str],
    solution_strs: Sequence[str],
    ground_truths: Sequence[Any],
    extra_infos: Sequence[Mapping[str, Any] | None] | None = None,
    *,
    judge: str | Mapping[str, str],
    options: Mapping[str, Any] | None = None,
    on_failure: OnFailure = "raise",
    **unused: Any,
) -> list[Row]:
    """The same for a batch, as the reward manager "batch" asks: n rows, judged together where they share a judge."""
    infos = [None] * len(solution_strs) if extra_infos is None else extra_infos
    for name, values in (("data sources", data_sources), ("ground truths", ground_truths), ("extra infos", infos)):
        if len(values) != len(solution_strs):
            raise InputError(f"{len(solution_strs)} solutions came with {len(values)} {name}; expected one for each")
    rows: list[Row] = [{}] * len(solution_strs)
    for source in dict.fromkeys(data_sources):
        found = _judge_for(source, judge, options, on_failure)
        mine = [index for index, other in enumerate(data_sources) if other == source]
        results = found.judge(
            [solution_strs[i] for i in mine], [ground_truths[i] for i in mine], [infos[i] or {} for i in mine]
        )
        for index, result in zip(mine, results, strict=True):
            rows[index] = _row(found, result)
    return rows


def _judge_for(
    source: str, judge: str | Mapping[str, str], options: Mapping[str, Any] | None, on_failure: OnFailure
) -> Judge:
    if isinstance(judge, str):
        return judge_of(judge, options, on_failure)
    if not isinstance(judge, Mapping):
        raise InputError(f"the judge is {judge!r:.100}; expected the name of one, or names by data source")
    if strange := sorted(str(name) for name in set(options or {}) - set(judge)):
        raise InputError(f"there are options for {strange[0]!r}; expected some by data source, for {', '.join(judge)}")
    if source not in judge:
        raise InputError(f"there is no judge for the data source {source!r}; there are some for {', '.join(judge)}")
    return judge_of(judge[source], (options or {}).get(source), on_failure)


def _row(judge: Judge, result: Result) -> Row:
    return {"score": judge.reward(result), **measures(result), "pred": result.answer or ""}
