"""verl: a reward function by name, with its arguments in verl's configuration.

reward.custom_reward_function.path=examples/adapters/verl_reward.py reward.custom_reward_function.name=compute_score
+reward.custom_reward_function.reward_kwargs.judge=assay.verifiers:MathVerifier

`path=pkg://assay.integrations.verl` does the same without this file. Run it to see what verl is given.
"""

from __future__ import annotations

from assay.integrations.verl import compute_score, compute_scores
from assay.verifiers import TestSuite

__all__ = ["compute_score", "compute_scores"]


def main() -> None:
    row = {"data_source": "openai/gsm8k", "ground_truth": "18", "extra_info": {"index": 0}}
    judge = "assay.verifiers:MathVerifier"
    for text in (r"2 * 9 is \boxed{18}", r"\boxed{17}", "I do not know."):
        print(compute_score(solution_str=text, judge=judge, **row))
    suite = TestSuite.from_calls("f", [((1,), {}, 2)])
    batch = compute_scores(
        data_sources=["openai/gsm8k", "my/code"],
        solution_strs=[r"\boxed{18}", "```python\ndef f(x):\n    return x + 1\n```"],
        ground_truths=["18", suite.to_json()],
        judge={"openai/gsm8k": judge, "my/code": "assay.verifiers:CodeVerifier"},
    )
    print([scores["score"] for scores in batch])


if __name__ == "__main__":
    main()
