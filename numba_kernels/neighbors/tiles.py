"""Distances from a tile of queries to a panel of rows: the inner loop below the other kernels.

Rows are packed once into *panels*: `PANEL` consecutive rows, transposed, so that the innermost
loop runs along the rows and becomes vector instructions without reordering any sum. Queries come
in *tiles* of `TILE`: each number loaded from a panel is used four times, and a panel with the
distances of a tile to it (30 kB and 6 kB at 20 columns) stays close to the processor.

* `fill_squared`: squared Euclidean distances as |q|^2 + |r|^2 - 2 q.r, one fused multiply-add a
  column. Near-coincident rows lose their digits here; `expansion_error` bounds the loss, and the
  neighbour kernels recompute exactly whatever it could change.
* `fill_mixed`: the sum of |q_f - r_f| over the numeric columns plus the number of categories that
  differ, with the bits of a plain loop over the columns.

Called by the kernels in `neighbours`, `density`, `gen_lra_scores` and `refit`.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from sdmetrics_disclosure.numba_kernels.jit import (
    BoolArray,
    CodeArray,
    FloatArray,
    fused_inlined,
    inlined,
)

TILE = 4
GROUP = 8 * TILE  # queries that meet a panel, tile after tile, while it is in the cache
UNROLLED = 4  # columns that one pass over a panel handles
PANEL = 192  # not a power of two: the columns of a panel would compete for the same cache sets
ALIGNMENT = 64  # bytes, of a cache line and of a 512-bit vector
UNKNOWN_ROW = -1
UNKNOWN_QUERY = -2  # differs from every row, also from an unknown one


class Packed(NamedTuple):
    """Rows in panels, or queries row by row, ready for `fill_squared` or `fill_mixed`.

    Attributes:
        numbers: Rows: (n_panels, columns, PANEL). Queries: (n, columns), -2 q for Euclidean
            distances. A multiple of UNROLLED columns, at least one, the last ones 0.
        starts: Rows: (n_panels, PANEL). Queries: (n,). What a distance starts from: a squared
            norm for Euclidean distances, 0 for mixed ones, infinity for a row that only fills the
            last panel.
        codes: Rows: (n_panels, categories, PANEL). Queries: (n, categories). int32.
    """

    numbers: FloatArray
    starts: FloatArray
    codes: CodeArray


def empty_aligned(shape: tuple[int, ...], dtype: npt.DTypeLike = np.float64) -> npt.NDArray[Any]:
    """Return an uninitialised C-ordered array that starts on a cache line."""
    n_bytes = int(np.prod(shape)) * np.dtype(dtype).itemsize
    raw = np.empty(n_bytes + ALIGNMENT, dtype=np.uint8)
    offset = -raw.ctypes.data % ALIGNMENT
    return raw[offset : offset + n_bytes].view(dtype).reshape(shape)


def pack_squared(queries: FloatArray, rows: FloatArray) -> tuple[Packed, Packed]:
    """Pack queries (n, d) and rows (m, d) for `fill_squared`, centred on the rows' mean."""
    center = rows.mean(axis=0)
    near_zero, centered = queries - center, rows - center
    return (
        _pack_queries(-2.0 * near_zero, _squared_norms(near_zero), _no_codes(queries)),
        _pack_rows(centered, _squared_norms(centered), _no_codes(rows)),
    )


def pack_mixed(
    queries: FloatArray, rows: FloatArray, is_category: BoolArray
) -> tuple[Packed, Packed]:
    """Pack queries (n, d) and rows (m, d) for `fill_mixed`; codes below 0 match nothing."""
    query_codes = _codes(queries[:, is_category], UNKNOWN_QUERY)
    row_codes = _codes(rows[:, is_category], UNKNOWN_ROW)
    return (
        _pack_queries(queries[:, ~is_category], np.zeros(len(queries)), query_codes),
        _pack_rows(rows[:, ~is_category], np.zeros(len(rows)), row_codes),
    )


def expansion_error(queries: Packed, rows: Packed, n_columns: int) -> FloatArray:
    """Bound |`fill_squared` - the sum of squared differences in floating point|, per query (n,).

    With u = 2^-53, d columns and S = |q|^2 + |r|^2: at most d u S from the two norms, 2 (d + 1) u S
    from the sum, 4 u S from centring, and 2 (d + 2) u S in the plain sum itself; twice that, for
    what is rounded when a distance, a limit and the error are added up.
    """
    finite = rows.starts[np.isfinite(rows.starts)]
    return np.asarray((5 * n_columns + 10) * 2.0**-52 * (queries.starts + finite.max()))


def _squared_norms(centered: FloatArray) -> FloatArray:
    return np.asarray(np.einsum("ij,ij->i", centered, centered))


def _no_codes(values: FloatArray) -> CodeArray:
    return np.empty((len(values), 0), dtype=np.int32)


