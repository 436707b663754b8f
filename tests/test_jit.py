"""Threads, blocks and the compiled cache."""

from __future__ import annotations

import numpy as np
import pytest

from sdmetrics_disclosure.numba_kernels.jit import effective_n_jobs, run_blocks


@pytest.mark.parametrize("n_jobs", [None, 1, 2, 5, -1])
@pytest.mark.parametrize(("n", "block"), [(0, 4), (1, 4), (4, 4), (11, 4)])
def test_blocks_cover_every_row_once(n: int, block: int, n_jobs: int | None) -> None:
    visits = np.zeros(n, dtype=int)
    lengths = []

    def visit(start: int, stop: int) -> None:
        visits[start:stop] += 1
        lengths.append(stop - start)

    run_blocks(visit, n, block, n_jobs)
    assert (visits == 1).all()
    assert sorted(lengths) == sorted(min(block, n - start) for start in range(0, n, block))


@pytest.mark.parametrize("n_jobs", [1, 3])
def test_an_exception_in_a_block_reaches_the_caller(n_jobs: int) -> None:
    def fail(start: int, stop: int) -> None:
        raise ArithmeticError(f"block {start}")

    with pytest.raises(ArithmeticError, match="block"):
        run_blocks(fail, 10, 2, n_jobs)


def test_n_jobs_counts_as_joblib_does(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sdmetrics_disclosure.numba_kernels.jit._usable_cores", lambda: 6)
    assert [effective_n_jobs(n) for n in (None, 1, 4, 9, -1, -2, -6, -7)] == [
        1, 1, 4, 9, 6, 5, 1, 1,
    ]  # fmt: skip
    with pytest.raises(ValueError, match="n_jobs is 0"):
        effective_n_jobs(0)
