"""GenLRA from frames to statements about membership."""

from __future__ import annotations

import inspect
import json
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sdmetrics.single_table import GenLRA
from sdmetrics.single_table.base import SingleTableMetric
from sklearn.neighbors import KernelDensity

from sdmetrics_disclosure.plugins.gen_lra.options import GenLRAOptions
from tests.helpers.tables import PATIENTS, patients

NUMBERS = [f"value_{i}" for i in range(6)]


def noisy_copy(frame: pd.DataFrame, seed: int, scale: float = 0.1) -> pd.DataFrame:
    """Each number moved by `scale` of its standard deviation."""
    rng = np.random.default_rng(seed)
    moved = frame.copy()
    for column in NUMBERS:
        moved[column] = moved[column] + scale * moved[column].std() * rng.normal(size=len(moved))
    return moved


TRAINING, HOLDOUT = patients(200, 0), patients(200, 1)
COPY = noisy_copy(TRAINING, 2)
FRESH = patients(200, 3)


def breakdown(synthetic: Any, **options: Any) -> dict[str, Any]:
    return GenLRA.compute_breakdown(TRAINING, synthetic, HOLDOUT, PATIENTS, **options)


def test_copies_are_found_and_a_fresh_sample_is_not() -> None:
    copied, fresh = breakdown(COPY), breakdown(FRESH)
    assert copied["auc"]["low"] > 0.85
    assert copied["auc"]["p_value"] < 1e-6
    assert fresh["auc"]["low"] <= 0.5 <= fresh["auc"]["high"]
    assert fresh["epsilon_lower_bound"] == 0.0


def test_an_exact_copy_is_the_worst_score_and_its_epsilon_is_finite() -> None:
    found = breakdown(TRAINING)
    assert found["score"] > 0.99
    assert 1 < found["epsilon_lower_bound"] < np.inf
    assert GenLRA.normalize(found["score"]) < 0.02


def test_two_binary_columns_tell_nobody_apart() -> None:
    # four kinds of rows, each many times in both tables: alike by nature, so no reason to refuse
    rng = np.random.default_rng(0)
    training, holdout = (pd.DataFrame(rng.integers(0, 2, (200, 2)).astype(bool)) for _ in "ab")
    found = GenLRA.compute_breakdown(training, training.copy(), holdout)
    assert found["overlap"]["share"] == found["overlap"]["by_nature"] == 1.0
    assert found["auc"]["low"] < 0.5 < found["auc"]["high"]


def test_breakdown_is_plain_and_has_every_key() -> None:
    found = breakdown(COPY)
    assert json.loads(json.dumps(found, allow_nan=False)) == found
    assert set(found) >= {
        "score",
        "auc",
        "advantage",
        "tpr_at_fpr",
        "epsilon_lower_bound",
        "n_members",
        "n_non_members",
        "n_reference",
        "n_synthetic",
        "overlap",
        "covariance",
        "settings",
        "warnings",
    }
    assert set(found["tpr_at_fpr"]) == {"0", "0.001", "0.01", "0.1"}
    assert (
        found["score"] == found["auc"]["value"] == GenLRA.compute(TRAINING, COPY, HOLDOUT, PATIENTS)
    )
    assert (found["n_members"], found["n_non_members"], found["n_reference"]) == (200, 200, 100)
    assert not found["tpr_at_fpr"]["0.001"]["measurable"]
    assert found["tpr_at_fpr"]["0.1"]["measurable"]


def test_normalize_is_protection() -> None:
    assert GenLRA.normalize(0.5) == GenLRA.normalize(0.3) == 1.0
    assert GenLRA.normalize(1.0) == GenLRA.normalize(1.0000000000000002) == 0.0
    assert GenLRA.normalize(0.75) == 0.5


def test_records_are_on_the_callers_index_and_name_no_values() -> None:
    training, holdout = TRAINING.set_axis([f"t{i}" for i in range(200)]), HOLDOUT
    records = GenLRA.compute_records(training, COPY, holdout, PATIENTS)
    assert list(records.columns) == ["score", "member", "rank"]
    assert records.index.names[0] == "set"
    assert list(records.loc["training"].index) == list(training.index)
    assert len(records.loc["holdout"]) == 200
    assert records["member"].sum() == 200
    assert records["rank"].min() == 1
    best = records.sort_values("rank").head(20)
    assert best["member"].mean() > 0.9


