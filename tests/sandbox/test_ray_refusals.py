"""What the Ray sandbox refuses where there is no cluster, and how it cuts and shares out."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest

from assay.errors import InputError, MissingExtra, SandboxUnavailable
from assay.sandbox import BACKENDS, open_sandbox
from assay.sandbox.ray.plan import Plan
from assay.sandbox.ray.scatter import batch_size


def test_a_missing_package_carries_its_pip_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(MissingExtra, match=r"'ray' is not installed. Install it with: pip install 'assay\[ray\]'"):
        open_sandbox("ray")


def test_a_process_without_a_cluster_is_told_how_to_join_one() -> None:
    with pytest.raises(
        SandboxUnavailable, match=r"not connected to a Ray cluster; call ray.init\(address='auto'\) first"
    ):
        open_sandbox("ray")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"slots": 0}, "slots is 0; expected a whole number of at least 1"),
        ({"slots": 1.5}, "slots is 1.5; expected a whole number of at least 1"),
        ({"slots": "4"}, "slots is '4'; expected a whole number of at least 1"),
        ({"start_seconds": "6"}, "start_seconds is '6'; expected a positive number"),
        ({"resources": ["sandbox"]}, r"resources are \['sandbox'\]; expected amounts by name"),
        ({"resources": {"sandbox": "1"}}, "the resource 'sandbox' is '1'; expected an amount of more than 0"),
        ({"resources": {"sandbox": -1}}, "the resource 'sandbox' is -1; expected an amount of more than 0"),
        ({"resources": {"CPU": 1}}, "resources name 'CPU'; expected a custom one: CPUs are given by slots or cpus"),
        ({"in_flight": 0}, "in_flight is 0; expected a whole number of at least 1"),
        ({"start_seconds": 0}, "start_seconds is 0; expected a positive number"),
    ],
)
def test_arguments_out_of_range_are_named(options: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        open_sandbox("ray", **options)


def test_the_backend_is_known_and_importing_it_loads_no_ray() -> None:
    assert "ray" in BACKENDS
    script = "import sys, assay.sandbox.ray, assay.verifiers.ray; print('ray' in sys.modules)"
    done = subprocess.run([sys.executable, "-P", "-c", script], capture_output=True, text=True)
    assert done.stdout == "False\n", done.stderr


@pytest.mark.parametrize(
    ("cpus", "most", "resources", "has", "shares"),
    [
        (None, 1, {}, {"CPU": 64}, (1, 63)),
        (None, 1, {}, {"CPU": 1}, (1, 1)),
        (None, 1, {}, {}, (0, 1)),
        (8, 1, {}, {"CPU": 64}, (1, 8)),
        (8, 1, {}, {"CPU": 4}, (0, 8)),
        (1, None, {}, {"CPU": 8}, (7, 1)),
        (1, None, {}, {"CPU": 1}, (1, 1)),
        (4, None, {}, {"CPU": 16}, (3, 4)),
        (4, None, {}, {"CPU": 4}, (1, 4)),
        (None, 1, {"sandbox": 1}, {"CPU": 4}, (0, 0)),
        (None, 1, {"sandbox": 1}, {"CPU": 4, "sandbox": 2}, (1, 3)),
    ],
)
def test_a_nodes_cpus_are_shared_out(cpus: Any, most: Any, resources: Any, has: Any, shares: tuple[int, int]) -> None:
    def make(cpus: int) -> Any:
        raise NotImplementedError

    assert Plan("test", make, cpus, most, resources, 2, 1.0).share(has) == shares


@pytest.mark.parametrize("total", [1, 5, 40, 600, 5000])
@pytest.mark.parametrize("hosts", [0, 1, 3, 32])
def test_batches_hold_32_to_256_items_and_grow_smaller_towards_the_end(total: int, hosts: int) -> None:
    sizes: list[int] = []
    while sum(sizes) < total:
        sizes.append(batch_size(total - sum(sizes), total, hosts))
    assert sum(sizes) == total
    assert sizes == sorted(sizes, reverse=True)
    assert max(sizes) <= 256
    if total >= 32 * max(1, hosts):
        assert all(size >= 32 for size in sizes[:-1])
    else:
        assert len(sizes) >= min(total, hosts) // 2
