"""Figures to land on: Adult control rows, 10 columns, 300 rows each, 10 seeds."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from sdmetrics_disclosure.plugins.identification.metrics import Linkability, SingleOut

N = 300
COLUMNS = ["age", "education_num", "marital", "occupation", "sex", "race", "hr_per_week"]
COLUMNS += ["capital_gain", "country", "income"]
Tables = tuple[int, pd.DataFrame, pd.DataFrame, pd.DataFrame, dict]


@pytest.fixture(scope="module")
def tables(shared_data: Path) -> list[Tables]:
    return list(_tables(shared_data))


def _tables(folder: Path) -> Iterator[Tables]:
    pool = pd.read_csv(folder / "adults" / "control.csv.gz", keep_default_na=False)[COLUMNS]
    kinds = {c: "numerical" if pool[c].dtype.kind == "i" else "categorical" for c in pool}
    metadata = {"columns": {column: {"sdtype": kind} for column, kind in kinds.items()}}
    for seed in range(10):
        rows = pool.sample(3 * N, random_state=1_000 + seed).reset_index(drop=True)
        yield seed, rows[:N], rows[N : 2 * N], rows[2 * N :], metadata


def _bootstrap(training: pd.DataFrame, seed: int) -> pd.DataFrame:
    return training.sample(N, replace=True, random_state=seed)


def _independent(training: pd.DataFrame, seed: int) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    return pd.DataFrame({c: rng.choice(training[c].to_numpy(), N) for c in training})


@pytest.mark.parametrize(
    ("metric", "options", "generate", "expected", "tolerance"),
    [
        (SingleOut, {"n_columns": 1}, _independent, 0.40, 0.1),
        (SingleOut, {"n_columns": 3}, _bootstrap, 0.575, 0.06),
        (Linkability, {}, _bootstrap, 0.248, 0.03),
        (Linkability, {}, _independent, 0.0, 0.004),
    ],
)
def test_mean_excess(tables, metric, options, generate, expected, tolerance):
    scores = [
        metric.compute(
            training,
            generate(training, seed),
            metadata,
            real_validation_data=holdout,
            overlap="keep",
            random_state=seed,
            **options,
        )
        for seed, training, holdout, _, metadata in tables
    ]
    assert np.mean(scores) == pytest.approx(expected, abs=tolerance)


@pytest.mark.slow
def test_a_fresh_sample_is_seldom_seen(tables):
    """At most 5 of 40 permutation tests have p at most .05."""
    p_values = [
        metric.compute_breakdown(
            training,
            fresh,
            metadata,
            real_validation_data=holdout,
            overlap="keep",
            random_state=seed,
            **options,
        )["p_value"]
        for seed, training, holdout, fresh, metadata in tables
        for metric, options in [
            *((SingleOut, {"n_columns": c}) for c in (1, 3, 5)),
            (Linkability, {}),
        ]
    ]
    assert len(p_values) == 40
    assert sum(p <= 0.05 for p in p_values) <= 5
