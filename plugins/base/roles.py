"""Which columns are attacked, what the attacker knows, and the values to be guessed."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from sdmetrics_disclosure.adapters.release.kinds import names
from sdmetrics_disclosure.adapters.release.numbers import Notes
from sdmetrics_disclosure.adapters.release.release import Release

ROLES = ("sensitive_column_names", "known_column_names")
MOST_CLASSES = 50
MISSING = "missing"


class NamesRoles(Protocol):
    """Options that name the columns' roles."""

    @property
    def sensitive_column_names(self) -> Sequence[Hashable] | None:
        """The columns an attacker wants to learn; None: each in turn."""

    @property
    def known_column_names(self) -> Sequence[Hashable] | None:
        """The columns an attacker knows; None: all others."""


def named_columns(options: Any) -> list[Hashable]:
    """The columns that the options name by role."""
    named: list[Hashable] = []
    for role in ROLES:
        named += getattr(options, role, None) or ()
    return named


def check_column_names(argument: str, columns: Collection[Hashable] | None) -> None:
    """Refuse what is no list of column names."""
    if columns is None:
        return
    if isinstance(columns, (str, bytes)) or not isinstance(columns, (list, tuple)):
        raise TypeError(f"`{argument}` is a {type(columns).__name__}; pass a list of column names.")
    if not columns:
        raise ValueError(f"`{argument}` is empty; name at least one column, or pass None.")
    if len(set(columns)) < len(columns):
        raise ValueError(f"`{argument}` names a column twice ({names(columns)}).")


def check_roles(options: Any) -> None:
    """Check `sensitive_column_names` and `known_column_names`, alone and against each other."""
    for role in ROLES:
        check_column_names(role, getattr(options, role))
    both = set(options.sensitive_column_names or ()) & set(options.known_column_names or ())
    if both:
        raise ValueError(
            f"Column {sorted(map(repr, both))[0]} is in both `known_column_names` and "
            "`sensitive_column_names`; take it out of one."
        )


@dataclass(frozen=True)
class Roles:
    """Which columns are attacked, and what was dropped on the way.

    Attributes:
        sensitive: The columns to attack, one after the other.
        known: The columns an attacker knows; the attacked one is taken out where it is among them.
        notes: A sentence for each cause for which columns were left out.
    """

    sensitive: tuple[Hashable, ...]
    known: tuple[Hashable, ...]
    notes: tuple[str, ...]

    def known_for(self, column: Hashable) -> list[Hashable]:
        """What the attacker knows when `column` is attacked.

        Raises:
            ValueError: If nothing is left.
        """
        known = [name for name in self.known if name != column]
        if not known:
            raise ValueError(
                f"No column is left that an attacker could know when {column!r} is sensitive. "
                "Name some by `known_column_names`; a column with one value does not count."
            )
        return known


def find_roles(release: Release, options: NamesRoles) -> Roles:
    """Resolve the roles on a release.

    Raises:
        ValueError: If a named column is not there, or no column can be attacked.
    """
    notes = Notes()
    constant = set(release.constant_columns())
    named = options.sensitive_column_names
    for argument in ROLES:
        _check_present(argument, getattr(options, argument), release)
    known = options.known_column_names or [c for c in release.columns if c not in (named or ())]
    for column in known:
        if column in constant:
            notes.add("{columns} have one value in all tables and were dropped.", column)
    sensitive = named if named is not None else _every_column(release, options, notes)
    if not sensitive:
        raise ValueError(
            "No column can be attacked: each has one value or too many classes, or is known. "
            "Name one by `sensitive_column_names`."
        )
    kept = tuple(column for column in known if column not in constant)
    return Roles(tuple(sensitive), kept, notes.sentences())


def _check_present(argument: str, columns: Sequence[Hashable] | None, release: Release) -> None:
    absent = [column for column in columns or () if column not in release.kinds]
    if absent:
        raise ValueError(
            f"`{argument}` names {names(absent)}; the columns that can be modelled are "
            f"{names(release.columns)}."
        )


def _every_column(release: Release, options: NamesRoles, notes: Notes) -> list[Hashable]:
    sensitive = []
    for column in release.columns:
        if column in (options.known_column_names or ()):
            continue
        if _is_single_valued(release, column):
            notes.add(
                "{columns} have one value in the real data: there is nothing to guess.", column
            )
        elif not release.kinds[column].is_number and _count_classes(release, column) > MOST_CLASSES:
            notes.add(
                f"{{columns}} have more than {MOST_CLASSES} classes and were not attacked; name "
                "them by `sensitive_column_names` to attack them.",
                column,
            )
        else:
            sensitive.append(column)
    return sensitive


