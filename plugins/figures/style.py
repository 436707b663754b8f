"""The one set of colours, marks and layouts, SDMetrics' own, that every figure takes."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from html import escape
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import plotly.graph_objects as go
from sdmetrics.reports.utils import PlotConfig

TRAINING = PlotConfig.DATACEBO_DARK
HOLDOUT = PlotConfig.DATACEBO_BLUE
CHANCE = PlotConfig.ORANGE
CURVES = (TRAINING, HOLDOUT, PlotConfig.DATACEBO_GREEN)
SYNTHESIZERS = (TRAINING, CHANCE, PlotConfig.DATACEBO_GREEN, HOLDOUT, PlotConfig.RED)
# On the page, light and dark: SDMetrics' hues, so dark or bright that they stand out 3 to 1.
PAGE_COLORS = {
    "training": (TRAINING, "#9db8ff"),
    "holdout": ("#0179a8", "#35c0f5"),
    "chance": ("#c8401f", "#ff8e73"),
    "third": ("#00806f", "#01e0c9"),
}
# Logarithmic axes have no zero: rates below this are off the figure.
SMALLEST_RATE = 1e-3
RATE_TICKS = {"tickvals": [0.001, 0.01, 0.1, 1], "ticktext": ["0.001", "0.01", "0.1", "1"]}
# Characters in a line of text under a figure.
NOTE_WIDTH = 80


def level_mark(symbol: str, size: int, color: str = CHANCE, width: int = 4) -> dict[str, Any]:
    """A short line in place of a point: what is found where nothing is given away."""
    return {
        "color": color,
        "symbol": symbol,
        "size": size,
        "line": {"width": width, "color": color},
    }


def whiskers(above: Any, below: Any, color: str, **more: Any) -> dict[str, Any]:
    """Bars from a value to the ends of its interval, by their lengths."""
    ends = {"array": above, "arrayminus": below}
    return {"type": "data", "symmetric": False, **ends, "color": color, **more}


class Look(NamedTuple):
    """How a ROC is drawn; `lowest` is for rates too low for the axis, of which NaN leaves a gap."""

    width: int
    opacity: float
    lowest: float


def add_roc(
    figure: go.Figure,
    name: str,
    rates: Sequence[Any],
    color: str,
    hover: str,
    look: Look,
) -> None:
    """A ROC and its band, for logarithmic axes.

    Args:
        figure:
            To which it is added.
        name:
            The curve's name.
        rates:
            False positive rates, true positive rates, and the band's two ends.
        color:
            Of the curve.
        hover:
            The text beside the pointer.
        look:
            Of line and band.
    """
    fpr, tpr, low, high = (np.asarray(each) for each in rates)
    shown = fpr >= SMALLEST_RATE
    fpr, tpr = fpr[shown], tpr[shown]
    low, high = (np.maximum(each[shown], SMALLEST_RATE) for each in (low, high))
    figure.add_scatter(
        x=np.concatenate([fpr, fpr[::-1]]),
        y=np.concatenate([high, low[::-1]]),
        fill="toself",
        fillcolor=color,
        opacity=look.opacity,
        line={"width": 0},
        hoverinfo="skip",
        showlegend=False,
    )
    drawn = tpr > 0 if np.isnan(look.lowest) else tpr >= look.lowest
    figure.add_scatter(
        x=fpr,
        y=np.where(drawn, tpr, look.lowest),
        mode="lines",
        name=name,
        line={"color": color, "width": look.width},
        hovertemplate=hover,
    )


def add_guessing(figure: go.Figure, width: int, **more: Any) -> None:
    """The diagonal of a ROC."""
    figure.add_scatter(
        x=[SMALLEST_RATE, 1],
        y=[SMALLEST_RATE, 1],
        mode="lines",
        name="Guessing",
        line={"color": CHANCE, "dash": "dash", "width": width},
        **more,
    )


def lay_out(figure: go.Figure, title: str) -> None:
    """The layout of SDMetrics' reports."""
    figure.update_layout(
        title=title,
        plot_bgcolor=PlotConfig.BACKGROUND_COLOR,
        font={"size": PlotConfig.FONT_SIZE},
        margin={"t": 150},
    )


def empty_figure(title: str, reason: str) -> go.Figure:
    """A figure that says why there is nothing in it."""
    figure = go.Figure()
    lay_out(figure, title)
    figure.update_xaxes(visible=False)
    figure.update_yaxes(visible=False)
    add_note(figure, reason or "There is nothing to show: no column could be attacked.", y=0.5)
    return figure


def add_note(figure: go.Figure, text: str, y: float = -0.35) -> None:
    """Text in or under a figure; none where there is nothing to say."""
    if text:
        figure.add_annotation(
            text=text, x=0.0, xref="paper", y=y, yref="paper", showarrow=False, align="left"
        )


def row_label(row: dict[Any, Any]) -> str:
    """The name of a row of a property's details."""
    return str(row["Metric"] if row["Column"] is None else row["Column"])


def reasons(details: pd.DataFrame) -> str:
    """Why rows have no score, a line each."""
    if "Error" not in details or details.empty:
        return ""
    lines = [f"{row_label(row)}: {row['Error']}" for row in details.to_dict("records")]
    parts = (part for line in lines for part in textwrap.wrap(line, NOTE_WIDTH))
    return "<br>".join(escape(part, quote=False) for part in parts)
