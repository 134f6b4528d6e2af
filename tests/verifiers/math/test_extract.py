"""Where a completion's final answer is found, and where there is none."""

from __future__ import annotations

import pytest

from assay.verifiers.math.extract import extract

FOUND = [
    ("one box", r"so \boxed{42}.", "42", "box"),
    ("the last of two boxes", r"First \boxed{2}. Wait, that is wrong; it is \boxed{3}.", "3", "box"),
    ("nested braces", r"\boxed{\frac{1}{\sqrt{2}}}", r"\frac{1}{\sqrt{2}}", "box"),
    ("an escaped brace", r"\boxed{\{1,2\}}", r"\{1,2\}", "box"),
    ("a box in a box", r"\boxed{\boxed{7}}", r"\boxed{7}", "box"),
    ("a frame", r"\fbox{7}", "7", "box"),
    ("GLM's box", "<|begin_of_box|>42<|end_of_box|>", "42", "box"),
    ("boxes joined by and", r"$\boxed{k=4} \text{ and } \boxed{n=2}$", "k=4, n=2", "box"),
    ("many boxes in a row are a list", r"\boxed{1} \boxed{2} \boxed{3}", "1, 2, 3", "box"),
    ("boxes apart are not joined", r"\boxed{10} and then \boxed{42}", "42", "box"),
    ("an approximation repeats", r"\boxed{\sqrt2}, numerically \boxed{\approx 1.41}", r"\sqrt2", "box"),
    ("after thinking", r"<think>\boxed{1}</think> \boxed{2}", "2", "box"),
    ("a tag", "<answer>42</answer>", "42", "tag"),
    ("a tag with a sentence", "<answer>The answer is 42.</answer>", "42", "tag"),
    ("four hashes", "6*7\n#### 42", "42", "hash"),
    ("JSON", '{"reasoning": "6*7", "answer": 42}', "42", "tag"),
    ("English", "The final answer is $42$. I hope it is correct.", "42", "announcement"),
    ("Spanish", "La respuesta es 42.", "42", "announcement"),
    ("French", "La réponse est 42.", "42", "announcement"),
    ("German", "Die Antwort lautet 42.", "42", "announcement"),
    ("Portuguese", "A resposta é 42.", "42", "announcement"),
    ("Italian", "La risposta è 42.", "42", "announcement"),
    ("Russian", "Ответ: 42", "42", "announcement"),
    ("Chinese", "最终答案：42", "42", "announcement"),
    ("Chinese choice", "故选B。", "B", "announcement"),
    ("Japanese", "答えは42です。", "42", "announcement"),
    ("Korean", "정답은 42입니다.", "42", "announcement"),
    ("Arabic", "الجواب هو 42", "42", "announcement"),
    ("Hindi", "उत्तर: 42", "42", "announcement"),
    ("bold after a marker", "**Answer:** **12**", "12", "announcement"),
    ("a marker after the box", r"\boxed{1} is a step. Final Answer: The final answer is $2$.", "2", "announcement"),
    ("a reason follows", "The answer is 42 because geometry proves it", "42", "announcement"),
    ("an alternative is ruled out", "The answer: D, it doesn't make sense to be A", "D", "announcement"),
    ("a conclusion", "2 and 3 make 5. Therefore, there are 5 apples.", "5 apples", "conclusion"),
    ("a conclusion with an equation", "So 2^3 = 8", "2^3 = 8", "conclusion"),
    ("the only value", "it takes 3.5 hours.", "3.5 hours", "only value"),
    ("nothing but a formula", r"$x^2+1$", r"$x^2+1$", "only value"),
    ("solutions", "The solutions are $x=1$ and $x=2$.", "x=1, x=2", "announcement"),
    ("a second thought is no value", "The answer is 7, but it could be 8.", "7, but it could be 8.", "announcement"),
    ("a template's tokens", "The answer is 42<|im_end|><|im_start|>user", "42", "announcement"),
]
NONE = [
    ("nothing", "", "nothing was written"),
    ("unfinished thinking", r"<think> maybe \boxed{42}", "the thinking never ended"),
    ("an open box", r"The answer is \boxed{42", "the last box was never closed"),
    ("an empty box", r"\boxed{}", "the box is empty"),
    ("several numbers and no statement", "We compute 17, then 3, and stop.", "no answer was marked as final"),
    ("no number", "I do not know.", "no answer was marked as final"),
    ("taken back", r"\boxed{5}. But that is wrong.", "the answer was taken back and no other was given"),
    ("a part of a formula", r"so $\boxed{8}\pi$", "the box holds only a part of a formula"),
    ("leftovers are no prose", "7 \\end{pmatrix}", "no answer was marked as final"),
]


@pytest.mark.parametrize(
    ("completion", "answer", "source"), [case[1:] for case in FOUND], ids=[case[0] for case in FOUND]
)
def test_the_answer_is_found(completion: str, answer: str, source: str) -> None:
    found = extract(completion)
    assert (found.answer, found.source) == (answer, source)


@pytest.mark.parametrize(("completion", "problem"), [case[1:] for case in NONE], ids=[case[0] for case in NONE])
def test_without_an_answer_the_problem_is_named(completion: str, problem: str) -> None:
    found = extract(completion)
    assert (found.answer, found.problem) == (None, problem)


def test_the_last_number_counts_under_a_switch_only() -> None:
    text = "We compute 17, then 3, and stop."
    assert extract(text).answer is None
    assert extract(text, last=True).answer == "3"
    assert extract("It is **5** or so, 7 at most **6**", last=True).answer == "6"


def test_a_letter_at_the_start_counts_for_multiple_choice_only() -> None:
    assert extract("D. it can not be A or B", choice=True).answer == "D"
    assert extract("D. it can not be A or B").answer != "D"


@pytest.mark.parametrize(
    "unit", ["\\boxed{", "the answer is ", "</answer>", "####", "<think>", "so 1 ", "$", "{", "\n"]
)
def test_long_degenerate_texts_give_a_short_answer_or_none(unit: str) -> None:
    answer = extract(unit * (300_000 // len(unit))).answer
    assert answer is None or len(answer) < 20


def test_the_answer_before_a_long_tail_of_blanks_is_found() -> None:
    assert extract("\\boxed{7}" + " " * 200_000).answer == "7"
