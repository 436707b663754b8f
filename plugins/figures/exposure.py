"""Who is most exposed, and by which known columns: the page's figures of shares at risk."""

from __future__ import annotations

from collections.abc import Sequence

import plotly.graph_objects as go

from sdmetrics_disclosure.plugins.common.statistics import Interval
from sdmetrics_disclosure.plugins.figures.style import (
    CHANCE,
    HOLDOUT,
    LINE_PIXELS,
    ROW_PIXELS,
    TRAINING,
    lay_out_for_page,
    whiskers,
    wrapped,
)
from sdmetrics_disclosure.plugins.findings.model import Group, KnownColumn

SHARES = [-0.03, 1.04]
REFERENCE = {"color": CHANCE, "dash": "dot", "width": 2}


def groups_figure(groups: Sequence[Group], overall: Interval) -> go.Figure:
    """The risk of groups of people, beside that of all.

    Args:
        groups:
            Those to be shown, the most exposed first.
        overall:
            The risk of all.
    """
    figure = go.Figure()
    labels = [wrapped(say_group(group)) for group in groups]
    add_shares(figure, "Group", labels, [group.risk for group in groups], TRAINING, "circle")
    figure.add_vline(x=overall.value, line=REFERENCE)
    lay_out_shares(figure, labels, "Share at risk")
    figure.update_layout(showlegend=False)
    return figure


def known_figure(known: Sequence[KnownColumn], overall: Interval) -> go.Figure:
    """The risk with each known column alone and with it left out.

    Args:
        known:
            What each does.
        overall:
            The risk when all are known.
    """
    figure = go.Figure()
    labels = [wrapped(each.column) for each in known]
    add_shares(figure, "Left out", labels, [k.left_out for k in known], TRAINING, "circle")
    add_shares(figure, "Alone", labels, [k.alone for k in known], HOLDOUT, "diamond")
    figure.add_vline(x=overall.value, line=REFERENCE)
    lay_out_shares(figure, labels, "Share at risk")
    return figure


def say_group(group: Group) -> str:
    """A group in words."""
    first = f"{group.column}: {group.level}"
    return first if group.column_2 is None else f"{first}; {group.column_2}: {group.level_2}"


def add_shares(
    figure: go.Figure,
    name: str,
    labels: Sequence[str],
    found: Sequence[Interval | None],
    color: str,
    symbol: str,
) -> None:
    """Points with their intervals, one a row; what was not measured is left out.

    Args:
        figure:
            To which they are added.
        name:
            What they are.
        labels:
            The rows' names.
        found:
            The shares, one a row.
        color:
            Of points and intervals.
        symbol:
            Of the points.
    """
    shown = [(label, each) for label, each in zip(labels, found, strict=True) if each is not None]
    figure.add_scatter(
        x=[each.value for _, each in shown],
        y=[label for label, _ in shown],
        mode="markers",
        name=name,
        marker={"color": color, "symbol": symbol, "size": 11},
        error_x=whiskers(
            [each.high - each.value for _, each in shown],
            [each.value - each.low for _, each in shown],
            color,
            thickness=2,
        ),
        hovertemplate=f"{name} %{{x:.3f}}<extra></extra>",
    )


def lay_out_shares(figure: go.Figure, labels: Sequence[str], title: str) -> None:
    """Rows by name, in their order, over an axis from 0 to 1.

    Args:
        figure:
            To be laid out.
        labels:
            The rows' names, the first on top.
        title:
            The axis'.
    """
    lay_out_for_page(figure, len(labels))
    lines = 1 + max(label.count("<br>") for label in labels)
    row = max(ROW_PIXELS, 10 + LINE_PIXELS * lines)
    order = {"categoryorder": "array", "categoryarray": list(reversed(labels))}
    figure.update_layout(height=150 + row * max(len(labels), 2))
    figure.update_xaxes(title_text=title, range=SHARES)
    figure.update_yaxes(type="category", automargin=True, **order)
