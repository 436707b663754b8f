"""Two ways of reading the known columns as a matrix, learned on the synthetic rows."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from sdmetrics_disclosure.adapters.encode import EncodedTable, Encoder, learn_encoder
from sdmetrics_disclosure.adapters.release.kinds import Kind
from sdmetrics_disclosure.plugins.attackers.task import Matrix, TrainingTask

# Histogram boosting has 255 bins; one of them is for the levels pooled.
MAX_LEVELS = 254
# scikit-learn's trees compare in single precision, whose end is at 3e38, and sum the rows before.
SINGLE_PRECISION_LIMIT = 1e32


@dataclass(frozen=True)
class OrdinalEncoding:
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
class OneHotEncoding:
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


def fit_ordinal_encoding(
    task: TrainingTask,
    missing: Literal["native", "indicator"],
    *,
    max_levels: int | None = None,
    min_present: int = 0,
) -> tuple[OrdinalEncoding, Matrix, tuple[str, ...]]:
    """Read the known columns as codes.

    Args:
        task:
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
    encoder = _fit_encoder(task, categories="codes", missing=missing, max_levels=max_levels)
    known = encoder(task.known)
    present = np.count_nonzero(~np.isnan(known.values), axis=0)
    keep = (present >= min_present) & ~_idle_indicators(known, task.kinds)
    read = OrdinalEncoding(encoder, keep, known.is_category[keep])
    return read, read(task.known), _pooled(known)


def fit_one_hot_encoding(task: TrainingTask) -> tuple[OneHotEncoding, Matrix, tuple[str, ...]]:
    """Read the known columns as standardised dummies; those that are constant are left out.

    Returns:
        The reader, what it reads of the synthetic rows, and what was simplified.
    """
    encoder = _fit_encoder(task, categories="one_hot", missing="indicator", max_levels=MAX_LEVELS)
    known = encoder(task.known)
    center, scale = known.values.mean(axis=0), known.values.std(axis=0)
    keep = scale > 1e-12 * np.abs(known.values).max(axis=0)
    read = OneHotEncoding(encoder, center, scale, keep, task.kinds)
    return read, read(task.known), _pooled(known)


def _fit_encoder(
    task: TrainingTask,
    categories: Literal["codes", "one_hot"],
    missing: Literal["native", "indicator"],
    max_levels: int | None,
) -> Encoder:
    return learn_encoder(
        [task.known],
        task.kinds,
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
