"""A dask cluster of two workers, one of which is killed half way."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import dask
import dask.dataframe as dd
import joblib
import pandas as pd
import pytest
from distributed import Client, LocalCluster, Worker, WorkerPlugin

from sdmetrics_disclosure.plugins import RAPID, DisclosureReport, GenLRA, assess
from sdmetrics_disclosure.plugins.common import parallel
from tests.helpers.tables import PATIENTS, patients

pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore::UserWarning"),
    pytest.mark.timeout(600),
]


class KillOne(WorkerPlugin):
    """Ends the process of the first worker that has finished so many tasks, once."""

    def __init__(self, done: Path, after: int) -> None:
        self.done = done
        self.after = after
        self.n_finished = 0

    def setup(self, worker: Worker) -> None:
        self.name = worker.name

    def transition(self, key: Any, start: str, finish: str, **kwargs: Any) -> None:
        self.n_finished += finish == "memory"
        if self.n_finished >= self.after and self.name == 0 and not self.done.exists():
            self.done.touch()
            os.kill(os.getpid(), signal.SIGKILL)


@pytest.fixture
def client() -> Iterator[Client]:
    with (
        dask.config.set({"distributed.comm.timeouts.connect": "60s"}),
        LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None
        ) as cluster,
        Client(cluster) as client,
    ):
        yield client


@pytest.fixture(scope="module")
def tables() -> list[pd.DataFrame]:
    real, synthetic, holdout = (patients(600, seed) for seed in range(3))
    return [real, pd.concat([synthetic[:300], real[:300]], ignore_index=True), holdout]


def in_parts(frame: pd.DataFrame) -> Any:
    return dd.from_pandas(frame, npartitions=8)


def audit(tables: list[pd.DataFrame]) -> list[Any]:
    real, synthetic, holdout = map(in_parts, tables)
    report = DisclosureReport()
    report.generate(
        real,
        synthetic,
        PATIENTS,
        real_validation_data=holdout,
        sensitive_column_names=["ward", "value_0"],
        metric_options={"RAPID": {"n_permutations": 50}},
        verbose=False,
    )
    found = report.result
    assert not found.failures
    return [found.decision, found.checks, found.columns, found.memberships, found.notes]


@pytest.mark.slow
def test_a_killed_worker_changes_no_number(
    client: Client, tables: list[pd.DataFrame], tmp_path: Path
) -> None:
    undisturbed = audit_on_threads(tables)
    done = tmp_path / "killed"
    client.register_plugin(KillOne(done, after=12))
    assert audit(tables) == undisturbed
    assert done.exists(), "a worker was killed on the way"


def audit_on_threads(tables: list[pd.DataFrame]) -> list[Any]:
    with dask.config.set(scheduler="threads"):
        return audit(tables)


@pytest.mark.slow
def test_joblib_carries_rows_and_folds_to_the_workers(
    client: Client, tables: list[pd.DataFrame], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, synthetic, holdout = tables

    def measure() -> list[Any]:
        found = GenLRA.compute_breakdown(real, synthetic, holdout, PATIENTS)
        rapid = RAPID.compute_breakdown(
            real, synthetic, PATIENTS, sensitive_column_names=["ward"], n_permutations=20
        )
        folds = assess({"bootstrap": resample}, real, PATIENTS, n_splits=3, metrics=["GenLRA"])
        return [found, rapid, folds.rows["Value"].tolist()]

    alone = measure()
    monkeypatch.setattr(parallel, "CHUNK_ROWS", 256)
    done = tmp_path / "killed"
    client.register_plugin(KillOne(done, after=3))
    with joblib.parallel_config(backend="dask"):
        assert measure() == alone
    assert done.exists(), "a worker was killed on the way"


def resample(frame: pd.DataFrame, random_state: int) -> pd.DataFrame:
    return frame.sample(len(frame), replace=True, random_state=random_state)
