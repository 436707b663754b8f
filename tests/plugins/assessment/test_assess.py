"""Assessing synthesizers fold by fold: the folds, the rows, the intervals, the seeds."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from functools import cache
from typing import Any

import joblib
import numpy as np
import pandas as pd
import pytest
import sdmetrics.reports
from scipy import stats
from sklearn.datasets import load_breast_cancer

from sdmetrics_disclosure.adapters.sources.runners import name_synthesizers
from sdmetrics_disclosure.adapters.sources.sources import from_frames
from sdmetrics_disclosure.plugins.assessment.assess import ROW_COLUMNS, Assessment, assess
from sdmetrics_disclosure.plugins.assessment.fold_summary import fold_interval
from sdmetrics_disclosure.plugins.assessment.folds import Folds, make_folds
from sdmetrics_disclosure.plugins.quality.report import UNIFIED
from sdmetrics_disclosure.plugins.quality.score import quality_score
from tests.helpers.real_tables import (
    PLACEMENTS,
    placements,
    placements_metadata,
    placements_synthetic,
    run_page,
    stores,
    stores_metadata,
)

METADATA = {
    "columns": {
        "diagnosis": {"sdtype": "categorical"},
        "large": {"sdtype": "boolean"},
        "radius": {"sdtype": "numerical"},
        "texture": {"sdtype": "numerical"},
        "symmetry": {"sdtype": "numerical"},
    }
}
QUICK = {"RAPID": {"attacker": "boosting_light", "n_permutations": 20}}


@cache
def cancer() -> pd.DataFrame:
    frame = load_breast_cancer(as_frame=True).frame
    return pd.DataFrame(
        {
            "diagnosis": frame["target"].map({0: "malignant", 1: "benign"}),
            "large": frame["mean area"] > 500,
            **{measure: frame[f"mean {measure}"] for measure in ("radius", "texture", "symmetry")},
        }
    )


def patients(n: int = 120) -> pd.DataFrame:
    return cancer().iloc[:n]


def bootstrap(real_data: pd.DataFrame) -> pd.DataFrame:
    """The training rows themselves, drawn from NumPy's global state."""
    return real_data.iloc[np.random.randint(len(real_data), size=len(real_data))]


def noisy_copies(real_data: pd.DataFrame, random_state: int) -> pd.DataFrame:
    """An overfitter: every row, a little moved."""
    rng = np.random.default_rng(random_state)
    moved = real_data.copy()
    for column in ("radius", "texture", "symmetry"):
        moved[column] += rng.normal(0, 0.05 * real_data[column].std(), len(moved))
    return moved


def fresh(real_data: pd.DataFrame) -> pd.DataFrame:
    """What a perfect generator would give: other people of the same population."""
    return cancer().iloc[300 : 300 + len(real_data)]


def broken(real_data: pd.DataFrame) -> pd.DataFrame:
    """Fails in every fold in which it sees the first person, and quotes them."""
    if 0 in real_data.index:
        raise RuntimeError(f"cannot cope with {real_data['radius'].iloc[0]}")
    return bootstrap(real_data)


def assess_patients(synthesizers: Any, **words: Any) -> Assessment:
    words = {
        "n_splits": 3,
        "metric_options": QUICK,
        "sensitive_column_names": ["diagnosis"],
    } | words
    return assess(synthesizers, patients(), METADATA, **words)


@pytest.fixture(scope="module")
def assessment() -> Assessment:
    return assess_patients(
        {"bootstrap": bootstrap, "noisy": noisy_copies, "fresh": fresh, "broken": broken}
    )


def mean(assessment: Assessment, synthesizer: str, metric: str, measure: str) -> pd.Series:
    found = assessment.summary.set_index(["Synthesizer", "Metric", "Measure"])
    row: pd.Series = found.loc[synthesizer, metric, measure]
    return row


# --- what it says -------------------------------------------------------------------------------


