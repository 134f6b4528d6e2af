"""``bridge/reasoning-gym-v1``: the data sets of reasoning-gym whose items and scorers hold what they promise.

Read and run at version 0.1.25; ``benchmarks/environments.py`` measures again what is excluded here.
"""

from __future__ import annotations

import json
import warnings
from collections.abc import Mapping, Sequence
from functools import lru_cache
from random import Random
from typing import Any, ClassVar

from ...errors import InputError, MissingExtra, WorkerFailed, WorkerTimeout
from ...registry import near_names
from ...sandbox.worker import Worker
from ...verifiers.base import Result, Verifier
from ..answers import marked_answer
from ..base import Task
from ..procedural import ProceduralEnvironment
from ..rows import asked

_EVALUATES = "its scorer hands the answer to eval, so that an answer can run code in the trainer"
_NO_ANSWER = "its items have no answer, so that nobody can tell whether its scorer works"
_HASH_SEED = "its items differ with Python's hash seed, so that two processes disagree about them"
#: Data sets that are not offered, each with the reason, as measured.
EXCLUDED: Mapping[str, str] = {
    **dict.fromkeys(("boxnet", "graph_color", "propositional_logic", "rubiks_cube", "rush_hour"), _NO_ANSWER),
    **dict.fromkeys(
        ("countdown", "intermediate_integration", "n_queens", "puzzle24", "simple_integration"), _EVALUATES
    ),
    **dict.fromkeys(("isomorphic_strings", "knight_swap", "ransom_note", "word_ladder"), _HASH_SEED),
    "codeio": "its items differ from one call to the next",
    "coin_flip": "its scorer pays in full for the answer 0",
    "complex_arithmetic": "its scorer pays in full for the answer nan",
    "composite": "it is a container for other data sets",
    "game_of_life_halting": "its scorer pays in full for any text",
    "polynomial_multiplication": f"{_EVALUATES}; {_HASH_SEED}",
}
# Their scorers are not called: the first three hand the answer to eval, the last takes the first number of any text.
_EXACT = frozenset({"binary_matrix", "spiral_matrix", "string_insertion", "gsm_symbolic"})
# Their items are drawn when the data set is made, not when one is asked for.
_BY_SEED = frozenset({"acre", "gsm_symbolic", "list_functions"})
_NUMPY_SEED = frozenset({"pool_matrix"})  # takes seeds below 2**32
_FORM = "Think step by step, and put the final answer alone in <answer></answer>."
_DEADLINE_SECONDS = 10.0
_MEMORY_BYTES = 2 << 30
_MOST_DRAWS = 10_000


class ReasoningGymVerifier(Verifier[str]):
    """Judges the marked answer with the scorer of its data set, in a process that can be killed.

    Correct is a score of 1, nothing less: part marks of these scorers go to answers that merely contain the right one.
    An answer at which a scorer crashes, or takes longer than ten seconds, is wrong: the same scorer gave 1 to the
    item's own answer when the item was drawn.

    The reference is JSON: the data set, its settings, the item's number, and its answer.
    """

    def __init__(self) -> None:
        self._worker = Worker(f"{__name__}:score", memory_bytes=_MEMORY_BYTES)

    def _verify_one(self, completion: str, reference: str, **columns: Any) -> Result:
        recipe = _recipe(reference)
        if isinstance(recipe, str):
            return Result.bad_reference(recipe)
        answer = marked_answer(completion)
        if answer is None:
            return Result.no_answer("there is no <answer></answer> and no \\boxed{}")
        if answer == str(recipe["answer"]).strip():
            return Result.correct(answer=answer)
        if recipe["dataset"] in _EXACT:
            same = answer.split() == str(recipe["answer"]).split()
            return Result.correct(answer=answer) if same else Result.incorrect(answer=answer)
        try:
            score, reason = self._worker.call(recipe, answer, deadline_seconds=_DEADLINE_SECONDS)
        except WorkerTimeout as error:
            return Result.limit_exceeded(f"judging it took too long: {error}", answer=answer)
        except WorkerFailed as error:
            return Result.error(str(error), answer=answer)
        if score is None:
            return Result.bad_reference(reason, answer=answer)
        details = {"score": score}
        if score == 1:
            return Result.correct(answer=answer, details=details)
        return Result.incorrect(answer=answer, reason=reason or f"the scorer gives {score:g}", details=details)


