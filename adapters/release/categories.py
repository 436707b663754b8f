"""A categorical column of every table over one table of levels, whatever dtype it came in.

A value is first made plain, so that it is equal to every other spelling of it in its own
class: 3 and 3.0, a date and its midnight. Where the tables disagree about the class, text is
taken for what it spells: "3" for 3, "true" for True.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from sdmetrics_disclosure.adapters.release.numbers import (
    EXACT,
    INFINITIES,
    Notes,
    dtype_kind,
    refuse_mixture,
)
from sdmetrics_disclosure.adapters.release.spelling import Levels, Spelling, fit_spelling
from sdmetrics_disclosure.adapters.release.values import (
    ALLOWED,
    NUMBERS,
    TEXT,
    TRUTH,
    class_of,
    meaning,
    meaning_as_number,
    meaning_as_text,
    plain,
    text_order,
)


@dataclass(frozen=True)
class CategoryReader:
    """Reads a categorical column over one sorted table of levels.

    Attributes:
        column: Its name.
        spelling: What is done to text first.
        key: What makes equal what is equal across the tables.
        position: The place of each level.
        dtype: The levels.
        n_last: How many of them, the last ones, only the last table has.
    """

    column: Hashable
    spelling: Spelling
    key: Callable[[Any], Any]
    position: Mapping[Any, int]
    dtype: pd.CategoricalDtype
    n_last: int

    def __call__(self, series: pd.Series[Any], argument: str, notes: Notes) -> pd.Categorical:
        """One table's levels, or a ValueError if it has one that was not there before."""
        part = self.spelling(_find_levels(series, self.column, argument, notes))
        try:
            return self.encode(part.codes, [self.key(value) for value in part.values])
        except KeyError:
            raise ValueError(
                f"Column {self.column!r} of `{argument}` has values that it did not have when the "
                "levels were read: the table has changed since. Start again."
            ) from None

    def encode(self, codes: NDArray[np.intp], keys: Sequence[Any]) -> pd.Categorical:
        """Codes over a table's own keys as codes over the levels."""
        lookup = np.array([self.position[key] for key in keys] + [-1], dtype=np.intp)
        return pd.Categorical.from_codes(lookup[codes], dtype=self.dtype)


def fit_categories(
    tables: Mapping[str, pd.Series[Any]], column: Hashable, notes: Notes, last: str
) -> tuple[CategoryReader, dict[str, pd.Categorical]]:
    """The reader of a categorical column, and what it reads in these tables.

    Levels that a categorical dtype declares are kept though no row has them. `3`, `3.0` and
    "3" are one level when the tables disagree about the type. Levels that only the table
    `last` has come behind all others, so that it never moves theirs. Text that spells numbers
    is sorted by them. Infinities count as missing.

    Raises:
        ValueError: If a value cannot be compared (a list, say), or if the tables hold values
            that cannot be equal (numbers in one, words in another).
    """
    found = {name: _find_levels(series, column, name, notes) for name, series in tables.items()}
    spelling = fit_spelling(found, column, notes)
    parts = {name: spelling(part) for name, part in found.items()}
    key = _common_key(parts, tables, column)
    keys = {name: [key(value) for value in part.values] for name, part in parts.items()}
    _refuse_rounded(parts, keys, column)
    known = {level for name, found in keys.items() if name != last for level in found}
    alone = set(keys.get(last, ())) - known
    levels = [*_in_order(known), *_in_order(alone)]
    position = {level: i for i, level in enumerate(levels)}
    dtype = pd.CategoricalDtype(_index(levels))
    reader = CategoryReader(column, spelling, key, position, dtype, len(alone))
    return reader, {name: reader.encode(part.codes, keys[name]) for name, part in parts.items()}


def _find_levels(series: pd.Series[Any], column: Hashable, argument: str, notes: Notes) -> Levels:
    codes, cells = _factorize(series, column, argument)
    values = [plain(cell) for cell in cells]
    foreign = {type(value).__name__ for value in values if not isinstance(value, ALLOWED)}
    if foreign:
        raise _incomparable(column, argument, f"of type {', '.join(sorted(foreign))}")
    floats = [value if isinstance(value, float) else 0.0 for value in values]
    if np.isinf(floats).any():
        notes.add(INFINITIES, column)
    present = np.isfinite(floats)
    renumber = np.full(len(values) + 1, -1, dtype=np.intp)
    renumber[:-1][present] = np.arange(present.sum())
    large = (cell for cell in cells if isinstance(cell, (float, np.floating)))
    rounded = {int(cell) for cell in large if EXACT <= abs(float(cell)) < np.inf}
    kept = [value for value, is_present in zip(values, present, strict=True) if is_present]
    return Levels(renumber[codes], kept, frozenset(rounded))


def _factorize(
    series: pd.Series[Any], column: Hashable, argument: str
) -> tuple[NDArray[np.intp], list[Any]]:
    dtype: Any = series.dtype
    codes: Any
    if isinstance(dtype, pd.CategoricalDtype):
        codes, cells = series.cat.codes, list(dtype.categories)
        dtype = dtype.categories.dtype
    elif dtype_kind(series) == "O":
        codes, cells = _factorize_objects(series, column, argument)
    else:
        codes, uniques = pd.factorize(series)
        cells = list(uniques.astype(object))
    if getattr(dtype, "kind", "O") == "f" and getattr(dtype, "itemsize", 8) < 8:
        # Short floats know their own digits: 0.1 would be 0.10000000149.
        cells = list(np.array(cells, dtype=f"f{dtype.itemsize}"))
    return np.asarray(codes, dtype=np.intp), cells


