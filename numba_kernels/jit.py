"""The only numba options in the package, and the threads that run kernels.

A file of kernels has three storeys: a public function (shapes, defaults, output arrays), a
driver (`run_blocks`, which cuts the rows into blocks) and the kernels (loops, nothing else).

* `kernel` compiles without fast-math: the same bits as the same additions in NumPy or Python.
* `fast_kernel` may reorder sums and fuse a multiplication with an addition, which is what lets
  LLVM vectorise a reduction. "No NaN" and "no infinity" are never promised to the compiler: that
  promise makes `isnan` false and our scores know infinite logarithms.
* `inlined`, `fused_inlined` and `fast_inlined` are for small functions called from kernels; they
  keep their own arithmetic inside any kernel and have no entry of their own on disk.

Nothing here is `parallel=True`: numba's workqueue layer aborts a process in which two Python
threads start kernels. Every kernel releases the GIL instead and `run_blocks` starts threads. The
blocks follow from the number of rows alone and every block writes its own slice of the output, so
the bits are the same on any number of threads.

Compiled code is kept on disk and is loaded at the first call; nothing compiles at import. numba
looks at one file when it decides whether stored code is stale, but a kernel holds the inlined
functions of other files too: `_compile_cached` makes it look at all files of this layer, so that
neither an edit nor an upgrade runs yesterday's code.
"""

from __future__ import annotations

import copy
import functools
import hashlib
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt
from numba import njit

FloatArray = npt.NDArray[np.float64]
CodeArray = npt.NDArray[np.int32]
IndexArray = npt.NDArray[np.intp]
BoolArray = npt.NDArray[np.bool_]

F = TypeVar("F", bound=Callable[..., Any])

FUSED = frozenset({"contract"})
REORDERED = frozenset({"contract", "reassoc", "nsz"})


def kernel(function: F) -> F:
    """Compile an entry point on its first call: IEEE arithmetic, no GIL, kept on disk."""
    return _compile_cached(function, fastmath=False)


def fast_kernel(function: F) -> F:
    """Compile an entry point as `kernel` does, with sums that may be reordered."""
    return _compile_cached(function, fastmath=set(REORDERED))


def inlined(function: F) -> F:
    """Compile a small function into the kernels that call it: IEEE arithmetic."""
    return _compile_inlined(function, fastmath=False)


def fused_inlined(function: F) -> F:
    """Compile a small function as `inlined` does, with fused multiply-adds in the order written."""
    return _compile_inlined(function, fastmath=set(FUSED))


def fast_inlined(function: F) -> F:
    """Compile a small function as `inlined` does, with sums that may be reordered."""
    return _compile_inlined(function, fastmath=set(REORDERED))


def _compile_inlined(function: F, fastmath: bool | set[str]) -> F:
    compiled: F = njit(nogil=True, error_model="numpy", fastmath=fastmath, forceinline=True)(
        function
    )
    return compiled


def _compile_cached(function: F, fastmath: bool | set[str]) -> F:
    options: dict[str, Any] = {"nogil": True, "error_model": "numpy", "fastmath": fastmath}
    try:
        compiled: F = njit(cache=True, **options)(function)
    except (RuntimeError, OSError):  # no writable place: a read-only install without a home
        compiled = njit(**options)(function)
    stored: Any = getattr(getattr(compiled, "_cache", None), "_cache_file", None)
    if hasattr(stored, "_source_stamp"):
        stored._source_stamp = (stored._source_stamp, _digest_of_this_layer())
        # What a crash or a full disk left behind is as good as nothing: compile and store anew.
        stored._load_index = _unless_damaged(stored._load_index, {})
        stored._load_data = _unless_damaged(stored._load_data, None)
    return compiled


def _unless_damaged(load: Callable[..., Any], nothing: Any) -> Callable[..., Any]:
    """A reader of pickles that takes a truncated or foreign one for none."""

    @functools.wraps(load)
    def reading(*arguments: Any) -> Any:
        try:
            return load(*arguments)
        except OSError:
            raise  # numba knows what an absent file is
        except Exception:
            return copy.copy(nothing)

    return reading


@functools.cache
def _digest_of_this_layer() -> str:
    digest = hashlib.sha256()
    for path in sorted(Path(__file__).parent.rglob("*.py")):
        digest.update(path.read_bytes())
    return digest.hexdigest()


def effective_n_jobs(n_jobs: int | None) -> int:
    """Return the number of threads that `n_jobs` asks for.

    Args:
        n_jobs: None is one thread, -1 every core this process may use, -2 all but one, and so on.

    Raises:
        ValueError: `n_jobs` is 0.
    """
    if n_jobs is None:
        return 1
    if n_jobs == 0:
        raise ValueError("n_jobs is 0; pass None or 1 for one thread, or -1 for every core.")
    if n_jobs > 0:
        return n_jobs
    return max(1, _usable_cores() + 1 + n_jobs)


def _usable_cores() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def run_blocks(
    function: Callable[[int, int], None], n: int, block: int, n_jobs: int | None
) -> None:
    """Call `function(start, stop)` for every block of the rows 0 to n - 1.

    Args:
        function: Writes the rows start to stop - 1 of its output and nothing else.
        n: Number of rows.
        block: Rows in a block; the last block may be shorter.
        n_jobs: Number of threads (see `effective_n_jobs`).
    """
    starts = range(0, n, block)
    stops = [min(start + block, n) for start in starts]
    threads = min(effective_n_jobs(n_jobs), len(stops))
    if threads <= 1:
        for start, stop in zip(starts, stops, strict=True):
            function(start, stop)
        return
    with ThreadPoolExecutor(threads) as pool:
        for _ in pool.map(function, starts, stops):  # the first exception is raised here
            pass
