"""Who was in the data: the ROC of membership attacks, where the low rates can be seen."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import cycle

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from sdmetrics_disclosure.plugins.figures.style import (
    CURVES,
    RATE_TICKS,
    SMALLEST_RATE,
    Look,
    add_guessing,
    add_note,
    add_roc,
    empty_figure,
    lay_out,
    reasons,
)
from sdmetrics_disclosure.plugins.membership.evaluation import RocCurve


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
        return empty_figure(title, reasons(details) or "No attack has run: there is no holdout.")
    figure = go.Figure()
    several = len({named.table for named in curves}) > 1
    for named, color in zip(curves, cycle(CURVES), strict=False):
        name = named.metric + (f", {named.table}" if several else "")
        hover = f"{name}<br>FPR %{{x:.4f}}, TPR %{{y:.4f}}<extra></extra>"
        curve = named.curve
        rates = (curve.fpr, curve.tpr, curve.low, curve.high)
        look = Look(width=4, opacity=0.2, lowest=math.nan)
        add_roc(figure, name, rates, color, hover, look)
    add_guessing(figure, 3)
    lay_out(figure, title)
    axis = {"type": "log", "range": [float(np.log10(SMALLEST_RATE)) - 0.05, 0.05], **RATE_TICKS}
    figure.update_xaxes(title_text="False positive rate", **axis)
    figure.update_yaxes(title_text="True positive rate", **axis)
    add_note(figure, reasons(details[details["Score"].isna()]))
    return figure
