"""Random inputs for the math verifier: fragments of LaTeX, of answers and of nothing, put together.

    python tests/verifiers/math/fuzz.py 500000

judges so many and reports exceptions, results that are our failure, and the slowest input in CPU time.
"""

from __future__ import annotations

import random
import sys
import time
from collections.abc import Iterator

_TEXT = r"""
\frac \sqrt \left( \right) \boxed{ \text{and} \text{or} \pm \cup \infty \pi \sin \log_ \sum_{k=1}^{n} \int_0^1 dx
\choose \binom \begin{pmatrix} \end{pmatrix} \\ & \{ \} { } ( ) [ ] | ^ _ ! % $ \$ , ; : . ... ' = < > \le \ne \in
\mathbb{R} \% x y e i \circ \cdot \times + - * / 0 1 2 7 10 0.5 1,234 .25 1e9 9^9^9 2^{2^{2^{99}}} abc cm kg \theta
\overline{3} \lim_{x\to0} f(x) n! \pmod{7} \begin{cases} \end{cases} <answer> </answer> #### answer: the is not A B
C \quad \, \! ~ <think> </think> 1/2 $x$ \mathrm{e} \approx \ldots \emptyset \angle \vec{v} \hat{i} ½ ² √ π ≤ − ×
答案 是 । \[ \] \( \)
"""
FRAGMENTS = tuple(_TEXT.split())


def inputs(count: int, seed: int) -> Iterator[str]:
    """So many random texts, the same ones for one seed."""
    draw = random.Random(seed)
    for _ in range(count):
        length = draw.choice((1, 2, 3, 5, 8, 13, 30))
        glue = draw.choice(("", "", " "))
        text = glue.join(draw.choice(FRAGMENTS) for _ in range(length))
        if draw.random() < 0.1:
            text = "".join(chr(draw.choice((draw.randrange(32, 127), draw.randrange(0x10FFFF)))) for _ in range(length))
        if draw.random() < 0.05:
            text = text * draw.randrange(2, 60)
        yield text


def main() -> None:
    """Judge the number of inputs that the command line names."""
    from assay.verifiers import MathVerifier

    count = int(sys.argv[1]) if len(sys.argv) > 1 else 20_000
    verifier = MathVerifier()
    verifier.verify_answers([r"\sqrt{2}"], ["1"])  # imports
    references = ["7", r"\frac{1}{2}", "x^2+1", r"\{1,2\}", "(0,1)", "B", r"\text{yes}", "x=5", r"5\text{ cm}"]
    slowest, failures, total = (0.0, ""), 0, time.process_time()
    for index, text in enumerate(inputs(count, seed=1)):
        started = time.process_time()
        reference = references[index % len(references)] if index % 5 else text
        method = verifier.verify if index % 2 else verifier.verify_answers
        result = method([text], [reference])[0]
        slowest = max(slowest, (time.process_time() - started, text))
        if result.verdict == "error":
            failures += 1
            print(f"{result.reason}: {text!r} against {reference!r}")
    seconds = time.process_time() - total
    print(f"{count} inputs, {failures} failures of ours, {count / seconds:,.0f} per CPU second")
    print(f"slowest: {slowest[0] * 1e3:.1f} ms for {slowest[1][:200]!r}")


if __name__ == "__main__":
    main()