@dataclass(frozen=True)
class Target:
    """The values of the sensitive column in every frame.

    Classes are codes: the levels that the real or the synthetic data have or declare, then
    missing where it occurs there. A class that only the holdout has is -1. Numbers are
    themselves, NaN where there is none.

    Attributes:
        real: (n_real,) codes or numbers.
        synthetic: The same for every replicate.
        holdout: The same for the holdout, or None.
        labels: The classes' names; None for a number.
        n_levels: How many of the classes are levels; the rest is missing.
    """

    real: NDArray[Any]
    synthetic: tuple[NDArray[Any], ...]
    holdout: NDArray[Any] | None
    labels: tuple[str, ...] | None
    n_levels: int = 0

    @property
    def n_classes(self) -> int | None:
        """The number of classes; None for a number."""
        return None if self.labels is None else len(self.labels)

    def read(self, column: pd.Series) -> NDArray[Any]:
        """The values of further rows, canonical, as these are."""
        if self.labels is None:
            return column.to_numpy(dtype=np.float64)
        return _codes(column, self.n_levels, len(self.labels) > self.n_levels)

    def without_values(self) -> Target:
        """The same, no row's value in it."""
        return replace(self, real=self.real[:0], synthetic=(), holdout=None)


def find_target(release: Release, column: Hashable) -> Target:
    """The values to be guessed.

    Raises:
        ValueError: If the column has one value, or the synthetic data has no value of it.
    """
    real = release.real[column]
    if _is_single_valued(release, column):
        raise ValueError(
            f"Column {column!r} has one value, or none, in the real data: there is nothing to "
            "guess. Take it out of `sensitive_column_names`."
        )
    holdout = None if release.holdout is None else release.holdout[column]
    if release.kinds[column].is_number:
        _check_learnable(release, column)
        return Target(
            real=real.to_numpy(dtype=np.float64),
            synthetic=tuple(f[column].to_numpy(dtype=np.float64) for f in release.synthetic),
            holdout=None if holdout is None else holdout.to_numpy(dtype=np.float64),
            labels=None,
        )
    n_levels, has_missing = _levels(release, column)
    levels = [_label(level) for level in real.cat.categories[:n_levels]]
    return Target(
        real=_codes(real, n_levels, has_missing),
        synthetic=tuple(_codes(f[column], n_levels, has_missing) for f in release.synthetic),
        holdout=None if holdout is None else _codes(holdout, n_levels, has_missing),
        labels=(*levels, *([_missing_label(levels)] if has_missing else [])),
        n_levels=n_levels,
    )


def _is_single_valued(release: Release, column: Hashable) -> bool:
    # A gap is a class to guess, but no number to guess.
    return bool(release.real[column].nunique(dropna=release.kinds[column].is_number) < 2)


def _check_learnable(release: Release, column: Hashable) -> None:
    if any(frame[column].isna().all() for frame in release.synthetic):
        raise ValueError(
            f"Column {column!r} has no value in `synthetic_data`: an attacker has nothing to "
            "learn it from. Take it out of `sensitive_column_names`."
        )


def _count_classes(release: Release, column: Hashable) -> int:
    n_levels, has_missing = _levels(release, column)
    return n_levels + has_missing


def _levels(release: Release, column: Hashable) -> tuple[int, bool]:
    n_levels = len(release.real[column].cat.categories) - release.n_holdout_levels[column]
    frames = (release.real, *release.synthetic)
    return n_levels, any(bool(frame[column].isna().any()) for frame in frames)


def _codes(
    column: pd.Series,
    n_levels: int,
    has_missing: bool,
) -> NDArray[np.intp]:
    codes = column.cat.codes.to_numpy(dtype=np.intp)
    missing = n_levels if has_missing else -1
    return np.where(codes < 0, missing, np.where(codes >= n_levels, -1, codes)).astype(np.intp)


def _label(level: object) -> str:
    if isinstance(level, float) and level.is_integer():
        return str(int(level))
    return str(level)


def _missing_label(levels: Sequence[str]) -> str:
    label = MISSING
    while label in levels:
        label = f"({label})"
    return label
