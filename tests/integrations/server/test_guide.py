"""The requests that the guide shows are answered."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from reward_server import TOKEN

GUIDE = Path(__file__).resolve().parents[3] / "docs" / "guide" / "serving.md"


def test_every_curl_line_of_the_guide_is_answered(server: Any) -> None:
    if shutil.which("curl") is None:
        pytest.skip("curl is not installed")
    blocks = re.findall(r"```bash\n(curl .*?)```", GUIDE.read_text(encoding="utf-8"), re.DOTALL)
    assert len(blocks) == 4
    wanted = ('"score":1.0', '"rewards":[1.0]', '"reward":1.0', '"stdout":"49\\n"')
    for block, part in zip(blocks, wanted, strict=True):
        command = block.replace("http://localhost:8080", server.address)
        done = subprocess.run(
            ["bash", "-c", command], capture_output=True, text=True, env=os.environ | {"ASSAY_TOKEN": TOKEN}
        )
        assert part in done.stdout, (block, done.stdout, done.stderr)
