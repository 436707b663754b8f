"""How the tables fit each other, in one summary: form, levels, gaps, overlap. No values."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import Any

import pandas as pd

from sdmetrics_disclosure.adapters.release.origin import Origin, TableForm
from sdmetrics_disclosure.adapters.release.release import Release, take_columns
from sdmetrics_disclosure.adapters.release.tables import HOLDOUT, REAL, SYNTHETIC
from sdmetrics_disclosure.plugins.holdout.check import Overlap, check_holdout


@dataclass(frozen=True)
class Alignment:
    """How the tables of a release fit each other. It holds counts and names of columns only.

    Attributes:
        tables: A row a table: its rows, its columns, whether the modelled ones stand in the
            real table's order, and how many rows repeat another of the same table.
        columns: A row a modelled column: its kind, its dtypes, which missing markers stood there,
            how many gaps each table has, and for categories how many levels which tables have.
        overlap: Holdout rows that stand in the training rows; None without a holdout.
        kinds: Where the kinds came from: "metadata", "SDV" and its version, or "values".
        notes: What was noticed while reading.
    """

    tables: pd.DataFrame
    columns: pd.DataFrame
    overlap: Overlap | None
    kinds: str
    notes: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """Everything, plain."""
        return {
            "tables": _plain(self.tables),
            "columns": _plain(self.columns),
            "overlap": None if self.overlap is None else self.overlap.to_dict(),
            "kinds": self.kinds,
            "notes": list(self.notes),
        }

    def __str__(self) -> str:
        parts = [
            f"Tables\n{_text(self.tables)}",
            f"Columns (kinds from {self.kinds})\n{_text(self.columns)}",
        ]
        if self.overlap is not None:
            parts.append(
                f"Holdout rows that are training rows: {self.overlap.exact} exactly, "
                f"{self.overlap.near} nearly, of {self.overlap.n_holdout} "
                f"({self.overlap.share:.2%})."
            )
        return "\n\n".join([*parts, *self.notes])


def alignment(release: Release) -> Alignment:
    """How the tables of a release fit each other.

    Args:
        release:
            From any source.
    """
    frames = _frames(release)
    origin = release.origin or Origin("other tables", {})
    return Alignment(
        tables=pd.DataFrame(
            {name: _table_row(release, frame, name, origin) for name, frame in frames.items()}
        ).T,
        columns=pd.DataFrame(
            [_column_row(release, column, frames, origin) for column in release.columns],
            index=pd.Index([str(column) for column in release.columns]),
        ).convert_dtypes(),
        overlap=None if release.holdout is None else check_holdout(release, "keep").overlap,
        kinds=origin.kinds,
        notes=release.notes,
    )


def _frames(release: Release) -> dict[str, pd.DataFrame]:
    frames = {REAL: release.real}
    several = len(release.synthetic) > 1
    for i, frame in enumerate(release.synthetic):
        frames[f"{SYNTHETIC}[{i}]" if several else SYNTHETIC] = frame
    return frames if release.holdout is None else {**frames, HOLDOUT: release.holdout}


def _table_row(release: Release, frame: pd.DataFrame, name: str, origin: Origin) -> dict[str, Any]:
    modelled = take_columns(frame, release.columns)
    row = {"rows": len(frame), "modelled columns": len(release.columns)}
    form = _form(origin, name)
    if form is not None:
        row["columns"] = len(form.columns)
        row["same order"] = _order(form, release) == _order(_form(origin, REAL), release)
    row["repeated rows"] = int(modelled.duplicated().sum())
    if release.unit is not None:
        row["units"] = int(frame[release.unit].nunique())
    return row


def _form(origin: Origin, name: str) -> TableForm | None:
    # A list of one frame is a replicate with a number, all the same.
    return origin.tables.get(name, origin.tables.get(f"{name}[0]"))


def _order(form: TableForm | None, release: Release) -> list[Hashable]:
    return [] if form is None else [c for c in form.columns if c in release.kinds]


def _column_row(
    release: Release, column: Hashable, frames: Mapping[str, pd.DataFrame], origin: Origin
) -> dict[str, Any]:
    dtypes = {name: form.dtypes[column] for name, form in origin.tables.items()}
    markers = {mark for form in origin.tables.values() for mark in form.missing[column]}
    same = len(set(dtypes.values())) == 1
    row: dict[str, Any] = {
        "kind": release.kinds[column].value,
        "dtype": dtypes[REAL] if same else ", ".join(f"{n}: {d}" for n, d in dtypes.items()),
        "markers": ", ".join(sorted(markers)),
    }
    for name, frame in frames.items():
        row[f"gaps in {name}"] = int(frame[column].isna().sum())
    return row if release.kinds[column].is_number else row | _levels(release, column)


def _levels(release: Release, column: Hashable) -> dict[str, int]:
    real = _seen(release.real, column)
    synthetic = set().union(*(_seen(frame, column) for frame in release.synthetic))
    counts = {
        "levels in both": len(real & synthetic),
        "only real": len(real - synthetic),
        "only synthetic": len(synthetic - real),
    }
    if release.holdout is not None:
        counts["only holdout"] = len(_seen(release.holdout, column) - real - synthetic)
    return counts


def _seen(frame: pd.DataFrame, column: Hashable) -> set[int]:
    return set(frame[column].cat.codes[frame[column].notna()].unique().tolist())


def _text(frame: pd.DataFrame) -> str:
    return frame.astype(object).where(frame.notna(), "").to_string()


def _plain(frame: pd.DataFrame) -> dict[str, dict[str, Any]]:
    return {
        str(name): {str(k): None if pd.isna(v) else v for k, v in row.items()}
        for name, row in frame.astype(object).to_dict("index").items()
    }
