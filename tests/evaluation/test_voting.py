"""Answers vote together when the verifier holds them equal."""

from __future__ import annotations

import random
from fractions import Fraction

import pytest

from assay import Result, Verifier
from assay.evaluation import VoteClass, Voting
from assay.verifiers.math import MathVerifier


class Numbers(Verifier[str]):
    """Numbers are equal by value. Only texts without a slash have a canonical key."""

    def __init__(self) -> None:
        self.asked = 0

    def canonical_key(self, answer: str) -> str | None:
        return None if "/" in answer else str(Fraction(answer))

    def verify_answers(self, answers: list[str], references: list[str]) -> list[Result]:
        self.asked += len(answers)
        return self.verify(answers, references)

    def _verify_one(self, completion: str, reference: str, **columns: object) -> Result:
        same = Fraction(completion) == Fraction(reference)
        return Result.correct(answer=completion) if same else Result.incorrect(answer=completion)


class Near(Verifier[str]):
    """Numbers are equal when they lie within 1: not transitive."""

    def verify_answers(self, answers: list[str], references: list[str]) -> list[Result]:
        return self.verify(answers, references)

    def _verify_one(self, completion: str, reference: str, **columns: object) -> Result:
        near = abs(int(completion) - int(reference)) <= 1
        return Result.correct(answer=completion) if near else Result.incorrect(answer=completion)


def test_a_half_votes_with_a_half_however_it_is_written() -> None:
    votes = Voting(Numbers()).cluster(["0.5", "1/2", "0.50", "2", None], [True, True, True, False, False])
    assert votes.classes == (VoteClass(3, 1.0), VoteClass(1, 0.0))
    assert votes.groups == (0, 0, 0, 1, None)
    assert votes.missing == 1


def test_answers_with_keys_are_never_compared_pairwise_and_no_pair_twice() -> None:
    verifier = Numbers()
    voting = Voting(verifier)
    voting.cluster([str(i) for i in range(30)], [False] * 30)
    assert verifier.asked == 0
    voting.cluster(["1/2", "3", "4"], [False] * 3)
    assert verifier.asked == 4
    voting.cluster(["1/2", "3", "4", "3"], [False] * 4)
    assert verifier.asked == 4


def test_the_order_of_the_samples_does_not_matter() -> None:
    answers = ["1/2", "0.5", "2/3", "4/6", "7", "7", None, "2/4"]
    correct = [True, True, False, False, False, False, False, True]
    want = Voting(Numbers()).cluster(answers, correct).classes
    for seed in range(20):
        order = list(range(len(answers)))
        random.Random(seed).shuffle(order)
        votes = Voting(Numbers()).cluster([answers[i] for i in order], [correct[i] for i in order])
        assert votes.classes == want


def test_answers_judged_correct_vote_together_even_if_they_differ() -> None:
    votes = Voting(None).cluster(["a", "b", "c", "a"], [True, True, False, True])
    assert votes.classes == (VoteClass(3, 1.0), VoteClass(1, 0.0))


def test_a_verifier_that_contradicts_itself_is_reported() -> None:
    votes = Voting(Numbers()).cluster(["0.5", "1/2", "3"], [True, False, False])
    assert votes.classes[0] == VoteClass(2, 0.5)
    assert votes.mixed == 1


def test_an_equivalence_that_is_not_transitive_is_reported() -> None:
    votes = Voting(Near()).cluster(["1", "2", "3", "9"], [False] * 4)
    assert votes.classes == (VoteClass(3, 0.0), VoteClass(1, 0.0))
    assert votes.intransitive == 1
    assert Voting(Near()).cluster(["1", "2"], [False] * 2).intransitive == 0


def test_pairs_beyond_the_bound_vote_apart_and_are_counted() -> None:
    votes = Voting(Near(), most_pairs=1).cluster(["1", "2", "3"], [False] * 3)
    assert votes.unchecked == 2
    assert len(votes.classes) == 2


def test_a_sample_whose_judge_failed_does_not_vote() -> None:
    votes = Voting(None).cluster(["a", "a", "b"], [None, None, True])
    assert votes.classes == (VoteClass(1, 1.0),)
    assert votes.missing == 2


@pytest.mark.parametrize(("answers", "tied"), [(["a", "b"], True), (["a", "a", "b"], False), ([None], False)])
def test_a_tie_is_noticed(answers: list[str | None], tied: bool) -> None:
    assert Voting(None).cluster(answers, [False] * len(answers)).tied is tied


def test_a_verifier_that_fails_on_a_pair_lets_it_vote_apart() -> None:
    votes = Voting(Numbers()).cluster(["x/0", "1"], [False, False])
    assert len(votes.classes) == 2


def test_a_key_that_cannot_be_made_leaves_the_answer_to_its_text() -> None:
    class Fragile(Verifier[str]):
        def canonical_key(self, answer: str) -> str | None:
            return str(int(answer))

        def _verify_one(self, completion: str, reference: str, **columns: object) -> Result:
            raise AssertionError("answers are not compared pairwise")

    votes = Voting(Fragile()).cluster(["07", "7", "seven", "seven"], [False] * 4)
    assert votes.classes == (VoteClass(2, 0.0), VoteClass(2, 0.0))


def test_a_half_is_one_answer_to_the_math_verifier() -> None:
    answers = ["0.5", "1/2", r"\frac{1}{2}", "50\\%", "2", "2.0"]
    votes = Voting(MathVerifier()).cluster(answers, [True, True, True, True, False, False])
    assert votes.classes == (VoteClass(4, 1.0), VoteClass(2, 0.0))
    # the right answers meet by their value too, not only by their verdict
    wrong = Voting(MathVerifier()).cluster(answers[:3] + answers[4:], [False] * 5)
    assert sorted(item.size for item in wrong.classes) == [2, 3]
