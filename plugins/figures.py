"""The figures, in SDMetrics' colours."""

from __future__ import annotations

from typing import Any

import pandas as pd
import plotly.graph_objects as go
from sdmetrics.reports.utils import PlotConfig

RISK = PlotConfig.DATACEBO_DARK
BASELINE = PlotConfig.ORANGE


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
    return "<br>".join(lines)


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
