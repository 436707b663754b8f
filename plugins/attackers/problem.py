"""What every attacker is given and gives, and two ways of reading the known columns."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from sdmetrics_disclosure.adapters.encode import EncodedTable, Encoder, learn_encoder
from sdmetrics_disclosure.adapters.release.kinds import Kind

Matrix = NDArray[np.float64]

# Histogram boosting has 255 bins; one of them is for the levels pooled.
MAX_LEVELS = 254
# scikit-learn's trees compare in single precision.
SINGLE_PRECISION_LIMIT = 3e38


@dataclass(frozen=True)
class Problem:
    """Synthetic rows to learn from.

    Attributes:
        known: The known columns of the synthetic rows, canonical (see `Release`).
        target: (n,) intp classes 0 to `n_classes` - 1, each of which occurs; or float64 numbers.
        n_classes: Number of classes, or None for numbers.
        kinds: The kind of each known column.
        random_state: Where the attacker's randomness comes from.
        n_jobs: Number of threads.
    """

    known: pd.DataFrame
    target: NDArray[Any]
    n_classes: int | None
    kinds: Mapping[Any, Kind]
    random_state: np.random.SeedSequence
    n_jobs: int

    @property
    def seed(self) -> int:
        """A whole number for scikit-learn's `random_state`."""
        return int(self.random_state.generate_state(1)[0])


class Predictor(Protocol):
    """What an attacker has learned; it can be pickled, to be asked elsewhere."""

    def __call__(self, tables: Sequence[pd.DataFrame]) -> list[Matrix]:
        """The predictions for the known columns of other rows.

        Args:
            tables: Canonical frames.

        Returns:
            For each (n, n_classes) probabilities, or (n,) numbers; they depend on no other table.
        """


@dataclass(frozen=True)
class Learned:
    """An attacker after its training.

    Attributes:
        predict: What it has learned.
        notes: What the reader of the result should know, a sentence each.
    """

    predict: Predictor
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Codes:
    """One column of level codes for each category, numbers as they are.

    Attributes:
        encoder: Learned on the synthetic rows.
        keep: Which encoded columns are read.
        is_category: (d,) whether a column read holds codes without order.
    """

    encoder: Encoder
    keep: NDArray[np.bool_]
    is_category: NDArray[np.bool_]

    def __call__(self, table: pd.DataFrame) -> Matrix:
        """(n, d) the known columns of a table."""
        limit = SINGLE_PRECISION_LIMIT
        return np.clip(self.encoder(table).values[:, self.keep], -limit, limit)


@dataclass(frozen=True)
class Dummies:
    """One column for each level, all with mean 0 and deviation 1 in the synthetic rows.

    Attributes:
        encoder: Learned on the synthetic rows.
        center: Of each encoded column.
        scale: Of each encoded column.
        keep: Which encoded columns are read: those that vary.
        kinds: The kind of each known column.
    """

    encoder: Encoder
    center: Matrix
    scale: Matrix
    keep: NDArray[np.bool_]
    kinds: Mapping[Any, Kind]

    def __call__(self, table: pd.DataFrame) -> Matrix:
        """(n, d) the known columns of a table.

        A level that the synthetic rows never show is the mean of the others (0 in each of its
        columns), not the one whose column is redundant.
        """
        encoded = self.encoder(table)
        keep = self.keep
        standard: Matrix = (encoded.values[:, keep] - self.center[keep]) / self.scale[keep]
        standard[_unknown(encoded, self.kinds)[:, keep]] = 0.0
        return standard


def shares_or_mean(problem: Problem) -> Predictor:
    """Predict every row by the synthetic class shares, or by the mean."""
    if problem.n_classes is None:
        return Same(np.asarray(np.mean(problem.target)))
    shares = np.bincount(problem.target, minlength=problem.n_classes) / len(problem.target)
    return Same(shares)


@dataclass(frozen=True)
class Same:
    """The same prediction for every row.

    Attributes:
        value: (n_classes,) probabilities, or () the number.
    """

    value: Matrix

    def __call__(self, tables: Sequence[pd.DataFrame]) -> list[Matrix]:
        """See `Predictor`."""
        return [np.tile(self.value, (len(t), *[1] * self.value.ndim)) for t in tables]


