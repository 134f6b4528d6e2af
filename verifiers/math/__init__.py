"""Judging mathematical answers: extract, read, compare. Importing this loads no third-party package."""

from .policy import Policy
from .verifier import MathVerifier

__all__ = ["MathVerifier", "Policy"]
