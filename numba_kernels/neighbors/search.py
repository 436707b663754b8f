"""One search, Euclidean or mixed: queries and rows packed, and the distances between them.

`prepare` checks the shapes and packs; `fill` writes the distances of a tile of queries to a panel
of rows. The kernels of `neighbours` and `power_law` know the two kinds of distance only through
these and through `Search.errors`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from sdmetrics_disclosure.numba_kernels.jit import BoolArray, CodeArray, FloatArray, inlined
from sdmetrics_disclosure.numba_kernels.neighbors.tiles import (
    TILE,
    Packed,
    expansion_error,
    fill_mixed,
    fill_squared,
    pack_mixed,
    pack_squared,
)

BLOCK = 64 * TILE  # queries in a block
LARGEST = 1e150  # numbers whose squares can be added without overflow


class Search(NamedTuple):
    """Queries and rows as the kernels read them.

    Attributes:
        packed_queries: For the tiles.
        packed_rows: For the panels.
        queries: (n, d), as the caller gave them.
        rows: (m, d), as the caller gave them.
        errors: (n,), how far a tile's value may be from the distance itself; 0 for mixed columns.
        is_mixed: Whether the distance is L1 and mismatches, else squared Euclidean.
    """

    packed_queries: Packed
    packed_rows: Packed
    queries: FloatArray
    rows: FloatArray
    errors: FloatArray
    is_mixed: bool


def prepare(queries: FloatArray, rows: FloatArray, is_category: BoolArray | None) -> Search:
    """Check shapes and pack queries (n, d) and rows (m, d) for the kernels of this file."""
    # Writable, too: kernels would be compiled a second time for arrays that are not.
    queries = np.require(queries, np.float64, ["C", "W"])
    rows = np.require(rows, np.float64, ["C", "W"])
    if queries.ndim != 2 or rows.ndim != 2 or queries.shape[1] != rows.shape[1] or not len(rows):
        raise ValueError(
            f"queries and rows have shapes {queries.shape} and {rows.shape}; both must be tables "
            "with the same columns, and there must be at least one row."
        )
    largest = np.max([np.abs(values).max(initial=0.0) for values in (queries, rows)])
    if not largest <= LARGEST:
        raise ValueError(
            f"queries and rows hold a number of size {largest}; they must be finite and at most "
            f"{LARGEST:g}."
        )
    if is_category is not None:
        packed = pack_mixed(queries, rows, np.asarray(is_category, dtype=bool))
        return Search(*packed, queries, rows, np.zeros(len(queries)), is_mixed=True)
    packed_queries, packed_rows = pack_squared(queries, rows)
    errors = expansion_error(packed_queries, packed_rows, rows.shape[1])
    return Search(packed_queries, packed_rows, queries, rows, errors, is_mixed=False)


@inlined
def fill(search: Search, first: int, panel: int, mismatches: CodeArray, tile: FloatArray) -> None:
    """Write the distances of the queries from `first` on to the rows of a panel into `tile`."""
    queries, rows = search.packed_queries, search.packed_rows
    if search.is_mixed:
        fill_mixed(
            queries.numbers[first : first + TILE],
            queries.codes[first : first + TILE],
            rows.numbers[panel],
            rows.starts[panel],
            rows.codes[panel],
            mismatches,
            tile,
        )
    else:
        fill_squared(
            queries.numbers[first : first + TILE],
            queries.starts[first : first + TILE],
            rows.numbers[panel],
            rows.starts[panel],
            tile,
        )


@inlined
def squared_distance(query: FloatArray, row: FloatArray) -> float:
    """Return sum (q_f - r_f)^2, added in the order of the columns."""
    total = 0.0
    for f in range(len(query)):
        difference = query[f] - row[f]
        total += difference * difference
    return total