def test_row_order_scale_shift_and_names_of_levels_do_not_matter() -> None:
    def scaled(frame: pd.DataFrame) -> pd.DataFrame:
        return frame.assign(
            value_0=frame["value_0"] * 4 + 128,
            ward=frame["ward"].map({"east": "z", "north": "b", "west": "a"}),
        )

    plain = GenLRA.compute(TRAINING, COPY, HOLDOUT, PATIENTS)
    moved = GenLRA.compute(scaled(TRAINING), scaled(COPY), scaled(HOLDOUT), PATIENTS)
    assert moved == pytest.approx(plain, abs=2e-3)
    shuffled = COPY.sample(frac=1, random_state=0)
    assert GenLRA.compute(TRAINING, shuffled, HOLDOUT, PATIENTS) == pytest.approx(plain, abs=1e-12)
    reordered = COPY[list(COPY.columns)[::-1]]
    assert GenLRA.compute(TRAINING, reordered, HOLDOUT, PATIENTS) == plain


def test_same_bits_on_any_number_of_threads() -> None:
    found = [breakdown(COPY, n_jobs=n_jobs, num_rows_subsample=150) for n_jobs in (1, 2)]
    assert found[0] == found[1]


@pytest.mark.parametrize(
    "options",
    [
        {"kernel": "gaussian"},
        {"kernel": "gaussian", "covariance": "diagonal"},
        {"kernel": "gaussian", "covariance": "floored"},
        {"kernel": "gaussian", "covariance": "full", "bandwidth_factor": 1.0},
        {"kernel": "gaussian", "surrogate": "refit"},
        {"preset": "paper"},
        {"exponent": 6.0},
        {"aggregate": "sum"},
    ],
)
def test_every_attack_finds_copies(options: dict[str, Any]) -> None:
    assert breakdown(COPY, **options)["auc"]["low"] > 0.55


CHANGED: dict[str, Any] = {
    "kernel": "gaussian",
    "exponent": 8.0,
    "n_neighbors": 3,
    "aggregate": "sum",
    "target_fprs": (0.2,),
    "confidence_level": 0.5,
    "num_rows_subsample": 100,
    "random_state": 1,
    "preset": "paper",
}


@pytest.mark.parametrize("name", CHANGED)
def test_every_keyword_reaches_the_computation(name: str) -> None:
    synthetic = noisy_copy(TRAINING, 2, scale=0.5)
    plain, changed = breakdown(synthetic), breakdown(synthetic, **{name: CHANGED[name]})
    for found in (plain, changed):
        del found["settings"]
    assert plain != changed


@pytest.mark.parametrize(
    ("name", "value"),
    [("bandwidth_factor", 3.0), ("covariance", "full"), ("floor", 0.1), ("surrogate", "refit")],
)
def test_every_keyword_of_the_gaussian_reaches_the_computation(name: str, value: Any) -> None:
    synthetic = noisy_copy(TRAINING, 2, scale=0.5)
    plain = breakdown(synthetic, kernel="gaussian")
    assert breakdown(synthetic, kernel="gaussian", **{name: value})["score"] != plain["score"]


def test_presets_and_what_is_typed_beside_them() -> None:
    paper = GenLRAOptions(preset="paper").settings()
    assert paper["kernel"] == "gaussian"
    assert paper["surrogate"] == "refit"
    assert paper["covariance"] == "full"
    assert (paper["n_neighbors"], paper["aggregate"], paper["floor"]) == (200, "sum", 1e-20)
    beside = GenLRAOptions(preset="paper", floor=0.0, n_neighbors=5).settings()
    assert (beside["floor"], beside["n_neighbors"]) == (0.0, 5)
    assert GenLRAOptions(preset="paper", surrogate="closed_form").surrogate == "closed_form"
    plain = GenLRAOptions().settings()
    assert (plain["kernel"], plain["n_neighbors"], plain["aggregate"]) == ("power_law", 10, "max")
    gaussian = GenLRAOptions(kernel="gaussian").settings()
    assert (gaussian["n_neighbors"], gaussian["aggregate"]) == (3, "sum")
    assert (gaussian["covariance"], gaussian["bandwidth_factor"]) == ("isotropic", 0.5)


