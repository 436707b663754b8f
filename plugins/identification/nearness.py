"""How near synthetic rows are to their nearest training row, beside how near to a holdout row."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from sdmetrics_disclosure.adapters.encode import encode
from sdmetrics_disclosure.adapters.release.kinds import Kind

Floats = NDArray[np.float64]

# Of what a training row is to its nearest other: nearer than this is no coincidence.
NEAR = 0.01
# A few values far out must not make all others alike.
TAIL = 0.005
FAR_OUT = 3.0


@dataclass(frozen=True)
class Distances:
    """How near synthetic rows are to those of one table.

    Attributes:
        near: Share of rows that are nearer than a hundredth of what a training row is to its
            nearest other; equal ones are among them.
        dcr: Median distance to the nearest row.
        nndr: Median of that distance over the distance to the second nearest; None where there is
            no second row.
    """

    near: float
    dcr: float
    nndr: float | None


@dataclass(frozen=True)
class Nearness:
    """How near synthetic rows are to training rows, and to holdout rows if there are any."""

    training: Distances
    holdout: Distances | None


def find_nearness(
    synthetic: pd.DataFrame,
    training: pd.DataFrame,
    holdout: pd.DataFrame | None,
    kinds: Mapping[Any, Kind],
    n_jobs: int | None = None,
) -> Nearness:
    """Search the nearest rows by the distance that Gen-LRA has: L1 of scaled numbers, mismatches.

    Args:
        synthetic:
            Canonical frame.
        training:
            Canonical frame.
        holdout:
            Canonical frame of about as many rows, or None.
        kinds:
            The kind of each column.
        n_jobs:
            Threads.
    """
    real = [training] if holdout is None else [training, holdout]
    tables = encode(
        [synthetic, *real],
        kinds,
        fit_on=range(1 + len(real)),
        missing="indicator",
        ordinal="category",
    )
    is_category = tables[0].is_category
    scales = np.array(
        [
            1.0 if category else scale_of(column)
            for column, category in zip(tables[1].values.T, is_category, strict=True)
        ]
    )
    released, own, *others = [table.values / scales for table in tables]
    limit = NEAR * _to_nearest_other(own, is_category, n_jobs)
    found = [
        _distances(_two_nearest(released, rows, is_category, n_jobs), limit)
        for rows in (own, *others)
    ]
    return Nearness(found[0], found[1] if others else None)


def scale_of(values: Floats) -> float:
    """The standard deviation; where a few values far out make it, that of clipped values.

    Args:
        values:
            Numbers without gaps; of a constant the scale is 1.
    """
    clipped = np.clip(values, *np.quantile(values, [TAIL, 1.0 - TAIL]))
    whole, usual = (
        float(np.std(each, ddof=1)) if each.size > 1 else 0.0 for each in (values, clipped)
    )
    if usual > 0.0 and whole > FAR_OUT * usual:
        return usual
    return whole if whole > 0.0 else 1.0


def _to_nearest_other(rows: Floats, is_category: Any, n_jobs: int | None) -> float:
    """The median distance of a row to its nearest other, of those that have no twin."""
    nearest_other = _two_nearest(rows, rows, is_category, n_jobs)[:, -1]
    apart = nearest_other[nearest_other > 0]
    return float(np.median(apart)) if apart.size else 0.0


def _two_nearest(queries: Floats, rows: Floats, is_category: Any, n_jobs: int | None) -> Floats:
    from sdmetrics_disclosure.numba_kernels.neighbors.nearest import nearest

    k = min(2, len(rows))
    return nearest(queries, rows, k, is_category=is_category, n_jobs=n_jobs)[1]


def _distances(nearest: Floats, limit: float) -> Distances:
    first = nearest[:, 0]
    near = float(np.mean((first < limit) | (first == 0)))
    if nearest.shape[1] < 2:
        return Distances(near, float(np.median(first)), None)
    second = nearest[:, 1]
    ratios = np.divide(first, second, out=np.zeros_like(first), where=first > 0)
    return Distances(near, float(np.median(first)), float(np.median(ratios)))
