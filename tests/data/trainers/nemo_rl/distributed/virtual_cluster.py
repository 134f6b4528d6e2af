"""NeMo-RL, nemo_rl/distributed/virtual_cluster.py: interpreters by kind."""

import sys


class PY_EXECUTABLES:
    SYSTEM = sys.executable
