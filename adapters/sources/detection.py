"""Metadata for a frame alone, as SDV detects it, where SDV is installed."""

from __future__ import annotations

import warnings
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import pandas as pd

from sdmetrics_disclosure.adapters.release.kinds import infer_kind


def sdv_version() -> str | None:
    """The version of the SDV that is installed, or None."""
    try:
        return version("sdv")
    except PackageNotFoundError:
        return None


def detect_metadata(real_data: pd.DataFrame) -> dict[str, Any] | None:
    """What SDV detects of a frame; None where SDV is not installed.

    A column that SDV cannot tell has the kind that its values give.

    Args:
        real_data:
            The frame; it is not changed, and its columns may have any names.

    Returns:
        Metadata with `columns`.
    """
    if sdv_version() is None:
        return None
    names = [str(column) for column in real_data.columns]
    if len(set(names)) < len(names):  # SDV would take 1 and "1" for one column
        names = [f"column {i}" for i in range(len(names))]
    frame = pd.DataFrame(
        {name: _plain(real_data.iloc[:, i]) for i, name in enumerate(names)},
        index=pd.RangeIndex(len(real_data)),
    )
    try:
        detected = _detect(frame)
    except Exception:  # one column is enough, and SDV does not always say which
        detected = {name: _detect_alone(frame[[name]]) for name in names}
    return {"columns": dict(zip(real_data.columns, (detected[n] for n in names), strict=True))}


def _detect(frame: pd.DataFrame) -> dict[str, Any]:
    from sdv.metadata import Metadata

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of formats it guesses: nobody has asked SDV here
        metadata = Metadata.detect_from_dataframes({"table": frame}).to_dict()
    columns: dict[str, Any] = metadata["tables"]["table"]["columns"]
    return columns


def _detect_alone(frame: pd.DataFrame) -> Any:
    (name,) = frame.columns
    try:
        return _detect(frame)[name]
    except Exception:
        return {"sdtype": infer_kind(frame[name]).value}


def _plain(column: pd.Series[Any]) -> Any:
    """The column in a dtype that SDV knows: the same for every backend."""
    if isinstance(column.dtype, pd.ArrowDtype) or column.dtype == object:
        return column.astype(object).convert_dtypes().array
    return column.array
