"""Slow, obvious twins of the kernels for refits: one person, one row, one subset at a time."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]


def match_counts(
    rows: Floats, lower: Floats, upper: Floats, column: NDArray[np.intp], subsets: Flags
) -> NDArray[np.intp]:
    counts = np.zeros((len(lower), len(subsets)), dtype=np.intp)
    for t in range(len(lower)):
        for q, subset in enumerate(subsets):
            for row in rows:
                passed = [
                    lower[t, f] <= row[column[f]] <= upper[t, f] for f in np.flatnonzero(subset)
                ]
                counts[t, q] += all(passed)
    return counts


def nearest_distances(targets: Floats, rows: Floats, is_category: Flags, n_nearest: int) -> Floats:
    found = []
    for target in targets:
        squares = []
        for row in rows:
            total = 0.0
            for own, other, category in zip(target, row, is_category, strict=True):
                if category:
                    total += own != other
                elif np.isnan(own) or np.isnan(other):
                    total += np.isnan(own) != np.isnan(other)
                else:
                    total += min((own - other) ** 2, 1e6)
            squares.append(total)
        found.append(sorted(squares)[:n_nearest])
    return np.sqrt(found)
