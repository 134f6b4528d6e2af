"""A training run on one page: curves drawn as SVG in a single HTML file, nothing loaded from anywhere."""

from __future__ import annotations

import html
import math
from collections.abc import Sequence

from .watch import Watch

_WIDTH, _HEIGHT = 360, 120
_STYLE = (
    "body{font:14px/1.4 system-ui,sans-serif;margin:2rem;color:#222}"
    "figure{display:inline-block;margin:0 1.5rem 1.5rem 0}"
    "figcaption{font-weight:600}svg{background:#f7f7f7}polyline{fill:none;stroke:#2a6fb0;stroke-width:1.5}"
    ".alarm{color:#a40000}small{color:#666}"
)
# What stands first; everything else that was logged follows by name.
_FIRST = ("reward", "curriculum/raw_dead", "curriculum/trained_dead", "curriculum/generated_per_trained", "entropy")
_LEFT_OUT = ("step", "epoch", "learning_rate", "step_time")


def page(watch: Watch, title: str) -> str:
    """The whole page.

    Args:
        watch: The run so far.
        title: What it is called.
    """
    names = dict.fromkeys(name for entry in watch.history for name in entry if name not in _LEFT_OUT)
    ordered = [name for name in _FIRST if name in names] + sorted(name for name in names if name not in _FIRST)
    alarms = "".join(
        f"<li class=alarm>step {alarm.step}, {html.escape(alarm.kind)}: {html.escape(alarm.message)}</li>"
        for alarm in watch.alarms
    )
    if watch.unseen:
        alarms += f"<li class=alarm>{html.escape(watch.unseen)}</li>"
    figures = "".join(_figure(name, watch) for name in ordered)
    return (
        f"<!doctype html><html lang=en><meta charset=utf-8><title>{html.escape(title)}</title><style>{_STYLE}</style>"
        f"<h1>{html.escape(title)}</h1><ul>{alarms or '<li>no alarm</li>'}</ul>{figures}</html>"
    )


def _figure(name: str, watch: Watch) -> str:
    points = [(entry["step"], entry[name]) for entry in watch.history if math.isfinite(entry.get(name, math.nan))]
    if not points:
        return ""
    values = [value for _, value in points]
    return (
        f"<figure><figcaption>{html.escape(name)}</figcaption>{_curve(points)}<br>"
        f"<small>step {points[0][0]:.0f}: {values[0]:.4g}, step {points[-1][0]:.0f}: {values[-1]:.4g}; "
        f"between {min(values):.4g} and {max(values):.4g}</small></figure>"
    )


def _curve(points: Sequence[tuple[float, float]]) -> str:
    """The points joined, from the lowest value to the highest over the whole height; a constant through its middle.

    Values count as constant where they read alike below the curve, lest rounding be drawn as large as any change.
    """
    steps, values = [step for step, _ in points], [value for _, value in points]
    low, high = min(values), max(values)
    across = max(steps) - min(steps) or 1.0
    up = 0.0 if f"{low:.4g}" == f"{high:.4g}" else (_HEIGHT - 8) / (high - low)
    bottom = _HEIGHT - 4 if up else _HEIGHT / 2
    places = " ".join(
        f"{_WIDTH * (step - min(steps)) / across:.1f},{bottom - up * (value - low):.1f}" for step, value in points
    )
    return f'<svg width="{_WIDTH}" height="{_HEIGHT}" role="img"><polyline points="{places}"/></svg>'
