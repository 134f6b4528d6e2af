"""Reward functions ready to be named on a command line: ``--reward_funcs assay.integrations.trl.ready.answer_math``."""

from __future__ import annotations

from ...verifiers import MathVerifier, TagFormat
from .rewards import RewardFunction

#: Mathematics against the column ``answer``.
answer_math = RewardFunction(MathVerifier(), reference="answer", name="answer_math")
#: Mathematics against the column ``solution``, the name in many data sets on the hub.
solution_math = RewardFunction(MathVerifier(), reference="solution", name="solution_math")
#: Whether a completion is ``<think>…</think><answer>…</answer>``.
think_answer_format = RewardFunction(TagFormat(), reference=None, name="think_answer_format")
#: The same where the chat template has written ``<think>`` already.
prefilled_think_answer_format = RewardFunction(
    TagFormat(prefilled=True), reference=None, name="prefilled_think_answer_format"
)
