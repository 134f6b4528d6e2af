"""The server against its own OpenAPI description: generated requests, right and wrong, and what may come back."""

from __future__ import annotations

from typing import Any

import schemathesis
from hypothesis import HealthCheck, Phase, settings
from schemathesis.specs.openapi.checks import positive_data_acceptance

from assay.integrations.server import ServerSettings, create_app, read_judges
from assay.sandbox import Execution, Limits, Program, Status

TOKEN = "correct-horse-battery-staple"


class Printer:
    """A sandbox that only prints its input: what programs do is not the question here."""

    async def arun(self, programs: list[Program], limits: Limits, *, deadline_seconds: float) -> list[Execution]:
        return [Execution(Status.OK, 0, stdout=program.stdin) for program in programs]

    def close(self) -> None:
        """There is nothing to close."""


app = create_app(
    read_judges([], ["math"]),
    ServerSettings(token=TOKEN, batch=8),
    sandbox=Printer(),  # type: ignore[arg-type]
)
schema = schemathesis.openapi.from_asgi("/openapi.json", app)


@schema.parametrize()
@settings(
    max_examples=8,
    derandomize=True,
    deadline=None,
    database=None,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=list(HealthCheck),
)
def test_every_answer_is_one_that_the_description_names(case: Any) -> None:
    # What JSON Schema cannot say is refused with 422: that lists have one length, that a file is base64.
    case.call_and_validate(headers={"Authorization": f"Bearer {TOKEN}"}, excluded_checks=[positive_data_acceptance])