def test_a_users_own_density_estimator() -> None:
    small = {"num_rows_subsample": 40}
    found = breakdown(COPY, surrogate=KernelDensity(bandwidth=0.3), n_neighbors=3, **small)
    assert found["settings"]["surrogate"] == "KernelDensity"
    assert 0 <= found["score"] <= 1


def test_the_estimator_refitted_is_the_gaussian_refit() -> None:
    # a full Gaussian kernel density, refitted by itself, against the closed rank-one update
    from scipy.stats import gaussian_kde

    from sdmetrics_disclosure.numba_kernels.gen_lra.refit import refit_scores
    from sdmetrics_disclosure.plugins.gen_lra.density_estimator import estimator_scores

    class ScipyDensity:
        def fit(self, rows: Any) -> ScipyDensity:
            self.density = gaussian_kde(rows.T, bw_method="silverman")
            return self

        def score_samples(self, rows: Any) -> Any:
            return self.density.logpdf(rows.T)

    rng = np.random.default_rng(0)
    targets, synthetic, reference = (rng.normal(size=(n, 3)) for n in (6, 30, 40))
    options = GenLRAOptions(surrogate=ScipyDensity(), aggregate="sum")
    slow = estimator_scores(targets, synthetic, reference, options, 5)
    fast = refit_scores(targets, synthetic, reference, n_neighbors=5, aggregate="sum")
    np.testing.assert_allclose(slow, fast, rtol=1e-8, atol=1e-10)


def test_training_rows_in_the_holdout_are_counted_and_refused_or_dropped() -> None:
    mixed = pd.concat([HOLDOUT, TRAINING.head(20)])
    with pytest.raises(ValueError, match=r"20 rows of `real_validation_data`.*overlap='drop'"):
        GenLRA.compute(TRAINING, COPY, mixed, PATIENTS)
    dropped = GenLRA.compute_breakdown(TRAINING, COPY, mixed, PATIENTS, overlap="drop")
    assert dropped["overlap"]["exact"] == 20
    assert dropped["overlap"]["dropped"]
    assert dropped["n_non_members"] == 200
    kept = GenLRA.compute_breakdown(TRAINING, COPY, mixed, PATIENTS, overlap="keep")
    assert (kept["n_non_members"], kept["overlap"]["dropped"]) == (220, False)
    with pytest.raises(ValueError, match="leaves no holdout"):
        GenLRA.compute(TRAINING, COPY, TRAINING, PATIENTS, overlap="drop")


def test_rows_that_are_nearly_training_rows_are_counted() -> None:
    near = TRAINING.head(10).assign(value_0=lambda f: f["value_0"] * (1 + 1e-12))
    with pytest.raises(ValueError, match="10 nearly so"):
        GenLRA.compute(TRAINING, COPY, pd.concat([HOLDOUT, near]), PATIENTS)


def test_no_holdout_is_a_clear_message() -> None:
    with pytest.raises(ValueError, match="GenLRA needs `real_validation_data`"):
        GenLRA.compute(TRAINING, COPY, None, PATIENTS)
    with pytest.raises(ValueError, match="cannot be cut"):
        GenLRA.compute(TRAINING, COPY, HOLDOUT.head(1), PATIENTS)


def test_k_larger_than_the_synthetic_table_is_cut_with_one_warning() -> None:
    with pytest.warns(UserWarning, match="all of them count") as caught:
        GenLRA.compute(TRAINING, COPY.head(5), HOLDOUT, PATIENTS)
    assert len(caught) == 1


@pytest.mark.parametrize("columns", [["ward", "smoker"], NUMBERS])
@pytest.mark.parametrize("kernel", ["power_law", "gaussian"])
def test_only_categories_and_only_numbers(columns: list[str], kernel: str) -> None:
    frames = [frame[columns] for frame in (TRAINING, COPY, HOLDOUT)]
    assert 0 <= GenLRA.compute(*frames, kernel=kernel, overlap="keep") <= 1


@pytest.mark.parametrize("kernel", ["power_law", "gaussian"])
def test_gaps_and_levels_that_only_the_candidates_have(kernel: str) -> None:
    training, synthetic, holdout = TRAINING.copy(), COPY.copy(), HOLDOUT.copy()
    for frame in (training, synthetic, holdout):
        frame.loc[::6, "value_0"] = np.nan
        frame.loc[::5, "ward"] = None
    training.loc[3, "ward"] = "only here"
    holdout.loc[4, "ward"] = "only there"
    assert 0.5 < GenLRA.compute(training, synthetic, holdout, PATIENTS, kernel=kernel) <= 1