@pytest.mark.slow
def test_copies_are_told_from_other_people(assessment: Assessment) -> None:
    copied, noisy, other = (
        mean(assessment, name, "GenLRA", "score") for name in ("bootstrap", "noisy", "fresh")
    )
    assert copied["Low"] > other["High"]
    assert noisy["Low"] > other["High"]
    assert other["Low"] <= other["Baseline"] == 0.5 <= other["High"]
    for name in ("bootstrap", "noisy"):
        risk = mean(assessment, name, "RAPID", "training")["Mean"]
        assert risk >= mean(assessment, name, "RAPID", "held out")["Mean"]
    quality = mean(assessment, "bootstrap", "Quality", "score")
    assert 0.8 < quality["Mean"] <= quality["High"] <= 1.0


@pytest.mark.slow
def test_rows_and_summary_agree(assessment: Assessment) -> None:
    assert list(assessment.rows.columns) == ROW_COLUMNS
    rows = assessment.rows
    one = rows[
        (rows["Synthesizer"] == "fresh")
        & (rows["Metric"] == "RAPID")
        & (rows["Measure"] == "held out")
    ]["Value"]
    assert len(one) == 3
    found = mean(assessment, "fresh", "RAPID", "held out")
    assert found["Mean"] == pytest.approx(one.mean())
    assert found["SD"] == pytest.approx(one.std())
    half = stats.t.ppf(0.975, 2) * one.std() * math.sqrt(1 / 3 + 1 / 2)
    assert found["Low"] == pytest.approx(max(0.0, one.mean() - half))
    assert found["High"] == pytest.approx(min(1.0, one.mean() + half))
    difference = mean(assessment, "fresh", "RAPID", "difference")
    training = mean(assessment, "fresh", "RAPID", "training")
    assert difference["Mean"] == pytest.approx(training["Mean"] - found["Mean"])
    assert training["Baseline"] == found["Baseline"] > 0.0
    assert "chance" not in set(assessment.summary["Measure"])


@pytest.mark.slow
def test_a_failed_fold_is_a_row_and_the_rest_is_kept(assessment: Assessment) -> None:
    rows = assessment.rows[assessment.rows["Synthesizer"] == "broken"]
    failed = rows[rows["Error"].notna()]
    assert len(failed) == 2
    assert failed["Error"].str.startswith("RuntimeError: cannot cope with").all()
    assert failed["Value"].isna().all()
    assert rows["Fold"].nunique() == 3
    found = mean(assessment, "broken", "GenLRA", "score")
    assert (found["Folds Run"], found["Folds Asked"]) == (1, 3)
    assert 0.0 == found["Low"] < found["Mean"] < found["High"] == 1.0
    assert mean(assessment, "fresh", "GenLRA", "score")["Folds Run"] == 3


def test_all_of_it_is_plain_and_quotes_nobody(assessment: Assessment) -> None:
    told = json.dumps(assessment.to_dict())
    assert "RuntimeError" in told
    assert "cannot cope" not in told
    assert assessment.to_dict()["settings"]["n_splits"] == 3
    assert "bootstrap" in str(assessment)


def test_the_figure_has_a_field_a_risk_and_a_point_a_synthesizer(assessment: Assessment) -> None:
    figure = assessment.figure()
    titles = {note.text for note in figure.layout.annotations}
    assert titles == {"RAPID, training", "RAPID, held out", "RAPID, difference", "GenLRA, score"}
    assert len({trace.name for trace in figure.data if trace.name}) == 4
    nothing = assess_patients({"broken": lambda real_data: 1 / 0}, n_splits=2)
    assert "No fold ran" in nothing.figure().layout.annotations[0].text
    assert nothing.summary["Mean"].isna().all()
    assert set(nothing.summary["Metric"]) == {"Quality", "RAPID", "GenLRA"}


