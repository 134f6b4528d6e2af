"""Every built-in environment whose data is here passes the audit; what is refused although right is explained."""

from __future__ import annotations

from pathlib import Path

import pytest

import assay
from assay.cli.audit_command import cases_of
from assay.environments.registry import ENVIRONMENTS
from assay.verifiers.audit import VerifierSubject, audit

# Right completions that are refused on purpose, by environment and probe.
EXPLAINED = {
    ("math/arithmetic-v1", "variants"): "the whole completion must be the two elements, without a space more",
}
# Their data is on the hub alone; math/math500-v1, math/gsm8k-v1 and code/mbpp-v1 have the same verifiers.
NEEDS_HUB = {"math/aime24-v1", "math/aime25-v1", "math/math-v1", "code/stdio-v1"}
# For these no right completion is known.
NO_ANSWERS = {"format/ifbench-v1", "format/ifeval-v1"}
# Bridges hold other people's graders and want to be told which; tests/environments judges the bridges themselves.
NAMES = sorted(name for name in ENVIRONMENTS if name not in NEEDS_HUB and not name.startswith("bridge/"))


@pytest.fixture(autouse=True)
def data(shared: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASSAY_DATA", str(shared / "data"))


@pytest.mark.parametrize("name", NAMES)
def test_a_built_in_environment_pays_nothing_it_should_not(name: str) -> None:
    environment = assay.make(name)
    cases = cases_of(environment, None, 2)
    report = audit(VerifierSubject(environment.verifier, name=name), cases, form=environment.domain == "format")
    assert report.broken(["false_pass>0", "raised>0", "no_score>0", "unstable>0"]) == [], report.examples
    assert report.payable == (0 if name in NO_ANSWERS else len(cases))
    if report.payable:
        missed = {
            probe
            for probe, outcome in report.probes.items()
            if outcome.owes == "pass" and outcome.passed < outcome.count
        }
        assert missed == {probe for owner, probe in EXPLAINED if owner == name}, report.examples


def test_each_environment_named_here_is_there() -> None:
    assert set(ENVIRONMENTS) > NEEDS_HUB | NO_ANSWERS | {owner for owner, _ in EXPLAINED}
