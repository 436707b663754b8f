"""How many threads the libraries below may use, whoever runs at the same time."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from threadpoolctl import threadpool_limits

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
