"""The schema of a table: fitted once on its frames, then every further row is read alike."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import pandas as pd

from sdmetrics_disclosure.adapters.release.categories import CategoryReader, fit_categories
from sdmetrics_disclosure.adapters.release.datetimes import fit_datetimes
from sdmetrics_disclosure.adapters.release.kinds import Kind
from sdmetrics_disclosure.adapters.release.numbers import Notes, fit_numbers
from sdmetrics_disclosure.adapters.release.tables import HOLDOUT, SYNTHETIC, assemble


class ColumnReader(Protocol):
    """Brings one column of a table into canonical form; it is pickled for workers."""

    def __call__(self, series: pd.Series[Any], argument: str, notes: Notes, /) -> Any:
        """The values of a table's column, of which `argument` is the name."""


@dataclass(frozen=True)
class TableSchema:
    """How a table's columns are read: their kinds, levels and formats.

    Attributes:
        readers: Of each column, in canonical order.
    """

    readers: Mapping[Hashable, ColumnReader]

    @property
    def n_holdout_levels(self) -> dict[Hashable, int]:
        """How many of a category's levels, the last ones, only the holdout has."""
        return {c: r.n_last for c, r in self.readers.items() if isinstance(r, CategoryReader)}

    def transform(self, frame: pd.DataFrame, argument: str) -> pd.DataFrame:
        """Rows of one of the tables in canonical form; what is worth a note was noted before.

        Args:
            frame:
                Rows as they came.
            argument:
                Of which table.

        Raises:
            ValueError: If they hold values that were not there when the schema was fitted.
        """
        notes = Notes()
        arrays = [reader(frame[column], argument, notes) for column, reader in self.readers.items()]
        return assemble(arrays, list(self.readers), frame.index)


def fit_schema(
    frames: Mapping[str, pd.DataFrame],
    columns: Sequence[Hashable],
    kinds: Mapping[Hashable, Kind],
    metadata: Mapping[str, Any] | None,
    notes: Notes,
) -> tuple[TableSchema, dict[str, pd.DataFrame]]:
    """The schema of these tables, and the tables in canonical form.

    Args:
        frames:
            All tables by argument.
        columns:
            The columns wanted, in order; one that has no kind names units.
        kinds:
            The kind of each modelled column.
        metadata:
            Of one table, or None.
        notes:
            Where what was noticed is written down.

    Raises:
        ValueError: If a column cannot be read, or its tables hold what cannot be compared.
    """
    described = {} if metadata is None else metadata["columns"]
    converted: dict[str, list[Any]] = {argument: [] for argument in frames}
    readers: dict[Hashable, ColumnReader] = {}
    for column in columns:
        tables = {argument: frame[column] for argument, frame in frames.items()}
        form = described.get(column, {}).get("datetime_format")
        readers[column], values = _fit_column(tables, column, kinds.get(column), form, notes)
        for argument in frames:
            converted[argument].append(values[argument])
    canonical = {a: assemble(converted[a], columns, f.index) for a, f in frames.items()}
    return TableSchema(readers), canonical


def _fit_column(
    tables: Mapping[str, pd.Series[Any]],
    column: Hashable,
    kind: Kind | None,
    datetime_format: str | None,
    notes: Notes,
) -> tuple[ColumnReader, Mapping[str, Any]]:
    if kind is None:
        return fit_units(tables, column, notes)
    if kind is Kind.NUMERICAL:
        return fit_numbers(tables, column, notes)
    if kind is Kind.DATETIME:
        return fit_datetimes(tables, column, datetime_format, notes)
    return fit_categories(tables, column, notes, HOLDOUT)


def fit_units(
    tables: Mapping[str, pd.Series[Any]], column: Hashable, notes: Notes
) -> tuple[CategoryReader, dict[str, pd.Categorical]]:
    """The names of units: a synthetic one is nobody's, so its name need not fit the real ones."""
    real = {argument: s for argument, s in tables.items() if not argument.startswith(SYNTHETIC)}
    reader, values = fit_categories(real, column, notes, HOLDOUT)
    for argument in tables.keys() - real.keys():
        values |= fit_categories({argument: tables[argument]}, column, notes, HOLDOUT)[1]
    return reader, values
