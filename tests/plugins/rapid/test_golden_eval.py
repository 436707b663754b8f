"""The authors' evaluation alone: probabilities or predictions in, scores and rates out."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from sdmetrics_disclosure.numba_kernels.rapid.scores import categorical_scores, errors, share_above

SCORE_NAMES = {
    "RCS_marginal": "normalized_gain",
    "RCS_conditional": "conditional",
    "NCE": "cross_entropy",
}
ERROR_NAMES = {"stabilised_relative": "stabilized_relative"}
CATEGORICAL = [f"c{number:02d}" for number in range(1, 24)]
NUMERIC = [f"n{number:02d}" for number in range(1, 17)]
#: Where R gives NaN, -Inf, NA or an error, and we give a number.
R_GIVES_UP = {"c11", "c12", "c15", "c16", "c17", "c20", "c23", "n14", "n15"}


@cache
def _index(folder: Path) -> dict[str, dict]:
    return {case["id"]: case for case in json.loads((folder / "index.json").read_text())}


def _read(folder: Path, name: str) -> pd.DataFrame:
    return pd.read_csv(folder / name, keep_default_na=False, na_values=["NA", "NaN"])


def _score(folder: Path, identity: str) -> tuple[dict, pd.DataFrame]:
    """Score a categorical case, with missing as a class of its own."""
    case = _index(folder)[identity]
    table = _read(folder, f"{identity}_in.csv")
    levels = list(case["levels"])
    classes = table["y"].map({level: code for code, level in enumerate(levels)})
    if classes.isna().any():
        levels.append(None)
        classes = classes.fillna(len(levels) - 1)
    classes = classes.to_numpy(dtype=np.intp)
    g = np.zeros(len(table))
    for code, level in enumerate(levels):
        if f"p_{level}" in table:
            g[classes == code] = table.loc[classes == code, f"p_{level}"]
    scores, baseline = categorical_scores(g, classes, len(levels), SCORE_NAMES[case["method"]])
    return case, pd.DataFrame({"y": table["y"], "g": g, "b": baseline, "score": scores})


@pytest.fixture
def cases(golden: Path) -> Path:
    return golden / "rapid" / "eval"


def test_every_case_is_here(cases):
    assert sorted(_index(cases)) == CATEGORICAL + NUMERIC


@pytest.mark.parametrize("identity", [name for name in CATEGORICAL if name not in R_GIVES_UP])
def test_categorical_records_and_rate(cases, identity):
    case, ours = _score(cases, identity)
    theirs = _read(cases, f"{identity}_out.csv")
    for column in [name for name in ("g", "b", "score") if name in theirs]:
        np.testing.assert_allclose(ours[column], theirs[column], rtol=0, atol=1e-12)
    at_risk = ours["score"] > case["tau"]
    np.testing.assert_array_equal(at_risk, theirs["at_risk"])
    assert at_risk.mean() == float(case["rate_17g"])
    assert share_above(ours["score"].to_numpy(), np.array([case["tau"]]))[0] == at_risk.mean()


@pytest.mark.slow
@pytest.mark.parametrize("identity", [name for name in NUMERIC if name not in R_GIVES_UP])
def test_numeric_records_and_rate(cases, identity):
    case = _index(cases)[identity]
    table = _read(cases, f"{identity}_in.csv")
    theirs = _read(cases, f"{identity}_out.csv")
    ours = _errors(case, table)
    np.testing.assert_allclose(ours, theirs["error"], rtol=0, atol=1e-12)
    at_risk = ours < case["epsilon_used"]
    np.testing.assert_array_equal(at_risk, theirs["at_risk"])
    assert at_risk.mean() == float(case["rate_17g"])


def _errors(case: dict, table: pd.DataFrame) -> np.ndarray:
    name = ERROR_NAMES.get(case["method"], case["method"])
    truth, prediction = table["y"].to_numpy(dtype=float), table["yhat"].to_numpy(dtype=float)
    return errors(truth, prediction, name, case["delta"])


@pytest.mark.parametrize("identity", ["c11", "c12"])
def test_a_constant_column_has_nothing_to_gain(cases, identity):
    """R: -Inf for g < 1, NaN for g = 1."""
    _, ours = _score(cases, identity)
    assert (ours["b"] == 1).all()
    assert (ours["score"] == 0).all()


@pytest.mark.parametrize("identity", ["c15", "c16", "c17"])
def test_a_class_the_attacker_never_saw_has_probability_zero(cases, identity):
    """R: NA for its records and for the whole rate, or an error; the others agree."""
    case, ours = _score(cases, identity)
    unseen = ours["y"] == "c4"
    assert unseen.sum() == 58
    expected = {
        "RCS_marginal": -0.116 / (1 - 0.116),
        "RCS_conditional": 0.0,
        "NCE": 1 + np.log(1e-10) / np.log(4),
    }
    np.testing.assert_allclose(ours.loc[unseen, "score"], expected[case["method"]], atol=1e-12)
    assert not (ours.loc[unseen, "score"] > case["tau"]).any()
    if (
        identity == "c15"
    ):  # in c17 R takes the logarithm of three classes, its columns, and we of four
        theirs = _read(cases, f"{identity}_out.csv")
        np.testing.assert_allclose(
            ours.loc[~unseen, "score"], theirs.loc[~unseen, "score"], rtol=0, atol=1e-12
        )
        at_risk = 287 - 58  # R returns the records without a score among those at risk
        assert (ours["score"] > case["tau"]).sum() == at_risk


def test_a_class_that_is_always_given_zero_scores_zero(cases):
    """R: 0 / 0 is NaN for these records and NA for the rate; the others agree."""
    case, ours = _score(cases, "c20")
    theirs = _read(cases, "c20_out.csv")
    never = ours["y"] == "c"
    assert never.sum() == 20
    assert (ours.loc[never, "score"] == 0).all()
    np.testing.assert_allclose(
        ours.loc[~never, "score"], theirs.loc[~never, "score"], rtol=0, atol=1e-12
    )
    at_risk = ours["score"] > case["tau"]
    np.testing.assert_array_equal(at_risk[~never], theirs.loc[~never, "at_risk"].astype(bool))


def test_missing_is_a_class_of_its_own(cases):
    """R leaves the missing records out of the class shares: 297 in the denominator, not 300."""
    _, ours = _score(cases, "c23")
    theirs = _read(cases, "c23_out.csv")
    missing = ours["y"].isna()
    assert missing.sum() == 3
    assert (ours.loc[missing, "b"] == 3 / 300).all()
    np.testing.assert_allclose(ours.loc[~missing, "b"], theirs.loc[~missing, "b"] * 297 / 300)
    assert not (ours.loc[missing, "score"] > 0.3).any()


def test_a_missing_prediction_has_no_error(cases):
    """R: NA for the whole rate; here its records have none and the others are as ever."""
    case = _index(cases)["n14"]
    ours = _errors(case, _read(cases, "n14_in.csv"))
    theirs = _read(cases, "n14_out.csv")["error"]
    np.testing.assert_array_equal(np.isnan(ours), theirs.isna())
    np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-12)
