"""One order of rows and columns, from their content and names: figures then depend on no other."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import replace

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from sdmetrics_disclosure.adapters.release.release import Release, take_columns

Positions = NDArray[np.intp]


def in_own_order(release: Release) -> Release:
    """The release with columns by name and synthetic rows by content; real rows stay in place."""
    columns = sorted(release.columns, key=lambda column: (str(column), type(column).__name__))
    unit = [] if release.unit is None or release.unit in release.kinds else [release.unit]
    ordered = replace(release, kinds={column: release.kinds[column] for column in columns})

    def arranged(frame: pd.DataFrame) -> pd.DataFrame:
        return take_columns(frame, [*columns, *unit])

    holdout = None if release.holdout is None else arranged(release.holdout)
    synthetic = tuple(
        arranged(frame).iloc[content_order(frame, ordered)] for frame in release.synthetic
    )
    return replace(ordered, real=arranged(release.real), synthetic=synthetic, holdout=holdout)


def content_order(frame: pd.DataFrame, release: Release) -> Positions:
    """The positions of a canonical frame's rows in order: by numbers, levels, then units.

    Shifting or scaling a number changes nothing; other names for levels only where numbers tie.

    Args:
        frame:
            One of the release's.
        release:
            Whose columns come in this order.
    """
    columns: list[Hashable] = sorted(release.columns, key=lambda c: not release.kinds[c].is_number)
    if release.unit is not None and release.unit not in release.kinds:
        columns.append(release.unit)
    keys = [_sortable(frame[column]) for column in columns]
    return np.lexsort(keys[::-1]).astype(np.intp)


def _sortable(column: pd.Series) -> NDArray[np.float64]:
    """Numbers, or codes of levels; gaps last."""
    if isinstance(column.dtype, pd.CategoricalDtype):
        codes = column.cat.codes.to_numpy(dtype=np.float64)
        return np.where(codes < 0, np.inf, codes)
    return column.to_numpy(dtype=np.float64)
