"""Real people's own scores in a file: written only when asked for, readable by its owner only."""

from __future__ import annotations

import importlib.util
import io
import os
from collections.abc import Sequence
from pathlib import Path

import pandas as pd

ENDINGS = (".csv", ".parquet")
OWNER_ONLY = 0o600


def check_records_path(path: Path) -> None:
    """Refuse a path that records cannot be written to.

    Args:
        path:
            Ends in .csv or .parquet.

    Raises:
        ValueError: If it has another ending, or the parquet library is not there.
    """
    if path.suffix not in ENDINGS:
        raise ValueError(f"`--records` is {str(path)!r}; the name must end in .csv or .parquet.")
    if path.suffix == ".parquet" and importlib.util.find_spec("pyarrow") is None:
        raise ValueError(
            "`--records` is a .parquet file, which needs pyarrow: install it, or use .csv."
        )


def stack_records(parts: Sequence[tuple[str | None, str, pd.DataFrame]]) -> pd.DataFrame:
    """One frame of the records of several tables and metrics, without an index.

    Args:
        parts:
            Table, metric, and the metric's records on the caller's index.
    """
    frames = []
    for table, metric, records in parts:
        frame = records.reset_index(drop=True)
        names = [str(name or "index") for name in records.index.names]
        for level, name in reversed(list(enumerate(names))):
            frame.insert(0, name, records.index.get_level_values(level))
        frame.insert(0, "metric", metric)
        frame.insert(0, "table", table)
        frames.append(frame)
    stacked = pd.concat(frames, ignore_index=True).convert_dtypes()
    for column in stacked.columns:
        if pd.api.types.is_object_dtype(stacked[column]):  # parquet knows no mixture
            stacked[column] = stacked[column].map(str, na_action="ignore")
    return stacked


def write_records(records: pd.DataFrame, path: Path) -> None:
    """Write records so that only their owner can read them, whoever could before.

    Args:
        records:
            The frame.
        path:
            Where to.
    """
    buffer = io.BytesIO()
    if path.suffix == ".parquet":
        records.to_parquet(buffer, index=False)
    else:
        records.to_csv(buffer, index=False)
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT, OWNER_ONLY)
    with os.fdopen(descriptor, "wb") as file:
        os.chmod(path, OWNER_ONLY)
        file.truncate()
        file.write(buffer.getvalue())
