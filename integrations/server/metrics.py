"""What a server counts, in Prometheus' text format."""

from __future__ import annotations

from collections.abc import Iterable

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, ProcessCollector, generate_latest

from ...verifiers.base import Result

_SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300)


class Metrics:
    """The counters of one server."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        ProcessCollector(registry=self.registry)
        self.requests = Counter("assay_requests", "Requests answered.", ["path", "status"], registry=self.registry)
        self.seconds = Histogram(
            "assay_request_seconds",
            "From a request's head to the end of its answer.",
            ["path"],
            buckets=_SECONDS,
            registry=self.registry,
        )
        self.in_flight = Gauge("assay_requests_in_flight", "Requests under way.", registry=self.registry)
        self.refused = Counter(
            "assay_requests_refused",
            "Requests turned away before anything was judged.",
            ["why"],
            registry=self.registry,
        )
        self.judged = Counter("assay_completions", "Completions judged.", ["judge", "verdict"], registry=self.registry)
        self.runs = Counter("assay_runs", "Programs run for /run_code.", ["status"], registry=self.registry)

    def count(self, judge: str, results: Iterable[Result]) -> None:
        """Count verdicts."""
        for result in results:
            self.judged.labels(judge, result.verdict.value).inc()

    def text(self) -> bytes:
        """All of them."""
        return generate_latest(self.registry)
