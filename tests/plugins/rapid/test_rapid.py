"""RAPID from frames to figures, against hand computation."""

from __future__ import annotations

import inspect
import json
import math
import warnings

import numpy as np
import pandas as pd
import pytest
from sdmetrics.goal import Goal
from sdmetrics.single_table import RAPID
from sdmetrics.single_table.base import SingleTableMetric

from sdmetrics_disclosure.plugins.rapid.options import RapidOptions
from tests.helpers.tables import METADATA, Guess, LookUp, independent, people

QUICK = {"n_bootstrap": 20, "n_permutations": 20}

# Four people, two of each class: b = 1/2. g of the truth: 0.9, 0.6, 0.65, 0.1.
TABLE = [[0.9, 0.1], [0.6, 0.4], [0.35, 0.65], [0.9, 0.1]]
FOUR = pd.DataFrame({"row": [0, 1, 2, 3], "y": ["a", "a", "b", "b"]}, index=list("wxyz"))
FOUR_METADATA = {"columns": {"row": {"sdtype": "numerical"}, "y": {"sdtype": "categorical"}}}


def four(**options: object) -> dict[str, object]:
    return RAPID.compute_breakdown(
        FOUR,
        FOUR.reset_index(drop=True),
        FOUR_METADATA,
        sensitive_column_names=["y"],
        attacker=LookUp(TABLE),
        **QUICK,
        **options,
    )


def test_gain_by_hand() -> None:
    # gains (g - 1/2) / (1/2): 0.8, 0.2, 0.3, -0.8
    records = RAPID.compute_records(
        FOUR,
        FOUR,
        FOUR_METADATA,
        sensitive_column_names=["y"],
        attacker=LookUp(TABLE),
        tau=0.25,
        **QUICK,
    )
    assert list(records.index) == list("wxyz")
    assert list(records.columns) == [
        "true_value_probability",
        "baseline",
        "normalized_gain",
        "at_risk",
    ]
    np.testing.assert_allclose(records["normalized_gain"], [0.8, 0.2, 0.3, -0.8], atol=1e-15)
    assert list(records["baseline"]) == [0.5] * 4
    assert list(records["at_risk"]) == [True, False, True, False]


def test_breakdown_by_hand() -> None:
    found = four(tau=0.25)
    assert found["score"] == 0.5
    assert (found["n_records"], found["n_at_risk"], found["n_excluded"]) == (4, 2, 0)
    assert found["baseline"] == {"a": 0.5, "b": 0.5}
    # Wilson, 2 of 4 at 95 %: (p + z^2/2n -+ z sqrt(p q / n + z^2/4n^2)) / (1 + z^2/n)
    z = 1.959963984540054
    half = z * math.sqrt(0.25 / 4 + z * z / 64) / (1 + z * z / 4)
    assert found["risk"]["low"] == pytest.approx(0.5 - half, abs=1e-12)
    assert found["risk"]["high"] == pytest.approx(0.5 + half, abs=1e-12)
    curve = dict(
        zip(found["threshold_curve"]["thresholds"], found["threshold_curve"]["risk"], strict=True)
    )
    assert len(curve) == 101
    assert curve[0.0] == 0.75
    assert curve[0.5] == 0.25
    assert curve[1.0] == 0.0
    quality = found["attackers"]["LookUp"]
    assert quality["accuracy"] == 0.75
    assert quality["log_loss"] == pytest.approx(
        -(math.log(0.9) + math.log(0.6) + math.log(0.65) + math.log(0.1)) / 4
    )


def test_conditional_by_hand() -> None:
    # b is the mean g of the class: 0.75 for a, 0.375 for b
    found = four(score="conditional")
    assert found["n_at_risk"] == 1  # 0.9/0.75 = 1.2, 0.8, 0.65/0.375 = 1.73, 0.27; tau 1.25
    assert found["threshold_curve"]["thresholds"][-1] == pytest.approx(0.65 / 0.375)


