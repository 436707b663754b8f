"""Rows that stand more than once: in training data, holdout and synthetic tables, equal or nearly.

Near rows are found by sorting: two rows closer than a limit agree in every category, and their
numbers, added up with weights of at most 1, differ by less than the limit.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import stats

from sdmetrics_disclosure.adapters.encode import EncodedTable, encode
from sdmetrics_disclosure.adapters.release.release import Release, take_columns

Ids = NDArray[np.int64]
Flags = NDArray[np.bool_]

NEAR = 1e-6  # of the median distance from a holdout row to the nearest training row
TYPICAL_ROWS = 512  # holdout rows that the median is taken over
# Rows beside each other in sorted order that are compared; more are closer only by chance.
MOST_COMPARED = 64
# A smaller variance of a share is none.
ROUNDING = 1e-15
# Tables of fewer rows, or fewer different ones, may be alike by chance.
FEWEST_ROWS, FEWEST_KINDS = 30, 10


@dataclass(frozen=True)
class RowIds:
    """The same number for rows that count as equal, over all tables.

    Attributes:
        training: (n,) of the training rows.
        holdout: (h,) of the holdout.
        synthetic: Of every replicate.
    """

    training: Ids
    holdout: Ids
    synthetic: tuple[Ids, ...] = ()


def find_row_ids(release: Release) -> tuple[RowIds, RowIds]:
    """The ids of equal rows, and those of equal or nearly equal ones.

    Time O(n log n) and a search of at most 512 holdout rows among the training rows.

    Args:
        release:
            With a holdout.
    """
    assert release.holdout is not None, "the caller has asked for a holdout"
    tables = [
        take_columns(frame, release.columns)
        for frame in (release.real, release.holdout, *release.synthetic)
    ]
    exact = row_groups(tables)
    encoded = encode(
        tables, release.kinds, fit_on=[0, 1], missing="indicator", scale="sd", ordinal="category"
    )
    limit = NEAR * _typical_distance(encoded[0], encoded[1], exact)
    ends = np.cumsum([len(table) for table in tables])[:-1]
    everyone = np.concatenate(exact)
    near = _join_near(
        np.concatenate([t.values for t in encoded]), encoded[0].is_category, everyone, limit
    )
    return _row_ids(exact), _row_ids(np.split(near, ends))


def row_groups(tables: Sequence[pd.DataFrame]) -> list[Ids]:
    """The same number for equal rows, over all tables; gaps are equal to gaps."""
    stacked = pd.concat(list(tables), ignore_index=True)
    groups = np.zeros(len(stacked), dtype=np.int64)
    for i in range(stacked.shape[1]):
        codes = pd.factorize(stacked.iloc[:, i])[0].astype(np.int64) + 1
        joined = groups * (int(codes.max()) + 1) + codes
        groups = pd.factorize(joined)[0].astype(np.int64)
    ends = np.cumsum([len(table) for table in tables])[:-1]
    return list(np.split(groups, ends))


def _row_ids(parts: Sequence[Ids]) -> RowIds:
    return RowIds(parts[0], parts[1], tuple(parts[2:]))


def _typical_distance(training: EncodedTable, holdout: EncodedTable, exact: Sequence[Ids]) -> float:
    """The median distance to the nearest training row, of holdout rows that equal none."""
    from sdmetrics_disclosure.numba_kernels.neighbors.nearest import nearest

    away = holdout.values[~np.isin(exact[1], exact[0])]
    if not len(away):
        return 0.0
    in_order = away[np.lexsort(away.T)]
    chosen = np.linspace(0, len(away) - 1, min(len(away), TYPICAL_ROWS)).round().astype(np.intp)
    _, distances = nearest(in_order[chosen], training.values, 1, is_category=training.is_category)
    return float(np.median(distances))


def _join_near(values: NDArray[np.float64], is_category: Flags, exact: Ids, limit: float) -> Ids:
    """Ids that rows closer than the limit, or linked by such rows, share."""
    numbers = values[:, ~is_category]
    if limit == 0.0 or not numbers.shape[1]:
        return exact
    _, first, inverse = np.unique(exact, return_index=True, return_inverse=True)
    numbers, categories = numbers[first], values[first][:, is_category]
    line = numbers @ np.cos(np.arange(1.0, numbers.shape[1] + 1.0))
    order = np.lexsort((line, *categories.T))
    numbers, categories, line = numbers[order], categories[order], line[order]
    pairs = [np.empty((2, 0), dtype=np.intp)]
    for step in range(1, min(MOST_COMPARED, len(line) - 1) + 1):
        beside = np.flatnonzero(
            (line[step:] - line[:-step] < limit)
            & (categories[step:] == categories[:-step]).all(axis=1)
        )
        if not beside.size:
            break
        distances = np.abs(numbers[beside + step] - numbers[beside]).sum(axis=1)
        beside = beside[distances < limit]
        pairs.append(np.stack([order[beside], order[beside + step]]))
    return _linked(np.concatenate(pairs, axis=1), len(line))[inverse.reshape(-1)]


def _linked(pairs: NDArray[np.intp], n: int) -> Ids:
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    ends = pairs.astype(np.int32)  # scipy before 1.12 reads no others here
    edges = coo_array((np.ones(ends.shape[1]), (ends[0], ends[1])), shape=(n, n))
    return np.asarray(connected_components(edges, directed=False)[1], dtype=np.int64)


def clumping(ids: Ids, others: Ids) -> float:
    """How far twins between two tables exceed those within the other, in standard deviations.

    The share of rows with a twin in the other table, minus the share of the other's rows with a
    twin there, both as if chance alone had dealt all rows to the two tables: rows that are alike
    come in clumps, so that a share of them varies more than one of independent rows.

    Args:
        ids: (n,) of one table.
        others: (m,) of the other.

    Returns:
        Above 0 where more stands between the tables than within; 0 where nothing repeats.
    """
    groups, of_both = np.unique(np.concatenate([ids, others]), return_inverse=True)
    of_both = of_both.reshape(-1)
    here = np.bincount(of_both[: ids.size], minlength=groups.size)
    there = np.bincount(of_both[ids.size :], minlength=groups.size)
    sizes, how_many = np.unique(here + there, return_counts=True)
    observed = float(_gain(here, there, ids.size, others.size).sum())
    share = others.size / of_both.size
    expected = variance = with_size = 0.0
    for size, n_groups in zip(sizes, how_many, strict=True):
        dealt = np.arange(size + 1)
        chance = stats.binom.pmf(dealt, size, share)
        gain = _gain(size - dealt, dealt, ids.size, others.size)
        mean = float(chance @ gain)
        expected += n_groups * mean
        variance += n_groups * float(chance @ np.square(gain - mean))
        with_size += n_groups * float(chance @ ((gain - mean) * (dealt - size * share)))
    # How many rows each table has is not chance.
    variance -= with_size**2 / (of_both.size * share * (1.0 - share))
    return (observed - expected) / np.sqrt(variance) if variance > ROUNDING else 0.0


def _gain(here: Any, there: Any, n: int, m: int) -> NDArray[np.float64]:
    return np.where(there > 0, here, 0) / n - np.where(there > 1, there, 0) / m


def stands_in(ids: Ids, others: Ids) -> Flags:
    """Whether each row has an equal one in another table."""
    return np.isin(ids, others)


def stands_again(ids: Ids, units: Ids | None) -> Flags:
    """Whether each row has an equal other one in its table; of another unit, where there are."""
    if units is not None:
        ids_of_units = np.unique(np.column_stack([ids, units]), axis=0)[:, 0]
    else:
        ids_of_units = ids
    present, counts = np.unique(ids_of_units, return_counts=True)
    return np.isin(ids, present[counts > 1])


def find_units(release: Release) -> tuple[Ids, Ids] | None:
    """Whose each training and each holdout row is, by the unit's name; without one its own."""
    if release.unit is None or release.holdout is None:
        return None
    frames = (release.real, release.holdout)
    training, holdout = (_unit_codes(frame[release.unit]) for frame in frames)
    return training, holdout


def _unit_codes(names: pd.Series) -> Ids:
    """The number of each row's unit; a row without one is its own."""
    codes = names.cat.codes.to_numpy(dtype=np.int64)
    return np.where(codes < 0, -1 - np.arange(codes.size, dtype=np.int64), codes)


def is_same_file(ids: Ids, others: Ids) -> bool:
    """Whether two tables have the same rows equally often, and enough of them to be no chance.

    Where every row repeats, "has a twin" says nothing of it.
    """
    if ids.size != others.size or ids.size < FEWEST_ROWS:
        return False
    return len(np.unique(ids)) >= FEWEST_KINDS and np.array_equal(np.sort(ids), np.sort(others))
