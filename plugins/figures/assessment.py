"""Synthesizers side by side: risk against quality."""

from __future__ import annotations

from typing import Any

import pandas as pd
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from sdmetrics_disclosure.plugins.figures.style import (
    SYNTHESIZERS,
    empty_figure,
    lay_out,
    level_mark,
    whiskers,
)

QUALITY = "Quality"
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
        return empty_figure(title, "No fold ran, or SDMetrics' quality score failed in all.")
    figure = make_subplots(
        cols=len(fields), subplot_titles=[f"{metric}, {measure}" for metric, measure in fields]
    )
    for row in risks.to_dict("records"):
        field = fields.index((row["Metric"], row["Measure"])) + 1
        name = row["Synthesizer"]
        color = SYNTHESIZERS[list(quality.index).index(name) % len(SYNTHESIZERS)]
        _add_point(figure, quality.loc[name], row, color, field)
    lay_out(figure, title)
    figure.update_xaxes(title_text="SDMetrics' quality score")
    figure.update_yaxes(title_text="Risk", col=1)
    return figure


def _add_point(
    figure: go.Figure, quality: pd.Series, risk: dict[Any, Any], color: str, field: int
) -> None:
    name = risk["Synthesizer"]
    place = {"row": 1, "col": field, "legendgroup": name, "mode": "markers"}
    figure.add_scatter(
        x=[quality["Mean"]],
        y=[risk["Mean"]],
        error_x=_interval(quality, color),
        error_y=_interval(risk, color),
        name=name,
        showlegend=field == 1,
        marker={"color": color, "size": 12},
        hovertemplate=f"{name}<br>Quality %{{x:.3f}}<br>Risk %{{y:.3f}}<extra></extra>",
        **place,
    )
    figure.add_scatter(
        x=[quality["Mean"]],
        y=[risk["Baseline"]],
        marker=level_mark("line-ew", 20, color, width=2),
        showlegend=False,
        hovertemplate=f"{name}<br>If nothing were given away %{{y:.3f}}<extra></extra>",
        **place,
    )


def _interval(found: Any, color: str) -> dict[str, Any]:
    return whiskers([found["High"] - found["Mean"]], [found["Mean"] - found["Low"]], color)