def test_equal_columns_and_more_columns_than_rows_are_no_crash() -> None:
    rng = np.random.default_rng(0)
    wide = [pd.DataFrame(rng.normal(size=(40, 60))) for _ in range(3)]
    for frame in wide:
        frame[60] = frame[0]
    found = GenLRA.compute_breakdown(*wide, kernel="gaussian", covariance="full")
    assert found["covariance"]["effective_rank"] < 20
    assert found["covariance"]["dropped"] > 40


def test_a_reference_without_variation_is_a_clear_message() -> None:
    with pytest.raises(ValueError, match=r"`real_validation_data`.*no two different rows"):
        GenLRA.compute(TRAINING, COPY, HOLDOUT.head(2), PATIENTS, kernel="gaussian")


def test_a_constant_column_on_one_side() -> None:
    assert 0.5 < GenLRA.compute(TRAINING, COPY.assign(value_0=0.0), HOLDOUT, PATIENTS) <= 1


def test_replicates() -> None:
    found = breakdown([FRESH, COPY])
    assert found["score"] == max(found["replicates"])
    assert found["mean_auc"] == pytest.approx(np.mean(found["replicates"]))
    records = GenLRA.compute_records(TRAINING, [FRESH, COPY], HOLDOUT, PATIENTS)
    assert records.index.names[:2] == ["replicate", "set"]


def test_it_is_an_sdmetrics_metric() -> None:
    assert SingleTableMetric.get_subclasses()["GenLRA"] is GenLRA
    parameters = inspect.signature(GenLRA.compute).parameters
    assert list(parameters)[:5] == [
        "real_training_data",
        "synthetic_data",
        "real_validation_data",
        "metadata",
        "table_name",
    ]
    documented = {
        "preset": None,
        "kernel": "power_law",
        "surrogate": "closed_form",
        "exponent": 4.0,
        "bandwidth_factor": None,
        "covariance": None,
        "floor": 0.0,
        "n_neighbors": None,
        "aggregate": None,
        "target_fprs": (0.0, 0.001, 0.01, 0.1),
        "confidence_level": 0.95,
        "num_rows_subsample": None,
        "random_state": 0,
        "n_jobs": None,
        "verbose": False,
    }
    for name, default in documented.items():
        assert parameters[name].default == default
        assert parameters[name].kind is inspect.Parameter.KEYWORD_ONLY
        assert f"{name}:" in (GenLRA.compute.__doc__ or "")


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"kernel": "cauchy"}, ValueError, "`kernel` is 'cauchy'"),
        ({"surrogate": "refit"}, ValueError, "nothing to refit"),
        ({"surrogate": 3}, TypeError, "`surrogate` is a int"),
        (
            {"kernel": "gaussian", "surrogate": "refit", "covariance": "diagonal"},
            ValueError,
            "'full' only",
        ),
        ({"covariance": "full"}, ValueError, "`covariance` belongs to kernel='gaussian'"),
        ({"bandwidth_factor": 1.0}, ValueError, "`bandwidth_factor` belongs"),
        ({"kernel": "gaussian", "covariance": "round"}, ValueError, "`covariance` is 'round'"),
        ({"preset": "thesis"}, ValueError, "`preset` is 'thesis'"),
        ({"exponent": 0}, ValueError, "`exponent` is 0"),
        ({"n_neighbors": 0}, ValueError, "`n_neighbors` is 0"),
        ({"aggregate": "mean"}, ValueError, "`aggregate` is 'mean'"),
        ({"floor": -1}, ValueError, "`floor` is -1"),
        ({"target_fprs": (2,)}, ValueError, "`target_fprs` is 2"),
        ({"target_fprs": 0.1}, TypeError, "`target_fprs` is a float"),
        ({"overlap": "ignore"}, ValueError, "`overlap` is 'ignore'"),
        ({"k": 3}, TypeError, "no option 'k'"),
    ],
)
def test_bad_options_are_refused_by_name(
    options: dict[str, Any], error: type[Exception], words: str
) -> None:
    with pytest.raises(error, match=words):
        breakdown(COPY, **options)
