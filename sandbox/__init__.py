"""Run programs nobody trusts."""

from .base import Execution, Limits, Program, Sandbox, Status
from .registry import BACKENDS, open_sandbox

__all__ = ["BACKENDS", "Execution", "Limits", "Program", "Sandbox", "Status", "open_sandbox"]
