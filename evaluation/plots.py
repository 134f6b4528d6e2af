"""Plots by matplotlib, without a display and without pyplot's global state."""

from __future__ import annotations

import io
import logging
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import MissingExtra
from .change import Change
from .files import writing
from .outcomes import METRICS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from .intervals import Estimate
    from .report import Report

_BEFORE, _AFTER = "#8c6d1f", "#2f6fb0"
# Stands for the page's text colour: an SVG in a page takes it over by currentColor, so dark mode needs no second plot.
_INK = "#123456"
_NAMES = {"pass@k": "Pass@K", "maj@k": "Maj@K"}


def change_figure(change: Change, *, ink: str = "#222222") -> Any:
    """Two rows: the curves before and after with their bands, and the paired difference in points.

    Raises:
        MissingExtra: matplotlib is not installed.
    """
    figure = _figure((9.0, 6.0))
    axes = figure.subplots(2, len(METRICS), sharex=True, sharey="row", height_ratios=[3, 2])
    for column, metric in enumerate(METRICS):
        top, bottom = axes[0][column], axes[1][column]
        _line(top, change.before[metric], change.ks, _BEFORE, "before", marker="o")
        _line(top, change.after[metric], change.ks, _AFTER, "after", marker="s")
        top.axhline(100 * change.ceiling, color=ink, linewidth=0.8, linestyle=":", label="solved at least once")
        top.set_title(_NAMES[metric])
        _line(bottom, change.differences[metric], change.ks, _AFTER, "after - before", marker="D")
        bottom.axhline(0.0, color=ink, linewidth=0.8)
        bottom.set_xscale("log", base=2)
        bottom.set_xticks(change.ks, [str(k) for k in change.ks])
        bottom.minorticks_off()
        bottom.set_xlabel("K")
        for axis in (top, bottom):
            _ink(axis, ink)
    axes[0][0].set_ylabel("tasks, %")
    axes[1][0].set_ylabel("difference, points")
    axes[0][0].legend(frameon=False, labelcolor=ink, loc="best")  # clear of the curves
    return figure


def report_figure(report: Report, *, ink: str = "#222222") -> Any:
    """The curves of a report with their population bands, and how many tasks have which share of correct samples.

    Raises:
        MissingExtra: matplotlib is not installed.
    """
    figure = _figure((9.0, 3.4))
    curves, rates = figure.subplots(1, 2)
    for metric, color, marker in zip(METRICS, (_AFTER, _BEFORE), ("s", "o"), strict=True):
        _line(curves, report.curves[metric], report.ks, color, _NAMES[metric], marker=marker)
    curves.set_xscale("log", base=2)
    curves.set_xticks(report.ks, [str(k) for k in report.ks])
    curves.minorticks_off()
    curves.set_xlabel("K")
    curves.set_ylabel("tasks, %")
    curves.legend(frameon=False, labelcolor=ink)
    shares = [item.correct / item.samples for item in report.outcomes if item.samples]
    rates.hist(shares, bins=[i / 10 for i in range(11)], color=_AFTER, alpha=0.8)
    rates.set_xlabel("share of correct samples")
    rates.set_ylabel("tasks")
    rates.yaxis.get_major_locator().set_params(integer=True)
    for axis in (curves, rates):
        _ink(axis, ink)
    return figure


def report_svg(report: Report) -> str:
    """``report_figure`` for a page."""
    return svg(report_figure(report, ink=_INK))


def svg(figure: Any) -> str:
    """The figure as an SVG element whose ink is the colour of the text around it."""
    from matplotlib import rc_context

    out = io.StringIO()
    with rc_context({"svg.fonttype": "none", "svg.hashsalt": "assay"}):
        figure.savefig(out, format="svg", transparent=True, metadata={"Date": None})
    text = out.getvalue()
    return text[text.index("<svg") :].replace(_INK, "currentColor")


def change_svg(change: Change) -> str:
    """``change_figure`` for a page."""
    return svg(change_figure(change, ink=_INK))


def save_figure(figure: Any, path: Path) -> None:
    """Write the figure as PNG, of 160 dots an inch, or as SVG, by the suffix.

    Raises:
        StorageFailed: The file cannot be written.
    """
    from matplotlib import rc_context

    form = path.suffix.lower().removeprefix(".")
    with writing(path), rc_context({"svg.hashsalt": "assay"}):
        figure.savefig(path, format=form, dpi=160, metadata={"Date": None} if form == "svg" else {})


def _figure(inches: tuple[float, float]) -> Any:
    log = logging.getLogger("matplotlib")
    level = log.level
    log.setLevel(logging.ERROR)  # where the home cannot be written, its cache goes to a temporary folder: no news
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise MissingExtra("matplotlib", "report") from error
    finally:
        log.setLevel(level)
    return Figure(figsize=inches, layout="constrained")


def _line(
    axis: Any, curve: Mapping[int, Estimate], ks: tuple[int, ...], color: str, label: str, *, marker: str
) -> None:
    axis.plot(ks, [100 * curve[k].estimate for k in ks], color=color, marker=marker, markersize=4, label=label)
    low, high = ([100 * getattr(curve[k], end) for k in ks] for end in ("low", "high"))
    axis.fill_between(ks, low, high, color=color, alpha=0.2, linewidth=0)


def _ink(axis: Any, color: str) -> None:
    """Draw everything that is not data in one colour."""
    axis.tick_params(colors=color)
    axis.title.set_color(color)
    axis.xaxis.label.set_color(color)
    axis.yaxis.label.set_color(color)
    for name, spine in axis.spines.items():
        spine.set_color(color)
        spine.set_visible(name in ("left", "bottom"))
