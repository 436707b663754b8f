"""Work handed out: threads of the libraries below, and chunks of rows for joblib.

On one machine the work is done at once: kernels and trees have their own threads, which share the
tables. A backend whose workers share no memory (`joblib.parallel_config` with "dask", "ray",
"spark", "loky") is given a chunk of rows at a time.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Protocol

import joblib
import numpy as np
from joblib.parallel import get_active_backend
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

# A whole number of every kernel's blocks, so that a row's bits in a kernel do not depend on the
# chunks. Linear algebra may round otherwise where a chunk has fewer rows.
CHUNK_ROWS = 16_384

_lock = threading.Lock()
_users = 0
_limits: Any = None


@contextmanager
def limited_threads(n_openmp: int) -> Iterator[None]:
    """One thread for the linear algebra, so many for OpenMP.

    The sums of the linear algebra depend on the number of threads. That number belongs to the
    whole process: the first who enters sets it and the last who leaves sets it back, so that nobody
    among several Python threads works under another. OpenMP's belongs to each Python thread.

    Args:
        n_openmp:
            The most threads of an OpenMP team.
    """
    global _users, _limits
    with _lock:
        if not _users:
            _limits = threadpool_limits(1, "blas")
        _users += 1
    try:
        with threadpool_limits(n_openmp, "openmp"):
            yield
    finally:
        with _lock:
            _users -= 1
            if not _users:
                _limits.restore_original_limits()


class RowWork(Protocol):
    """Work whose result for a row depends on that row alone; it is pickled for workers."""

    def __call__(self, rows: Any, /, *, n_jobs: int | None) -> NDArray[Any]:
        """An array with an entry for each of the rows, by so many threads."""


def shares_memory() -> bool:
    """Whether joblib's backend runs work in this process."""
    backend, _ = get_active_backend(prefer="threads")
    return bool(getattr(backend, "supports_sharedmem", False))


def in_chunks(work: RowWork, rows: Any, n_jobs: int | None) -> NDArray[Any]:
    """What the work gives for the rows, whoever does it.

    Args:
        work:
            What is to be done.
        rows:
            A frame or an array.
        n_jobs:
            Threads, or chunks at a time; None is what `joblib.parallel_config` says, else one.
    """
    if shares_memory() or len(rows) <= CHUNK_ROWS:
        return work(rows, n_jobs=n_jobs)
    chunks = (_slice(rows, start) for start in range(0, len(rows), CHUNK_ROWS))
    tasks = (joblib.delayed(_Task(work, chunk))() for chunk in chunks)
    return np.concatenate(joblib.Parallel(n_jobs=n_jobs)(tasks))


@dataclass(frozen=True, eq=False)  # joblib puts tasks in sets: equal is who is the same
class _Task:
    """The work on one chunk, complete in itself.

    As arguments, work and rows would be put on a worker beforehand by joblib's backend for dask,
    and be lost with it; so they travel with the task, which any other worker can take over.
    """

    work: RowWork
    rows: Any

    def __call__(self) -> NDArray[Any]:
        return self.work(self.rows, n_jobs=1)


def _slice(rows: Any, start: int) -> Any:
    return getattr(rows, "iloc", rows)[start : start + CHUNK_ROWS]
