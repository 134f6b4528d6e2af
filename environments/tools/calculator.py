"""``tools/calculator-v1``: sums too long for the head, with a calculator."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from random import Random
from typing import ClassVar

from ...errors import InputError
from ...verifiers import MathVerifier
from ...verifiers.math import Policy
from ..base import Task
from ..episodes import Episode, MultiTurnEnvironment
from ..expressions import evaluate
from ..procedural import ProceduralEnvironment
from ..rows import asked

_MOST_CALLS = 8


class CalculatorEpisode(Episode):
    """A calculator with a limited number of uses."""

    def _begin(self, reference: str) -> None:
        self._left = _MOST_CALLS

    def calculate(self, expression: str) -> str:
        """Work out an arithmetic expression exactly.

        Args:
            expression: Numbers with + - * / ** and parentheses, for example (3 + 4) * 2.

        Returns:
            The value, as a whole number, a decimal, or a fraction with its decimal value.
        """
        if self._left < 1:
            raise InputError(f"the calculator was used {_MOST_CALLS} times, which is all there is; answer now")
        self._left -= 1
        if not isinstance(expression, str):
            raise InputError(f"expression is {expression!r}; expected text like (3 + 4) * 2")
        return shown(evaluate(expression).value)


class Calculator(MultiTurnEnvironment, ProceduralEnvironment):
    """An expression of as many operations as the level says, on numbers of three to five digits, answered in a box."""

    name = "tools/calculator-v1"
    LEVELS: ClassVar[Sequence[int]] = (1, 2, 3, 4)
    episode: ClassVar[type[Episode]] = CalculatorEpisode
    domain = "tools"

    def __init__(self, *, seed: int = 0, levels: Sequence[int] | None = None, train_size: int | None = 20_000) -> None:
        super().__init__(seed=seed, levels=levels, train_size=train_size)
        self.verifier = MathVerifier(Policy(simplified=True))  # the question itself is no answer

    def draw(self, random: Random, level: int) -> tuple[str, Task]:
        """An expression; its content is its text."""
        text = str(random.randint(100, 99_999))
        for _ in range(level):
            sign, number = random.choice("+-*"), random.randint(100, 99_999)
            text = f"({text}) {sign} {number}" if sign == "*" and not text.isdigit() else f"{text} {sign} {number}"
        content = f"What is {text}? Call calculate where it helps, and put the final answer in \\boxed{{}}."
        return text, Task(asked(content), str(evaluate(text).value), float(level), {"level": level})


def shown(value: Fraction) -> str:
    """A value for people: exact where a decimal is, else as a fraction with its decimal value.

    >>> shown(Fraction(7, 4)), shown(Fraction(1, 3))
    ('1.75', '1/3 = 0.333333333333...')
    """
    if value.denominator == 1:
        return str(value.numerator)
    rest, places = value.denominator, 0
    while rest % 2 == 0 or rest % 5 == 0:
        rest //= 2 if rest % 2 == 0 else 5
        places += 1
    if rest == 1 and places <= 15:
        scaled = str(abs(value.numerator) * 10**places // value.denominator).rjust(places + 1, "0")
        decimal = f"{scaled[:-places]}.{scaled[-places:]}".rstrip("0")
        return f"-{decimal}" if value < 0 else decimal
    whole, rest = divmod(abs(value.numerator), value.denominator)
    digits = str(rest * 10**12 // value.denominator).rjust(12, "0")
    return f"{value} = {'-' if value < 0 else ''}{whole}.{digits}..."
