"""Programs judged on all machines of a Ray cluster: MBPP's published solutions, and as many that end before any test.

python examples/code_on_ray.py --address auto --data FOLDER     # on a machine of the cluster, with MBPP's files
python examples/code_on_ray.py --data FOLDER                    # a cluster of two nodes on this machine alone
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

import click
import ray

from assay import Verifier, make
from assay.environments.base import Environment, Task
from assay.sandbox import open_sandbox
from assay.verifiers import CodeVerifier
from assay.verifiers.ray import RayVerifier

QUITS = "```python\nimport os\nos._exit(0)\n```"


@click.command()
@click.option("--address", help="Of the cluster: auto on one of its machines. Without it, two nodes on this one.")
@click.option("--data", help="A folder with MBPP's files; without it the data comes from the hub.")
@click.option("--limit", default=200, show_default=True, type=click.IntRange(1), help="How many tasks.")
def main(address: str | None, data: str | None, limit: int) -> None:
    """Judge the same completions in two ways, and say how many were right."""
    environment = make("code/mbpp-v1", path=data) if data else make("code/mbpp-v1")
    tasks = environment.tasks("test", limit=limit)
    local = environment.verifier
    assert isinstance(local, CodeVerifier)
    with _cluster(address):
        # Completions and suites travel, and are judged on the nodes.
        with RayVerifier(local, cpus=None) as verifier:
            _judge("completions travel", environment, tasks, verifier)
        # Programs alone travel: outputs come back, and are compared here.
        with open_sandbox("ray") as sandbox:
            verifier = CodeVerifier(sandbox, limits=local.limits, all_or_nothing=local.all_or_nothing)
            _judge("programs travel", environment, tasks, verifier)


def _judge(way: str, environment: Environment, tasks: list[Task], verifier: Verifier) -> None:
    """Let the environment judge with this verifier, as an evaluation or a trainer's reward would."""
    environment.verifier = verifier
    completions = [*(environment.reference_completions(task)[0] for task in tasks), *[QUITS] * len(tasks)]
    started = time.perf_counter()
    results = environment.verify(completions, [*tasks, *tasks])
    seconds = time.perf_counter() - started
    counts = Counter(str(result.verdict) for result in results)
    nodes = len([node for node in ray.nodes() if node["Alive"]])
    verdicts = ", ".join(f"{count} {verdict}" for verdict, count in sorted(counts.items()))
    click.echo(f"{way}: {verdicts} of {len(results)}, on {nodes} nodes in {seconds:.1f} s")


@contextmanager
def _cluster(address: str | None) -> Iterator[None]:
    """Connect to the cluster, or start two nodes of two CPUs here and end them afterwards."""
    cluster = None
    if address is None:
        from ray.cluster_utils import Cluster

        node = {"num_cpus": 2, "object_store_memory": 80 << 20}
        cluster = Cluster(initialize_head=True, head_node_args={**node, "include_dashboard": False})
        cluster.add_node(**node)
    try:
        ray.init(address=address or cluster.address, log_to_driver=False)
        yield
    finally:
        ray.shutdown()
        if cluster is not None:
            cluster.shutdown()


if __name__ == "__main__":
    main()
