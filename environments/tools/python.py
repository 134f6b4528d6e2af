"""``tools/python-v1``: questions that a few lines of Python answer, with a Python session to run them in."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Sequence
from random import Random
from typing import Any, ClassVar

from ...errors import InputError, SandboxUnavailable
from ...sandbox.base import Execution, Limits, Program, Sandbox, Status
from ...verifiers import MathVerifier
from ..base import Task
from ..episodes import Episode, MultiTurnEnvironment
from ..procedural import ProceduralEnvironment
from ..rows import asked
from .shared_sandbox import SharedSandbox

_MOST_SHOWN = 4000
_MOST_CODE = 20_000
# Runs inside the sandbox. All cells but the last were run before; they are run again to get their variables back.
_SESSION = """
import ast, contextlib, io, json, random, traceback

def run(cell, space):
    tree = ast.parse(cell)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, "<cell>", "exec"), space)
    if last is not None:
        value = eval(compile(ast.Expression(last.value), "<cell>", "eval"), space)
        if value is not None:
            print(repr(value))

cells = json.load(open("cells.json"))
space = {"__name__": "__main__"}
random.seed(0)
for cell in cells[:-1]:
    with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(BaseException):
        run(cell, space)
try:
    run(cells[-1], space)
except BaseException as error:
    trace = error.__traceback__
    while trace is not None and trace.tb_frame.f_code.co_filename != "<cell>":
        trace = trace.tb_next
    print("".join(traceback.format_exception(type(error), error, trace)).rstrip())
