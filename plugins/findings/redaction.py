"""Messages that quote the data are kept out of a report.

All messages of a report are looked at together: one pass over the rows, however many there are.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np
import pandas as pd

from sdmetrics_disclosure.plugins.partitions.map_partitions import reduce_partitions
from sdmetrics_disclosure.plugins.partitions.release import PartitionedRelease

# Shorter texts are parts of words, and name nobody.
SHORTEST_QUOTE = 3
WITHHELD = "A message was withheld because it quotes the data."
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:e[+-]?\d+)?")
# How often each text stands in which column.
Counts = Counter[tuple[int, str]]


class MessageRedactor:
    """Withholds messages that quote an index value, or a value that few people share.

    Args:
        counted:
            Counts, table by table, how often the real rows have what a text says.
        allowed:
            What a message may say although it stands in the data: the names of columns and tables.
        floor:
            A value that fewer people share may not be quoted.
    """

    def __init__(
        self, counted: Callable[[str], Iterable[Counts]], allowed: Iterable[Hashable], floor: int
    ):
        self._counted = counted
        self._allowed = {str(name) for name in allowed}
        self._floor = floor

    def notes(self, messages: Sequence[str]) -> list[str]:
        """The messages; those that quote the data say only that they are withheld."""
        flags = self._quoting(messages)
        return [WITHHELD if quotes else m for m, quotes in zip(messages, flags, strict=True)]

    def errors(self, errors: Sequence[BaseException]) -> list[str]:
        """Each error's type and message; of those that quote the data the type alone."""
        kinds = [type(error).__name__ for error in errors]
        said = [f"{kind}: {error}" for kind, error in zip(kinds, errors, strict=True)]
        return [
            f"{kind}: the message is withheld because it quotes the data" if quotes else text
            for kind, text, quotes in zip(kinds, said, self._quoting(said), strict=True)
        ]

    def _quoting(self, messages: Sequence[str]) -> list[bool]:
        if not messages:
            return []
        rare = {
            value
            for counts in self._counted("\n".join(messages))
            for (_, value), n in counts.items()
            if n < self._floor and len(value) >= SHORTEST_QUOTE and value not in self._allowed
        }
        return [any(value in message for value in rare) for message in messages]


def redact_frames(
    frames: Sequence[pd.DataFrame], allowed: Iterable[Hashable], floor: int
) -> MessageRedactor:
    """For tables in memory.

    Args:
        frames:
            The real tables as they came, holdout included.
        allowed:
            See `MessageRedactor`.
        floor:
            See `MessageRedactor`.
    """

    def counted(text: str) -> Iterator[Counts]:
        for frame in frames:
            yield _count_said(_with_index(frame), text)

    return MessageRedactor(counted, allowed, floor)


def redact_partitions(
    tables: Sequence[PartitionedRelease], allowed: Iterable[Hashable], floor: int
) -> MessageRedactor:
    """For tables in partitions: what a message could quote is counted there.

    Args:
        tables:
            Where the real rows and the holdout are.
        allowed:
            See `MessageRedactor`.
        floor:
            See `MessageRedactor`.
    """

    def counted(text: str) -> Iterator[Counts]:
        for parts in (parts for table in tables for parts in (table.real, table.holdout) if parts):
            yield reduce_partitions(_count_said, parts, text, combine=_add_counts)

    return MessageRedactor(counted, allowed, floor)


def _with_index(frame: pd.DataFrame) -> pd.DataFrame:
    # Positions 0, 1, 2 ... name nobody, and stand in every message that has a count.
    index = frame.index
    if index.nlevels == 1 and index.equals(pd.RangeIndex(len(index))):
        return frame
    levels = [index.get_level_values(i).to_series(index=index) for i in range(index.nlevels)]
    return pd.concat([frame, *levels], axis=1)


def _count_said(rows: pd.DataFrame, text: str) -> Counts:
    """How often each value that a text says stands in which column."""
    numbers = set(_NUMBER.findall(text))
    counts: Counts = Counter()
    for i in range(rows.shape[1]):
        column = rows.iloc[:, i]
        if getattr(column.dtype, "kind", "O") in "iuf":  # a text a value would take long
            wanted = [float(number) for number in numbers if _spells(number, column.dtype)]
            column = column[column.isin(wanted)]
        found = pd.Series(np.asarray(column, dtype=object)).dropna().map(str).value_counts()
        counts.update({(i, str(value)): int(n) for value, n in found.items() if str(value) in text})
    return counts


def _spells(text: str, dtype: Any) -> bool:
    """Whether a text is what a number of this dtype is written as."""
    is_number = _NUMBER.fullmatch(text) is not None
    return is_number and text == str(float(text) if dtype.kind == "f" else text.partition(".")[0])


def _add_counts(found: list[Counts]) -> Counts:
    total: Counts = Counter()
    for counts in found:
        total.update(counts)
    return total
