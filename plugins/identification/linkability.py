"""How probably two sets of a person's columns, held apart, lead to the same synthetic row.

The distance is Gower's: |difference| over the range, 1 for categories that differ. A gap is like a
gap; against a number it costs 1, and what the number is from the median.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from sdmetrics_disclosure.adapters.encode import encode
from sdmetrics_disclosure.adapters.release.kinds import Kind
from sdmetrics_disclosure.plugins.identification.people import People

Floats = NDArray[np.float64]

# A few values far out must not make all others alike.
TAIL = 0.005
FAR_OUT = 3.0


def link_people(
    synthetic: pd.DataFrame,
    people: People,
    kinds: Mapping[Any, Kind],
    column_sets: tuple[Sequence[Hashable], Sequence[Hashable]],
    n_jobs: int | None = None,
) -> Floats:
    """The probability of each person, training people first.

    Args:
        synthetic:
            Canonical frame.
        people:
            Training and holdout people; of somebody with several rows, the mean over them.
        kinds:
            The kind of each column.
        column_sets:
            Two sets of columns without a column in common.
        n_jobs:
            Threads.
    """
    from sdmetrics_disclosure.numba_kernels.identification.links import link_probabilities

    tables = [synthetic, people.training, people.holdout]
    seen, *real = encode(tables, kinds, fit_on=[0], missing="indicator", ordinal="category")
    ranges = np.array(
        [
            1.0 if is_category else range_of(values)
            for values, is_category in zip(seen.values.T, seen.is_category, strict=True)
        ]
    )
    first, second = (
        np.array([i for i, c in enumerate(seen.columns) if c in set(columns)], dtype=np.intp)
        for columns in column_sets
    )
    rows = link_probabilities(
        np.concatenate([table.values for table in real]) / ranges,
        np.ascontiguousarray(seen.values / ranges),
        seen.is_category,
        first,
        second,
        n_jobs,
    )
    totals = np.bincount(people.person, weights=rows, minlength=2 * people.n)
    return np.asarray(totals / np.bincount(people.person, minlength=2 * people.n))


def deal_columns(columns: Sequence[Hashable]) -> tuple[list[Hashable], list[Hashable]]:
    """Two sets of columns, dealt alternately.

    Args:
        columns:
            At least two, in the order in which they are dealt.
    """
    return list(columns[::2]), list(columns[1::2])


def range_of(values: Floats) -> float:
    """Gower's range; where a few values far out make it, that of the others (a constant: 1)."""
    present = values[~np.isnan(values)]
    if not present.size:
        return 1.0
    low, high = np.quantile(present, [TAIL, 1.0 - TAIL])
    widest, usual = float(np.ptp(present)), float(high - low)
    if usual > 0.0 and widest > FAR_OUT * usual:
        return usual
    return widest if widest > 0.0 else 1.0