"""


class PythonEpisode(Episode):
    """A Python session: what one call defines, the next one can use.

    Each call is a run of its own in the sandbox that repeats the earlier calls first, with ``random`` seeded alike; so
    nothing is kept alive between calls, sessions cannot reach one another, and a session is the same wherever it runs.
    What is not so repeated is the clock. A call that hits a limit or ends the interpreter is forgotten.

    Args:
        sandbox: Where calls run; shared by all sessions of a process.
        most_calls: Calls of one session.
        cpu_seconds: CPU time of one call, repetition included.
        episode_cpu_seconds: CPU time of all calls of a session.
    """

    def __init__(
        self,
        sandbox: SharedSandbox,
        *,
        most_calls: int = 8,
        cpu_seconds: float = 5.0,
        episode_cpu_seconds: float = 20.0,
    ) -> None:
        self._sandbox = sandbox
        self._most_calls = most_calls
        self._cpu_seconds = cpu_seconds
        self._episode_cpu_seconds = episode_cpu_seconds

    def _begin(self, reference: str) -> None:
        self._cells: list[str] = []
        self._left = self._most_calls
        self._cpu_left = self._episode_cpu_seconds

    def run(self, code: str) -> str:
        """Run Python code in a session that keeps its variables.

        Args:
            code: The code. What it prints is returned, and the value of a last line that is an expression.

        Returns:
            The output, with the traceback where the code raised.
        """
        if not isinstance(code, str) or len(code) > _MOST_CODE:
            raise InputError(f"code is no text of at most {_MOST_CODE} characters")
        if self._left < 1 or self._cpu_left <= 0:
            spent = f"{self._most_calls} calls" if self._left < 1 else f"{self._episode_cpu_seconds:g} s of CPU time"
            raise InputError(f"the session's {spent} are spent; answer now")
        self._left -= 1
        execution = self._run([*self._cells, code])
        self._cpu_left -= execution.cpu_seconds
        if execution.status is Status.SANDBOX_ERROR:
            raise SandboxUnavailable(f"the code could not be run: {execution.reason}")
        output = execution.stdout.decode("utf-8", "replace").strip()
        shown = output if len(output) <= _MOST_SHOWN else f"{output[:_MOST_SHOWN]}\n... ({len(output)} characters)"
        if execution.status is not Status.OK:
            why = execution.reason or execution.status.name.lower().replace("_", " ")
            return f"{shown}\nStopped: {why}. The call is forgotten.".strip()
        self._cells.append(code)
        return shown or "(no output)"

    def _run(self, cells: Sequence[str]) -> Execution:
        data = json.dumps(cells).encode("utf-8", "backslashreplace")
        limits = Limits(cpu_seconds=min(self._cpu_seconds, max(0.5, self._cpu_left)))
        return self._sandbox.get().run([Program(_SESSION, files={"cells.json": data})], limits)[0]


class PythonTool(MultiTurnEnvironment, ProceduralEnvironment):
    """Counting and number questions in four families, too long for the head; the level makes the numbers larger.

    The final answer, in a box, is judged; how the session was used is not.

    Args:
        seed: Another seed draws other items.
        levels: Some of 1 to 3.
        train_size: Tasks of the split "train"; None makes it endless.
        sandbox: A backend's name or an open sandbox; by default "auto", opened at the first call.
        most_calls: As in ``PythonEpisode``.
        cpu_seconds: As in ``PythonEpisode``.
        episode_cpu_seconds: As in ``PythonEpisode``.
    """

    name = "tools/python-v1"
    LEVELS: ClassVar[Sequence[int]] = (1, 2, 3)
    episode: ClassVar[type[Episode]] = PythonEpisode
    domain = "tools"

    def __init__(
        self,
        *,
        seed: int = 0,
        levels: Sequence[int] | None = None,
        train_size: int | None = 20_000,
        sandbox: Sandbox | str | None = None,
        most_calls: int = 8,
        cpu_seconds: float = 5.0,
        episode_cpu_seconds: float = 20.0,
    ) -> None:
        super().__init__(seed=seed, levels=levels, train_size=train_size)
        self.verifier = MathVerifier()
        self._sandbox = SharedSandbox(sandbox)
        self._limits = {
            "most_calls": most_calls,
            "cpu_seconds": cpu_seconds,
            "episode_cpu_seconds": episode_cpu_seconds,
        }

    def episode_options(self) -> dict[str, Any]:
        """The sandbox that all sessions of a process share, and the limits."""
        return {"sandbox": self._sandbox, **self._limits}

    def draw(self, random: Random, level: int) -> tuple[str, Task]:
        """A question of one of the families; its content is its text."""
        question, answer = random.choice(_FAMILIES)(random, 10**level)
        content = f"{question} Call run with Python code where it helps, and put the final answer in \\boxed{{}}."
        return question, Task(asked(content), str(answer), float(level), {"level": level})


def _primes(random: Random, scale: int) -> tuple[str, int]:
    low = random.randrange(2, 200 * scale)
    high = low + random.randrange(50, 100 + 5 * scale)
    count = sum(n > 1 and all(n % d for d in range(2, math.isqrt(n) + 1)) for n in range(low, high + 1))
    return f"How many prime numbers p are there with {low} <= p <= {high}?", count


def _digits(random: Random, scale: int) -> tuple[str, int]:
    base, exponent = random.randrange(3, 100), random.randrange(10, 30 + scale // 2)
    return f"What is the sum of the decimal digits of {base}**{exponent}?", sum(map(int, str(base**exponent)))


def _steps(random: Random, scale: int) -> tuple[str, int]:
    number = start = random.randrange(10, 1000 * scale)
    steps = 0
    while number != 1:
        number = number // 2 if number % 2 == 0 else 3 * number + 1
        steps += 1
    question = (
        f"Begin with {start}; halve an even number, and replace an odd number n by 3n + 1. "
        "After how many steps is 1 reached for the first time?"
    )
    return question, steps


def _ways(random: Random, scale: int) -> tuple[str, int]:
    coins = sorted(random.sample(range(2, 30), 3 + (scale > 10)))
    total = random.randrange(40, 80 + 2 * scale)
    ways = [1] + [0] * total
    for coin in coins:
        for amount in range(coin, total + 1):
            ways[amount] += ways[amount - coin]
    listed = ", ".join(map(str, coins))
    return f"In how many ways can {total} be paid with coins of {listed}, where order does not count?", ways[total]


_FAMILIES: Sequence[Callable[[Random, int], tuple[str, int]]] = (_primes, _digits, _steps, _ways)
