"""Synthesizers of SDV and of the ctgan package, fitted on real data, go straight in."""

from __future__ import annotations

import copy
import json
import random
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import sdmetrics.reports
from sdmetrics.demos import load_single_table_demo

from sdmetrics_disclosure.adapters.release.kinds import Kind
from sdmetrics_disclosure.adapters.sources.ctgan import from_ctgan, sample_ctgan
from sdmetrics_disclosure.adapters.sources.sdv import fit_sdv, from_sdv, sample_sdv
from sdmetrics_disclosure.adapters.sources.seeding import global_seed, integer_seed
from sdmetrics_disclosure.adapters.sources.sources import from_files, from_frames
from sdmetrics_disclosure.plugins.common.random_state import recorded_seed
from sdmetrics_disclosure.plugins.hooks.registry import load_release
from sdmetrics_disclosure.plugins.quality.report import UNIFIED
from sdmetrics_disclosure.plugins.quality.settings import disclosure_options
from tests.helpers.real_tables import (
    PATIENTS_METADATA,
    PLACEMENTS,
    STORES,
    both_metrics,
    patients,
    placements,
    placements_metadata,
    run_page,
    stores,
    stores_metadata,
)

pytestmark = pytest.mark.sdv

sdv_metadata = pytest.importorskip("sdv.metadata")
single_table = pytest.importorskip("sdv.single_table")
torch = pytest.importorskip("torch")

TRAIN, HOLDOUT = placements(slice(150)), placements(slice(150, None))
SENSITIVE = ("placed", "salary")
NAMES = ("GaussianCopula", "CTGAN", "TVAE", "CopulaGAN")


def metadata_of(described: dict[str, Any]) -> Any:
    return sdv_metadata.Metadata.load_from_dict(described)


def make(name: str) -> Any:
    """An unfitted synthesizer for the placements; skips where SDV does not fit its own parts."""
    kind = getattr(single_table, f"{name}Synthesizer")
    words = {} if name == "GaussianCopula" else {"epochs": 1}
    try:
        return kind(metadata_of(placements_metadata()), **words)
    except KeyError as error:  # SDV 1 with RDT 2
        pytest.skip(f"this SDV does not work with the RDT installed: {error!r}")


@pytest.fixture(scope="session")
def fitted() -> Any:
    """Function that gives a synthesizer by name, fitted once on the placements."""
    made: dict[str, Any] = {}

    def get(name: str) -> Any:
        if name not in made:
            with global_seed(0):
                made[name] = fit_sdv(make(name), TRAIN)
        return made[name]

    return get


@pytest.fixture(scope="session")
def multi_table() -> Any:
    """HMA, fitted on patients and their measurements."""
    make("GaussianCopula")
    hma = pytest.importorskip("sdv.multi_table").HMASynthesizer
    synthesizer = hma(metadata_of(PATIENTS_METADATA), verbose=False)
    synthesizer.fit(patients(slice(40)))
    return synthesizer


@pytest.fixture(scope="session")
def sequential() -> Any:
    """PAR, fitted on the weeks of some stores."""
    make("GaussianCopula")
    par = pytest.importorskip("sdv.sequential").PARSynthesizer
    synthesizer = par(metadata_of(stores_metadata()), epochs=1, context_columns=["region"])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return fit_sdv(synthesizer, stores(slice(12)))


def raw(sampled: dict[str, Any]) -> pd.DataFrame:
    (frame,) = sampled.values()
    assert isinstance(frame, pd.DataFrame)
    return frame


# --- one table ----------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_every_synthesizer_goes_through_everything(fitted: Any, name: str) -> None:
    synthesizer = fitted(name)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        releases = from_sdv(synthesizer, TRAIN, real_validation_data=HOLDOUT)
    release = releases[PLACEMENTS]
    assert [len(frame) for frame in release.frames] == [150, 150, 65]
    assert release.kinds["placed"] is Kind.BOOLEAN
    assert "student_id" not in release.kinds
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        warnings.simplefilter("error", FutureWarning)
        figures = both_metrics(release, *SENSITIVE)
        check_report(raw(sample_sdv(synthesizer, TRAIN)))
    assert all(0.0 <= figure <= 1.0 for figure in figures.values())


