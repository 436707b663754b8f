"""Real and synthetic records as numbers: distances, tests of equality and of lying beyond."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sdmetrics_disclosure.adapters.encode import encode
from sdmetrics_disclosure.adapters.release.release import Release
from sdmetrics_disclosure.adapters.sources.sequences import sequence_release

Floats = NDArray[np.float64]
Positions = NDArray[np.intp]
Flags = NDArray[np.bool_]
# Numbers are equal within this many standard deviations.
TOLERANCE = 0.1


@dataclass(frozen=True)
class Records:
    """The real records beside others, in one coding.

    Attributes:
        real: (R, d) numbers in units of the real table's standard deviation, NaN where missing;
            categories as codes, of which a missing one is one more.
        other: (n, d) likewise; a level that no real record has matches nobody.
        is_category: (d,).
    """

    real: Floats
    other: Floats
    is_category: Flags


def encode_records(release: Release) -> Records:
    """The records of a release (see `one_row_a_record`), its real ones and its synthetic ones."""
    one = one_row_a_record(release)
    real, other = encode(
        [one.real, one.synthetic[0]],
        one.kinds,
        fit_on=[0],
        ordinal="category",
        missing="native",
        scale="sd",
    )
    return Records(real.values, other.values, real.is_category)


def one_row_a_record(release: Release) -> Release:
    """The release whose rows are records: its own rows, or its sequences where it has units."""
    return release if release.unit is None else sequence_release(release)


@dataclass(frozen=True)
class Tests:
    """Each column's two tests of a record against a person: equal, and beyond.

    Equal: the same category, or a number within a tenth of a standard deviation. Beyond: the same
    category, or a number at least as far on the person's side of the median. A missing number
    passes only the tests of people who lack it too: it stands as infinity.

    Attributes:
        lower: (T, 2d) of each person, the least that passes; first equal, then beyond.
        upper: (T, 2d) the most that passes.
        column: (2d,) the column tested.
    """

    lower: Floats
    upper: Floats
    column: Positions


def make_tests(records: Records, targets: Positions) -> Tests:
    """The tests of the real records at these positions."""
    own = finite(records.real[targets])
    lacks = np.isinf(own)
    width = np.where(records.is_category, 0.0, TOLERANCE)
    is_above = own > medians(records.real)
    far_low = np.where(is_above | records.is_category, own, -np.inf)
    far_high = np.where(is_above & ~records.is_category, np.finfo(float).max, own)
    return Tests(
        lower=np.hstack([own - width, np.where(lacks, np.inf, far_low)]),
        upper=np.hstack([own + width, np.where(lacks, np.inf, far_high)]),
        column=np.tile(np.arange(own.shape[1]), 2),
    )


def finite(values: Floats) -> Floats:
    """Values whose gaps are infinity, so that tests by size can be made of them."""
    return np.where(np.isnan(values), np.inf, values)


def medians(values: Floats) -> Floats:
    """The median of each column (d,) without its gaps; 0 where there is nothing else."""
    present = (column[~np.isnan(column)] for column in values.T)
    return np.array([np.median(column) if column.size else 0.0 for column in present])
