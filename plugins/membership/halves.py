"""The holdout's two halves: each is once the reference and once the outsiders."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sdmetrics_disclosure.plugins.holdout.repeats import Ids

Positions = NDArray[np.intp]


def split_holdout(
    order: Positions, units: Ids | None, generator: np.random.Generator
) -> tuple[Positions, Positions]:
    """Positions of the holdout's two halves, at random; rows of one unit stay together.

    Equal rows of different people do not: a member's twin may stand in the reference, and so may
    an outsider's.

    Args:
        order:
            (n,) the positions of the holdout's rows in an order that depends on their content
            alone, as do then the halves.
        units:
            (n,) whose each row is, in the holdout's own order; None: its own.
        generator:
            Draws the halves.

    Raises:
        ValueError: If the holdout cannot be cut in two.
    """
    owners = np.arange(order.size) if units is None else units[order]
    present, first, groups = np.unique(owners, return_index=True, return_inverse=True)
    if present.size < 2:
        what = "rows" if units is None else "rows of one unit"
        raise ValueError(
            f"`real_validation_data` has {order.size} {what}: it cannot be cut into a reference "
            "and people who were not in the training data. Pass more rows."
        )
    # Units in the order of their first rows: what they are called chooses nothing.
    drawn = np.argsort(first)[generator.permutation(present.size)]
    filled = np.cumsum(np.bincount(groups.reshape(-1))[drawn])
    cut = 1 + int(np.argmin(np.abs(filled[:-1] - order.size / 2)))
    in_first = np.isin(groups.reshape(-1), drawn[:cut])
    return order[in_first], order[~in_first]
