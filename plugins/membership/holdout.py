"""The holdout before an attack: which rows stand in the training data too, and the two halves."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from sdmetrics_disclosure.adapters.encode import encode
from sdmetrics_disclosure.adapters.release.release import Release, take_columns

MOST_OVERLAP = 0.01
NEAR = 1e-6


@dataclass(frozen=True)
class Overlap:
    """How many holdout rows stand in the training rows.

    Attributes:
        exact: Holdout rows equal to a training row.
        near: Others nearer than 1e-6 of the median nearest distance to one.
        n_holdout: Rows of the holdout, before any were dropped.
        dropped: Whether those rows were dropped.
    """

    exact: int
    near: int
    n_holdout: int
    dropped: bool

    @property
    def share(self) -> float:
        """The share of the holdout that stands in the training rows."""
        return (self.exact + self.near) / self.n_holdout

    def to_dict(self) -> dict[str, float | int | bool]:
        """The counts, plain."""
        return {
            "exact": self.exact,
            "near": self.near,
            "n_holdout": self.n_holdout,
            "share": self.share,
            "dropped": self.dropped,
        }


def resolve_overlap(
    release: Release,
    overlap: str,
    found_there: tuple[NDArray[np.bool_], NDArray[np.bool_]] | None = None,
) -> tuple[Release, Overlap]:
    """Count the holdout rows that are training rows, and refuse or drop them.

    Args:
        release:
            With a holdout.
        overlap:
            "refuse", "drop" or "keep" (see `MembershipOptions`).
        found_there:
            (n_holdout,) whether each holdout row equals a training row, and whether it nearly
            does, where that is known.

    Raises:
        ValueError: If over 1 % overlap and `overlap` is "refuse", or nothing is left.
    """
    assert release.holdout is not None, "the metric has asked for a holdout"
    exact, near = found_there or _find_overlap(release)
    found = Overlap(int(exact.sum()), int(near.sum()), len(exact), dropped=False)
    if found.share <= MOST_OVERLAP or overlap == "keep":
        return release, found
    if overlap == "refuse":
        raise ValueError(
            f"{found.exact} rows of `real_validation_data` are also training rows and {found.near} "
            f"nearly so, of {found.n_holdout}: that is no holdout. Pass rows that the synthesizer "
            "never saw; or overlap='drop' to leave those out, or 'keep' where rows are alike by "
            "nature."
        )
    kept = release.holdout[~(exact | near)]
    if kept.empty:
        raise ValueError(
            "Every row of `real_validation_data` is also a training row: dropping them leaves no "
            "holdout. Pass rows that the synthesizer never saw."
        )
    return replace(release, holdout=kept), replace(found, dropped=True)


def split_holdout(
    release: Release, generator: np.random.Generator
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Positions of the holdout's two halves; equal rows, and rows of one unit, stay together.

    Raises:
        ValueError: If the holdout cannot be cut in two.
    """
    assert release.holdout is not None, "the metric has asked for a holdout"
    columns: list[Hashable] = release.columns if release.unit is None else [release.unit]
    groups = _row_groups([take_columns(release.holdout, columns)])[0]
    n_groups = int(groups.max()) + 1
    if n_groups < 2:
        raise ValueError(
            f"`real_validation_data` has {len(groups)} rows, all alike: it cannot be cut into a "
            "reference and people who were not in the training data. Pass more rows."
        )
    order = generator.permutation(n_groups)
    sizes = np.bincount(groups)[order]
    filled = np.cumsum(sizes)
    cut = 1 + int(np.argmin(np.abs(filled[:-1] - len(groups) / 2)))
    in_first = np.isin(groups, order[:cut])
    return np.flatnonzero(in_first), np.flatnonzero(~in_first)


def _find_overlap(release: Release) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    from sdmetrics_disclosure.numba_kernels.neighbors.nearest import nearest

    assert release.holdout is not None, "the metric has asked for a holdout"
    tables = [take_columns(frame, release.columns) for frame in (release.real, release.holdout)]
    training, holdout = _row_groups(tables)
    exact = np.isin(holdout, training)
    encoded = encode(
        tables,
        release.kinds,
        fit_on=[0, 1],
        missing="indicator",
        scale="sd",
        ordinal="category",
    )
    _, distances = nearest(
        encoded[1].values,
        encoded[0].values,
        1,
        is_category=encoded[0].is_category,
    )
    away = distances[~exact, 0]
    limit = NEAR * float(np.median(away)) if away.size else 0.0
    return exact, ~exact & (distances[:, 0] < limit)


def _row_groups(tables: list[pd.DataFrame]) -> list[NDArray[np.intp]]:
    """The same number for equal rows, over all tables; gaps are equal to gaps."""
    stacked = pd.concat(tables, ignore_index=True)
    columns = [stacked.iloc[:, i] for i in range(stacked.shape[1])]
    codes = np.column_stack([pd.factorize(column)[0] for column in columns])
    _, groups = np.unique(codes, axis=0, return_inverse=True)
    ends = np.cumsum([len(table) for table in tables])[:-1]
    return [part.astype(np.intp) for part in np.split(groups.reshape(-1), ends)]
