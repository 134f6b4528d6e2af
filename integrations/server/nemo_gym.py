"""NeMo-Gym's resources server: ``/verify`` with one rollout a request, and ``/seed_session``.

The body is ``{"responses_create_params": {...}, "response": {...}, ...}`` with a Responses object as OpenAI describes
it; the reply repeats it and adds ``reward`` (NeMo-Gym, ``nemo_gym/base_resources_server.py``). The completion is the
text of the assistant's messages. The reference is the first task field, at the top or in ``verifier_metadata``, that
is called as ``REFERENCE`` lists; all other fields are columns.
"""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Query
from pydantic import BaseModel, ConfigDict, Field
from starlette.exceptions import HTTPException

from ..completed import text_of
from .judges import Bench
from .metrics import Metrics
from .replies import JSONReply, StrictRoute
from .texts import Object, one_row

REFERENCE = ("reference", "expected_answer", "answer", "solution", "ground_truth", "label")


class NeMoGymRequest(BaseModel):
    """One rollout with the fields of its task."""

    model_config = ConfigDict(extra="allow")

    responses_create_params: Object
    response: Object = Field(description="A Responses object; the assistant's messages in `output` are judged.")


class NeMoGymReply(BaseModel):
    """The request again, with its reward."""

    model_config = ConfigDict(extra="allow")

    reward: float | None = Field(description="In [0, 1]; null where the judge, not the policy, failed.")
    verdict: str
    reason: str


def routes(bench: Bench, metrics: Metrics) -> APIRouter:
    """The paths below ``/nemo_gym``, and ``/seed_session`` beside ``/verify``."""
    router = APIRouter(tags=["NeMo-Gym"], route_class=StrictRoute)

    @router.post("/nemo_gym/verify", response_model=NeMoGymReply)
    async def verify(
        body: NeMoGymRequest,
        judge: Annotated[str | None, Query(description="Which judge, where there are several.")] = None,
    ) -> JSONReply:
        """Judge one rollout of NeMo-Gym; `/verify` takes the same body."""
        return await judge_rollout(body, judge, bench, metrics)

    @router.post("/seed_session")
    @router.post("/nemo_gym/seed_session")
    async def seed_session() -> JSONReply:
        """Begin a rollout: nothing is kept between requests, so nothing is done."""
        return JSONReply({})

    return router


async def judge_rollout(body: NeMoGymRequest, judge: str | None, bench: Bench, metrics: Metrics) -> JSONReply:
    """The reply to one rollout."""
    found = bench.find(judge)
    fields = dict(body.model_extra or {})
    name, reference = _reference(fields)
    [result] = await bench.judge(found, [text_of(body.response)], [reference], one_row(fields, name))
    metrics.count(found.name, [result])
    echo = {**fields, "responses_create_params": body.responses_create_params, "response": body.response}
    return JSONReply({**echo, "reward": result.score, "verdict": result.verdict.value, "reason": result.reason})


def _reference(fields: dict[str, Any]) -> tuple[str, Any]:
    metadata = fields.get("verifier_metadata")
    for place in (fields, metadata if isinstance(metadata, dict) else {}):
        for name in REFERENCE:
            if name in place:
                return name, place[name]
    raise HTTPException(422, f"the task has no reference; expected one of the fields {', '.join(REFERENCE)}")
