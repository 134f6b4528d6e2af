"""``POST /verify``: batches in assay's own form, and NeMo-Gym's rollouts, told apart by their keys."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Query
from pydantic import BaseModel, ConfigDict, Discriminator, Field, Tag, model_validator

from ...verifiers.base import Result
from .judges import Bench
from .metrics import Metrics
from .nemo_gym import NeMoGymReply, NeMoGymRequest, judge_rollout
from .replies import JSONReply, StrictRoute
from .settings import ServerSettings
from .texts import RESERVED, Columns, Texts
from .trouble import TooMany


class VerifyRequest(BaseModel):
    """Completions with what is needed to judge them."""

    model_config = ConfigDict(extra="forbid")

    judge: str | None = Field(
        None, description="A name fixed when the server started; may be left out where it has one."
    )
    completions: Texts = Field(description="What the policy wrote, n texts.")
    references: list[Any] = Field(description="n references, each as the judge takes them.")
    columns: Columns = Field({}, description="Further values by name, n each.")

    @model_validator(mode="after")
    def _same_length(self) -> VerifyRequest:
        for name, values in {"references": self.references, **self.columns}.items():
            if len(values) != len(self.completions):
                raise ValueError(
                    f"{len(self.completions)} completions came with {len(values)} {name}; expected one for each"
                )
        if reserved := sorted(RESERVED & set(self.columns)):
            raise ValueError(f"a column is called {reserved[0]!r}, which has a meaning of its own; rename it")
        return self


class Judgement(BaseModel):
    """What became of one completion. A failure of ours has no score."""

    score: float | None = Field(description="In [0, 1]; null exactly when the verdict is bad_reference or error.")
    verdict: str = Field(description="correct, partial, incorrect, no_answer, limit_exceeded, shaping, or ours: "
                         "bad_reference, error.")  # fmt: skip
    reason: str = Field(description="One sentence for a person.")
    answer: str | None = Field(description="What was extracted from the completion.")
    parts: dict[str, float | None] = Field(description="Component scores by name.")


class VerifyReply(BaseModel):
    """One judgement for each completion, in order."""

    judge: str
    results: list[Judgement]


def judgement(result: Result) -> dict[str, Any]:
    """A result as JSON."""
    return {
        "score": result.score,
        "verdict": result.verdict.value,
        "reason": result.reason,
        "answer": result.answer,
        "parts": dict(result.parts),
    }


def _kind(body: Any) -> str:
    keys = body if isinstance(body, dict) else {}
    return "nemo_gym" if "responses_create_params" in keys or "response" in keys else "assay"


AnyRequest = Annotated[
    Annotated[VerifyRequest, Tag("assay")] | Annotated[NeMoGymRequest, Tag("nemo_gym")], Discriminator(_kind)
]


def routes(bench: Bench, metrics: Metrics, settings: ServerSettings) -> APIRouter:
    """The path ``/verify``."""
    router = APIRouter(tags=["verify"], route_class=StrictRoute)

    @router.post("/verify", response_model=VerifyReply | NeMoGymReply)
    async def verify(
        body: AnyRequest, judge: Annotated[str | None, Query(description="For NeMo-Gym's body: which judge.")] = None
    ) -> JSONReply:
        """Judge a batch; or, where the body has `responses_create_params` and `response`, one rollout of NeMo-Gym."""
        if isinstance(body, NeMoGymRequest):
            return await judge_rollout(body, judge, bench, metrics)
        if len(body.completions) > settings.batch:
            raise TooMany(len(body.completions), settings.batch)
        found = bench.find(body.judge if body.judge is not None else judge)
        results = await bench.judge(found, body.completions, body.references, body.columns)
        metrics.count(found.name, results)
        return JSONReply({"judge": found.name, "results": [judgement(result) for result in results]})

    return router
