"""``MathVerifier`` as a verifier: its contract, verdicts, reasons, policies and keys."""

from __future__ import annotations

import json
import pickle
import random
import subprocess
import sys
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import pytest

from assay.errors import InputError
from assay.verifiers import MathVerifier, Verdict
from assay.verifiers.conformance import VerifierConformance
from assay.verifiers.math import Policy

DATA = Path(__file__).resolve().parents[2] / "data" / "math"
PAIRS = [json.loads(line) for line in (DATA / "pairs.jsonl").read_text(encoding="utf-8").splitlines()]


class TestContract(VerifierConformance):
    """The contract of every verifier."""

    verifier = MathVerifier()
    examples = (
        (r"so \boxed{\frac12}", "0.5", Verdict.CORRECT),
        ("#### 1,234", "1234", Verdict.CORRECT),
        (r"\boxed{x^2-1}", "(x-1)(x+1)", Verdict.CORRECT),
        (r"\boxed{\sqrt{8}}", r"2\sqrt{2}", Verdict.CORRECT),
        (r"\boxed{7}", "8", Verdict.INCORRECT),
        ("I do not know.", "8", Verdict.NO_ANSWER),
        (r"\boxed{" + "1+" * 4000 + "1}", "8", Verdict.LIMIT_EXCEEDED),
        (r"\boxed{7}", r"\frac{", Verdict.BAD_REFERENCE),
    )


def _verdicts(rows: list[tuple[str, str]]) -> list[Verdict]:
    results = MathVerifier().verify_answers([answer for answer, _ in rows], [reference for _, reference in rows])
    return [result.verdict for result in results]


def test_verdicts_do_not_depend_on_order_thread_or_process() -> None:
    rows = [(row["prediction"], row["gold"]) for row in PAIRS[:300]]
    wanted = dict(zip(rows, _verdicts(rows), strict=True))
    shuffled = random.Random(7).sample(rows, len(rows))
    assert _verdicts(shuffled) == [wanted[row] for row in shuffled]
    with ThreadPoolExecutor(4) as pool:
        for found in pool.map(_verdicts, [rows] * 4):
            assert found == [wanted[row] for row in rows]
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as processes:
        results = processes.submit(MathVerifier().verify_answers, *map(list, zip(*rows, strict=True))).result()
    assert [result.verdict for result in results] == [wanted[row] for row in rows]


def test_answers_and_references_of_different_lengths_are_refused() -> None:
    with pytest.raises(InputError, match="1 answers came with 2 references; expected one for each"):
        MathVerifier().verify_answers(["1"], ["1", "2"])


@pytest.mark.parametrize(
    ("answer", "reference", "verdict", "reason"),
    [
        ("1/3", "1/2", Verdict.INCORRECT, "1/3 against 1/2: another number"),
        ("(1,3)", "(1,2)", Verdict.INCORRECT, "(1,3) against (1,2): entry 2 differs"),
        ("3 g", "3 kg", Verdict.INCORRECT, "3 g against 3 kg: another number"),
        ("3 m", "3 kg", Verdict.INCORRECT, "3 m against 3 kg: another unit"),
        ("1,2", "1", Verdict.INCORRECT, "1,2 against 1: a set against a value"),
        ("4210_8", "4210_7", Verdict.INCORRECT, "4210_8 against 4210_7: base 8 against base 7"),
        ("2 +", "2", Verdict.NO_ANSWER, "the answer 2 + cannot be read: the end where something else was due"),
        ("1", "", Verdict.BAD_REFERENCE, "the reference is empty"),
        ("1", r"\frac{1}", Verdict.BAD_REFERENCE, r"the reference \frac{1} cannot be read"),
        ("1+" * 2500, "1", Verdict.LIMIT_EXCEEDED, "the answer is too large: 5000 characters; at most 4000 are read"),
        ("2 +", "2 +", Verdict.CORRECT, "the same text"),
    ],
)
def test_reasons_say_what_differed(answer: str, reference: str, verdict: Verdict, reason: str) -> None:
    [result] = MathVerifier().verify_answers([answer], [reference])
    assert result.verdict is verdict
    assert result.reason.startswith(reason)


@pytest.mark.parametrize(
    ("policy", "answer", "reference", "default", "under_policy"),
    [
        (Policy(significant_digits=4), "0.3333", "1/3", False, True),
        (Policy(significant_digits=4), "3.142", r"\pi", False, True),
        (Policy(significant_digits=4), "3.15", r"\pi", False, False),
        (Policy(units_required=True), "5", r"5\text{ cm}", True, False),
        (Policy(units_required=True), "5 cm", r"5\text{ cm}", True, True),
        (Policy(list_order=True), "2,1", "1,2", True, False),
        (Policy(list_order=True), "1,2", "1,2 ", True, True),
        (Policy(list_order=True), r"\{2,1\}", r"\{1,2\}", True, True),
        (Policy(simplified=True), "6/8", "3/4", True, False),
        (Policy(simplified=True), "9+1", "10", True, False),
        (Policy(simplified=True), "0.75", "3/4", True, True),
        (Policy(simplified=True), r"1\frac12", "3/2", True, True),
        (Policy(percent_as_fraction=False), "0.25", r"25\%", True, False),
        (Policy(percent_as_fraction=False), "25", r"25\%", True, True),
    ],
)
def test_a_policy_switch_changes_what_it_says(
    policy: Policy, answer: str, reference: str, default: bool, under_policy: bool
) -> None:
    for verifier, wanted in ((MathVerifier(), default), (MathVerifier(policy), under_policy)):
        assert (verifier.verify_answers([answer], [reference])[0].score == 1.0) is wanted