def test_cross_entropy_by_hand() -> None:
    # 1 + log2 g: 0.848, 0.263, 0.379, -2.32; tau 0.6
    assert four(score="cross_entropy")["n_at_risk"] == 1
    assert four(score="cross_entropy", tau=0.3)["n_at_risk"] == 2


NUMBERS = pd.DataFrame({"row": range(5), "y": [10.0, -10.0, 0.0, 20.0, np.nan]})
NUMBERS_METADATA = {"columns": {"row": {"sdtype": "numerical"}, "y": {"sdtype": "numerical"}}}
GUESSES = [10.4, -9.0, 0.001, -20.0, 1.0]


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        ("symmetric", [0.8 / 20.42, 2 / 19.02, 0.002 / 0.021, 80 / 40.02]),
        ("stabilized_relative", [0.4 / 10.01, 1 / 10.01, 0.1, 40 / 20.01]),
        ("absolute", [0.4, 1.0, 0.001, 40.0]),
    ],
)
def test_errors_by_hand(error: str, expected: list[float]) -> None:
    records = RAPID.compute_records(
        NUMBERS,
        NUMBERS.fillna(5.0),
        NUMBERS_METADATA,
        sensitive_column_names=["y"],
        attacker=Guess(GUESSES),
        error=error,
        epsilon=0.5,
        delta=0.01,
        lookup=False,
        **QUICK,
    )
    np.testing.assert_allclose(records["error"].iloc[:4], expected, rtol=1e-12)
    assert records["at_risk"].iloc[:4].tolist() == [e < 0.5 for e in expected]
    assert records.iloc[4].isna().tolist() == [True, True, True]


def test_records_without_a_truth_are_counted_not_scored() -> None:
    with pytest.warns(UserWarning, match="left out of the risk"):
        found = RAPID.compute_breakdown(
            NUMBERS,
            NUMBERS.fillna(5.0),
            NUMBERS_METADATA,
            sensitive_column_names=["y"],
            attacker=Guess(GUESSES),
            delta=0.01,
            **QUICK,
        )
    assert (found["n_records"], found["n_excluded"]) == (4, 1)
    # 0.8/20.42 = 0.039 and 0.002/0.021 = 0.095 are below 0.1
    assert found["score"] == 0.5


def test_flipping_all_signs_leaves_the_risk() -> None:
    flipped = NUMBERS.assign(y=-NUMBERS["y"])
    scores = [
        RAPID.compute(
            real.dropna(),
            real.dropna(),
            NUMBERS_METADATA,
            sensitive_column_names=["y"],
            attacker=Guess(table),
            **QUICK,
        )
        for real, table in ((NUMBERS, GUESSES), (flipped, [-g for g in GUESSES]))
    ]
    assert scores[0] == scores[1]


def test_absolute_error_needs_an_epsilon() -> None:
    with pytest.raises(ValueError, match="epsilon"):
        RAPID.compute(
            NUMBERS, NUMBERS, NUMBERS_METADATA, sensitive_column_names=["y"], error="absolute"
        )


def test_a_narrow_column_is_no_disclosure() -> None:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"row": rng.normal(size=400), "y": rng.normal(1000, 10, 400)})
    found = RAPID.compute_breakdown(
        frame.iloc[:200], frame.iloc[200:], NUMBERS_METADATA, sensitive_column_names=["y"], **QUICK
    )
    assert found["score"] == 1.0
    assert found["baseline"]["risk"] == 1.0
    assert found["baseline"]["excess"] == 0.0
    assert found["null"]["p_value"] == 1.0


