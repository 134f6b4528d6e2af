"""The audit: attack any grader from outside and say what it pays that it should not."""

from .case import Case, case_of
from .report import AuditReport
from .run import audit
from .subject import RewardSubject, VerifierSubject

__all__ = ["AuditReport", "Case", "RewardSubject", "VerifierSubject", "audit", "case_of"]
