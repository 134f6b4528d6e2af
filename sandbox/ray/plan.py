"""What is started where on a cluster: ``Plan``; and ``Post``, one host as its client sees it."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from ...bounds import at_least, positive
from ...errors import InputError
from .host import About, Engine, Host
from .package import ray

_MOST_CONCURRENT = 1000  # calls of one host at once; each client is bound by the plan's most_calls


def checked_resources(resources: Mapping[str, float] | None) -> dict[str, float]:
    """Resources in the order of their names.

    Raises:
        InputError: They are no amounts by name, or one is CPU or GPU, which Ray counts apart.
    """
    if resources is not None and not isinstance(resources, Mapping):
        raise InputError(f"resources are {resources!r}; expected amounts by name, as {{'sandbox': 1}}")
    for name, amount in (resources or {}).items():
        if name in ("CPU", "GPU"):
            raise InputError(f"resources name {name!r}; expected a custom one: CPUs are given by slots or cpus")
        if not isinstance(amount, int | float) or not amount > 0:
            raise InputError(f"the resource {name!r} is {amount!r}; expected an amount of more than 0")
    return dict(sorted((resources or {}).items()))


@dataclass
class Post:
    """One host as its client sees it.

    Attributes:
        node: The node's id.
        actor: The actor's handle, None where it must be started anew.
        ours: Whether this client started the actor, and ends it.
        about: What its engine said, None while it is not open.
        opening: The reference that is ready when it is.
        calls: Batches under way.
        failures: Failures in a row.
        rests_until: When it is tried again, in seconds of ``time.monotonic``.
        sick: Whether its last batch brought failures of ours; healthy hosts come first.
        reason: What went wrong last.
        refused: Whether it was the engine that could not be opened, rather than the host that did not answer.
    """

    node: str
    actor: Any = None
    ours: bool = False
    about: About | None = None
    opening: Any = None
    calls: int = 0
    failures: int = 0
    rests_until: float = 0.0
    sick: bool = False
    reason: str = ""
    refused: bool = False


@dataclass(frozen=True)
class Plan:
    """What is started where.

    Attributes:
        name: Hosts of equal names on one node are one host, whoever of the job's processes asks first.
        make: Opens the engine of a host that may use so many CPUs.
        cpus: CPUs of one host; None is all of a node's but one, and then there is one host on each.
        most_hosts: Hosts on one node; None is as many as its CPUs allow, of which one is left over where possible.
        resources: What a node must have besides, and a host takes, by Ray's names.
        most_calls: Batches that may be under way on one host.
        start_seconds: How long to wait while there is no host at all.
    """

    name: str
    make: Callable[[int], Engine]
    cpus: int | None
    most_hosts: int | None
    resources: Mapping[str, float]
    most_calls: int
    start_seconds: float

    def __post_init__(self) -> None:
        if self.cpus is not None:
            at_least(1, cpus=self.cpus)
        at_least(1, in_flight=self.most_calls)
        positive(start_seconds=self.start_seconds)

    def share(self, resources: Mapping[str, float]) -> tuple[int, int]:
        """How many hosts a node with these resources gets, and the CPUs of each."""
        if any(resources.get(name, 0) < amount for name, amount in self.resources.items()):
            return 0, 0
        has = int(resources.get("CPU", 0))
        cpus = max(has - 1, 1) if self.cpus is None else self.cpus
        fit = max(has - 1, cpus) // cpus if has >= cpus else 0
        return min(fit, self.most_hosts or fit), cpus

    def actor(self, name: str, node: str, cpus: int) -> Any:
        """Start the host ``name`` on a node, or find the one that another process starts at this moment."""
        package = ray()
        strategies = importlib.import_module("ray.util.scheduling_strategies")
        return (
            package.remote(Host)
            .options(
                name=name,
                get_if_exists=True,
                num_cpus=cpus,
                resources=dict(self.resources),
                max_restarts=-1,
                max_concurrency=_MOST_CONCURRENT,
                scheduling_strategy=strategies.NodeAffinitySchedulingStrategy(node, soft=False),
            )
            .remote(self.make, cpus)
        )
