"""The verifiers that `math.py` puts side by side, each as one function of a reference and an answer."""

from __future__ import annotations

import re
from collections.abc import Callable

Judge = Callable[[str, str, bool], bool]  # the reference, the answer, and whether it is a whole completion


def assay() -> Judge:
    """This package, with its default policy."""
    from assay.verifiers import MathVerifier

    verifier = MathVerifier()
    verifier.verify_answers([r"\sqrt{2}", "x+1"], ["1", "y"])  # imports

    def judge(gold: str, prediction: str, whole: bool) -> bool:
        verify = verifier.verify if whole else verifier.verify_answers
        return verify([prediction], [gold])[0].score == 1.0

    return judge


def math_verify() -> Judge:
    """math-verify with its defaults; both sides wrapped as formulas, for bare LaTeX is not read."""
    from math_verify import parse, verify

    def judge(gold: str, prediction: str, whole: bool) -> bool:
        return bool(verify(parse(_wrapped(gold)), parse(prediction if whole else _wrapped(prediction))))

    return judge


def math_verify_tuned() -> Judge:
    """math-verify as well as we could tune it: letters, set relations, a second try in a box."""
    from math_verify import ExprExtractionConfig, LatexExtractionConfig, StringExtractionConfig, parse, verify

    formulas = [LatexExtractionConfig(boxed_match_priority=0), ExprExtractionConfig()]

    def judge(gold: str, prediction: str, whole: bool) -> bool:
        letter = re.fullmatch(r"\s*\$?\\?(?:text\{)?\(?[A-J]\)?\}?\$?\s*", gold)
        configs = [StringExtractionConfig(), *formulas] if letter else formulas
        target = parse(_wrapped(gold), extraction_config=configs)
        if verify(target, parse(prediction if whole else _wrapped(prediction), configs), allow_set_relation_comp=True):
            return True
        return not whole and bool(
            verify(target, parse(f"\\boxed{{{prediction}}}", configs), allow_set_relation_comp=True)
        )

    return judge


def trl_accuracy() -> Judge:
    """TRL's ``accuracy_reward``, the reference given as the data set gives it."""
    from trl.rewards import accuracy_reward

    def judge(gold: str, prediction: str, whole: bool) -> bool:
        text = prediction if whole else f"\\boxed{{{prediction}}}"
        return accuracy_reward([[{"role": "assistant", "content": text}]], [gold])[0] == 1.0

    return judge


def string_normaliser() -> Judge:
    """Equality of strings after the usual removal of spacing, fonts, units and delimiters."""
    strip = re.compile(r"\\(?:left|right|text|mathrm|mbox|displaystyle|,|!|;|:| )|[\s${}]|\\%|%|\^\\circ|\\\$")

    def normal(text: str) -> str:
        text = text.replace("dfrac", "frac").replace("tfrac", "frac")
        return strip.sub("", text).rstrip(".").lower()

    def judge(gold: str, prediction: str, whole: bool) -> bool:
        if whole:
            found = re.findall(r"\\boxed\{([^{}]*(?:\{[^{}]*\}[^{}]*)*)\}", prediction)
            prediction = found[-1] if found else prediction.rsplit(" ", 1)[-1]
        return normal(gold) == normal(prediction)

    return judge


def forget(*, references: bool) -> None:
    """Let this package forget the answers that it has read, and the references too where that is asked for."""
    from assay.verifiers.math.judging import read_reference
    from assay.verifiers.math.reading import read_tidied

    read_tidied.cache_clear()
    if references:
        read_reference.cache_clear()


VERIFIERS: dict[str, Callable[[], Judge]] = {
    "assay": assay,
    "math-verify": math_verify,
    "math-verify, tuned": math_verify_tuned,
    "TRL accuracy_reward": trl_accuracy,
    "string normaliser": string_normaliser,
}


def _wrapped(text: str) -> str:
    return text if "$" in text or "\\boxed" in text or "\\[" in text else f"${text}$"
