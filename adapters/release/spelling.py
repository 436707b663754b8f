"""Spellings of one level that no reader would tell apart, and words that stand for a gap."""

from __future__ import annotations

import unicodedata
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sdmetrics_disclosure.adapters.release.number_text import GAPS
from sdmetrics_disclosure.adapters.release.numbers import Notes


@dataclass(frozen=True)
class Levels:
    """One table's column: a code a row (-1 missing), and the plain value of each code.

    Attributes:
        codes: (n,) codes.
        values: Of each code; equal ones may have several.
        rounded: Whole numbers that came as floats too large to be exact.
    """

    codes: NDArray[np.intp]
    values: list[Any]
    rounded: frozenset[int]


@dataclass(frozen=True)
class Spelling:
    """What is done to a column's text before its levels are compared.

    Attributes:
        trims: Whether outer blanks and the Unicode form are taken away.
        has_gap_words: Whether words such as "NA" are gaps.
    """

    trims: bool
    has_gap_words: bool

    def __call__(self, levels: Levels) -> Levels:
        """The same levels in this spelling."""
        if not self.trims and not self.has_gap_words:
            return levels
        kept = [not (self.has_gap_words and _is_gap_word(value)) for value in levels.values]
        renumber = np.full(len(kept) + 1, -1, dtype=np.intp)
        renumber[:-1][kept] = np.arange(sum(kept))
        values = [value for value, keep in zip(levels.values, kept, strict=True) if keep]
        respelled = [trimmed(value) for value in values] if self.trims else values
        return Levels(renumber[levels.codes], respelled, levels.rounded)


def fit_spelling(tables: Mapping[str, Levels], column: Hashable, notes: Notes) -> Spelling:
    """The spelling in which levels meet that are the same to a reader.

    Nothing is done to a column in which it makes no difference.

    Args:
        tables:
            The column's levels by table.
        column:
            Its name.
        notes:
            Where what was done is written down.
    """
    texts = {v for levels in tables.values() for v in levels.values if isinstance(v, str)}
    trims = len(set(map(trimmed, texts))) < len(texts)
    if trims:
        notes.add(
            "Levels of {columns} that differ only in outer blanks or in their Unicode form were "
            "taken as equal.",
            column,
        )
    has_gap_words = _meets_gaps(tables)
    if has_gap_words:
        notes.add(
            "Words for a gap ('NA', 'nan' and the like) in {columns} count as missing: where they "
            "stand in one table, another has gaps.",
            column,
        )
    return Spelling(trims, has_gap_words)


def trimmed(value: Any) -> Any:
    """Text in the composed Unicode form without outer blanks; anything else as it is."""
    return unicodedata.normalize("NFC", value).strip() if isinstance(value, str) else value


def _is_gap_word(value: Any) -> bool:
    return isinstance(value, str) and value.strip() in GAPS


def _meets_gaps(tables: Mapping[str, Levels]) -> bool:
    """Whether gap words of one table meet gaps of another that has no such words."""
    has_words = [any(map(_is_gap_word, _present(levels))) for levels in tables.values()]
    has_gaps = [bool((levels.codes < 0).any()) for levels in tables.values()]
    pairs = zip(has_words, has_gaps, strict=True)
    return any(has_words) and any(gaps and not words for words, gaps in pairs)


def _present(levels: Levels) -> Sequence[Any]:
    """The values that rows have, not only a dtype."""
    return [levels.values[code] for code in np.unique(levels.codes) if code >= 0]