def test_breakdown_is_plain_and_has_every_key() -> None:
    found = RAPID.compute_breakdown(
        people(120, 0),
        people(150, 1),
        METADATA,
        real_validation_data=people(90, 2),
        sensitive_column_names=["income"],
        **QUICK,
    )
    assert json.loads(json.dumps(found, allow_nan=False)) == found
    assert set(found) >= {
        "score",
        "risk",
        "clopper_pearson",
        "bootstrap",
        "n_records",
        "n_at_risk",
        "n_excluded",
        "n_unseen",
        "null",
        "excess",
        "baseline",
        "attackers",
        "mean_risk",
        "max_risk",
        "holdout",
        "threshold_curve",
        "settings",
        "warnings",
    }
    assert set(found["null"]) == {"median", "percentile_95", "p_value", "suggested_tau"}
    assert set(found["holdout"]) == {"risk", "difference"}
    assert found["excess"] == found["score"] - found["null"]["median"]


@pytest.mark.slow
def test_signal_is_found_and_chance_is_not() -> None:
    arguments = {"sensitive_column_names": ["income"], "known_column_names": ["age", "sex"]}
    strong = RAPID.compute_breakdown(people(500, 0), people(500, 1), METADATA, **arguments)
    assert strong["excess"] > 0.3
    assert strong["null"]["p_value"] < 0.01
    assert 0 <= strong["null"]["suggested_tau"] <= 0.3
    none = RAPID.compute_breakdown(
        people(500, 0, signal=0), people(500, 1, signal=0), METADATA, **arguments
    )
    assert none["score"] <= 0.1
    assert none["null"]["p_value"] > 0.05


@pytest.mark.slow
@pytest.mark.parametrize("n", [200, 1000])
@pytest.mark.parametrize("attacker", ["boosting", "boosting_light"])
def test_the_default_attackers_are_not_confident_about_noise(n: int, attacker: str) -> None:
    risks = [
        RAPID.compute(
            independent(n, 2 * seed),
            independent(n, 2 * seed + 1),
            sensitive_column_names=["ill"],
            attacker=attacker,
            random_state=seed,
            n_bootstrap=0,
            n_permutations=0,
        )
        for seed in range(10)
    ]
    assert sum(risk <= 0.1 for risk in risks) >= 9


@pytest.mark.slow
def test_every_attacker_stays_inside_its_null_on_noise() -> None:
    inside = 0
    for seed in range(20):
        found = RAPID.compute_breakdown(
            independent(200, 2 * seed),
            independent(200, 2 * seed + 1),
            sensitive_column_names=["ill"],
            attacker="cart",
            random_state=seed,
            n_bootstrap=0,
            n_permutations=200,
        )
        inside += found["null"]["p_value"] > 0.05
    assert inside >= 18


@pytest.mark.slow
def test_holdout_tells_a_copy_from_a_sample() -> None:
    training, holdout = people(300, 0, signal=0), people(300, 1, signal=0)
    arguments = {
        "sensitive_column_names": ["sex"],
        "known_column_names": ["age", "wage"],
        "attacker": "forest",
        "real_validation_data": holdout,
        **QUICK,
    }
    copied = RAPID.compute_breakdown(training, training.copy(), METADATA, **arguments)
    fresh = RAPID.compute_breakdown(training, people(300, 2, signal=0), METADATA, **arguments)
    assert copied["holdout"]["difference"]["low"] > 0.1
    assert fresh["holdout"]["difference"]["low"] <= 0 <= fresh["holdout"]["difference"]["high"]


@pytest.mark.slow
def test_several_columns_attackers_and_replicates() -> None:
    real, synthetic = people(150, 0), [people(150, 1), people(150, 2)]
    arguments = {"known_column_names": ["age", "sex"], **QUICK}
    both = RAPID.compute_breakdown(
        real, synthetic, METADATA, sensitive_column_names=["income", "wage"], **arguments
    )
    assert both["score"] == pytest.approx(
        np.mean([both["columns"][c]["score"] for c in ("income", "wage")])
    )
    several = RAPID.compute_breakdown(
        real,
        synthetic,
        METADATA,
        sensitive_column_names=["income"],
        attacker=["cart", "logistic"],
        **arguments,
    )
    assert set(several["attackers"]) == {"cart", "logistic"}
    assert several["score"] == several["max_risk"] == max(several["replicates"])
    assert several["mean_risk"] < several["max_risk"]
    records = RAPID.compute_records(
        real,
        synthetic,
        METADATA,
        sensitive_column_names=["income", "wage"],
        attacker=["cart", "forest"],
        **arguments,
    )
    assert records.index.names[:3] == ["sensitive_column", "attacker", "replicate"]
    assert len(records) == 150 * 2 * 2 * 2


