"""Rows handed out by joblib: the same numbers whoever computes them."""

from __future__ import annotations

import threading
from typing import Any

import joblib
import numpy as np
import pytest
from threadpoolctl import threadpool_info

from sdmetrics_disclosure.plugins.attacks.density import DensityEstimate
from sdmetrics_disclosure.plugins.attacks.distance import DCRDifference
from sdmetrics_disclosure.plugins.common import parallel
from sdmetrics_disclosure.plugins.common.parallel import in_chunks, limited_threads
from sdmetrics_disclosure.plugins.gen_lra.metric import GenLRA
from sdmetrics_disclosure.plugins.rapid.metric import RAPID
from tests.helpers.tables import people


def double(rows: Any, /, *, n_jobs: int | None) -> Any:
    return 2 * np.asarray(rows)


def settings(rows: Any, /, *, n_jobs: int | None) -> Any:
    return np.full(len(rows), len(rows))


def test_threads_get_all_rows_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parallel, "CHUNK_ROWS", 3)
    assert in_chunks(settings, np.arange(8), 2).tolist() == [8] * 8
    with joblib.parallel_config(backend="threading", n_jobs=2):
        assert in_chunks(settings, np.arange(8), None).tolist() == [8] * 8


@pytest.mark.slow
def test_processes_get_chunks_in_order(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parallel, "CHUNK_ROWS", 3)
    with joblib.parallel_config(backend="loky", n_jobs=2):
        assert in_chunks(settings, np.arange(8), None).tolist() == [3, 3, 3, 3, 3, 3, 2, 2]
        assert in_chunks(double, np.arange(8), None).tolist() == list(range(0, 16, 2))
        assert (
            in_chunks(double, people(7, 0)[["age"]], None).tolist()
            == (2 * people(7, 0)[["age"]].to_numpy()).tolist()
        )


@pytest.mark.slow
@pytest.mark.parametrize("attacker", ["boosting", "forest", "cart", "logistic"])
def test_rapid_is_the_same_through_processes(
    attacker: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    arguments: dict[str, Any] = {
        "sensitive_column_names": ["income"],
        "attacker": attacker,
        "n_bootstrap": 20,
        "n_permutations": 20,
    }
    tables = [people(400, seed) for seed in range(2)]
    alone = RAPID.compute_records(*tables, **arguments)
    monkeypatch.setattr(parallel, "CHUNK_ROWS", 150)
    with joblib.parallel_config(backend="loky", n_jobs=2):
        shared_out = RAPID.compute_records(*tables, **arguments)
    # linear algebra may add in another order where there are fewer rows
    assert np.allclose(
        shared_out["true_value_probability"], alone["true_value_probability"], rtol=0, atol=1e-12
    )
    assert shared_out["at_risk"].tolist() == alone["at_risk"].tolist()


@pytest.mark.slow
@pytest.mark.parametrize("metric", [GenLRA, DCRDifference, DensityEstimate])
def test_membership_is_the_same_through_processes(
    metric: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    tables = [people(400, seed) for seed in range(3)]
    alone = metric.compute_breakdown(*tables, overlap="keep")
    monkeypatch.setattr(parallel, "CHUNK_ROWS", 256)
    with joblib.parallel_config(backend="loky", n_jobs=2):
        shared_out = metric.compute_breakdown(*tables, overlap="keep")
    assert shared_out["auc"] == pytest.approx(alone["auc"], rel=1e-12)


def test_python_threads_leave_the_linear_algebra_as_they_found_it() -> None:
    def blas() -> list[int]:
        return [lib["num_threads"] for lib in threadpool_info() if lib["user_api"] == "blas"]

    def work() -> None:
        with limited_threads(1):
            pass

    before = blas()
    with limited_threads(1):
        for thread in [threading.Thread(target=work) for _ in range(3)]:
            thread.start()
            thread.join()
        assert blas() == [1] * len(before), "those who left first took nothing away"
    assert blas() == before
