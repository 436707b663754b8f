"""The best an attacker can do on a number without knowing anything of the person."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class ConstantGuess:
    """The same guess for everyone.

    Attributes:
        value: The guess.
        risk: The share of real records for which it is a hit.
    """

    value: float
    risk: float


def best_constant(values: Floats, error: str, epsilon: float, delta: float) -> float:
    """The constant that hits most of `values`; among equals the smallest.

    Each value is hit by an open interval of constants; a sweep over their ends finds where most
    overlap. Costs O(n log n).

    Args:
        values:
            (n,) the numbers an attacker sees, n > 0.
        error:
            "symmetric", "stabilized_relative" or "absolute".
        epsilon:
            A hit has an error strictly below it.
        delta:
            The stabiliser of the relative errors.
    """
    low, high = _hit_intervals(values, error, epsilon, delta)
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


def _hit_intervals(
    values: Floats, error: str, epsilon: float, delta: float
) -> tuple[Floats, Floats]:
    if error == "absolute":
        return values - epsilon, values + epsilon
    size = np.abs(values)
    if error == "stabilized_relative":
        return values - epsilon * (size + delta), values + epsilon * (size + delta)
    if epsilon >= 2:  # the symmetric error never reaches 2
        return np.full(values.size, -np.inf), np.full(values.size, np.inf)
    # 2 |y - c| < epsilon (|y| + |c| + 2 delta), solved for c on the far and the near side of 0.
    far = (size * (2 + epsilon) + 2 * epsilon * delta) / (2 - epsilon)
    same_side = (size * (2 - epsilon) - 2 * epsilon * delta) / (2 + epsilon)
    beyond_zero = size - 2 * epsilon * delta / (2 - epsilon)
    near = np.where(same_side >= 0, same_side, beyond_zero)
    positive = values >= 0
    return np.where(positive, near, -far), np.where(positive, far, -near)
