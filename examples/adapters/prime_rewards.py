"""PrimeIntellect's verifiers: a reward of one's own tasks (`verifiers.v1`), and, where it has them still, a rubric.

Run it to see one task scored.
"""

from __future__ import annotations

import asyncio
import importlib.util
from collections.abc import Iterator

from assay.integrations.prime import rubric, task_reward
from assay.verifiers import MathVerifier

# By name: a plain `import verifiers` finds assay's own folder where the checkout is on the path.
vf = importlib.import_module("verifiers.v1")


class Data(vf.TaskData):
    """A question with its answer."""

    answer: str = ""


class Sums(vf.Task[Data]):
    """Judged by value."""

    correct = task_reward(MathVerifier(), reference="answer")


class Taskset(vf.Taskset[Sums, vf.TasksetConfig]):
    """One task."""

    def load(self) -> Iterator[Sums]:
        """It."""
        yield Sums(Data(prompt="What is 2 * 9?", answer="18"))


def scored(text: str) -> float:
    """What a rollout that ended with this text is given."""
    from verifiers.v1.graph import MessageNode
    from verifiers.v1.trace import AgentInfo, Trace, TraceTask
    from verifiers.v1.types import AssistantMessage, UserMessage

    task = next(iter(Taskset(vf.TasksetConfig())))
    nodes = [MessageNode(message=UserMessage(content=task.data.prompt))]
    nodes.append(MessageNode(parent=0, message=AssistantMessage(content=text), sampled=True))
    told = TraceTask(type="Sums", data=task.data, key=task.key, hash=task.hash)
    trace = Trace(task=told, agent=AgentInfo(config=vf.AgentConfig()), nodes=nodes)
    asyncio.run(task.score(trace, None))
    return float(trace.rewards["correct"].score)


def main() -> None:
    print([scored(text) for text in (r"It is \boxed{18}.", r"\boxed{17}")])
    if importlib.util.find_spec("verifiers.legacy") is not None:
        print(rubric(MathVerifier()))


if __name__ == "__main__":
    main()