@pytest.mark.slow
def test_nothing_named_takes_every_column_in_turn() -> None:
    found = RAPID.compute_breakdown(people(100, 0), people(100, 1), METADATA, **QUICK)
    assert list(found["columns"]) == ["age", "sex", "income", "wage"]


def test_naming_a_key_obeys_and_warns() -> None:
    with pytest.warns(UserWarning, match="'id'.* because they were named"):
        RAPID.compute(
            people(60, 0),
            people(60, 1),
            METADATA,
            sensitive_column_names=["income"],
            known_column_names=["id", "age"],
            **QUICK,
        )


@pytest.mark.slow
def test_a_constant_column() -> None:
    real, synthetic = people(60, 0).assign(sex="f"), people(60, 1)
    with pytest.raises(ValueError, match=r"'sex'.*nothing to guess"):
        RAPID.compute(real, synthetic, METADATA, sensitive_column_names=["sex"], **QUICK)
    with pytest.warns(UserWarning, match="'sex'.*nothing to guess") as caught:
        found = RAPID.compute_breakdown(real, synthetic, METADATA, **QUICK)
    assert len(caught) == 1
    assert "sex" not in found["columns"]


@pytest.mark.slow
def test_a_known_column_constant_everywhere_changes_nothing() -> None:
    real, synthetic = people(80, 0), people(80, 1)
    arguments = {"sensitive_column_names": ["income"], **QUICK}
    plain = RAPID.compute(real, synthetic, METADATA, **arguments)
    metadata = {"columns": {**METADATA["columns"], "flat": {"sdtype": "numerical"}}}
    with pytest.warns(UserWarning, match="'flat'.*dropped"):
        flat = RAPID.compute(real.assign(flat=1), synthetic.assign(flat=1), metadata, **arguments)
    assert flat == plain


@pytest.mark.slow
def test_classes_and_levels_that_only_the_real_data_has() -> None:
    real, synthetic = people(100, 0), people(100, 1)
    real.loc[:4, "income"] = "none"
    real.loc[5:9, "sex"] = "x"
    found = RAPID.compute_breakdown(
        real, synthetic, METADATA, sensitive_column_names=["income"], **QUICK
    )
    assert found["n_unseen"] == 10
    assert found["baseline"]["none"] == 0.05
    records = RAPID.compute_records(
        real, synthetic, METADATA, sensitive_column_names=["income"], **QUICK
    )
    assert (records["true_value_probability"].iloc[:5] == 0).all()
    assert not records["at_risk"].iloc[:5].any()


@pytest.mark.slow
def test_gaps_everywhere() -> None:
    frames = [people(120, seed) for seed in range(3)]
    metadata = METADATA
    for column, which in (("age", 0), ("sex", 1), ("income", 0), ("income", 2), ("wage", 1)):
        frames[which][column] = frames[which][column].astype(object)
        frames[which].loc[::7, column] = None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        for attacker in ("boosting", "cart", "forest"):
            found = RAPID.compute_breakdown(
                frames[0],
                frames[1],
                metadata,
                real_validation_data=frames[2],
                attacker=attacker,
                **QUICK,
            )
            assert np.isfinite(found["score"])
        assert "missing" in found["columns"]["income"]["baseline"]


