"""A few rows that stand for many: read beside a part of a table, they give it the levels of all."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import Any

import numpy as np
import pandas as pd

from sdmetrics_disclosure.adapters.kinds import Kind
from sdmetrics_disclosure.adapters.release import assemble

# A number's values that stand for all.
_NUMBERS = 2


def stand_in(frame: pd.DataFrame, kinds: Mapping[Hashable, Kind]) -> pd.DataFrame:
    """A few rows in which every level occurs, and for numbers two values, and gaps.

    Args:
        frame:
            Rows as they came.
        kinds:
            The kind of each modelled column.
    """
    columns = {
        column: _representatives(frame[column], kind.is_number) for column, kind in kinds.items()
    }
    longest = max(len(values) for values in columns.values())
    stretched = [
        values.iloc[np.minimum(np.arange(longest), len(values) - 1)].array
        for values in columns.values()
    ]
    return assemble(stretched, list(columns), pd.RangeIndex(longest))


def _representatives(values: pd.Series[Any], is_number: bool) -> pd.Series[Any]:
    if isinstance(values.dtype, pd.CategoricalDtype):  # declared levels take part, seen or not
        declared = pd.Series(values.cat.categories)
        gap = values[values.isna()].iloc[:1].astype(declared.dtype)
        return pd.Series(pd.concat([declared, gap]))
    try:
        distinct = values.drop_duplicates()
    except TypeError:  # lists and the like: `build_release` says so, by name
        return values.iloc[:1]
    if not is_number:
        return distinct
    present = distinct.dropna()
    infinite = present[_is_infinite(present)].iloc[:1]  # to be warned of
    gap = distinct[distinct.isna()].iloc[:1]
    return pd.Series(pd.concat([present.iloc[:_NUMBERS], infinite, gap]).drop_duplicates())


def _is_infinite(values: pd.Series[Any]) -> Any:
    if getattr(values.dtype, "kind", "O") != "f":
        return np.zeros(len(values), dtype=np.bool_)
    return np.isinf(values.to_numpy(dtype=np.float64))
