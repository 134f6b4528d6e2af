"""NeMo-RL, nemo_rl/environments/interfaces.py: what an environment returns, and the two methods that it must have."""

import abc
from typing import Any, NamedTuple


class EnvironmentReturn(NamedTuple):
    observations: list
    metadata: list
    next_stop_strings: list
    rewards: Any
    terminateds: Any
    answers: list | None = None


class EnvironmentInterface(abc.ABC):
    @abc.abstractmethod
    def step(self, message_log_batch, metadata): ...

    @abc.abstractmethod
    def global_post_process_and_metrics(self, batch): ...
