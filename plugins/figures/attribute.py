"""What can be inferred about people: the risk of columns beside what chance gives."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pandas as pd
import plotly.graph_objects as go

from sdmetrics_disclosure.plugins.figures.exposure import (
    REFERENCE,
    SHARES,
    add_shares,
    lay_out_shares,
)
from sdmetrics_disclosure.plugins.figures.style import (
    HOLDOUT,
    TRAINING,
    add_note,
    empty_figure,
    lay_out,
    lay_out_for_page,
    level_mark,
    reasons,
    row_label,
    whiskers,
    wrapped,
)
from sdmetrics_disclosure.plugins.findings.model import ColumnFinding


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


def risks_figure(columns: Sequence[ColumnFinding]) -> go.Figure:
    """Each sensitive column's risk on training rows and holdout, with what chance gives.

    Args:
        columns:
            What was found.
    """
    figure = go.Figure()
    labels = [wrapped(_named(column)) for column in columns]
    training, holdout = [c.risk for c in columns], [c.holdout for c in columns]
    add_shares(figure, "Training rows", labels, training, TRAINING, "circle")
    if any(holdout):
        add_shares(figure, "Holdout", labels, holdout, HOLDOUT, "diamond")
    figure.add_scatter(
        x=[None if column.chance is None else column.chance.median for column in columns],
        y=labels,
        mode="markers",
        name="Chance",
        marker=level_mark("line-ns", 18),
        hovertemplate="Chance %{x:.3f}<extra></extra>",
    )
    lay_out_shares(figure, labels, "Share of people at risk")
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
        hover = f"{column.threshold_name} %{{x:.2f}}, risk %{{y:.3f}}<extra></extra>"
        figure.add_scatter(
            x=curve.thresholds,
            y=risk,
            mode="lines",
            name=name,
            line={"color": color, "width": 3, "dash": dash},
            hovertemplate=f"{name}<br>{hover}",
        )
    figure.add_vline(x=column.threshold, line=REFERENCE)
    lay_out_for_page(figure, 6)
    figure.update_xaxes(title_text=column.threshold_name)
    figure.update_yaxes(title_text="Share at risk", range=SHARES)
    return figure


def _named(column: ColumnFinding) -> str:
    return column.column if column.table is None else f"{column.table}: {column.column}"
