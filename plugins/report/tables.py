"""The tables of a disclosure report: one or several, from frames, dicts, files or synthesizers."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from sdmetrics_disclosure.adapters.release.kinds import names
from sdmetrics_disclosure.adapters.release.release import Release, build_release
from sdmetrics_disclosure.adapters.release.tables import as_frame, is_frame
from sdmetrics_disclosure.adapters.sources.files import read_metadata, read_table
from sdmetrics_disclosure.adapters.sources.sources import from_frames
from sdmetrics_disclosure.plugins.base.roles import check_column_names
from sdmetrics_disclosure.plugins.hooks.registry import load_release
from sdmetrics_disclosure.plugins.partitions.release import (
    PartitionedRelease,
    is_partitioned,
    open_partitions,
)


@dataclass(frozen=True)
class AuditTable:
    """One table to be examined.

    Attributes:
        name: Its name, or None where there is only one without a name.
        release: The checked tables; of tables in partitions samples and schema samples.
        sensitive: The columns to attack; None: every one in turn.
        known: The columns an attacker knows; None: all others.
        partitions: Where the rows are, if not in memory.
    """

    name: str | None
    release: Release
    sensitive: list[Hashable] | None
    known: list[Hashable] | None
    partitions: PartitionedRelease | None = None

    @property
    def sizes(self) -> tuple[int, tuple[int, ...], int]:
        """Rows of the real, the synthetic and the holdout tables."""
        if self.partitions is not None:
            n_real, n_holdout = self.partitions.n_real, self.partitions.n_holdout
            return sum(n_real), self.partitions.n_synthetic, sum(n_holdout)
        holdout = self.release.holdout
        synthetic = tuple(len(frame) for frame in self.release.synthetic)
        return len(self.release.real), synthetic, 0 if holdout is None else len(holdout)


@dataclass(frozen=True)
class Sources:
    """What a report is made of, read once where it is in files.

    Attributes:
        real: The real rows: a frame, or frames by table name.
        synthetic: The synthetic rows, several in a list: replicates.
        metadata: In any form.
        holdout: Real rows that the synthesizer never saw, or None.
    """

    real: Any
    synthetic: Any
    metadata: Any
    holdout: Any

    def real_frames(self) -> Iterator[pd.DataFrame]:
        """The real frames as they came, holdout included."""
        for read in (self.real, self.holdout):
            for frame in read.values() if isinstance(read, Mapping) else [read]:
                if frame is not None:
                    yield as_frame("real_data", frame, None)


def read_sources(
    real_data: Any, synthetic_data: Any, metadata: Any, real_validation_data: Any
) -> Sources:
    """Read what is in files; what is not is left as it is.

    Args:
        real_data:
            See `DisclosureReport.generate`.
        synthetic_data:
            The same.
        metadata:
            The same.
        real_validation_data:
            The same.

    Raises:
        FileNotFoundError: If there is no such file.
        ValueError: If a file cannot be read.
    """
    real = read_table("real_data", real_data)
    holdout = read_table("real_validation_data", real_validation_data)
    described = read_metadata(metadata)
    several = isinstance(real, Mapping) and len(real) > 1  # then it is read with its tables
    synthetic = synthetic_data if several else _read_synthetic(synthetic_data)
    return Sources(real, synthetic, described, holdout)


def load_tables(
    sources: Sources,
    sensitive_column_names: Any,
    known_column_names: Any,
    num_rows_subsample: int | None = None,
    random_state: Any = 0,
) -> list[AuditTable]:
    """Check the tables and the roles (see `DisclosureReport.generate`).

    Raises:
        TypeError: If an argument has the wrong type.
        ValueError: If the tables do not fit, or a role names a column that cannot be modelled.
    """
    real, synthetic = sources.real, sources.synthetic
    described, holdout = sources.metadata, sources.holdout
    for argument, role in (
        ("sensitive_column_names", sensitive_column_names),
        ("known_column_names", known_column_names),
    ):
        for columns in role.values() if isinstance(role, Mapping) else [role]:
            check_column_names(argument, columns)
    roles = (sensitive_column_names, known_column_names)
    partitioned = is_partitioned([real, synthetic, holdout])
    if partitioned:
        _refuse_several(real)
    if partitioned or _is_one_table(real, synthetic):
        name = _only_name(real, described)
        sensitive, known = (_of_table(role, name) for role in roles)
        named = [*(sensitive or ()), *(known or ())]
        if partitioned:
            opened = open_partitions(
                real,
                synthetic,
                described,
                None,
                holdout,
                include_column_names=named,
                num_rows=num_rows_subsample,
                random_state=random_state,
            )
            tables = [AuditTable(name, opened.release, sensitive, known, opened)]
        else:
            release = from_frames(
                real,
                synthetic,
                described,
                real_validation_data=holdout,
                include_column_names=named,
            )
            tables = [AuditTable(name, release, sensitive, known)]
    else:
        tables = list(_several(real, synthetic, described, holdout, roles))
    for table in tables:
        _check_roles(table)
    return tables


def _refuse_several(real: Any) -> None:
    if isinstance(real, Mapping) and len(real) > 1:
        raise ValueError(
            f"`real_data` has several tables ({names(real)}) and some are dask frames, of which a "
            "report can have one. Pass one table, or pandas frames."
        )


def _is_one_table(real: Any, synthetic: Any) -> bool:
    if isinstance(real, Mapping) and len(real) > 1:
        return False
    parts = synthetic if isinstance(synthetic, (list, tuple)) else [synthetic]
    return all(isinstance(part, Mapping) or is_frame(part) for part in parts)


def _read_synthetic(synthetic: Any) -> Any:
    if isinstance(synthetic, (list, tuple)):
        return [read_table("synthetic_data", part) for part in synthetic]
    return read_table("synthetic_data", synthetic)


def _only_name(real: Any, metadata: Any) -> str | None:
    if isinstance(real, Mapping):
        return str(next(iter(real)))
    plain = metadata.to_dict() if hasattr(metadata, "to_dict") else metadata
    if isinstance(plain, Mapping) and len(plain.get("tables", ())) == 1:
        return str(next(iter(plain["tables"])))
    return None


def _several(
    real: Any, synthetic: Any, metadata: Any, holdout: Any, roles: Sequence[Any]
) -> Iterator[AuditTable]:
    releases = load_release(synthetic, real, metadata, holdout)
    for name, release in releases.items():
        # A person with all their rows, "PARENT with CHILDREN", has the roles of the parent.
        owner = name if isinstance(real, Mapping) and name in real else name.partition(" with ")[0]
        sensitive, known = (_of_table(role, name, owner, release) for role in roles)
        named = {*(sensitive or ()), *(known or ())}
        if named - set(release.kinds) and isinstance(real, Mapping) and name in real:
            release = build_release(
                real,
                synthetic,
                metadata,
                name,
                real_validation_data=holdout,
                include_column_names=[*(sensitive or ()), *(known or ())],
            )
        if owner != name:
            known = None if known is None else [c for c in known if c in release.kinds]
        yield AuditTable(name, release, sensitive, known or None)


def _of_table(
    role: Any, name: str | None, owner: str | None = None, release: Release | None = None
) -> list[Hashable] | None:
    """A table's own roles; a plain list counts in the tables that have the columns."""
    if isinstance(role, Mapping):
        role = role.get(name, role.get(owner))
        return None if role is None else list(role)
    if role is None:
        return None
    found = list(role)
    if release is not None:
        found = [column for column in found if column in release.kinds]
    return found or None


def _check_roles(table: AuditTable) -> None:
    for argument in ("sensitive", "known"):
        columns = getattr(table, argument)
        absent = [column for column in columns or () if column not in table.release.kinds]
        if absent:
            raise ValueError(
                f"`{argument}_column_names` names {names(absent)}; the columns that can be "
                f"modelled are {names(table.release.columns)}."
            )
