"""What every attacker is given, and what it gives."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from sdmetrics_disclosure.adapters.release.kinds import Kind
from sdmetrics_disclosure.plugins.common.hits import HitRule

Matrix = NDArray[np.float64]

# With more sensitive classes than this the rare ones share one predicted probability.
MAX_CLASSES = 50


@dataclass(frozen=True)
class ClassTarget:
    """Sensitive classes of the synthetic rows.

    Attributes:
        values: (n,) intp classes 0 to `n_classes` - 1, each of which occurs.
        n_classes: How many there are.
        what: In messages.
        constant_name: What predicts where nothing else does, in messages.
    """

    values: NDArray[np.intp]
    n_classes: int
    what: ClassVar[str] = "classes"
    constant_name: ClassVar[str] = "the class shares"

    @property
    def constant(self) -> Matrix:
        """(n_classes,) the class shares."""
        return np.bincount(self.values, minlength=self.n_classes) / len(self.values)


@dataclass(frozen=True)
class NumberTarget:
    """Sensitive numbers of the synthetic rows.

    Attributes:
        values: (n,) float64 without gaps.
        rule: What a hit is; None: guess the mean as well as can be.
        what: In messages.
        constant_name: What predicts where nothing else does, in messages.
    """

    values: Matrix
    rule: HitRule | None = None
    what: ClassVar[str] = "numbers"
    constant_name: ClassVar[str] = "one constant"

    @property
    def constant(self) -> Matrix:
        """() the constant that hits most, or the mean."""
        if self.rule is not None:
            return np.asarray(self.rule.best_constant(self.values))
        return np.asarray(np.mean(self.values))


@dataclass(frozen=True)
class TrainingTask:
    """Synthetic rows to learn from.

    Attributes:
        known: The known columns of the synthetic rows, canonical (see `Release`).
        target: Their sensitive column.
        kinds: The kind of each known column.
        random_state: Where the attacker's randomness comes from.
        n_jobs: Number of threads.
    """

    known: pd.DataFrame
    target: ClassTarget | NumberTarget
    kinds: Mapping[Any, Kind]
    random_state: np.random.SeedSequence
    n_jobs: int

    @property
    def seed(self) -> int:
        """A whole number for scikit-learn's `random_state`."""
        return int(self.random_state.generate_state(1)[0])


class Predictor(ABC):
    """What an attacker has learned; it can be pickled, to be asked elsewhere."""

    @abstractmethod
    def __call__(self, tables: Sequence[pd.DataFrame]) -> list[Matrix]:
        """The predictions for the known columns of other rows.

        Args:
            tables: Canonical frames.

        Returns:
            For each (n, n_classes) probabilities, or (n,) numbers; they depend on no other table.
        """

    def for_many_tables(self) -> Predictor:
        """The same, for who asks many times."""
        return self


@dataclass(frozen=True)
class FittedAttacker:
    """An attacker after its training.

    Attributes:
        predict: What it has learned.
        notes: What the reader of the result should know, a sentence each.
    """

    predict: Predictor
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Constant(Predictor):
    """Predicts the same for every row.

    Attributes:
        value: (n_classes,) probabilities, or () the number.
    """

    value: Matrix

    def __call__(self, tables: Sequence[pd.DataFrame]) -> list[Matrix]:
        """See `Predictor`."""
        return [np.tile(self.value, (len(t), *[1] * self.value.ndim)) for t in tables]


@dataclass(frozen=True)
class RowWise(Predictor):
    """Predicts each table by itself, from its matrix.

    Attributes:
        read: How a table becomes a matrix.
        model: From (n, d) known columns to predictions.
    """

    read: Callable[[pd.DataFrame], Matrix]
    model: Callable[[Matrix], Matrix]

    def __call__(self, tables: Sequence[pd.DataFrame]) -> list[Matrix]:
        """See `Predictor`."""
        return [self.model(self.read(table)) for table in tables]


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
