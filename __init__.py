"""assay judges what a language model wrote, by rule, in batches, safely and fast; for GRPO and its evaluation.

>>> import assay
>>> assay.Result.correct(answer="4").verdict
<Verdict.CORRECT: 'correct'>
"""

from .environments.define import make_env
from .environments.registry import make, register
from .verifiers.base import Result, Verdict, Verifier

__version__ = "0.1.0"
__all__ = ["Result", "Verdict", "Verifier", "__version__", "make", "make_env", "register"]
