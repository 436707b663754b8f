"""What counts as a hit on a sensitive number, and the guesses that hit most.

A mean hits nobody where values lie apart. So who guesses numbers may know what a hit is, and guess
the value around which most others lie: of all synthetic rows, or of those nearest to the person.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

# Rows of which all windows are compared at a time.
ROWS_AT_A_TIME = 4_096


@dataclass(frozen=True)
class HitRule:
    """When a guess is a hit: where its error is below epsilon.

    Attributes:
        error: "symmetric", "stabilized_relative" or "absolute".
        epsilon: A hit has an error strictly below it.
        delta: The stabiliser of the relative errors.
    """

    error: str
    epsilon: float
    delta: float

    def hits(self, truth: Floats, guess: Floats) -> NDArray[np.bool_]:
        """(n,) whether each guess is a hit.

        Args:
            truth:
                (n,) the numbers.
            guess:
                (n,) the guesses.
        """
        from sdmetrics_disclosure.numba_kernels.rapid.scores import errors

        return np.asarray(errors(truth, guess, self.error, self.delta) < self.epsilon)

    def best_constant(self, values: Floats) -> float:
        """The constant that hits most of `values`; among equals the smallest.

        Each value is hit by an open interval of constants; a sweep over their ends finds where
        most overlap. Costs O(n log n).

        Args:
            values:
                (n,) the numbers an attacker sees, n > 0.
        """
        low, high = self._hit_intervals(values)
        open_ = low < high
        if not open_.any() or not np.isfinite(low).all():
            return float(np.median(values))  # nothing is a hit, or everything
        starts, ends = np.sort(low[open_]), np.sort(high[open_])
        # At a start: how many have begun, less those that ended at or before it (open ends).
        depth = np.searchsorted(starts, starts, side="right") - np.searchsorted(
            ends, starts, side="right"
        )
        best = int(np.argmax(depth))
        edges = np.concatenate([starts[starts > starts[best]][:1], ends[ends > starts[best]][:1]])
        return float((starts[best] + edges.min()) / 2)

    def best_windows(self, values: Floats) -> Floats:
        """(n,) for each row the constant that hits most of its values; see `best_constant`.

        Args:
            values:
                (n, k) numbers.
        """
        parts = range(0, len(values), ROWS_AT_A_TIME)
        found = [self._best_windows(values[i : i + ROWS_AT_A_TIME]) for i in parts]
        return np.concatenate(found) if found else np.zeros(0)

    def _best_windows(self, values: Floats) -> Floats:
        low, high = self._hit_intervals(values)
        median = np.asarray(np.median(values, axis=1))
        if not np.isfinite(low).all():
            return median
        low, high = (np.where(low < high, end, np.inf) for end in (low, high))
        # Just behind its start a window holds all that have begun and not ended.
        inside = (low[:, None, :] <= low[:, :, None]) & (high[:, None, :] > low[:, :, None])
        depth = np.where(np.isfinite(low), inside.sum(axis=2), 0)
        most = depth.max(axis=1, keepdims=True)
        start = np.where(depth == most, low, np.inf).min(axis=1, keepdims=True)
        edges = [np.where(ends > start, ends, np.inf).min(axis=1) for ends in (low, high)]
        middle = (start[:, 0] + np.minimum(*edges)) / 2
        return np.where(most[:, 0] > 0, middle, median)

    def _hit_intervals(self, values: Floats) -> tuple[Floats, Floats]:
        epsilon, delta = self.epsilon, self.delta
        if self.error == "absolute":
            return values - epsilon, values + epsilon
        size = np.abs(values)
        if self.error == "stabilized_relative":
            return values - epsilon * (size + delta), values + epsilon * (size + delta)
        if epsilon >= 2:  # the symmetric error never reaches 2
            return np.full(values.shape, -np.inf), np.full(values.shape, np.inf)
        # 2 |y - c| < epsilon (|y| + |c| + 2 delta), solved for c on the far and near side of 0.
        far = (size * (2 + epsilon) + 2 * epsilon * delta) / (2 - epsilon)
        same_side = (size * (2 - epsilon) - 2 * epsilon * delta) / (2 + epsilon)
        beyond_zero = size - 2 * epsilon * delta / (2 - epsilon)
        near = np.where(same_side >= 0, same_side, beyond_zero)
        positive = values >= 0
        return np.where(positive, near, -far), np.where(positive, far, -near)


def beats(hits: NDArray[Any], others: NDArray[Any], standard_errors: float) -> bool:
    """Whether more rows are hit than by another guess, by so many standard errors.

    Args:
        hits:
            (n,) whether each row is hit.
        others:
            (n,) whether it is hit by the other guess.
        standard_errors:
            Of the mean difference.
    """
    gain = hits.astype(np.float64) - others
    return bool(np.mean(gain) > standard_errors * float(np.std(gain)) / np.sqrt(gain.size))
