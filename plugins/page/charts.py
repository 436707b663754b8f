"""The page's charts, plain: where marks and lines stand, in percent of their room.

The templates draw them as SVG, which needs no script, follows the width of the screen and takes its
colours from the page's style.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from sdmetrics_disclosure.plugins.common.statistics import Interval
from sdmetrics_disclosure.plugins.figures.style import SMALLEST_RATE
from sdmetrics_disclosure.plugins.findings.attack import MembershipFinding
from sdmetrics_disclosure.plugins.findings.model import (
    ColumnFinding,
    Group,
    KnownColumn,
)
from sdmetrics_disclosure.plugins.page.parts import named
from sdmetrics_disclosure.plugins.page.text import say_group
from sdmetrics_disclosure.plugins.policy.verdict import Check

COLORS = ("training", "holdout", "third")
# Of many attacks the strongest are drawn; the table has them all.
MOST_CURVES = 3
# A curve that moves less than this says nothing that its one number does not.
LEAST_MOVEMENT = 0.01
SHARES = ((0.0, "0"), (25.0, "0.25"), (50.0, "0.5"), (75.0, "0.75"), (100.0, "1"))
RATES = tuple((100 * i / 3, text) for i, text in enumerate(("0.001", "0.01", "0.1", "1")))


class Mark(NamedTuple):
    """A value with its interval; `color` and `shape` are names in the page's style."""

    value: float
    low: float
    high: float
    color: str
    shape: str


class Row(NamedTuple):
    """A row of a chart: its name, its marks, and what chance gives."""

    label: str
    marks: Sequence[Mark]
    chance: float | None = None


class Shares(NamedTuple):
    """Shares of people, a row each, with what all people have as a line."""

    rows: Sequence[Row]
    legend: Sequence[tuple[str, str, str]]
    line: float | None = None
    ticks: Sequence[tuple[float, str]] = SHARES


class Line(NamedTuple):
    """A line as an SVG polyline's points, and its band."""

    points: str
    color: str
    name: str
    band: str = ""


class Curves(NamedTuple):
    """Lines over two axes."""

    lines: Sequence[Line]
    x_title: str
    y_title: str
    x_ticks: Sequence[tuple[float, str]]
    y_ticks: Sequence[tuple[float, str]]
    line: float | None = None
    diagonal: bool = False


def mark(found: Interval, color: str, shape: str, highest: float = 1.0) -> Mark:
    """A value with its interval.

    Args:
        found:
            What was measured.
        color:
            A name in the page's style.
        shape:
            "circle" or "diamond".
        highest:
            Where the room ends.
    """
    value, low, high = (percent(end, highest) for end in (found.value, found.low, found.high))
    return Mark(value, low, high, color, shape)


def percent(value: float, highest: float = 1.0) -> float:
    """Where a value stands between 0 and `highest`."""
    return round(100 * min(max(value / highest, 0.0), 1.0), 2)


def limit_strip(check: Check) -> tuple[Mark | None, float]:
    """A limit as a strip: what was found, and where the limit stands.

    Args:
        check:
            Of a report.
    """
    found = check.found
    ends = [check.limit, *((found.value, found.low, found.high) if found else ())]
    highest = 1.0 if max(ends) <= 1 else 1.15 * max(end for end in ends if math.isfinite(end))
    shown = None if found is None else mark(found, "training", "circle", highest)
    return shown, percent(check.limit, highest)


def risks_chart(columns: Sequence[ColumnFinding]) -> Shares:
    """Each sensitive column's risk on training rows and holdout, with what chance gives."""
    rows = [
        Row(
            named(column.table, column.column),
            _marks(column.risk, column.holdout),
            None if column.chance is None else percent(column.chance.median),
        )
        for column in columns
    ]
    legend = [("training", "circle", "Training rows")]
    if any(column.holdout for column in columns):
        legend.append(("holdout", "diamond", "Holdout"))
    return Shares(rows, [*legend, ("chance", "tick", "Chance")])


def groups_chart(groups: Sequence[Group], overall: Interval) -> Shares:
    """The risk of groups of people, beside that of all."""
    rows = [Row(say_group(group), _marks(group.risk, None)) for group in groups]
    legend = [("training", "circle", "Group"), ("chance", "line", "All people")]
    return Shares(rows, legend, percent(overall.value))


def known_chart(known: Sequence[KnownColumn], overall: Interval) -> Shares:
    """The risk with each known column left out and alone."""
    rows = [Row(each.column, _marks(each.left_out, each.alone)) for each in known]
    legend = [
        ("training", "circle", "Left out"),
        ("holdout", "diamond", "Alone"),
        ("chance", "line", "All known"),
    ]
    return Shares(rows, legend, percent(overall.value))


def threshold_chart(column: ColumnFinding, name: str) -> Curves | None:
    """The risk of a column at every threshold; None where it hardly depends on it.

    Args:
        column:
            What was found.
        name:
            What the threshold is called.
    """
    curve = column.curve
    if max(curve.risk) - min(curve.risk) < LEAST_MOVEMENT:
        return None
    end = curve.thresholds[-1] or 1.0
    lines = [Line(_points(curve.thresholds, curve.risk, end), "training", "Training rows")]
    if curve.holdout:
        lines.append(Line(_points(curve.thresholds, curve.holdout, end), "holdout", "Holdout"))
    ticks = [(at, f"{end * at / 100:.3g}") for at, _ in SHARES]
    return Curves(lines, name, "Share at risk", ticks, SHARES, percent(column.threshold, end))


def roc_chart(attacks: Sequence[MembershipFinding]) -> Curves:
    """The ROC of the strongest attacks on logarithmic axes, where the low rates can be seen."""
    lines = []
    for attack, color in zip(attacks[:MOST_CURVES], COLORS, strict=False):
        roc = attack.roc
        found, low, high = (_rates(roc.fpr, rates) for rates in (roc.tpr, roc.low, roc.high))
        band = " ".join([*high, *reversed(low)])
        lines.append(Line(" ".join(found), color, attack.metric, band))
    titles = ("Outsiders accused (logarithmic)", "Members found")
    return Curves(lines, *titles, RATES, RATES, diagonal=True)


def _marks(first: Interval | None, second: Interval | None) -> list[Mark]:
    pairs = ((first, "training", "circle"), (second, "holdout", "diamond"))
    return [mark(found, color, shape) for found, color, shape in pairs if found is not None]


def _points(x: Iterable[float], y: Iterable[float], end: float) -> str:
    pairs = zip(x, y, strict=True)
    return " ".join(f"{percent(a, end):g},{100 - percent(b):g}" for a, b in pairs)


def _rates(fpr: Iterable[float], rates: Iterable[float]) -> list[str]:
    pairs = zip(fpr, rates, strict=True)
    return [f"{_log(a):.4g},{100 - _log(b):.4g}" for a, b in pairs if a >= SMALLEST_RATE]


def _log(rate: float) -> float:
    lowest = math.log10(SMALLEST_RATE)
    return 100 * (1 - math.log10(max(rate, SMALLEST_RATE)) / lowest)
