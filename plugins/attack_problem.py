"""What every attacker is given, and the two forms in which it reads the known columns."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from sdmetrics_disclosure.adapters.encode import EncodedTable, encode
from sdmetrics_disclosure.adapters.kinds import Kind

Matrix = NDArray[np.float64]

# Histogram boosting has 255 bins; one of them is for the levels pooled.
MAX_LEVELS = 254
# scikit-learn's trees compare in single precision.
SINGLE_PRECISION_LIMIT = 3e38


@dataclass(frozen=True)
class Problem:
    """Synthetic rows to learn from, and tables to predict.

    Attributes:
        known: The known columns of the synthetic rows, canonical (see `Release`).
        target: (n,) intp classes 0 to `n_classes` - 1, each of which occurs; or float64 numbers.
        n_classes: Number of classes, or None for numbers.
        tables: The known columns of the rows to predict.
        kinds: The kind of each known column.
        random_state: Where the attacker's randomness comes from.
        n_jobs: Number of threads.
    """

    known: pd.DataFrame
    target: NDArray[Any]
    n_classes: int | None
    tables: tuple[pd.DataFrame, ...]
    kinds: Mapping[Any, Kind]
    random_state: np.random.SeedSequence
    n_jobs: int

    @property
    def seed(self) -> int:
        """A whole number for scikit-learn's `random_state`."""
        return int(self.random_state.generate_state(1)[0])


@dataclass(frozen=True)
class Answer:
    """An attacker's predictions.

    Attributes:
        values: For each table (n, n_classes) probabilities, or (n,) numbers.
        notes: What the reader of the result should know, a sentence each.
    """

    values: list[Matrix]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Design:
    """The known columns as matrices, all encoded as the synthetic rows demand.

    Attributes:
        known: (n, d) the synthetic rows.
        tables: The rows to predict, each (m, d).
        is_category: (d,) whether a column holds codes without order.
        notes: What was simplified.
    """

    known: Matrix
    tables: list[Matrix]
    is_category: NDArray[np.bool_]
    notes: tuple[str, ...]


def shares_or_mean(problem: Problem) -> list[Matrix]:
    """Predict every row by the synthetic class shares, or by the mean."""
    if problem.n_classes is None:
        mean = float(np.mean(problem.target))
        return [np.full(len(table), mean) for table in problem.tables]
    shares = np.bincount(problem.target, minlength=problem.n_classes) / len(problem.target)
    return [np.tile(shares, (len(table), 1)) for table in problem.tables]


def codes(
    problem: Problem,
    missing: Literal["native", "indicator"],
    *,
    max_levels: int | None = None,
    min_present: int = 0,
) -> Design:
    """One column of level codes for each category, numbers as they are.

    Args:
        problem:
            The known columns.
        missing:
            Whether a gap in numbers stays, or becomes the median with a 0/1 column beside it.
        max_levels:
            Levels beyond these are pooled.
        min_present:
            Columns with fewer synthetic values than this are left out.
    """
    encoded = _encode(problem, categories="codes", missing=missing, max_levels=max_levels)
    present = np.count_nonzero(~np.isnan(encoded[0].values), axis=0)
    keep = (present >= min_present) & ~_idle_indicators(encoded[0], problem.kinds)
    limit = SINGLE_PRECISION_LIMIT
    matrices = [np.clip(table.values[:, keep], -limit, limit) for table in encoded]
    return Design(matrices[0], matrices[1:], encoded[0].is_category[keep], _pooled(encoded[0]))


def standardised_dummies(problem: Problem) -> Design:
    """One column for each level, all with mean 0 and deviation 1 in the synthetic rows.

    Columns that are constant there are left out. A level that does not occur there becomes the
    mean of the others (0 in each of its columns), not the one whose column is redundant.
    """
    encoded = _encode(problem, categories="one_hot", missing="indicator", max_levels=MAX_LEVELS)
    center = encoded[0].values.mean(axis=0)
    scale = encoded[0].values.std(axis=0)
    keep = scale > 1e-12 * np.abs(encoded[0].values).max(axis=0)
    matrices = []
    for table in encoded:
        standard = (table.values[:, keep] - center[keep]) / scale[keep]
        standard[_unknown(table, problem.kinds)[:, keep]] = 0.0
        matrices.append(standard)
    return Design(matrices[0], matrices[1:], encoded[0].is_category[keep], _pooled(encoded[0]))


def _encode(
    problem: Problem,
    categories: Literal["codes", "one_hot"],
    missing: Literal["native", "indicator"],
    max_levels: int | None,
) -> list[EncodedTable]:
    return encode(
        [problem.known, *problem.tables],
        problem.kinds,
        fit_on=[0],
        categories=categories,
        missing=missing,
        ordinal="rank" if categories == "codes" else "category",
        max_levels=max_levels,
    )


def _idle_indicators(known: EncodedTable, kinds: Mapping[Any, Kind]) -> NDArray[np.bool_]:
    # An indicator exists as soon as one table has a gap. Where the synthetic rows have none it
    # teaches nothing, and with it the predictions would depend on which tables come along.
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