def check_report(synthetic: pd.DataFrame) -> None:
    """Both properties of the quality report have a score in every row."""
    report = sdmetrics.reports.QualityReport()
    described = placements_metadata()
    with disclosure_options(real_validation_data=HOLDOUT, sensitive_column_names=["placed"]):
        if UNIFIED:
            tables = {PLACEMENTS: TRAIN}, {PLACEMENTS: synthetic}
            report.generate(*tables, described, verbose=False)
        else:
            report.generate(TRAIN, synthetic, described["tables"][PLACEMENTS], verbose=False)
    found = [name for name in report.get_properties()["Property"] if "Disclosure" in name]
    assert "Attribute Disclosure" in found
    for name in found:
        assert report.get_details(name)["Score"].notna().all()


@pytest.mark.slow
@pytest.mark.parametrize("route", ["csv", "csv.gz", "parquet", "frame", "dict", "arrow", "dates"])
def test_its_own_sample_gives_the_same_figures_by_every_route(
    fitted: Any, tmp_path: Path, route: str
) -> None:
    synthesizer = fitted("GaussianCopula")
    expected = both_metrics(
        from_sdv(synthesizer, TRAIN, real_validation_data=HOLDOUT)[PLACEMENTS], *SENSITIVE
    )
    sample = raw(sample_sdv(synthesizer, TRAIN))
    if route in ("csv", "csv.gz", "parquet"):
        paths = [tmp_path / f"{name}.{route}" for name in "rsh"]
        for path, frame in zip(paths, (TRAIN, sample, HOLDOUT), strict=True):
            if route == "parquet":
                pytest.importorskip("pyarrow")
                frame.to_parquet(path)
            else:
                frame.to_csv(path, index=False)
        described = tmp_path / "metadata.json"
        synthesizer.get_metadata().save_to_json(described)
        release = from_files(*paths[:2], described, real_validation=paths[2])
    else:
        form: Any = {
            "frame": lambda frame: frame,
            "dict": lambda frame: {PLACEMENTS: frame},
            "arrow": lambda frame: frame.convert_dtypes(dtype_backend="pyarrow"),
            "dates": lambda frame: frame.assign(start_date=pd.to_datetime(frame["start_date"])),
        }[route]
        if route == "arrow":
            pytest.importorskip("pyarrow")
        release = from_frames(
            form(TRAIN),
            form(sample),
            synthesizer.get_metadata(),
            real_validation_data=form(HOLDOUT),
        )
    assert both_metrics(release, *SENSITIVE) == pytest.approx(expected, rel=0, abs=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_the_seed_decides_the_sample_and_nothing_else_changes(fitted: Any, name: str) -> None:
    synthesizer = fitted(name)
    before = copy.deepcopy(synthesizer).sample(5)
    state, torch_state, python_state = (
        np.random.get_state(),
        torch.get_rng_state(),
        random.getstate(),
    )
    one, same, other = (
        raw(sample_sdv(synthesizer, TRAIN, num_rows=20, random_state=seed)) for seed in (1, 1, 2)
    )
    pd.testing.assert_frame_equal(one, same)
    assert len(one) == 20
    assert not one.drop(columns="student_id").equals(other.drop(columns="student_id"))
    assert np.array_equal(state[1], np.random.get_state()[1])
    assert torch.equal(torch_state, torch.get_rng_state())
    assert python_state == random.getstate()
    after = copy.deepcopy(synthesizer).sample(5)
    for was, is_now in zip(as_frames(before), as_frames(after), strict=True):
        pd.testing.assert_frame_equal(was, is_now)


def as_frames(sampled: Any) -> list[pd.DataFrame]:
    return list(sampled.values()) if isinstance(sampled, Mapping) else [sampled]


def test_the_data_may_be_dicts_and_the_caller_keeps_them(fitted: Any) -> None:
    before = TRAIN.copy(deep=True)
    tables = {PLACEMENTS: TRAIN}, {PLACEMENTS: HOLDOUT}
    release = from_sdv(fitted("TVAE"), tables[0], real_validation_data=tables[1], num_rows=30)
    assert len(release[PLACEMENTS].synthetic[0]) == 30
    pd.testing.assert_frame_equal(TRAIN, before)


def test_the_hook_takes_synthesizers(fitted: Any) -> None:
    synthesizer = fitted("GaussianCopula")
    (release,) = load_release(synthesizer, TRAIN, None, HOLDOUT).values()
    expected = from_sdv(synthesizer, TRAIN, real_validation_data=HOLDOUT)[PLACEMENTS]
    pd.testing.assert_frame_equal(release.synthetic[0], expected.synthetic[0])


def test_what_is_no_fitted_synthesizer_is_named() -> None:
    with pytest.raises(ValueError, match="`synthesizer` is not fitted"):
        from_sdv(make("GaussianCopula"), TRAIN)
    with pytest.raises(TypeError, match="`synthesizer` is a DataFrame"):
        from_sdv(TRAIN, TRAIN)


# --- several tables, sequences ------------------------------------------------------------------


@pytest.mark.slow
def test_several_tables_give_a_release_each_and_one_by_person(multi_table: Any) -> None:
    train, holdout = patients(slice(40)), patients(slice(40, 80))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        releases = from_sdv(multi_table, train, real_validation_data=holdout)
    assert list(releases) == ["patients", "measurements", "patients with measurements"]
    assert [len(frame) for frame in releases["measurements"].frames] == [120, 120, 120]
    person = releases["patients with measurements"]
    assert [len(frame) for frame in person.frames] == [40, 40, 40]
    assert person.real["measurements: rows"].tolist() == [3.0] * 40
    for release, sensitive in (
        (releases["patients"], "diagnosis"),
        (releases["measurements"], "statistic"),
        (person, "diagnosis"),
    ):
        figures = both_metrics(release, sensitive)
        assert all(0.0 <= figure <= 1.0 for figure in figures.values())
    again = sample_sdv(multi_table, train, num_rows=20)
    assert len(again["patients"]) == 20


@pytest.mark.slow
def test_sequences_have_a_unit_and_a_release_with_one_row_each(sequential: Any) -> None:
    train, holdout = stores(slice(12)), stores(slice(12, 40))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("default", category=DeprecationWarning)
        warnings.filterwarnings("default", category=FutureWarning)
        releases = from_sdv(sequential, train, real_validation_data=holdout)
    assert list(releases) == [STORES, f"{STORES} by store_id"]
    rows, by_store = releases.values()
    assert rows.unit == "store_id"
    assert rows.synthetic[0]["store_id"].nunique() == 12
    assert [len(frame) for frame in by_store.frames] == [12, 12, 28]
    figures = both_metrics(rows, "region")
    assert all(0.0 <= figure <= 1.0 for figure in figures.values())
    assert 0.0 <= both_metrics(by_store, "most frequent region")["GenLRA"] <= 1.0
    few = sample_sdv(sequential, train, num_rows=3)[STORES]
    assert few["store_id"].nunique() == 3
    same = sample_sdv(sequential, train, num_rows=3)[STORES]
    pd.testing.assert_frame_equal(few, same)
    other = sample_sdv(sequential, train, num_rows=3, random_state=1)[STORES]
    assert not few.drop(columns="store_id").equals(other.drop(columns="store_id"))


# --- the ctgan package --------------------------------------------------------------------------

DISCRETE = ["gender", "placed", "experience_years"]
COLUMNS = [*DISCRETE, "mba_perc", "second_perc"]


@pytest.fixture(scope="session", params=["CTGAN", "TVAE"])
def model(request: pytest.FixtureRequest) -> Any:
    ctgan = pytest.importorskip("ctgan")
    made = getattr(ctgan, request.param)(epochs=1)
    with global_seed(0):
        made.fit(TRAIN[COLUMNS], DISCRETE)
    return made


def test_ctgan_knows_its_own_discrete_columns(model: Any) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        release = from_ctgan(model, TRAIN[COLUMNS], DISCRETE, real_validation_data=HOLDOUT[COLUMNS])
        own = from_ctgan(model, TRAIN[COLUMNS])
    assert {column for column, kind in release.kinds.items() if not kind.is_number} == set(DISCRETE)
    assert own.kinds == release.kinds
    assert len(release.synthetic[0]) == 150
    pd.testing.assert_frame_equal(own.synthetic[0], release.synthetic[0])
    figures = both_metrics(release, "placed", "mba_perc")
    assert all(0.0 <= figure <= 1.0 for figure in figures.values())
    (hooked,) = load_release(model, TRAIN[COLUMNS], None, HOLDOUT[COLUMNS]).values()
    pd.testing.assert_frame_equal(hooked.synthetic[0], release.synthetic[0])


def test_ctgan_samples_by_seed_and_stays_as_it_is(model: Any) -> None:
    state, torch_state = np.random.get_state(), torch.get_rng_state()
    one, same, other = (sample_ctgan(model, 30, random_state=seed) for seed in (1, 1, 2))
    pd.testing.assert_frame_equal(one, same)
    assert not one.equals(other)
    assert model.random_states is None
    assert np.array_equal(state[1], np.random.get_state()[1])
    assert torch.equal(torch_state, torch.get_rng_state())


def test_what_came_back_in_another_dtype_is_matched_and_told(model: Any) -> None:
    real = TRAIN[COLUMNS].assign(
        experience_years=TRAIN["experience_years"].astype(str),
        placed=TRAIN["placed"].astype(str),
    )
    release = from_ctgan(model, real)
    plain = from_ctgan(model, TRAIN[COLUMNS])
    assert any("'experience_years' came back as int64" in note for note in release.notes)
    for column in ("experience_years", "placed"):
        levels = release.real[column].cat.categories
        assert len(levels) == len(plain.real[column].cat.categories)
        codes = [r.synthetic[0][column].cat.codes.tolist() for r in (release, plain)]
        assert codes[0] == codes[1]


def test_ctgan_fitted_on_an_array() -> None:
    ctgan = pytest.importorskip("ctgan")
    array = TRAIN[["mba_perc", "second_perc", "experience_years"]].to_numpy()
    model = ctgan.TVAE(epochs=1)
    model.fit(array, [2])
    release = from_ctgan(model, array, [2])
    assert list(release.kinds.values()) == [Kind.NUMERICAL, Kind.NUMERICAL, Kind.CATEGORICAL]
    assert len(release.synthetic[0]) == 150
    with pytest.raises(ValueError, match="array of 3 columns and `real_data` has 2"):
        from_ctgan(model, array[:, :2])


def test_ctgan_that_does_not_fit_is_named(model: Any) -> None:
    with pytest.raises(ValueError, match="`discrete_columns` is 'gender', but `model` was fitted"):
        from_ctgan(model, TRAIN[COLUMNS], ["gender"])
    with pytest.raises(TypeError, match="`discrete_columns` is text"):
        from_ctgan(model, TRAIN[COLUMNS], "gender")
    with pytest.raises(ValueError, match=r"`real_data` has no column .*'gender'"):
        from_ctgan(model, TRAIN[["placed"]])
    with pytest.raises(ValueError, match="`model` is not fitted"):
        from_ctgan(type(model)(epochs=1), TRAIN[COLUMNS])
    with pytest.raises(TypeError, match="`model` is a DataFrame"):
        from_ctgan(TRAIN, TRAIN)
    more = from_ctgan(model, TRAIN)
    assert list(more.kinds) == COLUMNS
    assert any("not fitted on" in note and "'salary'" in note for note in more.notes)


# --- seeds --------------------------------------------------------------------------------------


def test_seeds_come_from_all_that_random_state_may_be() -> None:
    assert integer_seed(3) == integer_seed(np.random.SeedSequence(3))
    assert integer_seed(3) == integer_seed(np.random.default_rng(3))
    assert recorded_seed(np.random.SeedSequence(3)) == integer_seed(3)
    assert recorded_seed(3) == 3  # what a report writes down is what the user passed
    assert integer_seed(None) != integer_seed(None)
    with pytest.raises((TypeError, ValueError)):
        integer_seed("three")


def test_global_state_is_put_back_after_an_error() -> None:
    state = np.random.get_state()
    drawn = []

    def draw_and_stop() -> None:
        with global_seed(5):
            drawn.append((np.random.random(), random.random(), torch.rand(1).item()))
            raise RuntimeError("stop")

    for _ in range(2):
        with pytest.raises(RuntimeError, match="stop"):
            draw_and_stop()
    assert drawn[0] == drawn[1]
    assert np.array_equal(state[1], np.random.get_state()[1])


def test_metadata_may_be_a_file_that_sdv_wrote(fitted: Any, tmp_path: Path) -> None:
    path = tmp_path / "metadata.json"
    fitted("GaussianCopula").get_metadata().save_to_json(path)
    assert PLACEMENTS in json.loads(path.read_text())["tables"]
    release = from_files(TRAIN, TRAIN, path)
    assert release.kinds == from_frames(TRAIN, TRAIN, placements_metadata()).kinds


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_the_page_on_sources_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make("GaussianCopula")
    if not isinstance(load_single_table_demo()[0], Mapping):
        pytest.skip("the page is written for SDV 2")
    monkeypatch.chdir(tmp_path)
    names = run_page("sources.md")
    assert names["found"]["holdout"] is not None
    assert len(names["release"].synthetic) == 2
