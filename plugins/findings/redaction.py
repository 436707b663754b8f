"""Values of the data are kept out of messages; counts and names stay.

Our own messages never do. Those of libraries and of third parties are looked at together, at the
end: one pass over the rows, however many there are, and none where there are none.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np
import pandas as pd

from sdmetrics_disclosure.plugins.common.messages import is_ours
from sdmetrics_disclosure.plugins.partitions.map_partitions import reduce_partitions
from sdmetrics_disclosure.plugins.partitions.release import PartitionedRelease

# Shorter texts are parts of words, and name nobody.
SHORTEST_QUOTE = 3
HIDDEN = "…"
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:e[+-]?\d+)?")
# Without it a text says no moment.
_DAY = re.compile(r"\d{4}-\d\d-\d\d")
# How often each text stands in which column.
Counts = Counter[tuple[int, str]]


class MessageRedactor:
    """Hides index values, and values that few people share, where messages quote them.

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
        """The messages, without the values in them."""
        values = sorted(self._quoted(messages), key=len, reverse=True)
        if not values:
            return list(messages)
        quoted = re.compile("|".join(map(re.escape, values)))
        return [quoted.sub(HIDDEN, message) for message in messages]

    def errors(self, errors: Sequence[BaseException]) -> list[str]:
        """Each error's type and message; of those that are not ours without values."""
        theirs = [error for error in errors if not is_ours(error)]
        said = dict(zip(map(id, theirs), self.notes([str(error) for error in theirs]), strict=True))
        return [f"{type(error).__name__}: {said.get(id(error), str(error))}" for error in errors]

    def _quoted(self, messages: Sequence[str]) -> set[str]:
        """The values that the messages quote."""
        if not messages:
            return set()
        return {
            value
            for counts in self._counted("\n".join(messages))
            for (_, value), n in counts.items()
            if n < self._floor and len(value) >= SHORTEST_QUOTE and value not in self._allowed
        }


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
        kind = getattr(column.dtype, "kind", "O")
        if kind in "iuf":  # a text a value would take long
            wanted = [float(number) for number in numbers if _spells(number, column.dtype)]
            column = column[column.isin(wanted)]
        elif kind == "M" and _DAY.search(text) is None:
            continue
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