def test_several_sensitive_columns_have_their_own_rows() -> None:
    found = assess_patients(bootstrap, n_splits=2, sensitive_column_names=["diagnosis", "large"])
    rows = found.summary[found.summary["Measure"] == "training"].set_index("Column", drop=False)
    assert rows["Column"].tolist() == [None, "diagnosis", "large"]
    assert rows["Mean"].iloc[0] == pytest.approx(rows["Mean"].iloc[1:].mean())


# --- seeds and backends -------------------------------------------------------------------------


@pytest.mark.slow
def test_one_seed_gives_one_result_on_any_backend() -> None:
    words: dict[str, Any] = {"n_splits": 2, "metrics": ["GenLRA"], "metric_options": {}}
    sources = {"bootstrap": bootstrap, "noisy": noisy_copies}
    state = np.random.get_state()
    one = assess_patients(sources, **words)
    with joblib.parallel_config(backend="threading", n_jobs=2):
        threads = assess_patients(sources, **words)
    processes = assess_patients(sources, n_jobs=2, **words)
    other = assess_patients(sources, random_state=1, **words)
    assert np.array_equal(state[1], np.random.get_state()[1])
    pd.testing.assert_frame_equal(one.rows, threads.rows)
    pd.testing.assert_frame_equal(one.rows, processes.rows)
    assert not one.rows["Value"].equals(other.rows["Value"])


def test_the_bar_leaves_standard_output_alone(capsys: pytest.CaptureFixture[str]) -> None:
    words: dict[str, Any] = {"n_splits": 2, "metrics": ["GenLRA"], "metric_options": {}}
    assess_patients(bootstrap, verbose=True, **words)
    shown = capsys.readouterr()
    assert "2/2" in shown.err
    assert shown.out == ""
    assess_patients(bootstrap, **words)
    assert capsys.readouterr().err == ""


# --- ways to synthesize -------------------------------------------------------------------------


@pytest.mark.sdv
def test_sdv_synthesizers_stay_unfitted_and_bring_their_metadata() -> None:
    single_table = pytest.importorskip("sdv.single_table")
    metadata = pytest.importorskip("sdv.metadata").Metadata
    described = metadata.load_from_dict({"tables": {"patients": METADATA}})
    try:
        synthesizer = single_table.GaussianCopulaSynthesizer(described)
    except KeyError as error:  # SDV 1 with RDT 2
        pytest.skip(f"this SDV does not work with the RDT installed: {error!r}")
    words: dict[str, Any] = {"n_splits": 2, "metric_options": QUICK}
    words["sensitive_column_names"] = ["diagnosis"]
    found = assess([synthesizer, bootstrap], patients(), **words)
    assert found.rows["Error"].isna().all()
    assert set(found.rows["Synthesizer"]) == {"GaussianCopulaSynthesizer", "bootstrap"}
    assert not synthesizer.get_info()["is_fit"]
    copied = mean(found, "bootstrap", "GenLRA", "score")["Mean"]
    assert copied > mean(found, "GaussianCopulaSynthesizer", "GenLRA", "score")["Mean"]
    again = assess(synthesizer, patients(), **words)
    first = found.rows[found.rows["Synthesizer"] == "GaussianCopulaSynthesizer"]
    pd.testing.assert_frame_equal(again.rows, first.reset_index(drop=True))


@pytest.mark.sdv
@pytest.mark.parametrize("name", ["CTGAN", "TVAE"])
def test_models_of_the_ctgan_package_take_the_discrete_columns(name: str) -> None:
    model = getattr(pytest.importorskip("ctgan"), name)(epochs=1)
    words: dict[str, Any] = {"n_splits": 2, "metrics": ["GenLRA"], "metric_options": {}}
    found = assess_patients(model, **words)
    assert found.rows["Error"].isna().all()
    n_jobs = 2 if name == "TVAE" else 1  # it alone cannot be sent to another process as it is
    again = assess_patients({name: model}, n_jobs=n_jobs, **words)
    pd.testing.assert_frame_equal(found.rows, again.rows)


