"""Sequences: many rows of one person, and the release in which a person is one row."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from sdmetrics_disclosure.adapters.release.release import Release
from sdmetrics_disclosure.adapters.release.tables import assemble
from sdmetrics_disclosure.adapters.sources.summaries import summarize, summary_kinds, summary_name


def sequence_release(release: Release) -> Release:
    """The release with one row a unit: the number of its rows, means, most frequent levels.

    What is then measured is what is given away about the unit. Rows without a unit are left
    out. The index is the unit's name.

    Args:
        release:
            With a unit.

    Raises:
        ValueError: If it has none.
    """
    if release.unit is None:
        raise ValueError(
            "The release has no unit: name the column that says whose row it is as the "
            "metadata's 'sequence_key'."
        )
    holdout = release.holdout
    return replace(
        release,
        real=_one_row_a_unit(release, release.real),
        synthetic=tuple(_one_row_a_unit(release, frame) for frame in release.synthetic),
        holdout=None if holdout is None else _one_row_a_unit(release, holdout),
        kinds=summary_kinds(release.kinds),
        unit=None,
        n_holdout_levels={
            summary_name(column, release.kinds[column]): n
            for column, n in release.n_holdout_levels.items()
            if column in release.kinds
        },
        origin=None,
    )


def _one_row_a_unit(release: Release, frame: pd.DataFrame) -> pd.DataFrame:
    units = frame[release.unit].cat
    codes = units.codes.to_numpy()
    present = np.unique(codes[codes >= 0])
    owners = np.where(codes >= 0, np.searchsorted(present, codes), -1)
    made = summarize(frame, release.kinds, owners, present.size)
    return assemble(list(made.values()), list(made), _whole(units.categories[present]))


def _whole(names: pd.Index[Any]) -> pd.Index[Any]:
    """Whole numbers as such: levels are floats."""
    if names.dtype.kind == "f" and bool((names == names.astype("int64")).all()):
        return names.astype("int64")
    return names
