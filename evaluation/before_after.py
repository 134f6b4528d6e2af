"""What training changed, as one page to open: plot, table, and the sentences that the numbers allow."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from html import escape
from pathlib import Path
from string import Template

from ..environments.wording import counted
from .change import Change
from .files import write_text, writing
from .outcomes import METRICS
from .pairing import pair
from .plots import change_figure, change_svg, save_figure
from .report import Report, load_report

_PAGE = Template("""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>$title</title>
<style>
:root { color-scheme: light dark; }
body { font: 16px/1.55 system-ui, sans-serif; max-width: 62rem; margin: 0 auto; padding: 1.2rem;
       color: light-dark(#1b1b1b, #e8e8e8); background: light-dark(#ffffff, #16181c); }
h1, p { overflow-wrap: anywhere; }
figure { margin: 0; }
svg { width: 100%; height: auto; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; white-space: nowrap; }
th, td { padding: .3rem .7rem; text-align: right; border-bottom: 1px solid light-dark(#dddddd, #3a3d44); }
td.sure { font-weight: 650; }
.note { border-left: 4px solid #c07a00; padding-left: .8rem; }
footer { font-size: .85rem; opacity: .8; margin-top: 2rem; }
</style>
</head>
<body>
<h1>$title</h1>
$sentences
$notes
<figure>$plot</figure>
<div class="scroll">
<table>
<thead>
<tr><th rowspan="2">K</th><th colspan="3">Pass@K, %</th><th colspan="3">Maj@K, %</th></tr>
<tr><th>before</th><th>after</th><th>difference [95 %]</th><th>before</th><th>after</th><th>difference [95 %]</th></tr>
</thead>
<tbody>
$rows
</tbody>
</table>
</div>
<footer>
<p>$tasks, $samples. Pass@K: the chance that at least one of K samples is right. Maj@K: the chance that the answer
given most often among K samples is right, ties shared. Both are exact expectations over all subsets of the samples.
Intervals: Student t over tasks, paired by task for the differences, each for its own K alone; bold where zero lies
outside however failed samples count.</p>
<p>Before: $before<br>After: $after</p>
</footer>
</body>
</html>
""")


def before_after(
    before: Report | str | os.PathLike[str],
    after: Report | str | os.PathLike[str],
    folder: str | os.PathLike[str],
    *,
    title: str = "Before and after training",
) -> Change:
    """Pair two reports by task and write ``before_after.html``, ``.png``, ``.md`` and ``.json``.

    The page is one file: it needs no network, follows the reader's dark or light mode and fits a phone.

    Args:
        before: The report of the model before training, or the folder of its run.
        after: That after it, on the same tasks, or its folder.
        folder: Where the files go; made where absent.
        title: The page's heading.

    Returns:
        The numbers, with the paths of the four files by suffix in ``files``.

    Raises:
        InputError: The reports share no task, or a folder holds no run.
        MissingExtra: matplotlib is not installed.
        StorageFailed: The folder cannot be written.
    """
    first, second = (side if isinstance(side, Report) else load_report(side) for side in (before, after))
    change = pair(first, second)
    path = Path(folder)
    with writing(path):
        path.mkdir(parents=True, exist_ok=True)
    files = {suffix: path / f"before_after.{suffix}" for suffix in ("html", "png", "md", "json")}
    save_figure(change_figure(change), files["png"])
    write_text(files["html"], _page(change, first, second, title))
    write_text(files["md"], "\n\n".join([f"# {title}", *change.sentences, change.to_markdown()]))
    write_text(files["json"], json.dumps(change.to_json(), indent=2, ensure_ascii=False) + "\n")
    return replace(change, files=files)


def _page(change: Change, before: Report, after: Report, title: str) -> str:
    samples = dict.fromkeys(f"{counted(count, 'sample')} each" for count in change.samples)
    return _PAGE.substitute(
        title=escape(title),
        sentences="\n".join(f"<p>{escape(sentence)}</p>" for sentence in change.sentences),
        notes="\n".join(f'<p class="note">{escape(note)}</p>' for note in change.notes),
        plot=change_svg(change),
        rows="\n".join(_row(change, k) for k in change.ks),
        tasks=counted(change.tasks, "task"),
        samples=" before and ".join(samples),
        before=escape(_settings(before)),
        after=escape(_settings(after)),
    )


def _row(change: Change, k: int) -> str:
    cells = []
    for metric in METRICS:
        sure = ' class="sure"' if change.signs[metric][k] else ""
        first, second, difference = change.row(metric, k)
        cells.append(f"<td>{first}</td><td>{second}</td><td{sure}>{difference}</td>")
    return f"<tr><th>{k}</th>{''.join(cells)}</tr>"


def _settings(report: Report) -> str:
    settings = ", ".join(f"{key} {value}" for key, value in report.config["sampler"].items() if value is not None)
    return f"{report.title}: {settings}"
