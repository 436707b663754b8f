"""Key groups: real people looked up among the synthetic rows with the same known values."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from sdmetrics_disclosure.adapters.release.kinds import Kind
from sdmetrics_disclosure.adapters.release.release import Release

Codes = NDArray[np.intp]
Flags = NDArray[np.bool_]
NOT_THERE = -1


@dataclass(frozen=True)
class Guesses:
    """What the synthetic rows say about real records.

    Attributes:
        told: (n,) whether the record's key group speaks clearly enough to be believed.
        correct: (n,) whether it also says the truth.
    """

    told: Flags
    correct: Flags


def guess_by_groups(
    synthetic_groups: Codes,
    synthetic_classes: Codes,
    real_groups: Codes,
    real_classes: Codes,
    least_share: float,
) -> Guesses:
    """Guess each real record's class by the most frequent one of its synthetic key group.

    Of equally frequent classes the first is guessed. Time and memory linear in the rows, but for a
    sort.

    Args:
        synthetic_groups: (m,) key groups, 0 and up.
        synthetic_classes: (m,) classes, 0 and up.
        real_groups: (n,) key groups; -1 where no synthetic row has the record's known values.
        real_classes: (n,) the truth.
        least_share: A group is believed when this share of it, or more, has the class.
    """
    n_classes = int(max(synthetic_classes.max(), real_classes.max())) + 1
    pairs, counts = np.unique(synthetic_groups * n_classes + synthetic_classes, return_counts=True)
    groups, classes = pairs // n_classes, pairs % n_classes
    order = np.lexsort((classes, -counts, groups))
    first = order[np.unique(groups[order], return_index=True)[1]]
    sizes = np.bincount(synthetic_groups)
    share = np.zeros(sizes.size)
    guess = np.full(sizes.size, NOT_THERE)
    share[groups[first]] = counts[first] / sizes[groups[first]]
    guess[groups[first]] = classes[first]
    there = real_groups != NOT_THERE
    told = there & (share[real_groups] >= least_share)
    return Guesses(told, told & (guess[real_groups] == real_classes))


def key_groups(
    release: Release, replicate: int, known: Sequence[Hashable], n_bins: int
) -> tuple[Codes, Codes]:
    """The key groups of the synthetic and of the real rows, alike where all known values are.

    Numbers count as the quantile bin of the synthetic column that they fall in, a gap as a value.

    Args:
        release:
            The tables.
        replicate:
            Which synthetic table.
        known:
            The columns that make the key.
        n_bins:
            Quantile bins of a number.

    Returns:
        Groups (m,), 0 and up, and (n,), -1 for a key that no synthetic row has.
    """
    synthetic, real = release.synthetic[replicate], release.real
    groups = np.zeros(len(synthetic) + len(real), dtype=np.intp)
    for column in known:
        codes = np.concatenate(
            column_codes(synthetic[column], real[column], release.kinds[column], n_bins)
        )
        joined = groups * (int(codes.max()) + 1) + codes
        groups = np.unique(joined, return_inverse=True)[1].reshape(-1).astype(np.intp)
    of_synthetic, of_real = np.split(groups, [len(synthetic)])
    return of_synthetic, np.where(np.isin(of_real, of_synthetic), of_real, NOT_THERE)


def column_codes(
    synthetic: pd.Series, real: pd.Series, kind: Kind, n_bins: int
) -> tuple[Codes, Codes]:
    """The values of a column as codes from 0, 0 being a gap."""
    if kind.is_number:
        seen = synthetic.to_numpy(dtype=np.float64)
        truth = real.to_numpy(dtype=np.float64)
        return bin_numbers(seen, seen, n_bins), bin_numbers(truth, seen, n_bins)
    codes = (part.cat.codes.to_numpy(dtype=np.intp) for part in (synthetic, real))
    of_synthetic, of_real = (part + np.intp(1) for part in codes)
    return of_synthetic, of_real


def bin_numbers(values: NDArray[np.float64], synthetic: NDArray[np.float64], n_bins: int) -> Codes:
    """The quantile bin of the synthetic numbers that each value falls in, from 1; 0 for a gap.

    A bin holds its lower edge. Edges that coincide are one: there are fewer bins then.
    """
    present = synthetic[~np.isnan(synthetic)]
    edges = np.empty(0)
    if present.size:
        edges = np.unique(np.quantile(present, np.linspace(0, 1, n_bins + 1)[1:-1]))
    bins = np.searchsorted(edges, values, side="right") + 1
    return np.where(np.isnan(values), 0, bins).astype(np.intp)