def test_what_is_no_way_to_synthesize_is_named() -> None:
    with pytest.raises(TypeError, match="A synthesizer is a int"):
        assess_patients({"seven": 7})
    with pytest.raises(ValueError, match="`synthesizers` is empty"):
        assess_patients({})

    class SeveralTables:
        def fit(self) -> None: ...
        def sample(self, scale: float) -> None: ...
        def get_metadata(self) -> Any: ...

    with pytest.raises(ValueError, match="SeveralTables is for several tables"):
        assess_patients(SeveralTables())
    assert list(name_synthesizers([bootstrap, bootstrap, lambda frame: frame])) == [
        *("bootstrap", "bootstrap_2", "lambda"),
    ]


# --- metrics ------------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_third_partys_metric_is_asked_by_name(plugged: Callable[..., None]) -> None:
    plugged("doubles")
    found = assess_patients(
        {"bootstrap": bootstrap, "fresh": fresh}, metrics=["Doubles"], metric_options={}
    )
    assert mean(found, "bootstrap", "Doubles", "score")["Mean"] > 0.5
    assert mean(found, "fresh", "Doubles", "score")["Mean"] == 0.0


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ({"metrics": ["Rapid"]}, "no metric 'Rapid'; registered are .*'GenLRA'.*'RAPID'"),
        ({"metrics": "RAPID"}, "`metrics` is text"),
        ({"metric_options": {"Rapid": {}}}, "`metric_options` names 'Rapid'"),
        ({"metric_options": {"RAPID": {"tua": 1}}}, "RAPID has no option 'tua'"),
        ({"n_splits": 1}, "`n_splits` is 1; it must be at least 2"),
        ({"confidence_level": 1.0}, "`confidence_level`"),
        ({"sensitive_column_names": ["income"]}, "no column 'income'"),
        ({"sensitive_column_names": "diagnosis"}, "`sensitive_column_names` is a str"),
    ],
)
def test_wrong_arguments_are_named_before_anything_runs(words: dict[str, Any], told: str) -> None:
    def never(real_data: pd.DataFrame) -> pd.DataFrame:
        raise AssertionError("it ran")

    with pytest.raises((TypeError, ValueError), match=told):
        assess_patients(never, **words)


@pytest.mark.slow
def test_the_quality_score_is_sdmetrics_own() -> None:
    real, synthetic = placements(slice(None)), placements_synthetic()
    described = placements_metadata()
    report = sdmetrics.reports.QualityReport()
    if UNIFIED:
        report.generate({PLACEMENTS: real}, {PLACEMENTS: synthetic}, described, verbose=False)
    else:
        report.generate(real, synthetic, described["tables"][PLACEMENTS], verbose=False)
    columns = described["tables"][PLACEMENTS]["columns"]
    attributes = {name: kind for name, kind in columns.items() if kind["sdtype"] != "id"}
    own = quality_score(
        real[list(attributes)], synthetic[list(attributes)], {"columns": attributes}
    )
    assert own == report.get_score()


# --- folds --------------------------------------------------------------------------------------


def folds_of(frame: pd.DataFrame, n_splits: int, sensitive: list[str] | None = None) -> Folds:
    kinds = {"a": "categorical", "b": "categorical", "n": "numerical"}
    metadata = {"columns": {column: {"sdtype": kinds[column]} for column in frame}}
    return make_folds(from_frames(frame, frame, metadata), n_splits, sensitive, 0)


def test_folds_have_the_same_shares_of_all_sensitive_classes() -> None:
    frame = pd.DataFrame({"a": list("xxxy") * 10, "b": list("uv") * 20, "n": range(40)})
    folds = folds_of(frame, 5, ["n", "a", "b"])
    assert folds.notes == ()
    for fitted, held_out in folds.pairs:
        assert sorted([*fitted, *held_out]) == list(range(40))
        counts = frame.iloc[held_out].value_counts(["a", "b"]).to_dict()
        assert counts == {("x", "u"): 4, ("x", "v"): 2, ("y", "v"): 2}


