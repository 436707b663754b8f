"""Many rows of one owner as one row: their number, means, most frequent levels."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from sdmetrics_disclosure.adapters.release.kinds import Kind

Positions = NDArray[np.intp]


def summarize(
    frame: pd.DataFrame,
    kinds: Mapping[Hashable, Kind],
    owners: Positions,
    n_owners: int,
    prefix: str = "",
) -> dict[Hashable, Any]:
    """The columns that stand for an owner's rows.

    An owner without rows has 0 of them, and gaps. Of equally frequent levels the first counts.

    Args:
        frame:
            Canonical rows (see `Release`).
        kinds:
            The kind of each column that is summed up.
        owners:
            (n_rows,) the position of each row's owner; -1: no one's.
        n_owners:
            How many owners there are.
        prefix:
            What stands before the new columns' names.

    Returns:
        Arrays of `n_owners` values by new column: "rows", "mean COLUMN" of numbers and
        datetimes, "most frequent COLUMN" of all else.
    """
    owned = owners >= 0
    owners = owners[owned]
    counts = np.bincount(owners, minlength=n_owners)
    made: dict[Hashable, Any] = {f"{prefix}rows": counts.astype(np.float64)}
    for column, kind in kinds.items():
        values = frame[column][owned]
        name = summary_name(column, kind, prefix)
        made[name] = (_means if kind.is_number else _modes)(values, owners, n_owners)
    return made


def summary_name(column: Hashable, kind: Kind, prefix: str = "") -> str:
    """The name of the column that stands for `column`."""
    return f"{prefix}{'mean' if kind.is_number else 'most frequent'} {column}"


def summary_kinds(kinds: Mapping[Hashable, Kind], prefix: str = "") -> dict[Hashable, Kind]:
    """The kinds of the columns that `summarize` makes."""
    made: dict[Hashable, Kind] = {f"{prefix}rows": Kind.NUMERICAL}
    return made | {summary_name(c, kind, prefix): kind for c, kind in kinds.items()}


def _means(values: pd.Series[Any], owners: Positions, n_owners: int) -> NDArray[np.float64]:
    means = values.groupby(owners).mean()
    return means.reindex(np.arange(n_owners)).to_numpy(dtype=np.float64)


def _modes(values: pd.Series[Any], owners: Positions, n_owners: int) -> pd.Categorical:
    pairs = pd.DataFrame({"owner": owners, "code": values.cat.codes.to_numpy()})
    counted = pairs[pairs["code"] >= 0].value_counts().rename("n").reset_index()
    counted = counted.sort_values(["owner", "n", "code"], ascending=[True, False, True])
    first = counted.drop_duplicates("owner")
    codes = np.full(n_owners, -1, dtype=np.intp)
    codes[first["owner"].to_numpy()] = first["code"].to_numpy()
    dtype: Any = values.dtype
    return pd.Categorical.from_codes(codes, dtype=dtype)
