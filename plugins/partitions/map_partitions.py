"""Work on partitions, run by dask: on the cluster of the current client, else on threads.

What is lost with a worker is computed again, from the same partition and the same seeds.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import numpy as np

from sdmetrics_disclosure.plugins.common.parallel import limited_threads

# Results put together at a time.
FAN_IN = 8

T = TypeVar("T")


def reduce_partitions(
    function: Callable[..., T],
    parts: Sequence[Any],
    *shared: Any,
    each: Sequence[Any] | None = None,
    combine: Callable[[list[T]], T],
) -> T:
    """What a function gives for every partition, put together.

    Args:
        function:
            Of a partition, what all share, and what is its own.
        parts:
            Partitions, not yet read.
        shared:
            What all share.
        each:
            What is each partition's own.
        combine:
            Puts neighbouring results together, `FAN_IN` at a time.
    """
    import dask

    results = _tasks(function, parts, shared, each)
    join = dask.delayed(combine, pure=False)
    while len(results) > 1:
        results = [join(results[i : i + FAN_IN]) for i in range(0, len(results), FAN_IN)]
    found: T = _computed(results)[0]
    return found


def map_partitions(
    function: Callable[..., T],
    parts: Sequence[Any],
    *shared: Any,
    each: Sequence[Any] | None = None,
) -> list[T]:
    """What a function gives for every partition, in order (see `reduce_partitions`)."""
    return _computed(_tasks(function, parts, shared, each))


def _tasks(
    function: Callable[..., Any],
    parts: Sequence[Any],
    shared: Sequence[Any],
    each: Sequence[Any] | None,
) -> list[Any]:
    import dask

    common = [dask.delayed(value, traverse=False) for value in shared]
    call = dask.delayed(function, pure=False)
    own = [() for _ in parts] if each is None else [(value,) for value in each]
    return [call(part, *common, *extra) for part, extra in zip(parts, own, strict=True)]


def _computed(tasks: list[Any]) -> list[Any]:
    import dask

    # Where tasks run on threads of this process, they find the linear algebra limited.
    with limited_threads(1), warnings.catch_warnings():
        # The sample travels with the tasks, so that no worker's end can lose it.
        warnings.filterwarnings("ignore", message="Sending large graph")
        state = np.random.get_state()  # noqa: NPY002  # a client of a cluster draws from it
        try:
            return list(dask.compute(*tasks))
        finally:
            np.random.set_state(state)  # noqa: NPY002
