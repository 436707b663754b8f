"""The splits of a classification or regression tree, as R's rpart finds them.

A category is split into two sets of its levels. For numbers and two classes the best sets are found
by ordering the levels by their mean (Breiman et al. 1984); for more classes all sets are tried up
to ten levels, beyond that those that come of ordering the levels by the share of each class. A
level that the node's rows never show is sent by the other column that best tells what the split
does (a surrogate), or else to the larger child.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sdmetrics_disclosure.plugins.attackers.task import Matrix

MIN_SAMPLES_LEAF = 7
# With more levels than this, and more classes than two, not all sets of levels are tried.
MAX_LEVELS_TRIED = 10
# What a split must gain, as a part of the sum of squares: less is rounding.
ROUNDING = 1e-12
MAX_SURROGATES = 5
# A surrogate sends at least so many rows each way.
MIN_SURROGATE_ROWS = 2

Levels = NDArray[np.intp]
Flags = NDArray[np.bool_]


@dataclass(frozen=True)
class Split:
    """How a node sends its rows left or right.

    Attributes:
        gain: By how much it lowers the impurity; of a surrogate the rows it sends as the split.
        column: Which is asked.
        threshold: Numbers are held against it; NaN where sets of levels are.
        low_is_left: Whether numbers at most the threshold go left.
        left: The levels that go left.
        right: The levels that go right.
        larger_is_left: Where a row goes of which nothing tells.
        surrogates: Who is asked about a level in neither set, the best first.
    """

    gain: float
    column: int
    threshold: float = float("nan")
    low_is_left: bool = True
    left: Levels = field(default_factory=lambda: np.zeros(0, dtype=np.intp))
    right: Levels = field(default_factory=lambda: np.zeros(0, dtype=np.intp))
    larger_is_left: bool = True
    surrogates: tuple[Split, ...] = ()

    def goes_left(self, known: Matrix) -> Flags:
        """(n,) whether each of the rows (n, d) goes left."""
        goes_left = np.full(len(known), self.larger_is_left)
        open_ = np.ones(len(known), dtype=np.bool_)
        for split in (self, *self.surrogates):
            if not open_.any():
                break
            left, told = split._tell(known[:, split.column])
            goes_left[open_ & told] = left[open_ & told]
            open_ &= ~told
        return goes_left

    def _tell(self, values: Matrix) -> tuple[Flags, Flags]:
        """Whether rows go left, and of which rows that is known."""
        if not np.isnan(self.threshold):
            return (values <= self.threshold) == self.low_is_left, np.ones(len(values), bool)
        left = np.isin(values, self.left)
        return left, left | np.isin(values, self.right)

    def with_surrogates(self, known: Matrix, is_category: Flags, goes_left: Flags) -> Split:
        """The same with those who stand in for it where it does not know a level.

        Args:
            known:
                (n, d) the node's rows.
            is_category:
                (d,) which columns hold codes.
            goes_left:
                (n,) where the rows go.
        """
        if not np.isnan(self.threshold):
            return self
        # Who agrees with the split no more often than the larger child is no help.
        majority = max(int(goes_left.sum()), int((~goes_left).sum()))
        found = [
            (_levels_like if is_category[column] else _number_like)(column, values, goes_left)
            for column, values in enumerate(known.T)
            if column != self.column
        ]
        better = [each for each in found if each is not None and each.gain > majority]
        better.sort(key=lambda each: -each.gain)
        return replace(self, surrogates=tuple(better[:MAX_SURROGATES]))


def _number_like(column: int, values: Matrix, goes_left: Flags) -> Split | None:
    """The threshold that sends most rows where a split sends them."""
    order = np.argsort(values, kind="stable")
    rising, n = values[order], len(values)
    at = np.arange(MIN_SURROGATE_ROWS - 1, n - MIN_SURROGATE_ROWS)
    at = at[rising[at] < rising[at + 1]]
    if not at.size:
        return None
    left_below = np.cumsum(goes_left[order])[at]
    agree = left_below + (int((~goes_left).sum()) - (at + 1 - left_below))
    best = np.maximum(agree, n - agree)
    i = int(np.argmax(best))
    threshold = _between(rising[at[i]], rising[at[i] + 1])
    low_is_left = bool(agree[i] >= n - agree[i])
    return Split(float(best[i]), column, threshold=threshold, low_is_left=low_is_left)


def _levels_like(column: int, values: Matrix, goes_left: Flags) -> Split:
    """Each level goes where a split sends most of its rows."""
    levels, code = np.unique(values.astype(np.intp), return_inverse=True)
    lefts = np.bincount(code, weights=goes_left)
    rights = np.bincount(code) - lefts
    larger_is_left = bool(2 * goes_left.sum() > len(goes_left))
    chosen = (lefts > rights) | ((lefts == rights) & larger_is_left)
    agree = float(np.where(chosen, lefts, rights).sum())
    return Split(agree, column, left=levels[chosen], right=levels[~chosen])


def _between(low: float, high: float) -> float:
    middle = low / 2 + high / 2
    return float(middle if middle < high else low)


def best_split(known: Matrix, is_category: NDArray[np.bool_], response: Matrix) -> Split | None:
    """The split that lowers the impurity most; of equal ones the first. None if none does.

    Args:
        known:
            (n, d) the node's rows.
        is_category:
            (d,) which columns hold codes.
        response:
            (n, k) one column for each class (0 or 1), or the centred number.
    """
    total = response.sum(axis=0)
    floor = ROUNDING * float((response**2).sum())
    best: Split | None = None
    for column, values in enumerate(known.T):
        find = _split_levels if is_category[column] else _split_number
        split = find(column, values, response, float(total @ total) / len(values))
        if split is not None and split.gain > max(floor, best.gain if best else 0.0):
            best = split
    return best


def _split_number(column: int, values: Matrix, response: Matrix, root: float) -> Split | None:
    order = np.argsort(values, kind="stable")
    rising, n = values[order], len(values)
    sums = np.cumsum(response[order], axis=0)
    at = np.arange(MIN_SAMPLES_LEAF - 1, n - MIN_SAMPLES_LEAF)
    at = at[rising[at] < rising[at + 1]]
    if not at.size:
        return None
    gains = _squares(sums[at], at + 1) + _squares(sums[-1] - sums[at], n - at - 1) - root
    i = at[int(np.argmax(gains))]
    threshold = _between(rising[i], rising[i + 1])
    return Split(float(gains.max()), column, threshold=threshold)


def _split_levels(column: int, values: Matrix, response: Matrix, root: float) -> Split | None:
    levels, code = np.unique(values.astype(np.intp), return_inverse=True)
    if len(levels) < 2:
        return None
    sizes = np.bincount(code)
    sums = np.column_stack([np.bincount(code, weights=each) for each in response.T])
    best: Split | None = None
    for masks in _sets(sums / sizes[:, None]):
        n_left = masks @ sizes
        fit = (n_left >= MIN_SAMPLES_LEAF) & (len(values) - n_left >= MIN_SAMPLES_LEAF)
        if not fit.any():
            continue
        masks, n_left = masks[fit], n_left[fit]
        left = masks @ sums
        right = sums.sum(axis=0) - left
        gains = _squares(left, n_left) + _squares(right, len(values) - n_left) - root
        i = int(np.argmax(gains))
        if best is None or gains[i] > best.gain:
            chosen, larger = masks[i] > 0, bool(2 * n_left[i] >= len(values))
            best = Split(
                float(gains[i]),
                column,
                left=levels[chosen],
                right=levels[~chosen],
                larger_is_left=larger,
            )
    return best


def _sets(means: Matrix) -> Iterator[Matrix]:
    """(m, n_levels) 0/1 the sets of levels to be tried on the left, by the levels' means."""
    n_levels, n_columns = means.shape
    if n_columns > 2 and n_levels <= MAX_LEVELS_TRIED:
        yield _all_sets(n_levels)
        return
    below = np.tri(n_levels - 1, n_levels)
    # Of two classes the shares of one are those of the other turned round.
    for each in means.T[: 1 if n_columns <= 2 else n_columns]:
        masks = np.empty_like(below)
        masks[:, np.argsort(each, kind="stable")] = below
        yield masks


@functools.cache
def _all_sets(n_levels: int) -> Matrix:
    """Every division into two sets once: the last level stands on the right."""
    numbers = np.arange(1, 2 ** (n_levels - 1))
    return (numbers[:, None] >> np.arange(n_levels) & 1).astype(np.float64)


def _squares(sums: Matrix, sizes: NDArray[Any]) -> Matrix:
    return np.asarray((sums**2).sum(axis=1) / sizes)
