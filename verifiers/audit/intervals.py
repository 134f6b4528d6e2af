"""Wilson's interval for a share: the audit's counts are often 0 of n."""

from __future__ import annotations

import math

_Z = 1.959963984540054  # 95 %


def wilson(count: int, total: int) -> tuple[float, float]:
    """The 95 % score interval of ``count`` of ``total`` (Wilson 1927); (0, 1) of nothing.

    >>> [round(end, 3) for end in wilson(0, 20)]
    [0.0, 0.161]
    """
    if total == 0:
        return 0.0, 1.0
    share = count / total
    centre = share + _Z * _Z / (2 * total)
    spread = _Z * math.sqrt(share * (1 - share) / total + _Z * _Z / (4 * total * total))
    scale = 1 + _Z * _Z / total
    return max(0.0, (centre - spread) / scale), min(1.0, (centre + spread) / scale)
