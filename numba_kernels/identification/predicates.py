"""Conjunctions of conditions on columns: which rows satisfy them, and which single out one unit.

    find_unique     the unit that alone satisfies each predicate, or that there is none
    matching_rows   every row that satisfies each predicate
        |
        v
    unique_kernel, matches_kernel    one predicate after the other, row by row

A condition is a column, an operator and a value; a predicate is c of them, all to be satisfied. A
missing number (NaN) satisfies `IS_MISSING` and nothing else.
"""

from __future__ import annotations

import numpy as np

from sdmetrics_disclosure.numba_kernels.jit import (
    BoolArray,
    CodeArray,
    FloatArray,
    IndexArray,
    inlined,
    kernel,
    run_blocks,
)

#: The operators of a condition.
EQUAL, AT_MOST, AT_LEAST, IS_MISSING = range(4)
#: Predicates in a block.
BLOCK = 64


def find_unique(
    rows: FloatArray,
    units: IndexArray,
    columns: IndexArray,
    operators: CodeArray,
    values: FloatArray,
    n_jobs: int | None = None,
) -> BoolArray:
    """Return whether exactly one unit has rows that satisfy each predicate.

    Time O(p n c), most predicates much less: a second unit ends the search. Memory O(p).

    Args:
        rows: (n, d) float64.
        units: (n,) intp, whose row each one is.
        columns: (p, c) intp, the column of each condition.
        operators: (p, c) int32, `EQUAL`, `AT_MOST`, `AT_LEAST` or `IS_MISSING`.
        values: (p, c) float64, what is compared with.
        n_jobs: Threads (see `jit.effective_n_jobs`); the result does not depend on it.

    Returns:
        (p,) bool.
    """
    unique = np.empty(len(columns), dtype=np.bool_)

    def find(start: int, stop: int) -> None:
        part = slice(start, stop)
        unique_kernel(rows, units, columns[part], operators[part], values[part], unique[part])

    run_blocks(find, len(columns), BLOCK, n_jobs)
    return unique


def matching_rows(
    rows: FloatArray,
    columns: IndexArray,
    operators: CodeArray,
    values: FloatArray,
    n_jobs: int | None = None,
) -> BoolArray:
    """Return whether each row satisfies each predicate, (p, n) bool.

    Time O(p n c), memory that of the result. The arguments are those of `find_unique`.
    """
    matches = np.empty((len(columns), len(rows)), dtype=np.bool_)

    def match(start: int, stop: int) -> None:
        part = slice(start, stop)
        matches_kernel(rows, columns[part], operators[part], values[part], matches[part])

    run_blocks(match, len(columns), BLOCK, n_jobs)
    return matches


@inlined
def satisfies(
    row: FloatArray, columns: IndexArray, operators: CodeArray, values: FloatArray
) -> bool:
    """Whether a row satisfies all conditions of a predicate."""
    for k in range(len(columns)):
        x, operator = row[columns[k]], operators[k]
        if operator == EQUAL:
            holds = x == values[k]
        elif operator == AT_MOST:
            holds = x <= values[k]
        elif operator == AT_LEAST:
            holds = x >= values[k]
        else:
            holds = np.isnan(x)
        if not holds:
            return False
    return True


@kernel
def unique_kernel(
    rows: FloatArray,
    units: IndexArray,
    columns: IndexArray,
    operators: CodeArray,
    values: FloatArray,
    unique: BoolArray,
) -> None:
    """Write whether exactly one unit satisfies each predicate (see `find_unique`)."""
    for p in range(len(columns)):
        found, several = -1, False
        for i in range(len(rows)):
            if satisfies(rows[i], columns[p], operators[p], values[p]):
                if found >= 0 and units[i] != found:
                    several = True
                    break
                found = units[i]
        unique[p] = found >= 0 and not several


@kernel
def matches_kernel(
    rows: FloatArray,
    columns: IndexArray,
    operators: CodeArray,
    values: FloatArray,
    matches: BoolArray,
) -> None:
    """Write whether each row satisfies each predicate (see `matching_rows`)."""
    for p in range(len(columns)):
        for i in range(len(rows)):
            matches[p, i] = satisfies(rows[i], columns[p], operators[p], values[p])
