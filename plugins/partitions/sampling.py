"""Rows drawn from tables in partitions, each with the same chance."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from sdmetrics_disclosure.adapters.release.schema_sample import stack
from sdmetrics_disclosure.plugins.partitions.map_partitions import map_partitions


def draw_positions(
    sizes: Sequence[int], num_rows: int, rng: np.random.Generator
) -> list[NDArray[np.intp]]:
    """The places of drawn rows in each partition, in order; all where there are no more.

    Args:
        sizes:
            Rows in each partition.
        num_rows:
            The most rows to draw.
        rng:
            Draws them.
    """
    n_rows = sum(sizes)
    drawn = (
        np.arange(n_rows)
        if n_rows <= num_rows
        else np.sort(rng.choice(n_rows, num_rows, replace=False))
    )
    ends = np.cumsum(sizes)
    own = np.split(drawn, np.searchsorted(drawn, ends[:-1]))
    return [rows - (end - n) for rows, end, n in zip(own, ends, sizes, strict=True)]


def draw_rows(
    parts: Sequence[Any], sizes: Sequence[int], num_rows: int, rng: np.random.Generator
) -> pd.DataFrame:
    """Rows of a table as they came, in their order, each with the same chance.

    Args:
        parts:
            Its partitions.
        sizes:
            Rows in each.
        num_rows:
            The most rows to draw.
        rng:
            Draws them.
    """
    return stack(map_partitions(_take, parts, each=draw_positions(sizes, num_rows, rng)))


def _take(part: pd.DataFrame, rows: NDArray[np.intp]) -> pd.DataFrame:
    return part.iloc[rows]
