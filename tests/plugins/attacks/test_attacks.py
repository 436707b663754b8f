"""The comparison attacks from frames to statements, and the ensemble of all."""

from __future__ import annotations

import inspect
import json
import warnings
from dataclasses import fields
from typing import Any

import numpy as np
import pandas as pd
import pytest
import sdmetrics.single_table
from sdmetrics.single_table.base import SingleTableMetric
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression

from sdmetrics_disclosure.numba_kernels.areas import resampled_areas
from sdmetrics_disclosure.plugins.attacks.classifier import ClassifierAttack
from sdmetrics_disclosure.plugins.attacks.ensemble import (
    ATTACKS,
    COMBINATION,
    MembershipEnsemble,
    mean_rank,
)
from sdmetrics_disclosure.plugins.membership.attack_input import AttackInput, encode_columns
from sdmetrics_disclosure.plugins.membership.evaluation import evaluate_membership
from sdmetrics_disclosure.plugins.membership.metric import MembershipMetric
from sdmetrics_disclosure.plugins.membership.roc import area
from sdmetrics_disclosure.plugins.membership.simultaneous import simultaneous_band
from sdmetrics_disclosure.plugins.membership.units import ScoredHalf
from tests.helpers.tables import PATIENTS
from tests.plugins.gen_lra.test_gen_lra import COPY, FRESH, HOLDOUT, NUMBERS, TRAINING, noisy_copy

MIDDLING = noisy_copy(TRAINING, 2, scale=0.5)
FAST = [name for name in ATTACKS if name not in ("ClassifierAttack", "GenLRA")]


def compute(name: str, synthetic: Any = COPY, **options: Any) -> float:
    return ATTACKS[name].compute(TRAINING, synthetic, HOLDOUT, PATIENTS, **options)


@pytest.fixture(scope="module")
def copied() -> dict[str, Any]:
    return MembershipEnsemble.compute_breakdown(TRAINING, COPY, HOLDOUT, PATIENTS)


@pytest.mark.parametrize("name", sorted(set(FAST) - {"DataPlagiarismIndex"}))
def test_copies_are_found(name: str) -> None:
    assert compute(name) > 0.75


def test_the_plagiarism_index_finds_a_close_copy_by_few_neighbours() -> None:
    # two of three rows are synthetic: so is the nearest row of two of three non-members
    assert compute("DataPlagiarismIndex", n_neighbors=1) == pytest.approx(1 - 2 / 3 / 2, abs=0.05)


@pytest.mark.slow
def test_the_classifier_finds_values_that_only_the_training_rows_have() -> None:
    # every third of the training rows stands in the synthetic data by one far value of its own
    training, synthetic = TRAINING.copy(), FRESH.copy()
    training.loc[::3, "value_0"] = synthetic.loc[::3, "value_0"] = 40.0
    forest = RandomForestClassifier()
    for classifier in (forest, "boosting"):
        found = ClassifierAttack.compute(
            training, synthetic, HOLDOUT, PATIENTS, classifier=classifier
        )
        # a third of the members surely ahead, the others in no order: 1/3 + 2/3 / 2
        assert found == pytest.approx(2 / 3, abs=0.08)
    assert not hasattr(forest, "classes_")


