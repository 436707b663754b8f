"""The sensitive column in the form that all attackers expect: few classes, each of which occurs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sdmetrics_disclosure.plugins.attackers.task import ClassTarget, Matrix, NumberTarget

# With more sensitive classes than this the rare ones share one predicted probability.
MAX_CLASSES = 50


@dataclass(frozen=True)
class SensitiveColumn:
    """The sensitive column as the attackers see it.

    Attributes:
        target: What they learn.
        column: See `Prediction`.
        share: See `Prediction`.
        notes: What was simplified.
    """

    target: ClassTarget | NumberTarget
    column: NDArray[np.intp] | None = None
    share: Matrix | None = None
    notes: tuple[str, ...] = ()


def pool_classes(classes: NDArray[np.intp], n_classes: int) -> SensitiveColumn:
    """Number the classes that occur; those beyond the 50 most frequent become one.

    Args:
        classes:
            (n,) the classes of the synthetic rows, 0 to `n_classes` - 1.
        n_classes:
            How many there are, shown by the synthetic rows or not.
    """
    counts = np.bincount(classes, minlength=n_classes)
    by_frequency = np.argsort(-counts, kind="stable")
    n_seen = int(np.count_nonzero(counts))
    kept = np.sort(by_frequency[: min(n_seen, MAX_CLASSES)])
    pooled = by_frequency[len(kept) : n_seen]
    column = np.zeros(n_classes, dtype=np.intp)
    column[kept] = np.arange(len(kept))
    column[pooled] = len(kept)
    share = (counts > 0).astype(np.float64)
    share[pooled] = counts[pooled] / max(1, int(counts[pooled].sum()))
    notes = (
        (
            f"{n_seen} sensitive classes: the {MAX_CLASSES} most frequent are predicted one by "
            "one, the rest together and by their shares.",
        )
        if pooled.size
        else ()
    )
    target = ClassTarget(column[classes], len(kept) + (pooled.size > 0))
    return SensitiveColumn(target, column, share, notes)
