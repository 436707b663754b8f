"""The page's figures: plain plotly, in SDMetrics' colours, readable on a phone and in the dark.

The page gives them their title in words and their table; it replaces the darkest colour in the
dark, and sets fonts and grids by its own style.
"""

from __future__ import annotations

import json
import textwrap
from collections.abc import Sequence
from itertools import cycle
from typing import Any

import numpy as np
import plotly.graph_objects as go
from sdmetrics.reports.utils import PlotConfig

from sdmetrics_disclosure.plugins.common.statistics import Interval
from sdmetrics_disclosure.plugins.findings.model import (
    ColumnFinding,
    Group,
    KnownColumn,
    MembershipFinding,
)

TRAINING = PlotConfig.DATACEBO_DARK
HOLDOUT = PlotConfig.DATACEBO_BLUE
CHANCE = PlotConfig.ORANGE
COLORS = (TRAINING, HOLDOUT, PlotConfig.DATACEBO_GREEN)
# Logarithmic axes have no zero: rates below this are off the figure.
SMALLEST_RATE = 1e-3
LABEL_WIDTH = 24
ROW_PIXELS, LINE_PIXELS = 40, 18
# Of many attacks the strongest are drawn; the table has them all.
MOST_CURVES = 3


def risks_figure(columns: Sequence[ColumnFinding]) -> go.Figure:
    """Each sensitive column's risk on training rows and holdout, with what chance gives.

    Args:
        columns:
            What was found.
    """
    figure = go.Figure()
    labels = [_wrapped(_named(column)) for column in columns]
    training = [column.risk for column in columns]
    _add_points(figure, "Training rows", labels, training, TRAINING, "circle")
    if any(column.holdout is not None for column in columns):
        holdout = [column.holdout for column in columns]
        _add_points(figure, "Holdout", labels, holdout, HOLDOUT, "diamond")
    chance = [None if column.chance is None else column.chance.median for column in columns]
    figure.add_scatter(
        x=chance,
        y=labels,
        mode="markers",
        name="Chance",
        marker={"color": CHANCE, "symbol": "line-ns", "size": 18, "line": _line(CHANCE)},
        hovertemplate="Chance %{x:.3f}<extra></extra>",
    )
    _lay_out(figure, len(labels))
    _name_rows(figure, labels)
    figure.update_xaxes(title_text="Share of people at risk", range=[-0.03, 1.04])
    return figure


def threshold_figure(column: ColumnFinding) -> go.Figure:
    """The risk of a column at every threshold.

    Args:
        column:
            What was found.
    """
    figure = go.Figure()
    curve = column.curve
    lines = [("Training rows", curve.risk, TRAINING, "solid")]
    if curve.holdout:
        lines.append(("Holdout", curve.holdout, HOLDOUT, "dash"))
    for name, risk, color, dash in lines:
        figure.add_scatter(
            x=curve.thresholds,
            y=risk,
            mode="lines",
            name=name,
            line={"color": color, "width": 3, "dash": dash},
            hovertemplate=f"{name}<br>{column.threshold_name} %{{x:.2f}}, risk %{{y:.3f}}"
            "<extra></extra>",
        )
    figure.add_vline(
        x=column.threshold,
        line={"color": CHANCE, "dash": "dot", "width": 2},
    )
    _lay_out(figure, 6)
    figure.update_xaxes(title_text=column.threshold_name)
    figure.update_yaxes(title_text="Share at risk", range=[-0.03, 1.04])
    return figure


def groups_figure(groups: Sequence[Group], overall: Interval) -> go.Figure:
    """The risk of groups of people, beside that of all.

    Args:
        groups:
            Those to be shown, the most exposed first.
        overall:
            The risk of all.
    """
    figure = go.Figure()
    labels = [_wrapped(say_group(group)) for group in groups]
    _add_points(figure, "Group", labels, [group.risk for group in groups], TRAINING, "circle")
    figure.add_vline(x=overall.value, line={"color": CHANCE, "dash": "dot", "width": 2})
    _lay_out(figure, len(labels))
    _name_rows(figure, labels)
    figure.update_layout(showlegend=False)
    figure.update_xaxes(title_text="Share at risk", range=[-0.03, 1.04])
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
    labels = [_wrapped(each.column) for each in known]
    _add_points(figure, "Left out", labels, [k.left_out for k in known], TRAINING, "circle")
    _add_points(figure, "Alone", labels, [k.alone for k in known], HOLDOUT, "diamond")
    figure.add_vline(x=overall.value, line={"color": CHANCE, "dash": "dot", "width": 2})
    _lay_out(figure, len(labels))
    _name_rows(figure, labels)
    figure.update_xaxes(title_text="Share at risk", range=[-0.03, 1.04])
    return figure