@pytest.mark.parametrize("name", [*ATTACKS, MembershipEnsemble.name])
def test_it_is_an_sdmetrics_metric_at_home_there(name: str) -> None:
    found = getattr(sdmetrics.single_table, name)
    assert SingleTableMetric.get_subclasses(include_parents=True)[name] is found
    assert found.__name__ == found.name == name
    assert issubclass(found, MembershipMetric)
    assert found.in_quality_report == (name == "GenLRA")
    parameters = inspect.signature(found.compute).parameters
    assert list(parameters)[2] == "real_validation_data"
    for option in fields(found.Options):
        assert parameters[option.name].kind is inspect.Parameter.KEYWORD_ONLY
        assert (found.compute.__doc__ or "").count(f"{option.name}:") == 1


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("DensityEstimate", {"covariance": "full"}),
        ("DOMIAS", {"covariance": "full"}),
        ("DOMIAS", {"floor": 0.1}),
        ("DataPlagiarismIndex", {"n_neighbors": 5}),
        ("LocalNeighborhood", {"radius": 2.0}),
        ("ClassifierAttack", {"n_folds": 2}),
        ("ClassifierAttack", {"classifier": LogisticRegression()}),
        ("ClassifierAttack", {"random_state": 1}),
        ("DCRAttack", {"num_rows_subsample": 100}),
    ],
)
def test_every_keyword_reaches_the_computation(name: str, options: dict[str, Any]) -> None:
    assert compute(name, MIDDLING, **options) != compute(name, MIDDLING)


@pytest.mark.parametrize(
    ("name", "options", "words"),
    [
        ("DOMIAS", {"covariance": "round"}, "`covariance` is 'round'"),
        ("DOMIAS", {"floor": -1}, "`floor` is -1"),
        ("DataPlagiarismIndex", {"n_neighbors": 0}, "`n_neighbors` is 0"),
        ("LocalNeighborhood", {"radius": -1}, "`radius` is -1"),
        ("ClassifierAttack", {"n_folds": 1}, "`n_folds` is 1"),
        ("ClassifierAttack", {"classifier": "svm"}, "`classifier` is 'svm'"),
        ("ClassifierAttack", {"classifier": 3}, "`classifier` is a int"),
        ("DCRAttack", {"radius": 1}, "no option 'radius'"),
    ],
)
def test_bad_options_are_refused_by_name(name: str, options: dict[str, Any], words: str) -> None:
    with pytest.raises((TypeError, ValueError), match=words):
        compute(name, **options)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"attacks": ["RAPID"]}, "`attacks` is 'RAPID'"),
        ({"attacks": []}, "`attacks` is empty"),
        ({"attacks": "GenLRA"}, "`attacks` is a str"),
        ({"n_bootstrap": 1}, "`n_bootstrap` is 1"),
    ],
)
def test_bad_options_of_the_ensemble(options: dict[str, Any], words: str) -> None:
    with pytest.raises((TypeError, ValueError), match=words):
        MembershipEnsemble.compute(TRAINING, COPY, HOLDOUT, PATIENTS, **options)


@pytest.mark.slow
def test_the_ensemble_is_each_attack_alone(copied: dict[str, Any]) -> None:
    assert set(copied["attacks"]) == {*ATTACKS, COMBINATION}
    for name in ATTACKS:
        assert copied["attacks"][name]["auc"]["value"] == compute(name), name
    highest = max(found["auc"]["value"] for found in copied["attacks"].values())
    assert copied["score"] == copied["auc"]["value"] == highest
    assert copied["attacks"][copied["attack"]]["auc"]["value"] == highest
    assert copied["n_attacks"] == copied["n_attacks_asked"] == len(ATTACKS)
    assert json.loads(json.dumps(copied, allow_nan=False)) == copied


@pytest.mark.slow
def test_the_ensemble_sees_copies_and_no_leak_in_a_fresh_sample(copied: dict[str, Any]) -> None:
    assert copied["auc"]["low"] > 0.9
    assert copied["auc"]["p_value"] < 0.01
    fresh = MembershipEnsemble.compute_breakdown(TRAINING, FRESH, HOLDOUT, PATIENTS, attacks=FAST)
    assert fresh["auc"]["low"] <= 0.5 <= fresh["auc"]["high"]
    assert fresh["auc"]["p_value"] > 0.05
    assert fresh["settings"]["attacks"] == FAST


@pytest.mark.slow
def test_same_bits_on_any_number_of_threads() -> None:
    found = [
        MembershipEnsemble.compute_breakdown(
            TRAINING, COPY, HOLDOUT, PATIENTS, num_rows_subsample=150, n_jobs=n_jobs
        )
        for n_jobs in (1, 2)
    ]
    assert found[0] == found[1]