class ReasoningGym(ProceduralEnvironment):
    """One data set of reasoning-gym, with splits that share nothing.

    Upstream, item i of seed s is drawn with the seed s + i, so that the seeds 42 and 43 share 49 of 50 items. Here each
    item's number is a hash of (split, seed, index), and a question belongs to one split by a hash of its text.

    Args:
        dataset: Its name there; ``offered()`` lists those there are.
        seed: Another seed draws other items.
        train_size: Tasks of the split "train"; None makes it endless.
        config: Settings of the data set, by the names it gives them upstream.

    Raises:
        MissingExtra: The package is not installed.
        InputError: There is no such data set, it is excluded (the message says why), or a setting is refused.
    """

    name = "bridge/reasoning-gym-v1"
    LEVELS: ClassVar[Sequence[int]] = (1,)
    splits: ClassVar[Mapping[str, int | None]] = {"train": 5000, "validation": 100, "test": 200}
    domain = "reasoning"
    source = "reasoning-gym"

    def __init__(
        self,
        dataset: str = "basic_arithmetic",
        *,
        seed: int = 0,
        train_size: int | None = 5000,
        config: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(seed=seed, train_size=train_size)
        if dataset in EXCLUDED:
            raise InputError(f"reasoning-gym's {dataset!r} is not offered: {EXCLUDED[dataset]}")
        known = offered()
        if dataset not in known:
            raise InputError(f"reasoning-gym has no data set {dataset!r} that is offered; {near_names(dataset, known)}")
        self.dataset = dataset
        self._settings = json.dumps(dict(config or {}), sort_keys=True)
        try:
            _entry(dataset, self._settings, 0)
        except Exception as error:  # its checks are asserts and whatever else
            raise InputError(f"reasoning-gym's {dataset!r} refuses {self._settings}: {error!r}") from error
        self.verifier = ReasoningGymVerifier()

    def draw(self, random: Random, level: int) -> tuple[str, Task]:
        """An item that its own scorer gives 1; its content is its question."""
        crash = ""
        for _ in range(_MOST_DRAWS):
            number = random.getrandbits(32 if self.dataset in _NUMPY_SEED else 62)
            try:
                entry = _entry(self.dataset, self._settings, number)
            except Exception as error:  # noqa: BLE001 - some numbers crash upstream, as by a division by zero
                crash = f"; the last crashed with {error!r}"
                continue
            recipe = {"dataset": self.dataset, "settings": self._settings, "item": number, "answer": entry["answer"]}
            if self.dataset in _EXACT or score(recipe, entry["answer"])[0] == 1:
                prompt = asked(f"{entry['question']}\n\n{_FORM}")
                task = Task(prompt, json.dumps(recipe), None, {"dataset": self.dataset})
                return f"{self.dataset} {entry['question']}", task
        raise InputError(
            f"in {_MOST_DRAWS} draws {self.dataset} made no item whose own answer its scorer accepts{crash}"
        )

    def reference_completions(self, task: Task) -> Sequence[str]:
        """The item's own answer."""
        return (f"<answer>{json.loads(task.reference)['answer']}</answer>",)


def offered() -> list[str]:
    """The names of the data sets that are offered, sorted.

    Raises:
        MissingExtra: The package is not installed.
    """
    return sorted(set(_package().factory.DATASETS) - set(EXCLUDED))


def score(recipe: Mapping[str, Any], answer: str) -> tuple[float | None, str]:
    """What a data set's scorer gives an answer, with a reason; None where the item cannot be drawn again.

    Runs in a process of its own when a policy wrote the answer.
    """
    entry = _entry(recipe["dataset"], recipe["settings"], recipe["item"])
    if entry["answer"] != recipe["answer"]:
        return None, "this version of reasoning-gym draws another item under that number"
    try:
        found = _dataset(recipe["dataset"], recipe["settings"], recipe["item"]).score_answer(answer, entry)
    except Exception as error:  # noqa: BLE001 - a scorer may raise anything at an answer it does not expect
        return 0.0, f"the scorer cannot read it: {type(error).__name__}"
    return (float(found), "") if found is not None else (0.0, "the scorer gives nothing")


def _recipe(reference: Any) -> dict[str, Any] | str:
    """The reference as a mapping, or what is wrong with it."""
    try:
        recipe = json.loads(reference)
        complete = {"dataset", "settings", "item", "answer"} <= set(recipe)
    except (TypeError, ValueError):
        complete = False
    return (
        recipe if complete else f"the reference {reference!r:.100} is not JSON with dataset, settings, item and answer"
    )


@lru_cache(maxsize=64)
def _dataset(name: str, settings: str, number: int | None = None) -> Any:
    """The data set; one that draws its items when it is made is made anew for each."""
    if name in _BY_SEED:
        return _package().create_dataset(name, size=1, seed=number, **json.loads(settings))
    if number is not None:
        return _dataset(name, settings)
    return _package().create_dataset(name, size=500, seed=0, **json.loads(settings))


@lru_cache(maxsize=1024)
def _entry(name: str, settings: str, number: int) -> dict[str, Any]:
    entry: dict[str, Any] = _dataset(name, settings, number)[0 if name in _BY_SEED else number]
    return entry


def _package() -> Any:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # what its dependencies say about each other is not the user's business
            import reasoning_gym
            import reasoning_gym.factory
    except ImportError as error:
        raise MissingExtra("reasoning_gym", "bridge") from error
    return reasoning_gym
