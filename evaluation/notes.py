"""Sentences about what limits the numbers of a report."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..environments.wording import counted, ended

if TYPE_CHECKING:
    from .report import Report


def notes_of(report: Report) -> list[str]:
    """What a reader must know before trusting the report; nothing where nothing limits it."""
    rates, notes = report.rates, []
    taken = sum(item.samples for item in report.outcomes)
    if not report.complete:
        notes.append(f"Incomplete: {taken} of {len(report.outcomes) * report.samples} samples are there.")
    if failures := sum(item.failures for item in report.outcomes):
        first = next((item.failure for item in report.outcomes if item.failure), "")
        count = "they count as not correct" if report.measured else "nothing was measured"
        notes.append(
            ended(
                f"{failures} of {counted(taken, 'sample')} could not be sampled or judged; {count}. The first: {first}"
            )
        )
    if not report.measured:
        return notes
    several = [item for item in report.outcomes if item.samples - item.failures > 1]
    if several and report.config["sampler"].get("temperature") and all(item.distinct == 1 for item in several):
        notes.append(
            "All samples of each task are the same text, though the temperature is not 0: a model that is sure, or "
            "a server that decodes greedily or ignores seeds. Pass@K says no more than Pass@1 then."
        )
    if report.voting == "text":
        notes.append("Votes were counted by the answers' text: the verifier was not at hand.")
    if (
        report.outcomes
        and all(item.votes.missing == item.samples for item in report.outcomes)
        and any(item.correct for item in report.outcomes)
    ):
        notes.append(
            "No judgement names an answer, so nothing voted: Maj@K is 0 whatever the model wrote. A verifier of your "
            "own names it with Result.correct(answer=...) and Result.incorrect(answer=...)."
        )
    if rates["truncated"] > 0.05:
        notes.append(f"{rates['truncated']:.0%} of the samples were cut at the token limit.")
    for name, text in {
        "mixed_classes": "the verifier judged equivalent answers differently",
        "intransitive": "the verifier's equivalence is not transitive",
        "unchecked_pairs": "there were too many answers to compare all pairs",
    }.items():
        if rates[name]:
            notes.append(f"On {rates[name]:.0%} of the tasks {text}.")
    return notes