@pytest.mark.slow
def test_searches_and_encodings_are_made_once(monkeypatch: pytest.MonkeyPatch) -> None:
    from sdmetrics_disclosure.numba_kernels.neighbors import nearest as neighbours
    from sdmetrics_disclosure.plugins.membership import attack_input

    calls = {"encode": 0, "nearest": 0}

    def counted(name: str, function: Any) -> Any:
        def call(*args: Any, **kwargs: Any) -> Any:
            calls[name] += 1
            return function(*args, **kwargs)

        return call

    monkeypatch.setattr(attack_input, "encode", counted("encode", attack_input.encode))
    monkeypatch.setattr(neighbours, "nearest", counted("nearest", neighbours.nearest))
    MembershipEnsemble.compute(TRAINING, COPY, HOLDOUT, PATIENTS)
    # the holdout's check; then two halves: columns, mixed, codes; synthetic and reference rows
    assert calls == {"encode": 2 * 3, "nearest": 1 + 2 * 2}


def test_an_attack_that_cannot_run_is_left_out_and_said_so() -> None:
    # one synthetic row has no density and nothing to train a classifier with
    with pytest.warns(UserWarning, match="DOMIAS could not run and is left out"):
        found = MembershipEnsemble.compute_breakdown(TRAINING, COPY.head(1), HOLDOUT, PATIENTS)
    assert "DOMIAS" not in found["attacks"]
    assert found["n_attacks"] == len(ATTACKS) - 3
    assert found["n_attacks_asked"] == len(ATTACKS)
    with pytest.raises(ValueError, match="The 1 synthetic rows are all alike"):
        compute("DOMIAS", COPY.head(1))
    with pytest.raises(ValueError, match="None of the attacks could run"):
        MembershipEnsemble.compute(
            TRAINING, COPY.head(1), HOLDOUT, PATIENTS, attacks=["DOMIAS", "DensityEstimate"]
        )


@pytest.mark.slow
@pytest.mark.parametrize("columns", [["ward", "smoker"], NUMBERS])
def test_only_categories_only_numbers_gaps_and_unknown_levels(columns: list[str]) -> None:
    frames = [frame[columns].copy() for frame in (TRAINING, COPY, HOLDOUT)]
    for i, frame in enumerate(frames):
        frame.iloc[::6, 0] = None
        if "ward" in frame:
            frame["ward"] = frame["ward"].where(frame["ward"] != "north", f"level {i}")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings(
            "ignore", message="Rows repeat"
        )  # each table has a level of its own
        found = MembershipEnsemble.compute_breakdown(*frames, overlap="keep")
    assert found["n_attacks"] == len(ATTACKS)
    assert 0.5 <= found["score"] <= 1


@pytest.mark.slow
def test_more_columns_than_rows_and_a_column_without_values() -> None:
    rng = np.random.default_rng(0)
    wide = [pd.DataFrame(rng.normal(size=(60, 70))) for _ in range(3)]
    for frame in wide[1:]:
        frame[0] = np.nan
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        found = MembershipEnsemble.compute_breakdown(*wide)
    assert found["n_attacks"] == len(ATTACKS)


def test_few_rows_are_said_to_be_few() -> None:
    with pytest.warns(UserWarning, match="attack's trees to split"):
        assert compute("ClassifierAttack", num_rows_subsample=6) == 0.5
    with pytest.warns(UserWarning, match="there are only 102 synthetic and reference rows"):
        compute("DataPlagiarismIndex", COPY.head(2), n_neighbors=500)


def test_mean_rank_by_hand() -> None:
    assert (
        mean_rank([np.array([3.0, 1.0, 1.0]), np.array([0.0, 5.0, 7.0])]).tolist()
        == (np.array([4.0, 3.5, 4.5]) / 2 / 3).tolist()
    )