def roc_figure(attacks: Sequence[MembershipFinding]) -> go.Figure:
    """The ROC of the strongest attacks on logarithmic axes, where the low rates can be seen.

    Args:
        attacks:
            The strongest first.
    """
    figure = go.Figure()
    for attack, color in zip(attacks[:MOST_CURVES], cycle(COLORS), strict=False):
        _add_roc(figure, attack, color)
    figure.add_scatter(
        x=[SMALLEST_RATE, 1],
        y=[SMALLEST_RATE, 1],
        mode="lines",
        name="Guessing",
        line={"color": CHANCE, "dash": "dash", "width": 2},
        hoverinfo="skip",
    )
    _lay_out(figure, 8)
    ticks = {"tickvals": [0.001, 0.01, 0.1, 1], "ticktext": ["0.001", "0.01", "0.1", "1"]}
    axis = {"type": "log", "range": [float(np.log10(SMALLEST_RATE)), 0.05], **ticks}
    figure.update_xaxes(title_text="Outsiders accused", **axis)
    figure.update_yaxes(title_text="Members found", **axis)
    return figure


def say_group(group: Group) -> str:
    """A group in words.

    Args:
        group:
            The group.
    """
    first = f"{group.column}: {group.level}"
    return first if group.column_2 is None else f"{first}; {group.column_2}: {group.level_2}"


def figure_json(figures: dict[str, go.Figure]) -> str:
    """The figures for the page's script, safe inside a script element.

    Args:
        figures:
            By the id of their place.
    """
    plain = {place: json.loads(figure.to_json()) for place, figure in figures.items()}
    for figure in plain.values():
        figure["layout"].pop("template", None)  # the page has its own style
    return json.dumps(plain, allow_nan=False).replace("<", "\\u003c")


def _add_points(
    figure: go.Figure,
    name: str,
    labels: Sequence[str],
    found: Sequence[Interval | None],
    color: str,
    symbol: str,
) -> None:
    shown = [(label, each) for label, each in zip(labels, found, strict=True) if each is not None]
    figure.add_scatter(
        x=[each.value for _, each in shown],
        y=[label for label, _ in shown],
        mode="markers",
        name=name,
        marker={"color": color, "symbol": symbol, "size": 11},
        error_x={
            "type": "data",
            "symmetric": False,
            "array": [each.high - each.value for _, each in shown],
            "arrayminus": [each.value - each.low for _, each in shown],
            "color": color,
            "thickness": 2,
        },
        hovertemplate=f"{name} %{{x:.3f}}<extra></extra>",
    )


def _add_roc(figure: go.Figure, attack: MembershipFinding, color: str) -> None:
    fpr, tpr, low, high = (
        np.array(each) for each in (attack.roc.fpr, attack.roc.tpr, attack.roc.low, attack.roc.high)
    )
    shown = fpr >= SMALLEST_RATE
    low, high = np.maximum(low[shown], SMALLEST_RATE), np.maximum(high[shown], SMALLEST_RATE)
    figure.add_scatter(
        x=np.concatenate([fpr[shown], fpr[shown][::-1]]),
        y=np.concatenate([high, low[::-1]]),
        fill="toself",
        fillcolor=color,
        opacity=0.15,
        line={"width": 0},
        hoverinfo="skip",
        showlegend=False,
    )
    drawn = np.where(tpr[shown] >= SMALLEST_RATE, tpr[shown], SMALLEST_RATE)
    figure.add_scatter(
        x=fpr[shown],
        y=drawn,
        mode="lines",
        name=attack.metric,
        line={"color": color, "width": 3},
        hovertemplate=f"{attack.metric}<br>accused %{{x:.4f}}, found %{{y:.4f}}<extra></extra>",
    )


def _line(color: str) -> dict[str, Any]:
    return {"width": 4, "color": color}


def _named(column: ColumnFinding) -> str:
    return column.column if column.table is None else f"{column.table}: {column.column}"


def _wrapped(text: str) -> str:
    text = text.replace("<", "&lt;")
    return "<br>".join(textwrap.wrap(text, LABEL_WIDTH, break_on_hyphens=False)) or "-"


def _name_rows(figure: go.Figure, labels: Sequence[str]) -> None:
    most_lines = 1 + max(label.count("<br>") for label in labels)
    figure.update_layout(
        height=150 + max(ROW_PIXELS, 10 + LINE_PIXELS * most_lines) * max(len(labels), 2)
    )
    figure.update_yaxes(
        type="category",
        categoryorder="array",
        categoryarray=list(reversed(labels)),
        automargin=True,
    )


def _lay_out(figure: go.Figure, n_rows: int) -> None:
    figure.update_layout(
        height=150 + ROW_PIXELS * max(n_rows, 2),
        margin={"t": 10, "r": 16, "l": 8, "b": 8},
        legend={"orientation": "h", "y": 1.0, "yanchor": "bottom", "x": 0},
        hovermode="closest",
        dragmode=False,
    )
    figure.update_xaxes(automargin=True, fixedrange=True)
    figure.update_yaxes(automargin=True, fixedrange=True)
