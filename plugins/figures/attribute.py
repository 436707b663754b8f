"""What can be inferred about people: the risk of columns beside what chance gives."""

from __future__ import annotations

from typing import Any

import pandas as pd
import plotly.graph_objects as go

from sdmetrics_disclosure.plugins.figures.style import (
    HOLDOUT,
    TRAINING,
    add_note,
    empty_figure,
    lay_out,
    level_mark,
    reasons,
    row_label,
    whiskers,
)


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
        return empty_figure(title, reasons(details))
    labels = [row_label(row) for row in scored.to_dict("records")]
    risk = 1 - scored["Score"]
    if "Risk" in scored:  # the score takes chance off
        risk = scored["Risk"].fillna(risk)
    figure = go.Figure()
    figure.add_bar(
        x=labels,
        y=risk,
        name="Risk",
        marker_color=TRAINING,
        error_y=_error_bars(scored, risk),
        hovertemplate="%{x}<br>Risk %{y:.3f}<extra></extra>",
    )
    if "Baseline" in scored:
        figure.add_scatter(
            x=labels,
            y=scored["Baseline"],
            name="Without the person's data",
            mode="markers",
            marker=level_mark("line-ew", 28),
            hovertemplate="%{x}<br>Baseline %{y:.3f}<extra></extra>",
        )
    lay_out(figure, title)
    figure.update_yaxes(range=[0, 1.02], title_text="Share of records at risk")
    add_note(figure, reasons(details[details["Score"].isna()]))
    return figure


def _error_bars(scored: pd.DataFrame, risk: pd.Series) -> dict[str, Any] | None:
    if "Low" not in scored:
        return None
    above, below = (scored["High"] - risk).fillna(0.0), (risk - scored["Low"]).fillna(0.0)
    return whiskers(above, below, HOLDOUT, thickness=3)