def test_a_wider_search_serves_a_narrower_one() -> None:
    from sdmetrics_disclosure.adapters.sources.sources import from_frames

    release = from_frames(TRAINING, COPY, PATIENTS, real_validation_data=HOLDOUT)
    assert release.holdout is not None
    parts = release.real, release.synthetic[0], release.holdout
    seen = AttackInput(*parts, release=release, seeds=np.random.SeedSequence(0))
    narrow = seen.nearest_squares("synthetic", 2, None)
    wide = seen.nearest_squares("synthetic", 9, None)
    np.testing.assert_array_equal(narrow, wide[:, :2])
    assert seen.nearest_squares("synthetic", 9, None).base is wide.base
    tables = encode_columns(seen)
    for limit in (2.0, 9.0, 20.0, 1e9):  # some have over 20 rows within
        everything = ((tables[0].values[:, None] - tables[1].values[None]) ** 2).sum(axis=2)
        counted = (everything < limit).sum(axis=1)
        np.testing.assert_array_equal(seen.count_within(limit, None, strict=True), counted)
    assert seen.nearest_squares("synthetic", 1000, None).shape == (200, 200)


def test_resampled_areas_are_those_of_the_repeated_records() -> None:
    rng = np.random.default_rng(0)
    members, others = rng.integers(0, 6, 11).astype(float), rng.integers(0, 6, 7).astype(float)
    members[0] = np.inf
    drawn = [rng.integers(0, n, (20, n)) for n in (11, 7)]
    counts = [
        np.stack([np.bincount(row, minlength=n) for row in rows])
        for rows, n in zip(drawn, (11, 7), strict=True)
    ]
    found = resampled_areas(members, others, *counts)
    expected = [area(members[m], others[o]) for m, o in zip(*drawn, strict=True)]
    np.testing.assert_allclose(found, expected, rtol=1e-14)
    np.testing.assert_array_equal(found, resampled_areas(members, others, *counts, n_jobs=2))


def band_of(shift: float, n_attacks: int, seed: int, n: int = 80) -> Any:
    """The band of attacks that are independent but for the records they judge."""
    rng = np.random.default_rng(seed)
    halves = {
        str(a): [ScoredHalf(rng.normal(size=n) + shift, rng.normal(size=n // 2)) for _ in range(2)]
        for a in range(n_attacks)
    }
    alone = {
        name: evaluate_membership(
            scored, confidence_level=1 - 0.05 / n_attacks, target_fprs=(0.1,), random_state=0
        ).auc
        for name, scored in halves.items()
    }
    return simultaneous_band(
        halves, alone, n_bootstrap=200, confidence_level=0.95, generator=np.random.default_rng(seed)
    )


@pytest.mark.slow
def test_the_band_of_useless_attacks_seldom_excludes_one_half() -> None:
    bands = [band_of(0.0, 6, seed).largest for seed in range(200)]
    wrong = sum(not band.low <= 0.5 <= band.high for band in bands)
    alone = [band_of(0.0, 1, seed).largest for seed in range(50)]
    # P(more than 20 of 200) is below 0.002 at the nominal 5 %
    assert wrong <= 20
    assert np.mean([b.low for b in bands]) < np.mean([b.low for b in alone]) + 0.05
    for band in bands:  # an interval and a p-value of one bootstrap tell the same
        assert (band.p_value < 0.04) <= (not band.low <= 0.5 <= band.high)
        assert (band.p_value > 0.06) <= (band.low <= 0.5 <= band.high)


def test_an_area_of_one_has_an_exact_interval() -> None:
    halves = {"all": [ScoredHalf(np.arange(5.0, 35.0), np.arange(5.0))]}
    alone = {"all": evaluate_membership(halves["all"], target_fprs=(0.1,), random_state=0).auc}
    band = simultaneous_band(
        halves,
        alone,
        n_bootstrap=50,
        confidence_level=0.95,
        generator=np.random.default_rng(0),
    )
    assert band.each["all"] == band.largest == alone["all"]
    assert 0.4 < band.largest.low < 1.0
