"""Procedural environments: throughput, overlap of splits and seeds, difficulty; and reasoning-gym's scorers."""

from __future__ import annotations

import argparse
import contextlib
import io
import itertools
import random
import signal
import time
import warnings
from collections.abc import Iterator
from statistics import mean
from typing import Any

from assay import make
from assay.environments.base import Task
from assay.environments.bridge.reasoning_gym import EXCLUDED
from assay.environments.math.countdown import solve

ITEMS = 100_000
NAMES = ("math/arithmetic", "math/countdown", "logic/knights-and-knaves", "format/json-schema", "games/guess-number")
JUNK = (
    "garbage zzz",
    "",
    "I do not know.",
    "0",
    "1",
    "yes",
    "no",
    "[]",
    "{}",
    "()",
    "nan",
    "inf",
    "-1",
    "None",
    "((((",
    "A",
)


def content(task: Task) -> str:
    """What is asked: for countdown the numbers in any order."""
    reference = str(task.reference)
    if " -> " in reference:
        numbers, _, target = reference.partition(" -> ")
        return f"{sorted(map(int, numbers.split()))} {target}"
    return task.id


def drawn(name: str, split: str, seed: int, count: int) -> set[str]:
    options: dict[str, Any] = {} if name == "math/arithmetic" else {"train_size": None}
    return {content(task) for task in make(name, seed=seed, **options).view(split).take(count)}


def throughput(items: int) -> None:
    print(f"{'environment':28} {'items':>8} {'per second':>11} {'distinct':>9} {'test':>6} {'val.':>6} {'seed 1':>7}")
    for name in NAMES:
        count = min(items, 60_000) if name == "math/arithmetic" else items
        started = time.process_time()
        train = drawn(name, "train", 0, count)
        seconds = time.process_time() - started
        test, validation = drawn(name, "test", 0, 500), drawn(name, "validation", 0, 200)
        other = drawn(name, "train", 1, count)
        shared = [len(train & found) for found in (test, validation, other)]
        print(f"{name:28} {count:8} {count / seconds:11.0f} {len(train):9}", *(f"{n:6}" for n in shared))


def seeds_at_the_top(items: int) -> None:
    """Two seeds of one split draw from the same contents: they meet by chance where these are few."""
    print("\nitems that the seeds 0 and 1 share, by level")
    for name in NAMES[1:]:
        levels = make(name).LEVELS  # type: ignore[attr-defined]
        shared = {}
        for level in levels:
            first, second = (
                {
                    content(task)
                    for task in make(name, seed=seed, levels=[level], train_size=None).view("train").take(items)
                }
                for seed in (0, 1)
            )
            shared[level] = len(first & second)
        print(f"  {name:28} {items:6} items each: " + ", ".join(f"level {level}: {n}" for level, n in shared.items()))


def difficulty() -> None:
    print("\ncountdown: states an exhaustive search looks at, mean of 12 puzzles")
    for level in (3, 4, 5):
        puzzles = [
            task.reference.split(" -> ") for task in make("math/countdown", levels=[level]).tasks("test", limit=12)
        ]
        counts = [solve([int(n) for n in numbers.split()], int(target))[1] for numbers, target in puzzles]
        print(f"  level {level}: {mean(counts):10.0f}")


@contextlib.contextmanager
def at_most(seconds: int) -> Iterator[None]:
    def stop(*_: Any) -> None:
        raise TimeoutError

    signal.signal(signal.SIGALRM, stop)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)


def same(text: str, answer: Any) -> bool:
    """Whether a text is the item's answer after all, perhaps as another way to write its number."""
    try:
        return text == answer or float(text) == float(answer)
    except (TypeError, ValueError):
        return False


def audited(name: str, items: int = 8) -> str:
    """What is wrong with a data set's items and scorer; empty where nothing was found."""
    import reasoning_gym

    draw, numbers = random.Random(1), range(items)
    by_seed = name in ("acre", "gsm_symbolic", "list_functions", "word_ladder")
    try:
        if by_seed:
            pairs = [
                (d := reasoning_gym.create_dataset(name, size=1, seed=draw.getrandbits(31)), d[0]) for _ in numbers
            ]
        else:
            made = reasoning_gym.create_dataset(name, size=500, seed=0)
            pairs = [(made, made[draw.getrandbits(31)]) for _ in numbers]
    except Exception as error:
        return f"no items: {type(error).__name__}"
    if any(entry["answer"] is None for _, entry in pairs):
        return "no answer"
    wrong = sum(dataset.score_answer(entry["answer"], entry) != 1 for dataset, entry in pairs)
    paid: dict[str, int] = {}
    raised: set[str] = set()
    for (dataset, entry), text in itertools.product(pairs, JUNK):
        try:
            wrongly = not same(text, entry["answer"]) and dataset.score_answer(text, entry) == 1
            paid[text] = paid.get(text, 0) + wrongly
        except TimeoutError:
            raise
        except Exception as error:
            raised.add(type(error).__name__)
    constant = [repr(text) for text, count in paid.items() if count > items / 2]
    found = [f"own answer fails {wrong} of {items}"] * bool(wrong) + [f"pays for {', '.join(constant)}"] * bool(
        constant
    )
    return "; ".join([*found, *([f"raises {', '.join(sorted(raised))}"] if raised else [])])


def reasoning_gym_scorers() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from reasoning_gym.factory import DATASETS

        print(f"\nreasoning-gym: {len(DATASETS)} data sets, {len(EXCLUDED)} excluded; what is found at the scorers:")
        for name in sorted(DATASETS):
            try:
                with at_most(20), contextlib.redirect_stdout(io.StringIO()):
                    found = audited(name)
            except TimeoutError:
                found = "too slow to audit"
            if found:
                print(f"  {name:28} {found:58} {'excluded' if name in EXCLUDED else 'handled'}")


def main() -> None:
    parts = {
        "throughput": lambda: throughput(arguments.items),
        "seeds": lambda: seeds_at_the_top(min(2_000, arguments.items)),
        "difficulty": difficulty,
        "reasoning-gym": reasoning_gym_scorers,
    }
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("parts", nargs="*", help=f"some of {', '.join(parts)}; all by default")
    parser.add_argument("--items", type=int, default=ITEMS, help="drawn of each environment (default: %(default)s)")
    arguments = parser.parse_args()
    if unknown := [part for part in arguments.parts if part not in parts]:
        parser.error(f"there is no part {', '.join(unknown)}; expected some of {', '.join(parts)}")
    if arguments.items < 1:
        parser.error(f"--items is {arguments.items}; expected at least 1")
    for part in arguments.parts or parts:
        parts[part]()


if __name__ == "__main__":
    main()