def test_rare_classes_are_pooled_and_that_is_said() -> None:
    frame = pd.DataFrame({"a": ["x"] * 30 + ["y"] * 4 + ["z"] * 2, "n": range(36)})
    folds = folds_of(frame, 5, ["a"])
    assert "2 classes of 'a' have too few rows for 5 folds" in folds.notes[0]
    assert all((held_out >= 30).sum() >= 1 for _, held_out in folds.pairs)
    few = folds_of(frame.iloc[:32], 5, ["a"])  # two rows of y: not even a pool
    assert "were pooled" in few.notes[0]
    every = pd.DataFrame({"a": list("abcdefgh"), "n": range(8)})
    assert "cut at random" in folds_of(every, 4, ["a"]).notes[0]


@pytest.mark.filterwarnings("ignore:No sensitive column has classes")
def test_without_classes_folds_are_random_and_never_more_than_rows() -> None:
    frame = pd.DataFrame({"n": range(3)})
    folds = folds_of(frame, 5)
    assert len(folds.pairs) == 3
    assert folds.notes[0] == "There are 3 rows: 3 folds were made, not 5."
    assert "No sensitive column has classes" in folds.notes[1]
    with pytest.raises(ValueError, match="has 1 rows"):
        folds_of(frame.iloc[:1], 2)
    with pytest.warns(UserWarning, match="3 folds were made, not 5"):
        assess(bootstrap, frame, metrics=[], random_state=0)


def test_missing_is_a_class() -> None:
    frame = pd.DataFrame({"a": ["x", None] * 20, "n": range(40)})
    for _, held_out in folds_of(frame, 4, ["a"]).pairs:
        assert frame["a"].iloc[held_out].isna().sum() == 5


@pytest.mark.slow
def test_rows_of_one_sequence_stay_in_one_fold() -> None:
    seen: list[pd.DataFrame] = []

    def keep(real_data: pd.DataFrame) -> pd.DataFrame:
        seen.append(real_data)
        return real_data

    frame = stores(slice(12))
    found = assess(
        keep,
        frame,
        stores_metadata(),
        n_splits=3,
        sensitive_column_names=["region"],
        metric_options=QUICK,
    )
    assert found.rows["Error"].isna().all()
    assert len(seen) == 3
    for fitted in seen:
        sizes = fitted.groupby("store_id").size()
        assert sizes.tolist() == [7] * 8
        assert fitted["region"].nunique() == frame["region"].nunique()


def test_the_interval_by_hand() -> None:
    found = fold_interval([0.2, 0.4, 0.6, 0.8], 4, 0.9, (-1.0, 1.0))
    variance = 0.2 / 3
    half = stats.t.ppf(0.95, 3) * math.sqrt(variance * (1 / 4 + 1 / 3))
    assert (found.value, found.low) == pytest.approx((0.5, 0.5 - half))
    assert found.high == pytest.approx(0.5 + half)
    alone = fold_interval([0.3], 5, 0.95, (0.0, 1.0))
    assert (alone.value, alone.low, alone.high) == (0.3, 0.0, 1.0)
    assert math.isnan(fold_interval([], 5, 0.95, (0.0, 1.0)).value)


@pytest.mark.sdv
@pytest.mark.filterwarnings("ignore")
def test_the_page_on_assessment_runs(capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("sdv")
    if not UNIFIED:
        pytest.skip("the page is written for SDV 2")
    found = run_page("assess.md")["found"]
    assert found.rows["Error"].isna().all()
    assert mean(found, "bootstrap", "GenLRA", "score")["Mean"] > 0.5
    assert "copula" in capsys.readouterr().out
