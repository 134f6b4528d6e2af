"""What the judges of this folder have in common: a program with its plan, and how a batch is judged."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, TypeVar

from ...sandbox.base import Limits, Sandbox
from .plan import CallPlan, CheckerPlan, LinkedPlan, StdioPlan

P = TypeVar("P", CallPlan, CheckerPlan, LinkedPlan, StdioPlan, covariant=True)


@dataclass(frozen=True, slots=True)
class Job(Generic[P]):
    """A program and how to judge it.

    Attributes:
        sources: Texts to execute one after another in one namespace; the last is the completion's own.
        plan: What to do.
    """

    sources: tuple[str, ...]
    plan: P


@dataclass(frozen=True, slots=True)
class Settings:
    """How a batch is judged.

    Attributes:
        sandbox: Where programs run.
        limits: What each run may use.
        language: The programming language of whole programs.
        stop: Whether to leave the rest of a program's tests after its first failure.
        partial: Whether a part of the tests counts, so that it pays to go on after a run that was killed.
    """

    sandbox: Sandbox
    limits: Limits
    language: str
    stop: bool
    partial: bool