def _factorize_objects(
    series: pd.Series[Any], column: Hashable, argument: str
) -> tuple[NDArray[np.intp], list[Any]]:
    # pandas compares text as C does: only up to its first NUL.
    position: dict[Any, int] = {}
    codes = np.full(len(series), -1, dtype=np.intp)
    present = series.notna().to_numpy()
    try:
        codes[present] = [
            position.setdefault(cell, len(position)) for cell in series.astype(object)[present]
        ]
    except TypeError as error:
        raise _incomparable(column, argument, "such as lists or dicts") from error
    return codes, list(position)


def _incomparable(column: Hashable, argument: str, values: str) -> ValueError:
    return ValueError(
        f"Column {column!r} of `{argument}` holds values {values}, which cannot be compared. "
        "Convert them to text, or leave the column out."
    )


def _itself(value: Any) -> Any:
    return value


def _contents(part: Levels) -> frozenset[str]:
    return frozenset(map(class_of, part.values))


def _common_key(
    parts: Mapping[str, Levels], tables: Mapping[str, pd.Series[Any]], column: Hashable
) -> Callable[[Any], Any]:
    """The function that makes equal what is equal across the tables."""
    filled = {name: part for name, part in parts.items() if part.values}
    contents = {content for part in filled.values() for content in _contents(part)}
    if len(contents) < 2 and not _is_respelled(filled.values()):
        return _itself
    meant = {class_of(meaning(value)) for part in filled.values() for value in part.values}
    if len(contents) < 2:
        return meaning if len(meant) == 1 else meaning_as_text
    key: Callable[[Any], Any]
    if len(meant) == 1:
        key = meaning
    elif meant == {TRUTH, NUMBERS}:
        key = meaning_as_number
    else:
        _refuse_disjoint(filled, tables, column)
        key = meaning_as_text
    _refuse_respelled(filled, key, column)
    return key


def _is_respelled(parts: Collection[Levels]) -> bool:
    """Whether texts of several tables write one value differently, and those of none do."""
    for part in parts:
        if _contents(part) != {TEXT} or _repeats(part.values, meaning_as_text):
            return False
    return _repeats({value for part in parts for value in part.values}, meaning_as_text)


def _repeats(values: Collection[Any], key: Callable[[Any], Any]) -> bool:
    return len({key(value) for value in values}) < len(set(values))


def _refuse_disjoint(
    parts: Mapping[str, Levels], tables: Mapping[str, pd.Series[Any]], column: Hashable
) -> None:
    first, *others = parts
    for other in others:
        if not _contents(parts[first]) & _contents(parts[other]):
            held = {name: " and ".join(sorted(_contents(parts[name]))) for name in (first, other)}
            refuse_mixture(tables, column, held)
    contents = {content for part in parts.values() for content in _contents(part)}
    if {TRUTH, NUMBERS} <= contents:
        raise ValueError(
            f"Column {column!r} holds {', '.join(sorted(contents))} at once: True and 1 cannot be "
            "told apart there. Convert it to text."
        )


def _refuse_respelled(
    parts: Mapping[str, Levels], key: Callable[[Any], Any], column: Hashable
) -> None:
    for name, part in parts.items():
        if _repeats([value for value in part.values if isinstance(value, str)], key):
            raise ValueError(
                f"Column {column!r} of `{name}` has texts that differ but spell one value ('1' and "
                "'01', say), and there are numbers or truth values beside them: which are equal "
                "is unclear. Convert the column to text in every table."
            )


def _refuse_rounded(
    parts: Mapping[str, Levels], keys: Mapping[str, list[Any]], column: Hashable
) -> None:
    for name, part in parts.items():
        for level in {level for found in keys.values() for level in found if part.rounded}:
            is_large = isinstance(level, int) and EXACT < abs(level) < 2**1023
            if is_large and level not in part.rounded and int(float(level)) in part.rounded:
                raise ValueError(
                    f"Column {column!r} of `{name}` holds whole numbers beyond 2**53 as floats, "
                    "which have lost their last digits, and other tables hold them whole. Convert "
                    "the column to Int64 or text where it is read."
                )


def _in_order(levels: Collection[Any]) -> list[Any]:
    if all(isinstance(level, str) for level in levels):
        return sorted(levels, key=text_order)
    try:
        return sorted(levels)
    except (TypeError, ValueError):  # tuples of several types, periods of several lengths
        return sorted(levels, key=repr)


def _index(levels: Sequence[Any]) -> Any:
    contents = {class_of(level) for level in levels}
    if contents == {TRUTH}:
        return pd.Index(levels, dtype="bool")
    if contents == {NUMBERS} and all(abs(level) <= EXACT for level in levels):
        return pd.Index(levels, dtype="float64")
    objects = np.fromiter(levels, dtype=object, count=len(levels))
    return pd.Index(objects, dtype=object, tupleize_cols=False)
