"""SkyRL: an environment of ``skyrl_gym`` that judges the first response and ends.

::

    from assay.integrations.skyrl import register
    register("assay")                                     # where SkyRL's generator makes its environments

    environment.env_class=assay                           # and rows {"env_class": "assay", "judge": "math/gsm8k-v1",
                                                          #           "reward_spec": {"ground_truth": "18"}}

Read at skyrl-gym 0.4.0 (``envs/base_text_env.py``, ``envs/registration.py``, ``envs/gsm8k/env.py``).

**Failures of the judge.** SkyRL takes a number. ``step`` raises ``VerifierFailed``, which ends the run with the reason,
or gives the number that ``on_failure`` is; the metric ``judge_failed`` counts such episodes.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from functools import cache
from typing import Any

from ..errors import InputError, MissingExtra
from .judging import Judge, judge_of, measures

_SETTINGS = ("judge", "options", "on_failure")


def register(name: str = "assay", **settings: Any) -> None:
    """Make the environment known to ``skyrl_gym.make``.

    Args:
        name: Its name there.
        **settings: ``judge``, ``options`` and ``on_failure`` for rows that do not say.

    Raises:
        InputError: There is no such setting.
    """
    if unknown := sorted(set(settings) - set(_SETTINGS)):
        raise InputError(f"there is no setting {unknown[0]!r}; expected some of {', '.join(_SETTINGS)}")
    _package().register(id=name, entry_point=f"{__name__}:AssayEnv", kwargs={"settings": settings})


@cache
def _environment() -> Any:
    """The class; its base is the package's."""
    base: Any = _package().envs.base_text_env.BaseTextEnv

    class AssayEnv(base):  # type: ignore[misc]
        """One response, judged."""

        def __init__(self, env_config: Any = None, extras: Any = None, settings: Any = None) -> None:
            super().__init__()
            self._row = {**(settings or {}), **_settings_in(env_config), **(extras or {})}
            self._judge = _judge_for(self._row)
            self._measures: dict[str, float] = {}

        def step(self, action: str) -> Any:
            """Judge the response; the episode is over."""
            [result] = self._judge.judge([action], [self._row["reward_spec"]["ground_truth"]], [self._row])
            self._measures = measures(result)
            told = {"verdict": str(result.verdict), "reason": result.reason, "answer": result.answer}
            return {"observations": [], "reward": self._judge.reward(result), "done": True, "metadata": told}

        def get_metrics(self) -> dict[str, float]:
            """Numbers of the episode, the same names in each."""
            return self._measures

    return AssayEnv


def __getattr__(name: str) -> Any:
    """``AssayEnv``, made when asked for."""
    if name == "AssayEnv":
        return _environment()
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def _judge_for(row: Mapping[str, Any]) -> Judge:
    judge = row.get("judge")
    if not isinstance(judge, str):
        raise InputError(
            f"the judge of this row is {judge!r}; name one in the row, in the environment's configuration, or in "
            "register(judge=…)"
        )
    if not isinstance(row.get("reward_spec"), Mapping) or "ground_truth" not in row["reward_spec"]:
        raise InputError("the row has no reward_spec with a ground_truth; expected {'ground_truth': reference}")
    return judge_of(judge, row.get("options"), row.get("on_failure", "raise"))


def _settings_in(configuration: Any) -> dict[str, Any]:
    """What an environment's configuration says, where it is a mapping."""
    names = _SETTINGS if isinstance(configuration, Mapping) else ()
    return {name: configuration[name] for name in names if name in configuration}


def _package() -> Any:
    try:
        importlib.import_module("skyrl_gym.envs.base_text_env")
        return importlib.import_module("skyrl_gym")
    except ImportError as error:
        raise MissingExtra("skyrl-gym") from error