def test_the_last_value_counts_under_a_switch_only() -> None:
    text = "We compute 17, then 3, and stop."
    assert MathVerifier().verify([text], ["3"])[0].verdict is Verdict.NO_ANSWER
    assert MathVerifier(Policy(last_value=True)).verify([text], ["3"])[0].score == 1.0


def test_a_policy_out_of_range_is_refused() -> None:
    with pytest.raises(InputError, match="significant_digits is 1; expected a number from 2 to 15, 9 by default"):
        Policy(significant_digits=1)
    with pytest.raises(InputError, match="symbolic_seconds is 0; expected a positive number, or None for no SymPy"):
        MathVerifier(symbolic_seconds=0)


EQUAL_KEYS = [
    ["0.5", r"\frac12", "1/2", "2/4", r"$\frac{1}{2}$"],
    [r"\sqrt8", r"2\sqrt2", r"\sqrt{2}+\sqrt{2}"],
    ["x^2-1", "(x-1)(x+1)", "-(1-x^2)"],
    ["1, 2", r"\{2,1\}", "2, 1", r"1 \text{ and } 2"],
    [r"\begin{pmatrix}1\\2\end{pmatrix}", "(1,2)", r"\left(1, 2\right)"],
    [r"\sin x", r"\cos(x-\frac{\pi}{2})"],
    [r"\sin^2 x+\cos^2 x", "1", r"2\cos 60^\circ", r"\log_2 2", "x/x"],
    [r"\text{yes}", "Yes"],
    ["2x-y=1", "4x-2y-2=0"],
    [r"(2,\infty)", r"(\frac42, +\infty)"],
]


def test_equal_answers_share_their_key_and_different_ones_do_not() -> None:
    verifier = MathVerifier()
    keys = [{verifier.canonical_key(answer) for answer in group} for group in EQUAL_KEYS]
    assert [len(group) for group in keys] == [1] * len(EQUAL_KEYS)
    assert None not in set().union(*keys)
    assert len(set().union(*keys)) == len(EQUAL_KEYS)


@pytest.mark.parametrize(
    "answer", ["0.3333333333", "5 cm", r"25\%", "x=5", "A", "x>5", "1)", "", "9^{9^{9^9}}", "[1,2]"]
)
def test_answers_without_an_exact_value_of_their_own_have_no_key(answer: str) -> None:
    assert MathVerifier().canonical_key(answer) is None


def test_keys_agree_with_verdicts_on_the_authored_pairs() -> None:
    verifier = MathVerifier()
    golds, answers = [row["gold"] for row in PAIRS], [row["prediction"] for row in PAIRS]
    results = verifier.verify_answers(answers, golds)
    for gold, answer, result in zip(golds, answers, results, strict=True):
        keys = verifier.canonical_key(gold), verifier.canonical_key(answer)
        if None not in keys:
            assert (keys[0] == keys[1]) == (result.score == 1.0), (gold, answer, keys)


def test_sympy_is_asked_only_when_wanted_and_only_where_nothing_else_decides() -> None:
    gold = r"\lim_{x \to 0} \frac{\sin x}{x}"
    assert MathVerifier().verify_answers(["1"], [gold])[0].score == 0.0
    asking = MathVerifier(symbolic_seconds=120)
    right, wrong = asking.verify_answers(["1", "2"], [gold, gold])
    assert (right.score, wrong.score) == (1.0, 0.0)
    assert pickle.loads(pickle.dumps(asking)).verify_answers(["3"], ["3.0"])[0].score == 1.0


def test_a_lost_deadline_of_sympy_has_a_verdict_of_its_own() -> None:
    hard = r"\int_0^1 \sqrt{x^7+\sin(x^5+1)} dx"
    [result] = MathVerifier(symbolic_seconds=0.05).verify_answers([r"\int_0^1 \sqrt{\sin(x^5+1)+x^7+x-x} dx"], [hard])
    assert result.verdict is Verdict.LIMIT_EXCEEDED
    assert result.reason.startswith("SymPy was asked and did not settle it")


def test_importing_and_judging_load_neither_sympy_nor_torch() -> None:
    code = (
        "import sys; from assay.verifiers import MathVerifier; assert 'flint' not in sys.modules; "
        "MathVerifier().verify_answers(['1/2', 'x'], ['0.5', 'y']); "
        "sys.exit(bool({'sympy', 'torch', 'transformers', 'numpy'} & set(sys.modules)))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@pytest.mark.parametrize(
    "completion", ["I do not know.", "", "<think>without end", r"\boxed{", r"\boxed{7}", "The answer is 7. Wait, no: 8"]
)
def test_a_broken_reference_says_nothing_about_any_completion(completion: str) -> None:
    assert MathVerifier().verify([completion], [r"\frac{"])[0].verdict is Verdict.BAD_REFERENCE


def test_a_broken_reference_is_met_by_the_same_text_alone() -> None:
    assert MathVerifier().verify([r"\boxed{5 7 )}"], ["5 7 )"])[0].score == 1.0
    assert MathVerifier().verify_answers(["5 7 ) is wrong"], ["5 7 )"])[0].verdict is Verdict.BAD_REFERENCE
