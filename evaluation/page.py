"""The samples page: one HTML file to search and filter, made from a run's folder; it needs no network.

What a model wrote is kept as JSON inside ``<script type="application/json">`` with every ``<`` escaped, and shown
through text nodes only. A content security policy allows the page's own script, by its hash, and nothing else.
"""

from __future__ import annotations

import base64
import json
import os
from collections.abc import Mapping, Sequence
from hashlib import sha256
from html import escape
from pathlib import Path
from string import Template
from typing import Any

from ..environments.wording import counted
from ..verifiers.base import Verdict
from .files import write_text
from .metrics import dead_group_probability
from .outcomes import METRICS, TaskOutcome, powers_of_two
from .page_parts import SCRIPT, STYLE
from .plots import report_svg
from .report import Report, load_report
from .samples import Sample, SampleFolder
from .tables import interval_text

_PAGE = Template("""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy"
 content="default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-$hash'">
<title>$title</title>
<style>$style</style>
</head>
<body>
<h1>$title</h1>
<p>$about</p>
$notes
<figure>$plot</figure>
<div class="scroll"><table>
<tr><th>K</th><th>Pass@K</th><th>other tasks</th><th>other samples</th>
<th>Maj@K</th><th>other tasks</th><th>other samples</th></tr>
$curves
</table></div>
<p>$groups</p>
<h2>Tasks and samples</h2>
<div class="controls">
<input type="search" id="query" placeholder="Search prompts, completions, answers, reasons" aria-label="Search">
<select id="kind" aria-label="Tasks">
<option value="all">all tasks</option><option value="none">solved by no sample</option>
<option value="some">solved by some</option><option value="every">solved by every sample</option>
<option value="outvoted">right but outvoted</option><option value="failed">with failures</option>
<option value="truncated">with cut samples</option></select>
<select id="verdict" aria-label="Verdict"><option value="">any verdict</option>$verdicts</select>
<select id="order" aria-label="Order"><option value="given">in order</option>
<option value="hardest">hardest first</option><option value="easiest">easiest first</option></select>
<span id="count"></span>
</div>
<div id="list"></div>
<script type="application/json" id="tasks">$tasks</script>
$samples
<script>$script</script>
</body>
</html>
""")


def write_page(folder: str | os.PathLike[str], file: str | os.PathLike[str] | None = None) -> Path:
    """Make the samples page of a run.

    Args:
        folder: Where ``evaluate`` wrote.
        file: Where the page goes; ``report.html`` in the folder by default.

    Returns:
        The page's path.

    Raises:
        InputError: The folder holds no run.
        MissingExtra: matplotlib is not installed.
        StorageFailed: The file cannot be written.
    """
    report = load_report(folder)
    store = SampleFolder(folder)
    rows: dict[str, list[Sample]] = {}
    for sample in sorted(store.samples(), key=lambda sample: sample.sample):
        rows.setdefault(sample.task, []).append(sample)
    path = Path(folder) / "report.html" if file is None else Path(file)
    write_text(path, _page(report, store.tasks(), rows))
    return path


def _page(report: Report, tasks: Sequence[Mapping[str, Any]], rows: Mapping[str, Sequence[Sample]]) -> str:
    listed = [
        _task(index, task, item, rows.get(item.id, []))
        for index, (task, item) in enumerate(zip(tasks, report.outcomes, strict=True))
    ]
    samples = (
        f'<script type="application/json" id="t{index}">{_json([s.to_json() for s in rows.get(item.id, [])])}</script>'
        for index, item in enumerate(report.outcomes)
    )
    settings = ", ".join(f"{key} {value}" for key, value in report.config["sampler"].items() if value is not None)
    return _PAGE.substitute(
        title=escape(report.title),
        hash=base64.b64encode(sha256(SCRIPT.encode()).digest()).decode(),
        style=STYLE,
        about=escape(f"{counted(len(report.outcomes), 'task')}, {counted(report.samples, 'sample')} each. {settings}."),
        notes="\n".join(f'<p class="note">{escape(note)}</p>' for note in report.notes),
        plot=report_svg(report) if report.measured else "",
        curves="\n".join(_curve_row(report, k) for k in report.ks),
        groups=escape(_dead_groups(report)) if report.measured else "",
        verdicts="".join(f'<option value="{v}">{v.replace("_", " ")}</option>' for v in Verdict),
        tasks=_json(listed),
        samples="\n".join(samples),
        script=SCRIPT,
    )


def _task(index: int, task: Mapping[str, Any], item: TaskOutcome, samples: Sequence[Sample]) -> dict[str, Any]:
    """What the list shows of one task before it is opened."""
    prompt, reference = task["prompt"], task["reference"]
    text = prompt if isinstance(prompt, str) else "\n\n".join(f"{m['role']}: {m['content']}" for m in prompt)
    answers: dict[int, str] = {}
    for group, sample in zip(item.votes.groups, samples, strict=True):
        if group is not None and sample.answer is not None:
            answers.setdefault(group, sample.answer)
    return {
        "index": index,
        "id": item.id,
        "prompt": text,
        "reference": reference if isinstance(reference, str) else json.dumps(reference, ensure_ascii=False, indent=1),
        "n": item.samples,
        "correct": item.correct,
        "failures": item.failures,
        "truncated": item.truncated,
        "missing": item.votes.missing,
        "votes": [
            {"size": vote.size, "score": vote.score, "answer": answers.get(group, "")}
            for group, vote in enumerate(item.votes.classes)
        ],
    }


def _curve_row(report: Report, k: int) -> str:
    cells: list[str] = []
    for metric in METRICS:
        estimate = report.curves[metric][k]
        cells += interval_text(estimate, report.benchmark_curves[metric][k])
    return f"<tr><th>{k}</th>{''.join(f'<td>{escape(cell)}</td>' for cell in cells)}</tr>"


def _dead_groups(report: Report) -> str:
    """How many groups of each size would be all right or all wrong: no gradient in GRPO."""
    taken = [item for item in report.outcomes if item.samples == report.samples]
    parts = []
    for group in [k for k in powers_of_two(report.samples) if k > 1] if taken else []:
        dead = [dead_group_probability(n=item.samples, correct=item.correct, group=group) for item in taken]
        parts.append(f"{sum(dead) / len(dead):.0%} of groups of {group}")
    if not parts:
        return "Groups need at least two samples of each task."
    return f"All right or all wrong, so without a gradient in GRPO, would be {', '.join(parts)}."


def _json(value: Any) -> str:
    """JSON that no parser of HTML can take for markup."""
    return json.dumps(value, ensure_ascii=False).replace("<", "\\u003c")