@dataclass(frozen=True)
class RowWise:
    """Predicts each table by itself, from its matrix.

    Attributes:
        read: How a table becomes a matrix.
        model: From (n, d) known columns to predictions.
    """

    read: Codes | Dummies
    model: Callable[[Matrix], Matrix]

    def __call__(self, tables: Sequence[pd.DataFrame]) -> list[Matrix]:
        """See `Predictor`."""
        return [self.model(self.read(table)) for table in tables]


def codes(
    problem: Problem,
    missing: Literal["native", "indicator"],
    *,
    max_levels: int | None = None,
    min_present: int = 0,
) -> tuple[Codes, Matrix, tuple[str, ...]]:
    """Read the known columns as codes.

    Args:
        problem:
            The known columns.
        missing:
            Whether a gap in numbers stays, or becomes the median with a 0/1 column beside it.
        max_levels:
            Levels beyond these are pooled.
        min_present:
            Columns with fewer synthetic values than this are left out.

    Returns:
        The reader, what it reads of the synthetic rows, and what was simplified.
    """
    encoder = _learn(problem, categories="codes", missing=missing, max_levels=max_levels)
    known = encoder(problem.known)
    present = np.count_nonzero(~np.isnan(known.values), axis=0)
    keep = (present >= min_present) & ~_idle_indicators(known, problem.kinds)
    read = Codes(encoder, keep, known.is_category[keep])
    return read, read(problem.known), _pooled(known)


def standardised_dummies(problem: Problem) -> tuple[Dummies, Matrix, tuple[str, ...]]:
    """Read the known columns as standardised dummies; those that are constant are left out.

    Returns:
        The reader, what it reads of the synthetic rows, and what was simplified.
    """
    encoder = _learn(problem, categories="one_hot", missing="indicator", max_levels=MAX_LEVELS)
    known = encoder(problem.known)
    center, scale = known.values.mean(axis=0), known.values.std(axis=0)
    keep = scale > 1e-12 * np.abs(known.values).max(axis=0)
    read = Dummies(encoder, center, scale, keep, problem.kinds)
    return read, read(problem.known), _pooled(known)


def _learn(
    problem: Problem,
    categories: Literal["codes", "one_hot"],
    missing: Literal["native", "indicator"],
    max_levels: int | None,
) -> Encoder:
    return learn_encoder(
        [problem.known],
        problem.kinds,
        categories=categories,
        missing=missing,
        ordinal="rank" if categories == "codes" else "category",
        max_levels=max_levels,
    )


def _idle_indicators(known: EncodedTable, kinds: Mapping[Any, Kind]) -> NDArray[np.bool_]:
    # Every number has an indicator; where the synthetic rows have no gap it teaches nothing.
    of_number = np.array([kinds[column].is_number for column in known.columns], dtype=np.bool_)
    constant = np.ptp(known.values, axis=0) == 0
    idle: NDArray[np.bool_] = known.is_category & of_number & constant
    return idle


def _unknown(table: EncodedTable, kinds: Mapping[Any, Kind]) -> NDArray[np.bool_]:
    """(n, d) whether the row's level of the column's source was never seen."""
    unknown = np.zeros(table.values.shape, dtype=np.bool_)
    positions: dict[Hashable, list[int]] = {}
    for position, column in enumerate(table.columns):
        if not kinds[column].is_number:
            positions.setdefault(column, []).append(position)
    for block in positions.values():
        unknown[:, block] = ~table.values[:, block].any(axis=1, keepdims=True)
    return unknown


def _pooled(known: EncodedTable) -> tuple[str, ...]:
    if not known.pooled:
        return ()
    columns = _names(known.pooled)
    return (
        f"Known columns ({columns}): only the {MAX_LEVELS} most frequent synthetic levels are told "
        "apart, the rest count as one.",
    )


def _names(columns: Sequence[Hashable]) -> str:
    return ", ".join(sorted(repr(column) for column in columns))
