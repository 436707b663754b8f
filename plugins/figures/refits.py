"""The figure of a refit attack: what each synthesizer gives away, and of whom."""

from __future__ import annotations

import pandas as pd
import plotly.graph_objects as go
from sdmetrics.reports.utils import PlotConfig

TITLE = (
    "Who was in, told from other refits<br><sup>AUC with its interval over refits; 0.5 is "
    "guessing. Crosses: the plain distance on the same tables.</sup>"
)
GROUP_COLORS = (PlotConfig.DATACEBO_DARK, PlotConfig.DATACEBO_BLUE, PlotConfig.DATACEBO_GREEN)
GUESSING = 0.5


def refit_figure(summary: pd.DataFrame, title: str = TITLE) -> go.Figure:
    """Each synthesizer's AUC by group of people, with intervals, beside the plain distance.

    Args:
        summary:
            Of a refit attack.
        title:
            The figure's title.
    """
    figure = go.Figure()
    shown = summary[summary["AUC"].notna()]
    groups = list(dict.fromkeys(summary["Group"]))
    for group, color in zip(groups, GROUP_COLORS, strict=False):
        rows = shown[shown["Group"] == group]
        label = f"{group}, plain distance"
        figure.add_scatter(
            x=[rows["Synthesizer"].astype(str), rows["Group"]],
            y=rows["AUC"],
            error_y={
                "type": "data",
                "symmetric": False,
                "array": rows["High"] - rows["AUC"],
                "arrayminus": rows["AUC"] - rows["Low"],
                "color": color,
            },
            name=group,
            mode="markers",
            marker={"color": color, "size": 12},
            hovertemplate="%{x}<br>AUC %{y:.3f}<extra></extra>",
        )
        figure.add_scatter(
            x=[rows["Synthesizer"].astype(str), rows["Group"]],
            y=rows["Distance AUC"],
            name=label,
            mode="markers",
            marker={
                "color": color,
                "size": 10,
                "symbol": "x-thin",
                "line": {"width": 2, "color": color},
            },
            hovertemplate="%{x}<br>Plain distance %{y:.3f}<extra></extra>",
        )
    figure.add_hline(y=GUESSING, line={"color": PlotConfig.ORANGE, "dash": "dash"})
    figure.update_layout(
        title=title,
        plot_bgcolor=PlotConfig.BACKGROUND_COLOR,
        font={"size": PlotConfig.FONT_SIZE},
        margin={"t": 150},
    )
    figure.update_yaxes(range=[0.4, 1.02], title_text="AUC")
    return figure
