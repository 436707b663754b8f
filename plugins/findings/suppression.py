"""What may not be in a report: groups smaller than the floor, extreme values, quoted values.

Statistical offices call it disclosure control of tables: small cells are left out, and so is a
second one where subtraction would give the first away; ranges say their rounded inner limits only,
since the outer ones are a single person's values.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Hashable, Iterable, Mapping
from typing import Any

import pandas as pd

from sdmetrics_disclosure.adapters.release.kinds import Kind
from sdmetrics_disclosure.adapters.release.release import Release
from sdmetrics_disclosure.plugins.rapid.attribution import MISSING

RARE = "rare classes"
# Shorter texts are parts of words, and name nobody.
SHORTEST_QUOTE = 3
DIGITS = 3
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:e[+-]?\d+)?")
_RANGE = re.compile(r"\((?P<low>[^,]+), (?P<high>[^\]]+)\]")


def pool_shares(counts: Mapping[str, int], floor: int) -> dict[str, float]:
    """The share of each class; those below the floor pooled, with the next smallest if need be.

    Args:
        counts:
            Real people by class.
        floor:
            The smallest group that may be shown.
    """
    total = sum(counts.values())
    rising = sorted((n, label) for label, n in counts.items() if n)
    n_pooled, pooled = 0, set()
    for n, label in rising:
        if n >= floor and (n_pooled == 0 or n_pooled >= floor):
            break
        n_pooled += n
        pooled.add(label)
    shares = {label: n / total for label, n in counts.items() if n and label not in pooled}
    if n_pooled >= floor:
        shares[RARE] = n_pooled / total
    return shares


def drop_revealing(rows: pd.DataFrame, floor: int) -> pd.DataFrame:
    """Leave out small groups, and those by which one could be found by subtraction.

    The groups of a column add up to all records, those of a pair of columns to the groups of
    either. Where one group alone is left out of such a sum, or all left out are fewer people than
    the floor, the smallest one shown goes too, until no sum gives any away.

    Args:
        rows:
            As `rates_by_level` makes them, all groups, however small.
        floor:
            The smallest group that may be shown.
    """
    counts = [int(n) for n in rows["n"]]
    hidden = {position for position, n in enumerate(counts) if n < floor}
    sums = _sums(rows)
    changed = True
    while changed:
        changed = False
        for cells in sums:
            out = [cell for cell in cells if cell in hidden]
            shown = [cell for cell in cells if cell not in hidden]
            few = len(out) == 1 or sum(counts[cell] for cell in out) < floor
            if out and shown and few:
                hidden.add(min(shown, key=lambda cell: counts[cell]))
                changed = True
    return rows[[position not in hidden for position in range(len(rows))]].reset_index(drop=True)


def _sums(rows: pd.DataFrame) -> list[list[int]]:
    """The positions of the groups that add up to a known number."""
    sums: dict[tuple[Any, ...], list[int]] = defaultdict(list)
    records: list[dict[Any, Any]] = rows.to_dict("records")
    for position, row in enumerate(records):
        if row["column_2"] is None:
            sums[(row["column"],)].append(position)
        else:
            sums[row["column"], row["level"], row["column_2"]].append(position)
            sums[row["column_2"], row["level_2"], row["column"]].append(position)
    return list(sums.values())


def readable_levels(rows: pd.DataFrame, kinds: Mapping[Hashable, Kind]) -> pd.DataFrame:
    """The rows with ranges of numbers in words: rounded, and open at both ends.

    Args:
        rows:
            As `rates_by_level` makes them.
        kinds:
            The kind of each column.
    """
    shown = rows.copy()
    sides = (("column", "level"), ("column_2", "level_2"))
    ranges: dict[Hashable, set[str]] = defaultdict(set)
    for column, level in sides:
        for name, text in zip(rows[column], rows[level], strict=True):
            if name in kinds and kinds[name].is_number:
                ranges[name].add(text)
    words = {name: _range_words(texts, kinds[name]) for name, texts in ranges.items()}
    for column, level in sides:
        shown[level] = [
            words[name][text] if name in words else text
            for name, text in zip(rows[column], rows[level], strict=True)
        ]
    return shown


def _range_words(texts: Iterable[str], kind: Kind) -> dict[str, str]:
    form = _format_moment if kind is Kind.DATETIME else _format_number
    found = {text: match for text in texts if (match := _RANGE.fullmatch(text))}
    lows = [float(match["low"]) for match in found.values()]
    highs = [float(match["high"]) for match in found.values()]
    words = {MISSING: MISSING}
    for text, match in found.items():
        low, high = float(match["low"]), float(match["high"])
        if len(found) == 1:
            words[text] = "any value"
        elif low == min(lows):
            words[text] = f"{form(high)} or less"
        elif high == max(highs):
            words[text] = f"above {form(low)}"
        else:
            words[text] = f"above {form(low)}, up to {form(high)}"
    return words


def _format_number(value: float) -> str:
    if value == 0:
        return "0"
    rounded = float(f"{value:.{DIGITS}g}")
    return f"{rounded:,.0f}" if rounded.is_integer() else f"{rounded:g}"


def _format_moment(seconds: float) -> str:
    return str(pd.Timestamp(seconds, unit="s").strftime("%Y-%m"))


def frequent_terms(release: Release, known: Iterable[Hashable], floor: int) -> set[str]:
    """The terms of a regression behind which stand no fewer people than the floor.

    Args:
        release:
            The tables on which the regression was made.
        known:
            Its columns.
        floor:
            The smallest group that may be shown.
    """
    terms = {"(intercept)"}
    for column in known:
        values = release.real[column]
        if release.kinds[column].is_number:
            terms.add(str(column))
        else:
            counts = values.value_counts()
            terms |= {f"{column}={level}" for level, n in counts.items() if n >= floor}
        if int(values.isna().sum()) >= floor:
            terms.add(f"{column}={MISSING}")
    return terms
