"""Figures do not depend on the order of rows, of columns, or on a column that carries nothing."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from sdmetrics_disclosure.plugins.attacks.ensemble import MembershipEnsemble
from sdmetrics_disclosure.plugins.gen_lra.metric import GenLRA
from sdmetrics_disclosure.plugins.membership.metric import MembershipMetric
from tests.helpers.tables import PATIENTS, patients

TABLES = [patients(120, seed) for seed in range(3)]
TABLES[1] = TABLES[0].assign(value_0=lambda f: f["value_0"] + 0.3)


def figures(
    metric: type[MembershipMetric],
    tables: list[pd.DataFrame],
    metadata: Any = PATIENTS,
    **options: Any,
) -> dict[str, Any]:
    found = metric.compute_breakdown(*tables, metadata, **options)
    return {name: found[name] for name in found.keys() - {"warnings"}}


def shuffled(table: pd.DataFrame, seed: int) -> pd.DataFrame:
    return table.sample(frac=1, random_state=seed).reset_index(drop=True)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("metric", "options"), [(GenLRA, {}), (MembershipEnsemble, {"n_bootstrap": 50})]
)
def test_rows_and_columns_in_another_order(
    metric: type[MembershipMetric], options: dict[str, Any]
) -> None:
    plain = figures(metric, TABLES, **options)
    moved = [shuffled(table, seed) for seed, table in enumerate(TABLES)]
    assert figures(metric, moved, **options) == plain
    columns = dict(reversed(PATIENTS["columns"].items()))
    assert figures(metric, TABLES, {**PATIENTS, "columns": columns}, **options) == plain


def test_units_in_another_order() -> None:
    metadata = {"columns": {**PATIENTS["columns"], "id": {"sdtype": "id"}}, "sequence_key": "id"}
    first = (0, 0, 1000)
    tables = [t.assign(id=np.arange(120) // 4 + f) for t, f in zip(TABLES, first, strict=True)]
    plain = figures(GenLRA, tables, metadata)
    moved = [shuffled(table, seed) for seed, table in enumerate(tables)]
    assert figures(GenLRA, moved, metadata) == plain


def test_a_column_that_carries_nothing() -> None:
    metadata = {"columns": {**PATIENTS["columns"], "aaa": {"sdtype": "numerical"}}}
    with_constant = [table.assign(aaa=1.0) for table in TABLES]
    assert figures(GenLRA, with_constant, metadata) == figures(GenLRA, TABLES)


def test_records_stand_in_the_callers_order() -> None:
    moved = [table.sample(frac=1, random_state=seed) for seed, table in enumerate(TABLES)]
    plain, found = (GenLRA.compute_records(*tables, PATIENTS) for tables in (TABLES, moved))
    assert list(found.loc["training"].index) == list(moved[0].index)
    pd.testing.assert_frame_equal(found.loc[plain.index], plain)
