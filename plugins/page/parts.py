"""What the page's sections are made of, before it is HTML."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import plotly.graph_objects as go


class Table(NamedTuple):
    """A table; the first cell of each row names it."""

    caption: str
    head: Sequence[str]
    rows: Sequence[Sequence[str]]


class Drawn(NamedTuple):
    """A figure's place, the pixels kept free for it, and its numbers."""

    place: str
    height: int
    numbers: Table


class Figures(dict[str, go.Figure]):
    """The page's figures by the id of their place."""

    def draw(self, place: str, figure: go.Figure, numbers: Table) -> Drawn:
        """Keep a figure for the page's script.

        Args:
            place:
                The id of the element that the script fills.
            figure:
                What is drawn there.
            numbers:
                Its table.
        """
        self[place] = figure
        return Drawn(place, int(figure.layout.height), numbers)


def named(table: str | None, name: str) -> str:
    """A column or a metric with its table where there are several."""
    return name if table is None else f"{table}: {name}"
