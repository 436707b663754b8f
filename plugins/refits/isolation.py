"""Who is easiest to find: people far from all others, and people alone with a value.

Isolation is that of Meeus et al. (2023), "Achilles' Heels".
"""

from __future__ import annotations

import numpy as np

from sdmetrics_disclosure.plugins.refits.encoding import Flags, Floats, Positions, Records
from sdmetrics_disclosure.plugins.refits.features import Subsets

N_NEIGHBORS = 5
BLOCK = 256  # people whose distances to all others are held at once


def isolation(records: Records, targets: Positions) -> Floats:
    """Mean distance to the five nearest other real records, (T,).

    1 - (d_cat / d) share of equal categories - (d_num / d) cosine of the numbers, which are scaled
    to between 0 and 1; a missing one is the median.
    """
    numbers = _scaled_numbers(records.real[:, ~records.is_category])
    categories = records.real[:, records.is_category]
    n_columns = records.real.shape[1]
    found = np.empty(len(targets))
    for start in range(0, len(targets), BLOCK):
        own = targets[start : start + BLOCK]
        alike = numbers[own] @ numbers.T * (records.real.shape[1] - categories.shape[1])
        for column in categories.T:
            alike += column[own][:, None] == column
        distance = 1.0 - alike / n_columns
        distance[np.arange(len(own)), own] = np.inf
        k = min(N_NEIGHBORS, distance.shape[1] - 1)
        nearest = np.partition(distance, k - 1, axis=1)[:, :k]
        found[start : start + BLOCK] = nearest.mean(axis=1)
    return found


def most_isolated(isolations: Floats, n_isolated: int) -> Flags:
    """Who belongs to the group of so many most isolated people, (T,); ties by position."""
    chosen = np.argsort(-isolations, kind="stable")[:n_isolated]
    return np.isin(np.arange(isolations.size), chosen)


def is_alone(alike: Positions, subsets: Subsets) -> Flags:
    """Who has a value that no other real record has (a number: within the tolerance), (T,)."""
    is_single = (subsets.tests.sum(axis=1) == 1) & ~subsets.is_beyond
    return np.asarray((alike[:, is_single] == 0).any(axis=1))


def _scaled_numbers(numbers: Floats) -> Floats:
    """Rows of length 1, or 0, whose products are cosines."""
    if not numbers.size:
        return numbers
    medians = np.array(
        [np.median(c[~np.isnan(c)]) if (~np.isnan(c)).any() else 0 for c in numbers.T]
    )
    filled = np.where(np.isnan(numbers), medians, numbers)
    low, high = filled.min(axis=0), filled.max(axis=0)
    scaled = (filled - low) / np.where(high > low, high - low, 1.0)
    length = np.linalg.norm(scaled, axis=1, keepdims=True)
    return np.asarray(scaled / np.where(length > 0.0, length, 1.0))
