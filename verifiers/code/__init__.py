"""Judge programs by test suites, in sandboxes, so that the judge cannot be fooled."""

from .suite import TestSuite
from .verifier import CodeVerifier

__all__ = ["CodeVerifier", "TestSuite"]