@pytest.mark.slow
def test_order_of_columns_and_index_do_not_matter() -> None:
    real, synthetic = people(100, 0), people(100, 1)
    shuffled = synthetic[["wage", "id", "income", "sex", "age"]].set_axis(
        range(7, 107), axis="index"
    )
    arguments = {"sensitive_column_names": ["income"], **QUICK}
    first = RAPID.compute_breakdown(real, synthetic, METADATA, **arguments)
    assert RAPID.compute_breakdown(real, shuffled, METADATA, **arguments) == first


@pytest.mark.slow
@pytest.mark.parametrize("name", ["my age", "a\nb", 'say "x"', "a.b", 7, ("a", 1)])
def test_column_names_do_not_matter(name: object) -> None:
    real, synthetic = people(100, 0), people(100, 1)
    metadata = {"columns": {(name if c == "age" else c): m for c, m in METADATA["columns"].items()}}

    def renamed(frame: pd.DataFrame) -> pd.DataFrame:
        names = np.empty(frame.shape[1], dtype=object)
        names[:] = [name if c == "age" else c for c in frame.columns]
        return frame.set_axis(pd.Index(names, tupleize_cols=False), axis="columns")

    arguments = {"sensitive_column_names": ["income"], **QUICK}
    plain = RAPID.compute(real, synthetic, {"columns": METADATA["columns"]}, **arguments)
    assert RAPID.compute(renamed(real), renamed(synthetic), metadata, **arguments) == plain


@pytest.mark.slow
def test_same_bits_on_any_number_of_threads_and_no_global_state() -> None:
    real, synthetic = people(150, 0), people(150, 1)
    real.loc[::9, "age"] = np.nan
    np.random.seed(5)
    before = np.random.get_state()[1].copy()
    found = [
        RAPID.compute_breakdown(
            real,
            synthetic,
            METADATA,
            sensitive_column_names=["income"],
            attacker=["boosting", "forest", "cart", "logistic"],
            num_rows_subsample=100,
            n_jobs=n_jobs,
            **QUICK,
        )
        for n_jobs in (1, 2, None)
    ]
    assert found[0] == found[1] == found[2]
    assert (np.random.get_state()[1] == before).all()
    other = RAPID.compute_breakdown(
        real,
        synthetic,
        METADATA,
        sensitive_column_names=["income"],
        attacker="forest",
        random_state=1,
        **QUICK,
    )
    assert other["attackers"]["forest"] != found[0]["attackers"]["forest"]


def test_a_holdout_without_a_true_value_is_a_clear_message() -> None:
    holdout = people(20, 2).assign(wage=np.nan)
    with pytest.raises(ValueError, match="no value in `real_data` or in `real_validation_data`"):
        RAPID.compute(
            people(60, 0),
            people(60, 1),
            METADATA,
            sensitive_column_names=["wage"],
            real_validation_data=holdout,
            **QUICK,
        )


def test_the_callers_frames_are_unchanged() -> None:
    real, synthetic = people(80, 0), people(80, 1)
    before = [pd.util.hash_pandas_object(frame).sum() for frame in (real, synthetic)]
    RAPID.compute(real, synthetic, METADATA, sensitive_column_names=["income"], **QUICK)
    assert [pd.util.hash_pandas_object(frame).sum() for frame in (real, synthetic)] == before


