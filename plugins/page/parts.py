"""What the page's sections are made of, before it is HTML."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple


class Table(NamedTuple):
    """A table; the first cell of each row names it."""

    caption: str
    head: Sequence[str]
    rows: Sequence[Sequence[str]]


def named(table: str | None, name: str) -> str:
    """A column or a metric with its table where there are several."""
    return name if table is None else f"{table}: {name}"