def _codes(values: FloatArray, unknown: int) -> CodeArray:
    return np.where(values < 0, unknown, values).astype(np.int32)


def _pack_queries(numbers: FloatArray, starts: FloatArray, codes: CodeArray) -> Packed:
    n = _round_up(len(numbers), TILE)
    padded = np.zeros((n, _round_up(max(1, numbers.shape[1]), UNROLLED)))
    padded[: len(numbers), : numbers.shape[1]] = numbers
    padded_starts = np.zeros(n)
    padded_starts[: len(starts)] = starts
    padded_codes = np.zeros((n, _round_up(codes.shape[1], UNROLLED)), dtype=np.int32)
    padded_codes[: len(codes), : codes.shape[1]] = codes
    return Packed(padded, padded_starts, padded_codes)


def _pack_rows(numbers: FloatArray, starts: FloatArray, codes: CodeArray) -> Packed:
    n = len(numbers)
    n_panels = -(-n // PANEL)
    padded_starts = empty_aligned((n_panels, PANEL))
    padded_starts.ravel()[:n] = starts
    padded_starts.ravel()[n:] = np.inf
    n_columns = _round_up(max(1, numbers.shape[1]), UNROLLED)
    n_categories = _round_up(codes.shape[1], UNROLLED)
    return Packed(
        _transpose_panels(numbers, n_panels, n_columns),
        padded_starts,
        _transpose_panels(codes, n_panels, n_categories),
    )


def _transpose_panels(values: npt.NDArray[Any], n_panels: int, n_columns: int) -> npt.NDArray[Any]:
    panels = empty_aligned((n_panels, n_columns, PANEL), values.dtype)
    panels[...] = 0
    for p in range(n_panels):
        rows = values[p * PANEL : (p + 1) * PANEL]
        panels[p, : values.shape[1], : len(rows)] = rows.T
    return panels


def _round_up(n: int, multiple: int) -> int:
    return -(-n // multiple) * multiple


@inlined
def new_tiles(n: int) -> FloatArray:
    """Return an uninitialised (n, PANEL) array that starts on a cache line."""
    raw = np.empty(n * PANEL + ALIGNMENT // 8)
    offset = (ALIGNMENT - np.intp(raw.ctypes.data) % ALIGNMENT) % ALIGNMENT // 8
    return raw[offset : offset + n * PANEL].reshape((n, PANEL))


@fused_inlined
def fill_squared(
    numbers: FloatArray,
    starts: FloatArray,
    row_numbers: FloatArray,
    row_starts: FloatArray,
    out: FloatArray,
) -> None:
    """Write |q|^2 + |r|^2 - 2 q.r for a tile and a panel into `out` (TILE, PANEL).

    Args:
        numbers: (TILE, columns) of a packed query array.
        starts: (TILE,).
        row_numbers: (columns, PANEL) of a packed row array.
        row_starts: (PANEL,).
        out: (TILE, PANEL).
    """
    o0, o1, o2, o3 = out[0], out[1], out[2], out[3]
    s0, s1, s2, s3 = starts[0], starts[1], starts[2], starts[3]
    for f in range(0, numbers.shape[1], UNROLLED):
        x0, x1, x2, x3 = row_numbers[f], row_numbers[f + 1], row_numbers[f + 2], row_numbers[f + 3]
        a0, a1, a2, a3 = numbers[0, f], numbers[0, f + 1], numbers[0, f + 2], numbers[0, f + 3]
        b0, b1, b2, b3 = numbers[1, f], numbers[1, f + 1], numbers[1, f + 2], numbers[1, f + 3]
        c0, c1, c2, c3 = numbers[2, f], numbers[2, f + 1], numbers[2, f + 2], numbers[2, f + 3]
        d0, d1, d2, d3 = numbers[3, f], numbers[3, f + 1], numbers[3, f + 2], numbers[3, f + 3]
        if f == 0:  # nothing to add to: one pass over the tile less
            for j in range(PANEL):
                w, x, y, z, start = x0[j], x1[j], x2[j], x3[j], row_starts[j]
                o0[j] = start + s0 + a0 * w + a1 * x + a2 * y + a3 * z
                o1[j] = start + s1 + b0 * w + b1 * x + b2 * y + b3 * z
                o2[j] = start + s2 + c0 * w + c1 * x + c2 * y + c3 * z
                o3[j] = start + s3 + d0 * w + d1 * x + d2 * y + d3 * z
        else:
            for j in range(PANEL):
                w, x, y, z = x0[j], x1[j], x2[j], x3[j]
                o0[j] = o0[j] + a0 * w + a1 * x + a2 * y + a3 * z
                o1[j] = o1[j] + b0 * w + b1 * x + b2 * y + b3 * z
                o2[j] = o2[j] + c0 * w + c1 * x + c2 * y + c3 * z
                o3[j] = o3[j] + d0 * w + d1 * x + d2 * y + d3 * z


@inlined
def fill_mixed(
    numbers: FloatArray,
    codes: CodeArray,
    row_numbers: FloatArray,
    row_starts: FloatArray,
    row_codes: CodeArray,
    mismatches: CodeArray,
    out: FloatArray,
) -> None:
    """Write sum |q_f - r_f| + number of differing codes for a tile and a panel into `out`.

    Args:
        numbers: (TILE, columns) of a packed query array.
        codes: (TILE, categories).
        row_numbers: (columns, PANEL) of a packed row array.
        row_starts: (PANEL,).
        row_codes: (categories, PANEL).
        mismatches: (TILE, PANEL) int32, overwritten.
        out: (TILE, PANEL).
    """
    o0, o1, o2, o3 = out[0], out[1], out[2], out[3]
    for f in range(0, numbers.shape[1], UNROLLED):
        x0, x1, x2, x3 = row_numbers[f], row_numbers[f + 1], row_numbers[f + 2], row_numbers[f + 3]
        a0, a1, a2, a3 = numbers[0, f], numbers[0, f + 1], numbers[0, f + 2], numbers[0, f + 3]
        b0, b1, b2, b3 = numbers[1, f], numbers[1, f + 1], numbers[1, f + 2], numbers[1, f + 3]
        c0, c1, c2, c3 = numbers[2, f], numbers[2, f + 1], numbers[2, f + 2], numbers[2, f + 3]
        d0, d1, d2, d3 = numbers[3, f], numbers[3, f + 1], numbers[3, f + 2], numbers[3, f + 3]
        if f == 0:
            for j in range(PANEL):
                w, x, y, z, start = x0[j], x1[j], x2[j], x3[j], row_starts[j]
                o0[j] = start + abs(a0 - w) + abs(a1 - x) + abs(a2 - y) + abs(a3 - z)
                o1[j] = start + abs(b0 - w) + abs(b1 - x) + abs(b2 - y) + abs(b3 - z)
                o2[j] = start + abs(c0 - w) + abs(c1 - x) + abs(c2 - y) + abs(c3 - z)
                o3[j] = start + abs(d0 - w) + abs(d1 - x) + abs(d2 - y) + abs(d3 - z)
        else:
            for j in range(PANEL):
                w, x, y, z = x0[j], x1[j], x2[j], x3[j]
                o0[j] = o0[j] + abs(a0 - w) + abs(a1 - x) + abs(a2 - y) + abs(a3 - z)
                o1[j] = o1[j] + abs(b0 - w) + abs(b1 - x) + abs(b2 - y) + abs(b3 - z)
                o2[j] = o2[j] + abs(c0 - w) + abs(c1 - x) + abs(c2 - y) + abs(c3 - z)
                o3[j] = o3[j] + abs(d0 - w) + abs(d1 - x) + abs(d2 - y) + abs(d3 - z)
    if codes.shape[1] > 0:
        add_mismatches(codes, row_codes, mismatches, out)


@inlined
def add_mismatches(
    codes: CodeArray, row_codes: CodeArray, mismatches: CodeArray, out: FloatArray
) -> None:
    """Add the number of differing codes to `out`; the arguments are those of `fill_mixed`."""
    n0, n1, n2, n3 = mismatches[0], mismatches[1], mismatches[2], mismatches[3]
    mismatches[:] = 0
    for f in range(0, codes.shape[1], UNROLLED):
        x0, x1, x2, x3 = row_codes[f], row_codes[f + 1], row_codes[f + 2], row_codes[f + 3]
        a0, a1, a2, a3 = codes[0, f], codes[0, f + 1], codes[0, f + 2], codes[0, f + 3]
        b0, b1, b2, b3 = codes[1, f], codes[1, f + 1], codes[1, f + 2], codes[1, f + 3]
        c0, c1, c2, c3 = codes[2, f], codes[2, f + 1], codes[2, f + 2], codes[2, f + 3]
        d0, d1, d2, d3 = codes[3, f], codes[3, f + 1], codes[3, f + 2], codes[3, f + 3]
        for j in range(PANEL):
            w, x, y, z = x0[j], x1[j], x2[j], x3[j]
            n0[j] += np.int32(w != a0) + np.int32(x != a1) + np.int32(y != a2) + np.int32(z != a3)
            n1[j] += np.int32(w != b0) + np.int32(x != b1) + np.int32(y != b2) + np.int32(z != b3)
            n2[j] += np.int32(w != c0) + np.int32(x != c1) + np.int32(y != c2) + np.int32(z != c3)
            n3[j] += np.int32(w != d0) + np.int32(x != d1) + np.int32(y != d2) + np.int32(z != d3)
    for i in range(TILE):
        o, n = out[i], mismatches[i]
        for j in range(PANEL):
            o[j] += n[j]