@pytest.mark.slow
def test_rows_of_one_person_count_as_one() -> None:
    real, synthetic = people(200, 0), people(200, 1)
    metadata = {
        "columns": {**METADATA["columns"], "person": {"sdtype": "id"}},
        "sequence_key": "person",
    }
    frames = [frame.assign(person=np.arange(200) // 4) for frame in (real, synthetic)]
    plain = RAPID.compute_breakdown(real, synthetic, METADATA, sensitive_column_names=["income"])
    with pytest.warns(UserWarning, match="belong together"):
        found = RAPID.compute_breakdown(*frames, metadata, sensitive_column_names=["income"])
    assert found["score"] == plain["score"]
    widths = [b["risk"]["high"] - b["risk"]["low"] for b in (plain, found)]
    assert widths[1] > 1.8 * widths[0]  # 50 persons instead of 200 rows: about twice
    assert found["bootstrap"] is None


def test_it_is_an_sdmetrics_metric() -> None:
    assert SingleTableMetric.get_subclasses()["RAPID"] is RAPID
    assert RAPID.goal is Goal.MINIMIZE
    assert (RAPID.min_value, RAPID.max_value) == (0.0, 1.0)
    assert RAPID.normalize(0.25) == 0.75
    assert RAPID.normalize(1.0000000000000002) == 0.0


def test_the_signature_is_the_documented_one() -> None:
    parameters = inspect.signature(RAPID.compute).parameters
    assert list(parameters) == [
        "real_data",
        "synthetic_data",
        "metadata",
        "table_name",
        "real_validation_data",
        "sensitive_column_names",
        "known_column_names",
        "overlap",
        "attacker",
        "lookup",
        "score",
        "tau",
        "error",
        "epsilon",
        "delta",
        "n_bootstrap",
        "n_permutations",
        "num_rows_subsample",
        "random_state",
        "confidence_level",
        "n_jobs",
        "verbose",
    ]
    assert parameters["attacker"].default == "boosting"
    assert parameters["tau"].kind is inspect.Parameter.KEYWORD_ONLY
    for name in list(parameters)[4:]:
        assert f"{name}:" in (RAPID.compute.__doc__ or "")


CHANGED = {
    "sensitive_column_names": ["wage"],
    "known_column_names": ["sex"],
    "attacker": "cart",
    "score": "conditional",
    "tau": 0.9,
    "confidence_level": 0.5,
    "n_bootstrap": 7,
    "n_permutations": 7,
    "num_rows_subsample": 50,
    "random_state": 3,
    "real_validation_data": people(50, 3),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", CHANGED)
def test_every_keyword_reaches_the_computation(name: str) -> None:
    arguments = {
        "sensitive_column_names": ["income"],
        "known_column_names": ["age", "sex"],
        "num_rows_subsample": 90,
        **QUICK,
    }
    real, synthetic = people(100, 0, signal=0.7), people(100, 1, signal=0.7)
    plain = RAPID.compute_breakdown(real, synthetic, METADATA, **arguments)
    changed = RAPID.compute_breakdown(
        real, synthetic, METADATA, **{**arguments, name: CHANGED[name]}
    )
    for found in (plain, changed):
        del found["settings"]
    assert changed != plain


@pytest.mark.slow
@pytest.mark.parametrize("name", ["error", "epsilon", "delta"])
def test_every_keyword_for_numbers_reaches_the_computation(name: str) -> None:
    arguments = {"sensitive_column_names": ["wage"], **QUICK}
    value = {"error": "stabilized_relative", "epsilon": 0.3, "delta": 5.0}[name]
    real, synthetic = people(200, 0), people(200, 1)
    plain = RAPID.compute_breakdown(real, synthetic, METADATA, **arguments)
    changed = RAPID.compute_breakdown(real, synthetic, METADATA, **arguments, **{name: value})
    assert changed["baseline"] != plain["baseline"]


@pytest.mark.slow
def test_verbose_false_prints_nothing(capfd: pytest.CaptureFixture[str]) -> None:
    RAPID.compute(people(60, 0), people(60, 1), METADATA, verbose=False, **QUICK)
    assert capfd.readouterr() == ("", "")
    RAPID.compute(people(60, 0), people(60, 1), METADATA, verbose=True, **QUICK)
    assert "RAPID" in capfd.readouterr().err


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"attacker": "oracle"}, ValueError, "`attacker` is 'oracle'"),
        ({"attacker": []}, ValueError, "empty"),
        ({"attacker": 3}, TypeError, "`attacker`"),
        ({"score": "gain"}, ValueError, "`score` is 'gain'"),
        ({"tau": 2}, ValueError, "`tau` is 2"),
        ({"tau": "high"}, TypeError, "`tau`"),
        ({"tau": float("nan")}, ValueError, "`tau`"),
        ({"delta": 0}, ValueError, "`delta` is 0"),
        ({"epsilon": -1}, ValueError, "`epsilon` is -1"),
        ({"confidence_level": 1}, ValueError, "`confidence_level` is 1"),
        ({"n_bootstrap": -1}, ValueError, "`n_bootstrap` is -1"),
        ({"n_permutations": 2.5}, TypeError, "`n_permutations`"),
        ({"num_rows_subsample": 0}, ValueError, "`num_rows_subsample` is 0"),
        ({"random_state": "x"}, TypeError, "`random_state`"),
        ({"random_state": -1}, ValueError, "`random_state`"),
        ({"n_jobs": 0}, ValueError, "`n_jobs` is 0"),
        ({"sensitive_column_names": "income"}, TypeError, "`sensitive_column_names` is a str"),
        ({"sensitive_column_names": []}, ValueError, "empty"),
        ({"sensitive_column_names": ["pay"]}, ValueError, "'pay'"),
        ({"known_column_names": ["pay"]}, ValueError, "'pay'"),
        (
            {"sensitive_column_names": ["age"], "known_column_names": ["age"]},
            ValueError,
            "'age' is in both",
        ),
        ({"sensitive_columns": ["age"]}, TypeError, "no option 'sensitive_columns'"),
        ({"attacker": "linear", "sensitive_column_names": ["income"]}, ValueError, "attacker"),
    ],
)
def test_bad_options_are_refused_by_name(
    options: dict[str, object], error: type[Exception], words: str
) -> None:
    with pytest.raises(error, match=words):
        RAPID.compute(people(50, 0), people(50, 1), METADATA, **options)


