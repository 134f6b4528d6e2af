"""What a training run's numbers say when they are read together: collapse, explosion, reward without learning."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

from ...registry import near_names

_REWARD, _ENTROPY, _LENGTH = "reward", "entropy", "completions/mean_length"


@dataclass(frozen=True)
class Alarm:
    """Something a person should look at.

    Attributes:
        step: The optimizer step at which it showed.
        kind: "entropy", "length", "hacking", "judge" or "dead".
        message: What was seen, with the numbers.
    """

    step: int
    kind: str
    message: str


@dataclass
class Watch:
    """Reads the log of a run entry by entry and raises each kind of alarm once.

    The beginning is the mean of the first ``window`` values of a number, now is the mean of the last ``window``.

    * ``entropy``: now below a fifth of the beginning, while the reward did not rise by ``moved``.
    * ``length``: completions twice as long as in the beginning, while the reward did not rise by ``moved``.
    * ``hacking``: the reward rose by ``moved`` or more, while the held-out strict metric did not rise. A flat reward
      never raises it.
    * ``judge``: more than a tenth of the completions could not be judged.
    * ``dead``: of the groups trained on, nine in ten teach nothing.

    Args:
        strict: The held-out metric of correctness in the log, such as ``eval_math/correct``; none where None.
        window: How many entries a mean is of.
        moved: By how much the reward must rise to count as moved.
    """

    strict: str | None = None
    window: int = 10
    moved: float = 0.05
    history: list[dict[str, float]] = field(default_factory=list)
    alarms: list[Alarm] = field(default_factory=list)

    def see(self, step: int, entry: Mapping[str, object]) -> list[Alarm]:
        """Take one log entry in; return the alarms that are new with it."""
        numbers = {name: float(value) for name, value in entry.items() if isinstance(value, int | float)}
        self.history.append({"step": float(step), **numbers})
        known = {alarm.kind for alarm in self.alarms}
        new = [Alarm(step, kind, message) for kind, message in self._found().items() if kind not in known]
        self.alarms += new
        return new

    def change(self, name: str) -> tuple[float, float] | None:
        """A number's mean in the beginning and now; None until two windows of it are there."""
        values = [entry[name] for entry in self.history if name in entry and math.isfinite(entry[name])]
        if len(values) < 2 * self.window:
            return None
        return sum(values[: self.window]) / self.window, sum(values[-self.window :]) / self.window

    @property
    def unseen(self) -> str:
        """That the strict metric was never logged, and which names are near; empty where it was, or none is wanted."""
        names = sorted({name for entry in self.history for name in entry} - {"step", "epoch"})
        if self.strict is None or self.strict in names:
            return ""
        return f"the strict metric {self.strict!r} was never logged; {near_names(self.strict, names)}"

    def _found(self) -> dict[str, str]:
        found: dict[str, str] = {}
        reward = self.change(_REWARD)
        rose = reward is not None and reward[1] - reward[0] >= self.moved
        told = "" if reward is None else f"the reward went from {reward[0]:.3f} to {reward[1]:.3f}"
        entropy, length = self.change(_ENTROPY), self.change(_LENGTH)
        if entropy and not rose and entropy[1] < 0.2 * entropy[0]:
            found["entropy"] = f"entropy fell from {entropy[0]:.3f} to {entropy[1]:.3f}, while {told}"
        if length and not rose and length[1] > 2.0 * length[0]:
            found["length"] = f"completions grew from {length[0]:.0f} to {length[1]:.0f} tokens, while {told}"
        if rose and (message := self._not_learned()):
            found["hacking"] = f"{told}, while {message}: look at what is rewarded"
        for kind, ending, limit, text in (
            ("judge", "/our_errors", 0.1, "of the completions could not be judged"),
            ("dead", "curriculum/trained_dead", 0.9, "of the groups trained on teach nothing"),
        ):
            for name in {name for entry in self.history[-1:] for name in entry if name.endswith(ending)}:
                values = [entry[name] for entry in self.history if name in entry][-self.window :]
                if len(values) == self.window and sum(values) / self.window > limit:
                    found[kind] = f"{sum(values) / self.window:.0%} {text} ({name})"
        return found

    def _not_learned(self) -> str:
        """How the strict metric stood still since its first value; empty where it rose or was seen less than twice."""
        values = [entry[self.strict] for entry in self.history if self.strict in entry] if self.strict else []
        if len(values) < 2 or max(values[1:]) > values[0]:
            return ""
        return f"{self.strict} went from {values[0]:.3f} to {values[-1]:.3f}"
