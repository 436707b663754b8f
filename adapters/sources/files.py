"""Tables and metadata from files."""

from __future__ import annotations

import json
import warnings
from os import PathLike, fspath
from pathlib import Path
from typing import Any

import pandas as pd

from sdmetrics_disclosure.adapters.sources.delimited import Form, read_delimited

PARQUET = (".parquet", ".pq")
CSV = (".csv", ".csv.gz", ".csv.bz2", ".csv.xz", ".csv.zip")
# Beside numbers these can only be gaps; in a column of text they may be names.
_GAPS = frozenset({"NA", "N/A", "n/a", "NaN", "nan", "NULL", "null", "None", "<NA>"})


def is_path(source: Any) -> bool:
    """Whether a source is the name of a file."""
    return isinstance(source, (str, PathLike))


def read_table(
    argument: str, source: Any, *, separator: str | None = None, encoding: str | None = None
) -> Any:
    """The table in a file; what is no path is returned as it is.

    In CSV, numbers keep every digit and an empty field is a gap. Words such as NA are gaps
    where a column's other values are numbers; in a column of text they are text. A separator or
    encoding that had to be found, other than comma and UTF-8, is said in a warning.

    Args:
        argument:
            The name of the argument, for messages.
        source:
            A path that ends in .csv (also compressed) or .parquet, or a table.
        separator:
            Of a CSV file's fields; None: found among comma, semicolon, tab and bar.
        encoding:
            Of a CSV file's characters; None: found among UTF-8, UTF-16 and cp1252.

    Raises:
        FileNotFoundError: If there is no such file.
        ValueError: If the ending is another, the file is damaged, or a line has a field too many
            or too few.
    """
    if not is_path(source):
        return source
    path = Path(fspath(source))
    if not path.is_file():
        raise FileNotFoundError(f"`{argument}` is {str(path)!r}: there is no such file.")
    name = path.name.lower()
    if name.endswith(PARQUET):
        return _read_parquet(argument, path)
    if not name.endswith(CSV):
        raise ValueError(
            f"`{argument}` is {str(path)!r}; the name must end in one of "
            f"{', '.join(sorted((*CSV, *PARQUET)))}. Read other files yourself and pass a frame."
        )
    frame, form = read_delimited(argument, path, separator, encoding)
    if form != Form(separator or ",", encoding or "utf-8"):
        warnings.warn(f"`{argument}` was read with {form}.", UserWarning, stacklevel=2)
    return pd.DataFrame({name: _numbers_with_gaps(frame[name]) for name in frame.columns})


def _read_parquet(argument: str, path: Path) -> pd.DataFrame:
    try:
        return pd.read_parquet(path)
    except ImportError as error:
        raise ValueError(
            f"`{argument}` is {str(path)!r}: reading Parquet needs the package pyarrow. Install "
            "it, or pass CSV."
        ) from error
    except Exception as error:  # pyarrow's own, of several families
        raise ValueError(
            f"`{argument}` is {str(path)!r}, which is no Parquet file, or a damaged one: copy or "
            "make it anew."
        ) from error


def read_metadata(metadata: Any) -> Any:
    """The metadata in a JSON file as SDV writes it; what is no path is returned as it is.

    Raises:
        FileNotFoundError: If there is no such file.
        ValueError: If it is no JSON.
    """
    if not is_path(metadata):
        return metadata
    path = Path(fspath(metadata))
    if not path.is_file():
        raise FileNotFoundError(f"`metadata` is {str(path)!r}: there is no such file.")
    try:
        found = json.loads(path.read_text(encoding="utf-8-sig"))
    except ValueError as error:
        raise ValueError(f"`metadata` is {str(path)!r}, which is no JSON: {error}.") from error
    if not isinstance(found, dict):
        raise ValueError(
            f"`metadata` is {str(path)!r}, whose JSON is a {type(found).__name__}; it must be the "
            "object that SDV's `save_to_json` writes, with `columns` or `tables`."
        )
    return found


def _numbers_with_gaps(column: pd.Series[Any]) -> pd.Series[Any]:
    if not pd.api.types.is_string_dtype(column.dtype) and column.dtype != object:
        return column
    gaps = column.isin(_GAPS)
    if not gaps.any() or column[~gaps].isna().all():
        return column
    try:
        return pd.to_numeric(column.mask(gaps))
    except (TypeError, ValueError):
        return column