def test_delta_zero_is_refused_as_in_the_authors_code() -> None:
    with pytest.raises(ValueError, match="`delta` is 0"):
        RapidOptions(delta=0)  # golden case n15


def test_attribution_names_the_column_that_matters() -> None:
    real, synthetic = people(300, 0), people(300, 1)
    found = RAPID.attribution(
        real,
        synthetic,
        METADATA,
        sensitive_column_names=["income"],
        known_column_names=["age", "sex"],
        attacker="cart",
        **QUICK,
    )
    by_column = found.by_known_column.set_index("column")
    assert by_column.loc["age", "alone"] > by_column.loc["sex", "alone"]
    assert by_column.loc["age", "left_out"] == by_column.loc["sex", "alone"]
    levels = found.by_level
    assert (levels["n"] >= 10).all()
    single = levels[levels["column_2"].isna()]
    assert single.groupby("column")["n"].sum().to_dict() == {"age": 300, "sex": 300}
    assert ((levels["low"] <= levels["risk"]) & (levels["risk"] <= levels["high"])).all()
    assert list(found.regression["term"]) == ["(intercept)", "age", "sex=m"]
    with pytest.raises(ValueError, match="exactly one"):
        RAPID.attribution(real, synthetic, METADATA)


def test_regression_is_statsmodels_own() -> None:
    import statsmodels.api as sm

    real, synthetic = people(300, 0), people(300, 1)
    arguments = {
        "sensitive_column_names": ["income"],
        "known_column_names": ["age", "sex"],
        "attacker": "cart",
        **QUICK,
    }
    found = RAPID.attribution(real, synthetic, METADATA, **arguments).regression
    at_risk = RAPID.compute_records(real, synthetic, METADATA, **arguments)["at_risk"]
    age = (real["age"] - real["age"].mean()) / real["age"].std()
    design = np.column_stack([np.ones(300), age, real["sex"] == "m"])
    fitted = sm.Logit(at_risk.to_numpy(dtype=float), design).fit(disp=0)
    np.testing.assert_allclose(found["coefficient"], fitted.params, rtol=1e-6)
    np.testing.assert_allclose(found["p_value"], fitted.pvalues, rtol=1e-5)
