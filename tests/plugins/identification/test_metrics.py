"""Copies, SingleOut and Linkability as metrics: every table type, options, policy, reproducible."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest

from sdmetrics_disclosure.plugins.base.findings import findings_of
from sdmetrics_disclosure.plugins.hooks.registry import metrics
from sdmetrics_disclosure.plugins.identification.metrics import Copies, Linkability, SingleOut
from sdmetrics_disclosure.plugins.policy.limits import limits_of
from sdmetrics_disclosure.plugins.policy.policy import load_policy
from sdmetrics_disclosure.plugins.policy.verdict import decide
from tests.helpers.tables import PATIENTS, patients

ALL = [Copies, SingleOut, Linkability]
METADATA = {
    "columns": {
        "number": {"sdtype": "numerical"},
        "with gaps": {"sdtype": "numerical"},
        "day": {"sdtype": "datetime", "datetime_format": "%Y-%m-%d"},
        "town": {"sdtype": "categorical"},
        "grade": {"sdtype": "ordinal"},
        "flag": {"sdtype": "boolean"},
        "who": {"sdtype": "id"},
    },
    "sequence_key": "who",
}


def _mixed(n: int, seed: int) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    days = pd.Timestamp("2020-01-01") + pd.to_timedelta(rng.integers(0, 400, n), unit="D")
    return pd.DataFrame(
        {
            "number": rng.normal(size=n).round(2),
            "with gaps": np.where(rng.random(n) < 0.2, np.nan, rng.integers(0, 40, n)),
            "day": days.strftime("%Y-%m-%d"),
            "town": pd.Series(rng.choice(list("abcde"), n)).where(rng.random(n) > 0.1, None),
            "grade": rng.integers(1, 5, n),
            "flag": rng.random(n) < 0.3,
            "who": np.arange(n) // 2 + 10_000 * seed,
        }
    )


@pytest.mark.parametrize("metric", ALL)
@pytest.mark.parametrize("with_units", [False, True])
def test_every_kind_of_column(metric, with_units):
    training, holdout, fresh = (_mixed(160, seed) for seed in (1, 2, 3))
    metadata = {"columns": METADATA["columns"]} if not with_units else METADATA
    kept = training.copy()
    copied = metric.compute(training, training, metadata, real_validation_data=holdout)
    fresh_score = metric.compute(training, fresh, metadata, real_validation_data=holdout)
    assert copied > 0.5
    assert abs(fresh_score) < 0.1
    assert metric.normalize(copied) == pytest.approx(1 - copied)
    pd.testing.assert_frame_equal(training, kept)


def test_a_breakdown_is_json_and_the_same_on_any_number_of_threads():
    tables = (patients(120, 0), patients(120, 1), PATIENTS)
    for metric in ALL:
        found = [
            metric.compute_breakdown(
                *tables, real_validation_data=patients(130, 2), n_jobs=n_jobs, random_state=3
            )
            for n_jobs in (1, 2)
        ]
        assert json.dumps(found[0]) == json.dumps(found[1])


@pytest.mark.parametrize("metric", [SingleOut, Linkability])
def test_no_order_of_columns_and_no_constant_column_moves_a_figure(metric):
    training, released, holdout = (patients(100, seed) for seed in range(3))
    before = metric.compute(training, released, PATIENTS, real_validation_data=holdout)
    columns = [*training.columns[::-1], "same"]
    turned = [frame.assign(same=1.0)[columns] for frame in (training, released, holdout)]
    described = {c: PATIENTS["columns"].get(c, {"sdtype": "numerical"}) for c in columns}
    after = metric.compute(
        turned[0], turned[1], {"columns": described}, real_validation_data=turned[2]
    )
    assert after == before


def test_copies_needs_no_holdout_and_the_others_say_so():
    assert Copies.compute(patients(80, 0), patients(80, 0), PATIENTS) == pytest.approx(1.0)
    for metric in (SingleOut, Linkability):
        with pytest.raises(ValueError, match="real_validation_data"):
            metric.compute(patients(80, 0), patients(80, 0), PATIENTS)


def test_the_largest_difference_of_replicates_counts():
    training, holdout, fresh = (patients(100, seed) for seed in range(3))
    for metric in ALL:
        found = metric.compute_breakdown(
            training, [fresh, training], PATIENTS, real_validation_data=holdout
        )
        assert found["score"] == max(found["replicates"]) == found["replicates"][1]
        assert found["mean"]["low"] < found["mean"]["value"] < found["mean"]["high"]


def test_a_subsample_draws_people_but_counts_all_copies():
    training, holdout = patients(200, 0), patients(200, 1)
    found = Copies.compute_breakdown(
        training, training, PATIENTS, real_validation_data=holdout, num_rows_subsample=50
    )
    assert (found["n_copies"], found["n_people_copied"]) == (200, 200)
    drawn = SingleOut.compute_breakdown(
        training, training, PATIENTS, real_validation_data=holdout, num_rows_subsample=50
    )
    assert drawn["n_people"] == 50


@pytest.mark.parametrize(
    ("metric", "options", "error", "words"),
    [
        (SingleOut, {"n_columns": 0}, ValueError, "n_columns"),
        (SingleOut, {"n_attacks": 1.5}, TypeError, "n_attacks"),
        (SingleOut, {"overlap": "ignore"}, ValueError, "overlap"),
        (Linkability, {"n_permutations": 3}, ValueError, "n_permutations"),
        (Linkability, {"column_sets": [["ward"]]}, ValueError, "two lists"),
        (Linkability, {"column_sets": [["ward"], ["ward"]]}, ValueError, "both lists"),
        (Linkability, {"column_sets": [["ward"], ["nothing"]]}, ValueError, "'nothing'"),
    ],
)
def test_options_are_checked(metric, options, error, words):
    tables = [patients(40, seed) for seed in range(3)]
    with pytest.raises(error, match=words):
        metric.compute(tables[0], tables[1], PATIENTS, real_validation_data=tables[2], **options)


def test_what_cannot_be_measured_says_why():
    crossed = pd.DataFrame({"a": list("xxyy") * 20, "b": list("uvuv") * 20})
    with pytest.raises(ValueError, match="Raise `n_columns`"):
        SingleOut.compute(
            crossed, crossed, real_validation_data=crossed, n_columns=1, overlap="keep"
        )
    single = pd.DataFrame({"a": ["x", "y"] * 40})
    with pytest.raises(ValueError, match="two columns"):
        Linkability.compute(single, single, real_validation_data=single.assign(a="z"))


def test_more_conditions_than_columns_are_cut_and_said():
    tables = [pd.DataFrame({"x": np.random.default_rng(s).normal(size=40)}) for s in range(3)]
    with pytest.warns(UserWarning, match="no more columns"):
        SingleOut.compute(tables[0], tables[1], real_validation_data=tables[2])


def test_they_are_registered_and_only_copies_is_in_the_quality_report():
    assert {"Copies", "SingleOut", "Linkability"} <= set(metrics("membership"))
    shown = metrics("membership", in_quality_report=True)
    assert "Copies" in shown
    assert not {"SingleOut", "Linkability"} & set(shown)


@pytest.mark.slow
@pytest.mark.parametrize("metric", ALL)
def test_the_default_policy_fails_copies_and_never_a_fresh_sample(metric):
    """20 of 20, the first half with as many rows copied as drawn with replacement."""
    (limit,) = limits_of(metric)
    highest = getattr(load_policy().membership, limit.key)
    decisions = {"copied": [], "fresh": []}
    for seed in range(20):
        training, holdout, fresh = (patients(250, 3 * seed + i) for i in range(3))
        drawn = training.sample(250, replace=seed % 2 == 0, random_state=seed)
        for name, released in (("copied", drawn), ("fresh", fresh)):
            options = metric.make_options(random_state=seed)
            result = _evaluate(metric, training, released, holdout, options)
            (measure,) = findings_of(result)[0].measures
            assert measure.name == limit.measure
            decisions[name].append(decide(measure.found, highest))
    assert set(decisions["copied"]) == {"fail"}
    assert "fail" not in decisions["fresh"]


def _evaluate(metric, training, released, holdout, options):
    from sdmetrics_disclosure.plugins.base.tables import Tables

    tables = Tables(training, released, PATIENTS, None, holdout)
    return metric.evaluate(metric.make_release(tables, options), options)
