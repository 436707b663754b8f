"""Canaries: what is planted, what is found, and a claim that is true or false."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from sdmetrics_disclosure.adapters.release.kinds import Kind
from sdmetrics_disclosure.plugins.refits.canaries import make_canaries
from sdmetrics_disclosure.plugins.refits.canary_audit import CanaryAudit, canary_audit
from tests.helpers.synthesizers import (
    IgnoresRows,
    LaplaceMarginals,
    bootstrap,
    independent_columns,
)
from tests.plugins.refits.tables import METADATA, workers

KINDS = {column: Kind(details["sdtype"]) for column, details in METADATA["columns"].items()}
CATEGORIES = ["town", "job", "smoker"]


def audit(synthesizers: Any, real: pd.DataFrame | None = None, **words: Any) -> CanaryAudit:
    return canary_audit(synthesizers, workers(300) if real is None else real, METADATA, **words)


def made(kind: str, real: pd.DataFrame, n: int = 10) -> Any:
    return make_canaries(kind, real, KINDS, n, np.random.default_rng(0))


@pytest.mark.parametrize("synthesizer", [bootstrap, independent_columns])
def test_a_level_of_ones_own_is_found_in_one_run(synthesizer: Any) -> None:
    row = audit(synthesizer, kinds=["level"]).summary.iloc[0]
    assert (row["Guesses"], row["Right"]) == (25, 25)
    assert row["Epsilon"] == pytest.approx(2.061, abs=5e-4)
    assert row["Epsilon"] == row["Cap"]


def test_nothing_is_found_where_nothing_is_given_away() -> None:
    found = audit(IgnoresRows(workers(1000, seed=8)), n_refits=5)
    assert (found.summary["Epsilon"] == 0.0).all()


def test_extremes_are_one_a_column_and_guessed_where_surpassed() -> None:
    found = audit(bootstrap, kinds=["extreme"], n_refits=20)
    row = found.summary.iloc[0]
    assert row["Canaries"] == 2
    assert row["Guesses"] == row["Right"] <= 40
    assert row["Guesses"] > 12


def test_combinations_are_found_in_copies_and_not_in_marginals() -> None:
    found = audit(
        {"bootstrap": bootstrap, "independent": independent_columns},
        kinds=["combination"],
        n_refits=4,
    ).summary.set_index("Synthesizer")
    assert found.loc["bootstrap", "Right"] >= 95
    assert found.loc["independent", "Epsilon"] == 0.0


def test_kinds_share_the_error() -> None:
    found = audit(bootstrap)
    assert found.summary["Epsilon Level"].tolist() == pytest.approx([1 - 0.05 / 3] * 3)


def laplace(seed: int, public: bool) -> str:
    real = workers(300, seed=seed)[["town", "job"]]
    metadata = {"columns": {column: {"sdtype": "categorical"} for column in real}}
    domain = None
    if public:
        levels = [f"canary {i}" for i in range(100)]
        domain = {column: [*sorted(real[column].unique()), *levels] for column in real}
    found = canary_audit(
        LaplaceMarginals(1.0, domain),
        real,
        metadata,
        kinds=["level"],
        claimed_epsilon=1.0,
        random_state=seed,
    )
    claim: str = found.summary["Claim"].iloc[0]
    return claim


@pytest.mark.slow
def test_a_true_claim_is_never_refuted() -> None:
    assert {laplace(seed, public=True) for seed in range(20)} == {"not refuted"}


@pytest.mark.slow
def test_a_domain_from_the_rows_refutes_the_claim() -> None:
    assert sum(laplace(seed, public=False) == "refuted" for seed in range(20)) >= 15


# --- what is planted ----------------------------------------------------------------------------


def test_levels_are_nobodys_and_go_through_the_columns() -> None:
    real = workers()
    canaries = made("level", real)
    assert canaries.columns == ("town", "job") * 5
    for i, column in enumerate(canaries.columns):
        level = canaries.rows[column].iloc[i]
        assert level not in set(real[column])
        assert (canaries.rows[column] == level).sum() == 1
        others = canaries.rows.drop(columns=column).iloc[i]
        assert (real.drop(columns=column) == others).all(axis=1).any()


def test_levels_of_numbers_and_of_categoricals() -> None:
    real = workers().assign(town=lambda frame: frame["town"].astype("category"))
    real["job"] = real["job"].str.removeprefix("job ").astype(int)
    canaries = made("level", real)
    assert canaries.rows["job"].dtype.kind == "i"
    assert canaries.rows["job"].max() == real["job"].max() + 5
    assert isinstance(canaries.rows["town"].dtype, pd.CategoricalDtype)


def test_extremes_are_rounded_as_the_column_is() -> None:
    real = workers()
    canaries = made("extreme", real)
    assert canaries.columns == ("age", "wage")
    low, high = real["age"].min(), real["age"].max()
    assert canaries.rows["age"].iloc[0] == high + (high - low + 1)
    assert canaries.rows["age"].dtype.kind == "i"
    wage = canaries.rows["wage"].iloc[1]
    assert wage == round(wage, 2) > real["wage"].max()


def test_names_of_rows_are_not_copied() -> None:
    real = workers().assign(key=np.arange(120), code=[f"c{i}" for i in range(120)])
    canaries = made("combination", real)
    assert set(canaries.rows["key"]).isdisjoint(real["key"])
    assert set(canaries.rows["code"]).isdisjoint(real["code"])
    assert canaries.rows["code"].is_unique


def test_a_kind_without_a_column_is_named() -> None:
    real = workers()[["age", "wage"]]
    metadata = {"columns": {column: {"sdtype": "numerical"} for column in real}}
    with pytest.warns(UserWarning, match="no column for canaries of the kind 'level'"):
        found = canary_audit(bootstrap, real, metadata)
    assert list(found.summary["Kind"]) == ["extreme", "combination"]
    assert found.summary["Epsilon Level"].iloc[0] == pytest.approx(0.975)
    with pytest.raises(ValueError, match="No column can be changed"):
        canary_audit(bootstrap, real, metadata, kinds=["level"])


def test_a_synthesizer_that_refuses_has_its_error_and_no_bound() -> None:
    def refuses(real_data: pd.DataFrame, num_rows: int) -> pd.DataFrame:
        if real_data["town"].str.startswith("canary").any():
            raise ValueError(f"what is {real_data['town'].iloc[-1]}?")
        return real_data

    found = audit(refuses, kinds=["level"])
    assert found.summary["Epsilon"].isna().all()
    assert found.summary["Refits Run"].tolist() == [0]
    assert found.to_dict()["rows"][0]["Error"] == "ValueError"


def test_sequences_are_refused() -> None:
    metadata = {"columns": {**METADATA["columns"], "who": {"sdtype": "id"}}, "sequence_key": "who"}
    with pytest.raises(ValueError, match="use `refit_attack`"):
        canary_audit(bootstrap, workers().assign(who=0), metadata)


@pytest.mark.parametrize("kinds", ["level", ["nobody"]])
def test_kinds_are_a_list_of_names(kinds: Any) -> None:
    with pytest.raises((TypeError, ValueError), match="`kinds` is"):
        audit(bootstrap, kinds=kinds)


def test_it_goes_on_where_it_stopped(tmp_path: Path) -> None:
    words = {"kinds": ["level", "extreme"], "n_refits": 2, "checkpoint": tmp_path}
    first = audit(bootstrap, **words)
    assert len(list(tmp_path.iterdir())) == 4
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        again = audit(bootstrap, **words)
    pd.testing.assert_frame_equal(first.summary, again.summary)
