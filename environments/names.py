"""How environments are called: ``namespace/name-vN``."""

from __future__ import annotations

import re

#: Groups: ``base`` without the version, and the number ``version``.
NAME = re.compile(r"(?P<base>[a-z0-9_-]+/[a-z0-9_-]+?)-v(?P<version>[1-9]\d*)\Z")
