"""Tell honestly what a model can do, and what training changed: pass@k, maj@k, intervals, reports."""

from .before_after import before_after
from .change import Change
from .compare import Comparison, Shift, compare
from .evaluate import evaluate
from .intervals import Estimate, difference_interval, rate_interval
from .majority import VoteClass, majority_curve
from .metrics import (
    average_at_n,
    best_of_k,
    dead_group_probability,
    g_pass_at_k,
    maj_at_k,
    pass_all_at_k,
    pass_at_k,
)
from .report import Report, load_report
from .samplers.base import Completion, Sampler
from .samples import Sample
from .voting import Votes, Voting

__all__ = [
    "Change",
    "Comparison",
    "Completion",
    "Estimate",
    "Report",
    "Sample",
    "Sampler",
    "Shift",
    "VoteClass",
    "Votes",
    "Voting",
    "average_at_n",
    "before_after",
    "best_of_k",
    "compare",
    "dead_group_probability",
    "difference_interval",
    "evaluate",
    "g_pass_at_k",
    "load_report",
    "maj_at_k",
    "majority_curve",
    "pass_all_at_k",
    "pass_at_k",
    "rate_interval",
]
