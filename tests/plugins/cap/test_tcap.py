"""TCAP, DiSCO and SDMetrics' DisclosureProtection by RAPID's roles."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pandas as pd
import pytest
import sdmetrics.single_table
from sdmetrics.single_table import TCAP, CAPProtection, DisclosureProtection, DiSCO

from sdmetrics_disclosure.plugins.cap.key_groups import bin_numbers, guess_by_groups
from tests.helpers.tables import METADATA, people

# Key a: one value. Key b: two. Key c: three of four. Key d: nowhere in the synthetic data.
SYNTHETIC = pd.DataFrame(
    {"key": list("aabbcccc"), "ill": ["yes", "yes", "yes", "no", "no", "no", "no", "yes"]}
)
REAL = pd.DataFrame(
    {"key": list("aaabbccd"), "ill": ["yes", "yes", "no", "yes", "no", "no", "yes", "no"]}
)
ROLES: dict[str, Any] = {"sensitive_column_names": ["ill"], "known_column_names": ["key"]}


def test_tcap_by_hand() -> None:
    # only a tells, three real records stand there and two of them are ill
    found = TCAP.compute_breakdown(REAL, SYNTHETIC, **ROLES)
    assert found["score"] == pytest.approx(2 / 3)
    assert (found["n_records"], found["n_told"], found["n_correct"]) == (8, 3, 2)
    # at 0.75 c tells too: one of its two real records is well
    found = TCAP.compute_breakdown(REAL, SYNTHETIC, **ROLES, tau_cap=0.75)
    assert found["score"] == pytest.approx(3 / 5)
    # at 0.5 b tells "no", the first of its equally frequent values
    assert TCAP.compute(REAL, SYNTHETIC, **ROLES, tau_cap=0.5) == pytest.approx(4 / 7)


def test_disco_by_hand() -> None:
    found = DiSCO.compute_breakdown(REAL, SYNTHETIC, **ROLES)
    assert found["score"] == pytest.approx(2 / 8)
    assert found["risk"]["method"] == "wilson"
    assert found["risk"]["low"] < 0.25 < found["risk"]["high"]


def test_nothing_told_is_no_risk_and_said_so() -> None:
    with pytest.warns(UserWarning, match="No real record stands in a synthetic key group"):
        found = TCAP.compute_breakdown(REAL.assign(key=[f"x{i % 2}" for i in range(8)]), SYNTHETIC)
    assert found["columns"]["ill"]["risk"] is None
    assert found["score"] == 0.0
    assert json.loads(json.dumps(found, allow_nan=False)) == found


def test_an_exact_copy_tells_everything_that_the_key_does() -> None:
    table = people(300, 0)
    roles = {"sensitive_column_names": ["income"], "known_column_names": ["age", "sex", "wage"]}
    assert TCAP.compute(table, table.copy(), METADATA, **roles, n_bins=300) == 1.0
    disco = DiSCO.compute(table, table.copy(), METADATA, **roles, n_bins=300)
    assert disco > 0.99
    assert DiSCO.compute(table, people(300, 1), METADATA, **roles) < disco


def test_numbers_are_binned_by_the_synthetic_quantiles() -> None:
    synthetic = np.arange(1.0, 101.0)
    bins = bin_numbers(np.array([-5.0, 1.0, 25.0, 26.0, 100.0, 999.0, np.nan]), synthetic, 4)
    assert bins.tolist() == [1, 1, 1, 2, 4, 4, 0]
    # edges that coincide are one
    assert bin_numbers(np.array([0.0, 1.0]), np.repeat([0.0, 1.0], [50, 50]), 4).tolist() == [2, 4]
    assert bin_numbers(np.array([3.0]), np.array([np.nan]), 20).tolist() == [1]


def test_a_sensitive_number_and_its_gaps() -> None:
    real, synthetic = people(200, 0), people(200, 1)
    real.loc[::10, "wage"] = np.nan
    synthetic.loc[::7, "wage"] = np.nan
    roles = {"sensitive_column_names": ["wage"], "known_column_names": ["income"]}
    found = DiSCO.compute_breakdown(real, synthetic, METADATA, **roles, n_bins=2)
    assert found["n_records"] == 180
    with pytest.warns(UserWarning, match="quantile bin"):
        TCAP.compute(real, synthetic, METADATA, **roles)


def test_guesses_by_hand_and_in_any_order_of_rows() -> None:
    rng = np.random.default_rng(0)
    groups, classes = rng.integers(0, 6, 60), rng.integers(0, 3, 60)
    real_groups, real_classes = rng.integers(-1, 6, 40), rng.integers(0, 3, 40)
    found = guess_by_groups(groups, classes, real_groups, real_classes, 0.5)
    for i, (group, truth) in enumerate(zip(real_groups, real_classes, strict=True)):
        counts = np.bincount(classes[groups == group], minlength=3)
        told = counts.max() >= 0.5 * max(1, counts.sum()) if group >= 0 else False
        assert found.told[i] == told
        assert found.correct[i] == (told and counts.argmax() == truth)
    shuffled = rng.permutation(60)
    again = guess_by_groups(groups[shuffled], classes[shuffled], real_groups, real_classes, 0.5)
    np.testing.assert_array_equal(found.correct, again.correct)


@pytest.mark.slow
@pytest.mark.parametrize("metric", [TCAP, DiSCO, CAPProtection])
def test_every_column_in_turn_and_replicates(metric: Any) -> None:
    real, synthetic = people(80, 0).drop(columns="wage"), people(80, 1).drop(columns="wage")
    metadata = {"columns": {k: v for k, v in METADATA["columns"].items() if k != "wage"}}
    found = metric.compute_breakdown(real, synthetic, metadata)
    assert set(found["columns"]) == {"age", "sex", "income"}
    assert found["score"] == pytest.approx(np.mean([c["score"] for c in found["columns"].values()]))
    one = {"sensitive_column_names": ["income"], "known_column_names": ["sex", "age"]}
    worst = metric.normalize(metric.compute(real, [synthetic, real.copy()], metadata, **one))
    single = metric.normalize(metric.compute(real, real.copy(), metadata, **one))
    assert worst <= single
    sampled = metric.compute_breakdown(real, synthetic, metadata, **one, num_rows_subsample=40)
    assert sampled == metric.compute_breakdown(
        real, synthetic, metadata, **one, num_rows_subsample=40
    )
    assert not metric.in_quality_report


def test_cap_protection_is_sdmetrics_own_number() -> None:
    real, synthetic = people(100, 0), people(100, 1)
    roles = {"sensitive_column_names": ["income"], "known_column_names": ["age", "sex"]}
    expected = DisclosureProtection.compute_breakdown(
        real, synthetic, **roles, continuous_column_names=["age"], computation_method="zero_cap"
    )
    found = CAPProtection.compute_breakdown(
        real, synthetic, METADATA, **roles, computation_method="zero_cap"
    )
    for key in ("score", "cap_protection", "baseline_protection"):
        assert found[key] == pytest.approx(expected[key], rel=1e-12)
    assert CAPProtection.normalize(found["score"]) == found["score"]
    assert sdmetrics.single_table.DisclosureProtection is DisclosureProtection


def test_cap_protection_takes_the_dtypes_that_sdmetrics_own_refuses() -> None:
    real, synthetic = people(60, 0), people(60, 1).convert_dtypes()
    synthetic["sex"] = synthetic["sex"].astype("category")
    synthetic.loc[3, "sex"] = None
    assert 0 <= CAPProtection.compute(real, synthetic, METADATA, num_discrete_bins=3) <= 1


@pytest.mark.parametrize(
    ("metric", "options", "words"),
    [
        (TCAP, {"tau_cap": 2}, "`tau_cap` is 2"),
        (TCAP, {"n_bins": 0}, "`n_bins` is 0"),
        (DiSCO, {"tau_cap": 1}, "no option 'tau_cap'"),
        (DiSCO, {"confidence_level": 1}, "`confidence_level` is 1"),
        (DiSCO, {"known_column_names": ["ill"]}, "in both"),
        (DiSCO, {"sensitive_column_names": "ill"}, "pass a list"),
        (CAPProtection, {"computation_method": "guess"}, "`computation_method` is 'guess'"),
        (CAPProtection, {"num_discrete_bins": 0}, "`num_discrete_bins` is 0"),
        (CAPProtection, {"num_rows_subsample": 0}, "`num_rows_subsample` is 0"),
    ],
)
def test_bad_options_are_refused_by_name(metric: Any, options: Any, words: str) -> None:
    with pytest.raises((TypeError, ValueError), match=words):
        metric.compute(REAL, SYNTHETIC, **(ROLES | options))


def test_rows_of_one_unit_count_once_in_the_interval() -> None:
    metadata = {
        "columns": {
            "who": {"sdtype": "id"},
            "key": {"sdtype": "categorical"},
            "ill": {"sdtype": "categorical"},
        },
        "sequence_key": "who",
    }
    frames = [frame.assign(who=np.arange(8) // 4) for frame in (REAL, SYNTHETIC)]
    by_person = DiSCO.compute_breakdown(*frames, metadata, **ROLES)
    by_row = DiSCO.compute_breakdown(REAL, SYNTHETIC, **ROLES)
    assert by_person["score"] == by_row["score"]
    assert by_person["risk"]["high"] > by_row["risk"]["high"]
