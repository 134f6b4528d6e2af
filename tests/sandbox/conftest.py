"""A service that speaks SandboxFusion's interface; and a real Ray cluster of several raylets on this machine."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parent))
from fusion_double import Double


@pytest.fixture
def double(monkeypatch: pytest.MonkeyPatch) -> Iterator[Double]:
    """A service of its own for each test."""
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    service = Double()
    yield service
    service.close()


class RayCluster:
    """A head without the resource "sandbox", and nodes of two CPUs with one of it, which come and go."""

    def __init__(self) -> None:
        from ray.cluster_utils import Cluster

        self._head = {"num_cpus": 2, "include_dashboard": False, "object_store_memory": 80 << 20}
        self._cluster: Any = Cluster(initialize_head=True, head_node_args=self._head)
        self._nodes = [self.add(), self.add()]

    @property
    def address(self) -> str:
        return str(self._cluster.address)

    def add(self) -> Any:
        node = {"num_cpus": 2, "resources": {"sandbox": 1}, "object_store_memory": 80 << 20}
        return self._cluster.add_node(**node)

    def kill_a_node(self) -> None:
        """End a raylet, and with it all processes of its node, without a word."""
        self._cluster.remove_node(self._nodes.pop(), allow_graceful=False)

    def shutdown(self) -> None:
        self._cluster.shutdown()


@pytest.fixture(scope="module")
def cluster() -> Iterator[RayCluster]:
    """The cluster, and this process connected to it."""
    ray: Any = pytest.importorskip("ray")
    cluster = RayCluster()
    ray.init(address=cluster.address, log_to_driver=False)
    yield cluster
    ray.shutdown()
    cluster.shutdown()


@pytest.fixture(scope="session")
def until() -> Callable[[Callable[[], bool]], None]:
    """Waits until something is true; fails after a minute."""

    def wait(true: Callable[[], bool]) -> None:
        for _ in range(1200):
            if true():
                return
            time.sleep(0.05)
        raise AssertionError("it did not come to that within a minute")

    return wait
