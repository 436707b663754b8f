"""What the attacker sees of a person in a refit's rows: counts of matches and distances.

Houssiau et al. (2022) count matches on subsets of columns, Meeus et al. (2023) add conditions of
order. What a person's own level is comes from other refits (Watson et al., 2022): features are
standardised by person, so one learner serves all.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sdmetrics_disclosure.plugins.refits.encoding import (
    Flags,
    Floats,
    Positions,
    Records,
    finite,
    make_tests,
)

SUBSET_SIZES = (2, 3, 4)
NEIGHBORS = (1, 5, 20)
LOG_OFFSET = 0.01
# So many refits' worth of the typical variance steady a person's own.
PRIOR_REFITS = 5.0
CLIP = 6.0
# Least numbers of other people who match; a bucket reaches up to the next.
RARITY = (0, 1, 3, 10)


@dataclass(frozen=True)
class Subsets:
    """Subsets of columns, each in one form.

    Attributes:
        tests: (Q, 2d) the tests of each (see `Tests`).
        is_beyond: (Q,) the form.
    """

    tests: Flags
    is_beyond: Flags

    def __len__(self) -> int:
        return len(self.tests)


def draw_subsets(n_columns: int, n_queries: int, generator: np.random.Generator) -> Subsets:
    """Each column alone in both forms, then distinct ones of 2 to 4 columns, the form random.

    Args:
        n_columns:
            How many columns there are.
        n_queries:
            How many to draw; fewer where there are not so many distinct ones.
        generator:
            Of the draw.
    """
    found: dict[tuple[bool, tuple[int, ...]], None] = {
        (form, (j,)): None for form in (False, True) for j in range(n_columns)
    }
    sizes = [size for size in SUBSET_SIZES if size <= n_columns]
    wanted = len(found) + (n_queries if sizes else 0)
    for _ in range(100 * n_queries):  # small tables have few subsets: the draws run dry
        if len(found) >= wanted:
            break
        chosen = generator.choice(n_columns, int(generator.choice(sizes)), replace=False)
        found[bool(generator.integers(2)), tuple(sorted(map(int, chosen)))] = None
    tests = np.zeros((len(found), 2 * n_columns), dtype=np.bool_)
    for q, (form, columns) in enumerate(found):
        tests[q, [n_columns * form + j for j in columns]] = True
    return Subsets(tests, np.array([form for form, _ in found], dtype=np.bool_))


def observe(
    records: Records, targets: Positions, subsets: Subsets, n_jobs: int | None = None
) -> Floats:
    """What one refit's records show of each person, (T, Q + 3).

    The share of them that matches on each subset, and log(0.01 + distance) to the 1st, 5th and
    20th nearest.
    """
    from sdmetrics_disclosure.numba_kernels.refits.distances import nearest_distances
    from sdmetrics_disclosure.numba_kernels.refits.matches import match_counts

    tests = make_tests(records, targets)
    counts = match_counts(
        finite(records.other), tests.lower, tests.upper, tests.column, subsets.tests, n_jobs=n_jobs
    )
    distances = nearest_distances(
        records.real[targets], records.other, records.is_category, max(NEIGHBORS), n_jobs=n_jobs
    )
    nearest = distances[:, [min(k, distances.shape[1]) - 1 for k in NEIGHBORS]]
    return np.hstack([counts / len(records.other), np.log(LOG_OFFSET + nearest)])


def distance_of(observed: NDArray[np.float64]) -> Floats:
    """The plain attack beside it: log distance to the nearest synthetic record, (..., T)."""
    return np.asarray(observed[..., -len(NEIGHBORS)])


def count_alike(records: Records, targets: Positions, subsets: Subsets) -> Positions:
    """How many other real records match each person on each subset, (T, Q)."""
    from sdmetrics_disclosure.numba_kernels.refits.matches import match_counts

    tests = make_tests(records, targets)
    real = finite(records.real)
    return match_counts(real, tests.lower, tests.upper, tests.column, subsets.tests) - 1


@dataclass(frozen=True)
class Standard:
    """Each person's own level and spread of each feature, over refits that may be learned from.

    Attributes:
        mean: (T, Q + 3).
        deviation: (T, Q + 3), of which a typical one has been mixed in; 1 where nothing varies.
    """

    mean: Floats
    deviation: Floats

    def __call__(self, observed: Floats) -> Floats:
        """Standardise (..., T, Q + 3), clip, and take away each refit's mean over the people."""
        scaled = np.clip((observed - self.mean) / self.deviation, -CLIP, CLIP)
        return np.asarray(scaled - scaled.mean(axis=-2, keepdims=True))


def learn_standard(observed: Floats) -> Standard:
    """Learn it from refits, (L, T, Q + 3): the variance of each person is drawn to the median."""
    n_refits = len(observed)
    variance = observed.var(axis=0)
    typical = np.median(variance, axis=0)
    mixed = (n_refits * variance + PRIOR_REFITS * typical) / (n_refits + PRIOR_REFITS)
    return Standard(observed.mean(axis=0), np.sqrt(np.where(mixed > 0.0, mixed, 1.0)))


def add_rarity(standardized: Floats, alike: Positions, subsets: Subsets) -> Floats:
    """Put eight features behind: sums over the subsets in which a person is equally rare.

    Args:
        standardized: (..., T, Q + 3).
        alike: (T, Q) see `count_alike`.
        subsets: The Q subsets.

    Returns:
        (..., T, Q + 11): for each form and bucket of `RARITY` the sum over those subsets, divided
        by the root of their number; 0 where there are none.
    """
    matches = standardized[..., : len(subsets)]
    bucket = np.searchsorted(RARITY, alike, side="right") - 1
    sums = []
    for form in (False, True):
        for b in range(len(RARITY)):
            inside = (bucket == b) & (subsets.is_beyond == form)
            root = np.sqrt(np.maximum(inside.sum(axis=1), 1))
            sums.append(np.einsum("...tq,tq->...t", matches, inside.astype(float)) / root)
    return np.concatenate([standardized, np.stack(sums, axis=-1)], axis=-1)
