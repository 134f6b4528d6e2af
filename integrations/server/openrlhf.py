"""OpenRLHF's remote reward model: ``POST`` of query, prompts and labels, answered with rewards, scores and logs.

The shapes are those of its client (OpenRLHF, ``openrlhf/utils/agent.py`` and ``remote_rm_utils.py``): lists of one
length; the query is the prompt followed by the response, special tokens kept.
"""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Query
from pydantic import BaseModel, ConfigDict, Field, model_validator

from ...verifiers.base import Result, Verdict
from ..completed import completion_in
from .judges import Bench
from .metrics import Metrics
from .replies import JSONReply, StrictRoute
from .settings import ServerSettings
from .texts import Texts
from .trouble import TooMany


class RewardRequest(BaseModel):
    """A batch of responses."""

    model_config = ConfigDict(extra="ignore")

    query: Texts = Field(description="n texts: prompt and response.")
    prompts: Texts = Field(description="n prompts; each is cut from the start of its query.")
    labels: list[Any] = Field(description="n references.")

    @model_validator(mode="after")
    def _same_length(self) -> RewardRequest:
        for name, values in (("prompts", self.prompts), ("labels", self.labels)):
            if len(values) != len(self.query):
                raise ValueError(f"{len(self.query)} queries came with {len(values)} {name}; expected one for each")
        return self


class RewardReply(BaseModel):
    """Numbers for each response, in order; null where the judge, not the policy, failed."""

    rewards: list[float | None] = Field(description="The scores.")
    scores: list[float | None] = Field(description="Correctness alone, 0 or 1, for dynamic filtering.")
    extra_logs: dict[str, list[float]] = Field(description="The same names in every reply.")
    reasons: list[str] = Field(description="A sentence for each; OpenRLHF does not read it.")


def routes(bench: Bench, metrics: Metrics, settings: ServerSettings) -> APIRouter:
    """The path ``/openrlhf/reward``."""
    router = APIRouter(tags=["OpenRLHF"], route_class=StrictRoute)

    @router.post("/openrlhf/reward", response_model=RewardReply)
    async def reward(
        body: RewardRequest,
        judge: Annotated[str | None, Query(description="Which judge, where there are several.")] = None,
    ) -> JSONReply:
        """Judge a batch in OpenRLHF's form."""
        if len(body.query) > settings.batch:
            raise TooMany(len(body.query), settings.batch)
        found = bench.find(judge)
        completions = [completion_in(query, prompt) for query, prompt in zip(body.query, body.prompts, strict=True)]
        results = await bench.judge_by_prompt(found, completions, body.labels, body.prompts)
        metrics.count(found.name, results)
        return JSONReply(
            {
                "rewards": [result.score for result in results],
                "scores": [_correctness(result) for result in results],
                "extra_logs": {
                    "correct": [float(result.verdict is Verdict.CORRECT) for result in results],
                    "no_answer": [float(result.verdict is Verdict.NO_ANSWER) for result in results],
                    "limit_exceeded": [float(result.verdict is Verdict.LIMIT_EXCEEDED) for result in results],
                    "judge_failed": [float(result.verdict.is_ours) for result in results],
                },
                "reasons": [result.reason for result in results],
            }
        )

    return router


def _correctness(result: Result) -> float | None:
    """Right or wrong, apart from shaping; a score that only shapes stands for itself."""
    return result.score if result.is_correct is None else float(result.is_correct)
