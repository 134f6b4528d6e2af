"""The contract of a sandbox, with all attacks and honest programs, on a real Docker engine."""

from pathlib import Path

from assay.sandbox.docker.conformance import DockerConformance


class TestDocker(DockerConformance):
    programs = Path(__file__).parents[1] / "data" / "sandbox"
