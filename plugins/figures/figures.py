"""The figures, in SDMetrics' colours."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from itertools import cycle
from textwrap import wrap
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go
from plotly.subplots import make_subplots
from sdmetrics.reports.utils import PlotConfig

from sdmetrics_disclosure.plugins.membership.evaluation import RocCurve

RISK = PlotConfig.DATACEBO_DARK
BASELINE = PlotConfig.ORANGE
QUALITY = "Quality"
COLORS = (
    PlotConfig.DATACEBO_DARK,
    PlotConfig.ORANGE,
    PlotConfig.DATACEBO_GREEN,
    PlotConfig.DATACEBO_BLUE,
    PlotConfig.RED,
)
CURVES = (PlotConfig.DATACEBO_DARK, PlotConfig.DATACEBO_BLUE, PlotConfig.DATACEBO_GREEN)
# Logarithmic axes have no zero: rates below this are off the figure.
SMALLEST_RATE = 1e-3
# Characters in a line of text under a figure.
NOTE_WIDTH = 80


@dataclass(frozen=True)
class NamedCurve:
    """An attack's ROC, for the figure.

    Attributes:
        table: The table's name, or None.
        metric: The attack's name.
        curve: The mean curve of the halves, with its band.
    """

    table: str | None
    metric: str
    curve: RocCurve


def attribute_figure(details: pd.DataFrame, title: str) -> go.Figure:
    """Each column's risk with its interval, against what chance gives.

    Args:
        details:
            The property's rows; those without a score are named under the figure.
        title:
            The figure's title.
    """
    scored = details[details["Score"].notna()] if "Score" in details else details
    if scored.empty:
        return _empty_figure(title, _reasons(details))
    labels = [_label(row) for row in scored.to_dict("records")]
    risk = 1 - scored["Score"]
    figure = go.Figure()
    figure.add_bar(
        x=labels,
        y=risk,
        name="Risk",
        marker_color=RISK,
        error_y=_error_bars(scored, risk),
        hovertemplate="%{x}<br>Risk %{y:.3f}<extra></extra>",
    )
    if "Baseline" in scored:
        figure.add_scatter(
            x=labels,
            y=scored["Baseline"],
            name="Without the person's data",
            mode="markers",
            marker={"color": BASELINE, "symbol": "line-ew", "size": 28, "line": _line()},
            hovertemplate="%{x}<br>Baseline %{y:.3f}<extra></extra>",
        )
    _lay_out(figure, title)
    figure.update_yaxes(range=[0, 1.02], title_text="Share of records at risk")
    failed = _reasons(details[details["Score"].isna()])
    if failed:
        _add_note(figure, failed, y=-0.35)
    return figure


def membership_figure(details: pd.DataFrame, curves: Sequence[NamedCurve], title: str) -> go.Figure:
    """The ROC of each attack on log-log axes, with its confidence band and the diagonal.

    Args:
        details:
            The property's rows; where there is no curve, their errors are shown.
        curves:
            The attacks' curves.
        title:
            The figure's title.
    """
    if not curves:
        return _empty_figure(title, _reasons(details) or "No attack has run: there is no holdout.")
    figure = go.Figure()
    several = len({named.table for named in curves}) > 1
    for named, color in zip(curves, cycle(CURVES), strict=False):
        _add_roc(figure, named, named.metric + (f", {named.table}" if several else ""), color)
    figure.add_scatter(
        x=[SMALLEST_RATE, 1],
        y=[SMALLEST_RATE, 1],
        mode="lines",
        name="Guessing",
        line={"color": BASELINE, "dash": "dash", "width": 3},
    )
    _lay_out(figure, title)
    log_axis = {"type": "log", "range": [float(np.log10(SMALLEST_RATE)) - 0.05, 0.05]}
    ticks = {"tickvals": [0.001, 0.01, 0.1, 1], "ticktext": ["0.001", "0.01", "0.1", "1"]}
    figure.update_xaxes(title_text="False positive rate", **log_axis, **ticks)
    figure.update_yaxes(title_text="True positive rate", **log_axis, **ticks)
    failed = _reasons(details[details["Score"].isna()])
    if failed:
        _add_note(figure, failed, y=-0.35)
    return figure


def _add_roc(figure: go.Figure, named: NamedCurve, name: str, color: str) -> None:
    shown = named.curve.fpr >= SMALLEST_RATE
    fpr = named.curve.fpr[shown]
    low, high = (
        np.maximum(rate[shown], SMALLEST_RATE) for rate in (named.curve.low, named.curve.high)
    )
    figure.add_scatter(
        x=np.concatenate([fpr, fpr[::-1]]),
        y=np.concatenate([high, low[::-1]]),
        fill="toself",
        fillcolor=color,
        opacity=0.2,
        line={"width": 0},
        hoverinfo="skip",
        showlegend=False,
    )
    figure.add_scatter(
        x=fpr,
        y=np.where(named.curve.tpr[shown] > 0, named.curve.tpr[shown], np.nan),
        mode="lines",
        name=name,
        line={"color": color, "width": 4},
        hovertemplate=f"{name}<br>FPR %{{x:.4f}}, TPR %{{y:.4f}}<extra></extra>",
    )


def _line() -> dict[str, Any]:
    return {"width": 4, "color": BASELINE}


def _error_bars(scored: pd.DataFrame, risk: pd.Series) -> dict[str, Any] | None:
    if "Low" not in scored:
        return None
    return {
        "type": "data",
        "symmetric": False,
        "array": (scored["High"] - risk).fillna(0.0),
        "arrayminus": (risk - scored["Low"]).fillna(0.0),
        "color": PlotConfig.DATACEBO_BLUE,
        "thickness": 3,
    }


def _label(row: dict[Any, Any]) -> str:
    return str(row["Metric"] if row["Column"] is None else row["Column"])


def _reasons(details: pd.DataFrame) -> str:
    if "Error" not in details or details.empty:
        return ""
    lines = [f"{_label(row)}: {row['Error']}" for row in details.to_dict("records")]
    return "<br>".join(
        escape(part, quote=False) for line in lines for part in wrap(line, NOTE_WIDTH)
    )


def _empty_figure(title: str, reason: str) -> go.Figure:
    figure = go.Figure()
    _lay_out(figure, title)
    figure.update_xaxes(visible=False)
    figure.update_yaxes(visible=False)
    _add_note(figure, reason or "There is nothing to show: no column could be attacked.", y=0.5)
    return figure


def _add_note(figure: go.Figure, text: str, y: float) -> None:
    figure.add_annotation(
        text=text, x=0.0, xref="paper", y=y, yref="paper", showarrow=False, align="left"
    )


def _lay_out(figure: go.Figure, title: str) -> None:
    figure.update_layout(
        title=title,
        plot_bgcolor=PlotConfig.BACKGROUND_COLOR,
        font={"size": PlotConfig.FONT_SIZE},
        margin={"t": 150},
    )


RISK_UTILITY = (
    "Risk and quality<br><sup>Point and whiskers: mean over the folds with its interval. "
    "Tick: what would be found if nothing were given away.</sup>"
)


def risk_utility_figure(summary: pd.DataFrame, title: str = RISK_UTILITY) -> go.Figure:
    """Each synthesizer's risks against its quality, with intervals, one field a risk.

    Args:
        summary:
            Of an assessment.
        title:
            The figure's title.
    """
    whole = summary[summary["Column"].isna() & summary["Mean"].notna()]
    quality = whole[whole["Metric"] == QUALITY].set_index("Synthesizer")
    risks = whole[(whole["Metric"] != QUALITY) & whole["Synthesizer"].isin(quality.index)]
    fields = list(dict.fromkeys(zip(risks["Metric"], risks["Measure"], strict=True)))
    if not fields:
        return _empty_figure(title, "No fold ran, or SDMetrics' quality score failed in all.")
    figure = make_subplots(
        cols=len(fields), subplot_titles=[f"{metric}, {measure}" for metric, measure in fields]
    )
    for row in risks.to_dict("records"):
        field = fields.index((row["Metric"], row["Measure"])) + 1
        name = row["Synthesizer"]
        color = COLORS[list(quality.index).index(name) % len(COLORS)]
        _add_point(figure, quality.loc[name], row, color, field)
    _lay_out(figure, title)
    figure.update_xaxes(title_text="SDMetrics' quality score")
    figure.update_yaxes(title_text="Risk", col=1)
    return figure


def _add_point(
    figure: go.Figure, quality: pd.Series, risk: dict[Any, Any], color: str, field: int
) -> None:
    name = risk["Synthesizer"]
    figure.add_scatter(
        x=[quality["Mean"]],
        y=[risk["Mean"]],
        error_x=_whiskers(quality, color),
        error_y=_whiskers(risk, color),
        name=name,
        legendgroup=name,
        showlegend=field == 1,
        mode="markers",
        marker={"color": color, "size": 12},
        hovertemplate=f"{name}<br>Quality %{{x:.3f}}<br>Risk %{{y:.3f}}<extra></extra>",
        row=1,
        col=field,
    )
    figure.add_scatter(
        x=[quality["Mean"]],
        y=[risk["Baseline"]],
        mode="markers",
        marker={
            "color": color,
            "symbol": "line-ew",
            "size": 20,
            "line": {"width": 2, "color": color},
        },
        legendgroup=name,
        showlegend=False,
        hovertemplate=f"{name}<br>If nothing were given away %{{y:.3f}}<extra></extra>",
        row=1,
        col=field,
    )


def _whiskers(found: Any, color: str) -> dict[str, Any]:
    return {
        "type": "data",
        "symmetric": False,
        "array": [found["High"] - found["Mean"]],
        "arrayminus": [found["Mean"] - found["Low"]],
        "color": color,
    }
