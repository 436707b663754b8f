"""Frames, files, several tables, sequences: the same data gives the same release by any route."""

from __future__ import annotations

import json
import re
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sdmetrics.demos import load_multi_table_demo

from sdmetrics_disclosure.adapters import Kind, Release
from sdmetrics_disclosure.adapters.sources import detection, sources
from sdmetrics_disclosure.adapters.sources.entities import from_tables
from sdmetrics_disclosure.adapters.sources.files import read_table
from sdmetrics_disclosure.adapters.sources.sequences import sequence_release
from sdmetrics_disclosure.adapters.sources.sources import from_files, from_frames
from sdmetrics_disclosure.plugins.hooks.registry import load_release
from sdmetrics_disclosure.plugins.membership.alignment import alignment
from tests.helpers.real_tables import (
    MEASURES,
    PATIENTS_METADATA,
    PLACEMENTS,
    STORES,
    both_metrics,
    patients,
    placements,
    placements_metadata,
    placements_synthetic,
    stores,
    stores_metadata,
)

REAL, HOLDOUT = placements(slice(150)), placements(slice(150, None))
METADATA = placements_metadata()
SENSITIVE = ("placed", "salary")


def arrow(frame: pd.DataFrame) -> pd.DataFrame:
    pytest.importorskip("pyarrow")
    return frame.convert_dtypes(dtype_backend="pyarrow")


def polars(frame: pd.DataFrame) -> Any:
    return pytest.importorskip("polars").from_pandas(frame)


@pytest.fixture(scope="module")
def expected() -> dict[str, float]:
    release = from_frames(REAL, placements_synthetic(), METADATA, real_validation_data=HOLDOUT)
    return both_metrics(release, *SENSITIVE)


def written(folder: Path, ending: str) -> list[Path]:
    """Real, synthetic and holdout rows as files."""
    paths = []
    for name, frame in (("r", REAL), ("s", placements_synthetic()), ("h", HOLDOUT)):
        path = folder / f"{name}{ending}"
        if "parquet" in ending:
            pytest.importorskip("pyarrow")
            frame.to_parquet(path)
        else:
            frame.to_csv(path, index=False)
        paths.append(path)
    return paths


# --- one figure by every route ------------------------------------------------------------------


@pytest.mark.parametrize("ending", [".csv", ".csv.gz", ".parquet"])
def test_files_give_the_figures_of_the_frames(
    tmp_path: Path, expected: dict[str, float], ending: str
) -> None:
    real, synthetic, holdout = written(tmp_path, ending)
    described = tmp_path / "metadata.json"
    described.write_text(json.dumps(METADATA))
    release = from_files(str(real), synthetic, described, real_validation=holdout)
    assert both_metrics(release, *SENSITIVE) == pytest.approx(expected, rel=0, abs=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize(
    "form",
    [
        lambda frame: {PLACEMENTS: frame},
        lambda frame: frame.convert_dtypes(),
        lambda frame: frame.astype({"gender": "category", "salary": "Float64"}),
        lambda frame: frame.astype(object),
        lambda frame: frame.assign(start_date=pd.to_datetime(frame["start_date"])),
        lambda frame: frame[frame.columns[::-1]].set_axis(range(7, 7 + len(frame))),
        arrow,
        polars,
    ],
    ids=["dict", "nullable", "category", "object", "dates", "order", "arrow", "polars"],
)
def test_frames_of_any_form_give_the_same_figures(
    expected: dict[str, float], form: Callable[[pd.DataFrame], Any]
) -> None:
    release = from_frames(
        form(REAL), form(placements_synthetic()), METADATA, real_validation_data=form(HOLDOUT)
    )
    assert both_metrics(release, *SENSITIVE) == pytest.approx(expected, rel=0, abs=1e-12)
    only_synthetic = from_frames(
        REAL, form(placements_synthetic()), METADATA, real_validation_data=HOLDOUT
    )
    assert both_metrics(only_synthetic, *SENSITIVE) == pytest.approx(expected, rel=0, abs=1e-12)


@pytest.mark.slow
def test_shared_files_go_through_both_metrics(shared_data: Path) -> None:
    insurance, adults = shared_data / "insurance", shared_data / "adults"
    of_insurance = from_files(
        insurance / "train_set.csv",
        insurance / "bayesian_network_synth_250.csv",
        real_validation=insurance / "holdout_set.csv",
    )
    of_adults = from_files(adults / "control.csv.gz", adults / "synthetic_ctgan.csv.gz")
    assert len(of_adults.synthetic[0]) > len(of_adults.real) > 9000
    few = of_adults.subsample(300, np.random.default_rng(0))
    found = both_metrics(of_insurance, "smoker") | both_metrics(few, "income")
    assert all(0.0 <= figure <= 1.0 for figure in found.values())
    assert found["RAPID smoker"] > found["chance smoker"]
    assert alignment(of_insurance).overlap is not None


def test_several_files_are_replicates(tmp_path: Path) -> None:
    real, synthetic, _ = written(tmp_path, ".csv")
    release = from_files(real, [synthetic, synthetic], METADATA)
    assert len(release.synthetic) == 2
    pd.testing.assert_frame_equal(*release.synthetic)


# --- files --------------------------------------------------------------------------------------


def test_numbers_in_csv_keep_every_bit(tmp_path: Path) -> None:
    values = np.random.default_rng(0).normal(size=2000) * 10.0 ** np.arange(-10, 10).repeat(100)
    pd.DataFrame({"x": values}).to_csv(tmp_path / "x.csv", index=False)
    assert read_table("real", tmp_path / "x.csv")["x"].to_numpy().tobytes() == values.tobytes()


def test_words_are_gaps_among_numbers_and_text_among_text(tmp_path: Path) -> None:
    path = tmp_path / "gaps.csv"
    path.write_text("n,country,empty,flag\n1,NA,,True\nNA,None,,\n3,,,False\n")
    read = read_table("real", path)
    assert read["n"].tolist()[::2] == [1.0, 3.0]
    assert read["n"].isna().tolist() == [False, True, False]
    assert read["country"].tolist()[:2] == ["NA", "None"]  # Namibia, and none of them
    assert read["country"].isna().tolist() == [False, False, True]
    assert read["empty"].isna().all()
    assert read["flag"].dropna().tolist() == [True, False]


def test_column_names_of_all_sorts_survive_a_file(tmp_path: Path) -> None:
    odd = {"two words": 1, 'a "quote"': 2, "new\nline": 3, "dot.ted": 4, "Grüße": 5}
    frame = pd.DataFrame({name: np.arange(60) % (2 + i) for i, name in enumerate(odd)})
    frame.to_csv(tmp_path / "odd.csv", index=False)
    plain = frame.set_axis(list("abcde"), axis=1)
    read = from_files(tmp_path / "odd.csv", tmp_path / "odd.csv")
    assert read.columns == list(odd)
    assert list(read.kinds.values()) == list(from_frames(plain, plain).kinds.values())


def test_what_cannot_be_read_is_named(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"`real`.*nowhere\.csv.*no such file"):
        from_files(tmp_path / "nowhere.csv", tmp_path / "nowhere.csv")
    other = tmp_path / "table.xlsx"
    other.write_text("x")
    with pytest.raises(ValueError, match=r"`real`.*must end in one of .*\.csv"):
        from_files(other, other)
    bad = tmp_path / "bad.json"
    bad.write_text("{")
    with pytest.raises(ValueError, match=r"`metadata`.*no JSON"):
        from_files(REAL, REAL, bad)
    with pytest.raises(FileNotFoundError, match="`metadata`"):
        from_files(REAL, REAL, tmp_path / "nowhere.json")


# --- frames alone -------------------------------------------------------------------------------


@pytest.mark.sdv
def test_sdv_detects_kinds_alike_in_every_dtype() -> None:
    pytest.importorskip("sdv")
    release = from_frames(REAL, placements_synthetic())
    assert release.origin is not None
    assert release.origin.kinds == f"SDV {detection.sdv_version()}"
    assert release.kinds["salary"] is Kind.NUMERICAL
    assert release.kinds["start_date"] is Kind.DATETIME
    assert "student_id" not in release.kinds
    assert any("'student_id'" in note for note in release.notes)
    for form in (REAL.astype(object), REAL.convert_dtypes(), arrow(REAL)):
        assert from_frames(form, placements_synthetic()).kinds == release.kinds
    numbered = REAL.set_axis(range(REAL.shape[1]), axis=1)
    kinds = from_frames(numbered, numbered).kinds
    assert set(kinds) <= set(numbered.columns)
    assert kinds[list(REAL.columns).index("salary")] is Kind.NUMERICAL


@pytest.mark.sdv
def test_what_sdv_cannot_tell_has_the_kind_of_its_values() -> None:
    pytest.importorskip("sdv")
    odd = pd.DataFrame({"wait": pd.to_timedelta(np.arange(60) % 7, "h"), "n": np.arange(60) / 7})
    release = from_frames(odd, odd)
    assert release.kinds == {"wait": Kind.NUMERICAL, "n": Kind.NUMERICAL}
    twins = pd.DataFrame({1: np.arange(60) / 7, "1": ["a", "b"] * 30})
    assert set(from_frames(twins, twins).kinds) == {1, "1"}


def test_without_sdv_the_documented_rules_hold(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(detection, "sdv_version", lambda: None)
    frame = pd.DataFrame(
        {
            "flag": [True, False] * 30,
            "n": np.arange(60) % 3,
            "word": ["a", "b", "c"] * 20,
            "name": [f"person {i}" for i in range(60)],
            "day": pd.date_range("2020-01-01", periods=60),
        }
    )
    release = from_frames(frame, frame)
    assert release.kinds == {
        "flag": Kind.BOOLEAN,
        "n": Kind.NUMERICAL,
        "word": Kind.CATEGORICAL,
        "day": Kind.DATETIME,
    }
    assert release.origin is not None
    assert release.origin.kinds == "values"


# --- several tables -----------------------------------------------------------------------------


def test_a_person_is_one_row_with_all_they_have() -> None:
    real, synthetic, metadata = load_multi_table_demo()
    releases = from_tables(real, synthetic, metadata)
    assert list(releases) == [
        *("users", "sessions", "transactions"),
        *("users with sessions", "sessions with transactions"),
    ]
    person = releases["users with sessions"]
    assert person.unit is None
    assert len(person.real) == len(real["users"])
    owner = real["sessions"].set_index("session_id")["user_id"]
    spent = real["transactions"].assign(user_id=real["transactions"]["session_id"].map(owner))
    for i, user in enumerate(real["users"]["user_id"]):
        own = real["sessions"][real["sessions"]["user_id"] == user]
        row = person.real.iloc[i]
        assert row["sessions: rows"] == len(own)
        assert row["transactions: rows"] == (spent["user_id"] == user).sum()
        bought = spent.loc[spent["user_id"] == user, "amount"]
        if bought.empty:
            assert np.isnan(row["transactions: mean amount"])
        else:
            assert row["transactions: mean amount"] == pytest.approx(bought.mean())
        if own.empty:
            assert pd.isna(row["sessions: most frequent device"])
        else:  # of equally frequent ones the first in order
            assert row["sessions: most frequent device"] == own["device"].mode().iloc[0]
    assert person.kinds["transactions: mean timestamp"] is Kind.DATETIME
    assert person.kinds["transactions: most frequent approved"] is Kind.BOOLEAN


def test_two_ways_to_one_table_are_told_apart() -> None:
    people = pd.DataFrame({"id": ["a", "b", "c"], "age": [1.0, 2.0, 3.0]})
    calls = pd.DataFrame(
        {"from": ["a", "a", "b", None], "to": ["b", "c", "a", "zz"], "n": range(4)}
    )
    keys = [
        {
            "parent_table_name": "people",
            "parent_primary_key": "id",
            "child_table_name": "calls",
            "child_foreign_key": key,
        }
        for key in ("from", "to")
    ]
    metadata = {
        "tables": {
            "people": {
                "columns": {"id": {"sdtype": "id"}, "age": {"sdtype": "numerical"}},
                "primary_key": "id",
            },
            "calls": {
                "columns": {
                    "from": {"sdtype": "id"},
                    "to": {"sdtype": "id"},
                    "n": {"sdtype": "numerical"},
                }
            },
        },
        "relationships": keys,
    }
    tables = {"people": people, "calls": calls}
    person = from_tables(tables, tables, metadata)["people with calls"]
    assert person.real["calls by from: rows"].tolist() == [2, 1, 0]
    assert person.real["calls by to: rows"].tolist() == [1, 1, 1]
    assert person.real["calls by from: mean n"].tolist()[:2] == [0.5, 2.0]
    assert any("1 rows of table 'calls' in `real_data`" in note for note in person.notes)
    twice = {**tables, "people": people.assign(id=["a", "a", "c"])}
    with pytest.raises(ValueError, match="several rows with the same 'id'"):
        from_tables(twice, tables, metadata)


@pytest.mark.parametrize(
    ("parents", "children", "owned"),
    [
        (["1", "2"], [1, 2, 2], [1, 2]),
        ([1, 2], [1.0, 2.0, None], [1, 1]),
        ([1.0, 2.0], ["1", "2.0", "3"], [1, 1]),
        (["01", "1"], ["1", "01", "01"], [2, 1]),
        (["01", "2"], [1, 2, 2], [0, 2]),
        (["a", None], ["a", None, None], [1, 0]),
        ([None, None], ["a", None, None], [0, 0]),
        (["caf\u00e9", "b"], ["cafe\u0301", " b", "b "], [1, 2]),
        ([2**62 + 1, 2**62 + 2], [str(2**62 + 1), str(2**62 + 2), "x"], [1, 1]),
    ],
)
def test_keys_meet_whatever_their_type(
    parents: list[Any], children: list[Any], owned: list[int]
) -> None:
    metadata = {
        "tables": {
            "people": {
                "columns": {"id": {"sdtype": "id"}, "age": {"sdtype": "numerical"}},
                "primary_key": "id",
            },
            "calls": {"columns": {"who": {"sdtype": "id"}, "n": {"sdtype": "numerical"}}},
        },
        "relationships": [
            {
                "parent_table_name": "people",
                "parent_primary_key": "id",
                "child_table_name": "calls",
                "child_foreign_key": "who",
            }
        ],
    }
    tables = {
        "people": pd.DataFrame({"id": pd.Series(parents), "age": [1.0, 2.0]}),
        "calls": pd.DataFrame({"who": pd.Series(children), "n": range(3)}),
    }
    person = from_tables(tables, tables, metadata)["people with calls"]
    assert person.real["calls: rows"].tolist() == owned


def test_a_table_of_keys_alone_still_owns_its_rows() -> None:
    metadata = json.loads(json.dumps(PATIENTS_METADATA))
    metadata["tables"]["patients"]["columns"] = {"patient": {"sdtype": "id"}}
    real = patients(slice(30))
    real["patients"] = real["patients"][["patient"]]
    releases = from_tables(real, real, metadata)
    assert set(releases) == {"measurements", "patients with measurements"}
    whole = releases["patients with measurements"]
    assert whole.columns == [
        "measurements: rows",
        *(f"measurements: mean {measure}" for measure in MEASURES),
        "measurements: most frequent statistic",
    ]


def test_tables_with_replicates_and_holdout_go_through_both_metrics() -> None:
    real, other, holdout = (patients(slice(*cut)) for cut in ((60,), (60, 120), (120, 180)))
    releases = from_tables(real, [other, real], PATIENTS_METADATA, real_validation_data=holdout)
    whole = releases["patients with measurements"]
    assert len(whole.synthetic) == 2
    assert whole.holdout is not None
    figures = both_metrics(whole, "diagnosis")
    assert figures["GenLRA"] == 1.0  # the second replicate is the real table itself
    assert figures["RAPID diagnosis"] > 0.5


# --- sequences ----------------------------------------------------------------------------------


def test_the_unit_of_a_sequence_is_the_sequence() -> None:
    release = from_frames(
        stores(slice(20)),
        stores(slice(40, 60)).assign(store_id=lambda f: "made up " + f["store_id"].astype(str)),
        stores_metadata(),
        real_validation_data=stores(slice(20, 40)),
    )
    assert release.unit == "store_id"
    drawn = release.subsample(25, np.random.default_rng(0))
    assert drawn.real.groupby("store_id", observed=True).size().tolist() == [7, 7, 7]
    one_each = sequence_release(release)
    assert one_each.unit is None
    assert len(one_each.real) == 20
    frame = stores(slice(20))
    by_store = frame.groupby("store_id")
    assert one_each.real.index.tolist() == sorted(frame["store_id"].unique())
    assert one_each.real["rows"].tolist() == [7.0] * 20
    sales = one_each.real["mean total_sales"].to_numpy()
    assert sales == pytest.approx(by_store["total_sales"].mean().to_numpy())
    region = one_each.real["most frequent region"].astype(str).tolist()
    assert region == by_store["region"].first().tolist()
    assert 0.0 <= both_metrics(one_each, "most frequent region")["GenLRA"] <= 1.0
    with pytest.raises(ValueError, match="no unit"):
        sequence_release(one_each)


# --- the hook -----------------------------------------------------------------------------------


def test_the_hook_knows_every_source(tmp_path: Path) -> None:
    real, synthetic, holdout = written(tmp_path, ".csv")
    frame = placements_synthetic()
    by_source: dict[str, dict[str, Release]] = {
        "frame": load_release(frame, REAL, METADATA, HOLDOUT),
        "path": load_release(synthetic, real, METADATA, holdout),
        "list of frames": load_release([frame, frame], REAL, METADATA),
        "list of paths": load_release([str(synthetic)], str(real), METADATA),
        "list of dicts": load_release([{PLACEMENTS: frame}], {PLACEMENTS: REAL}, METADATA),
        "dict": load_release({PLACEMENTS: frame}, {PLACEMENTS: REAL}, METADATA),
    }
    assert {name: list(found) for name, found in by_source.items()} == {
        "frame": ["table"],
        "path": ["table"],
        "list of frames": ["table"],
        "list of paths": ["table"],
        "list of dicts": [PLACEMENTS],
        "dict": [PLACEMENTS],
    }
    assert len(by_source["list of frames"]["table"].synthetic) == 2
    assert by_source["path"]["table"].holdout is not None
    first = by_source["frame"]["table"].real
    for found in by_source.values():
        (release,) = found.values()
        pd.testing.assert_frame_equal(release.real, first)
    demo = load_multi_table_demo()
    assert "users with sessions" in load_release(demo[1], demo[0], demo[2])
    sequences = load_release(stores(slice(5)), stores(slice(5)), stores_metadata())
    assert list(sequences) == ["table", "table by store_id"]
    described = tmp_path / "metadata.json"
    described.write_text(json.dumps(METADATA))
    assert list(load_release(synthetic, real, described)) == ["table"]
    alone = load_release({"a": frame, "b": frame}, {"a": REAL, "b": REAL})
    assert list(alone) == ["a", "b"]


@pytest.mark.parametrize("source", [7, [], [{"age": 1}], [REAL, 7], {"a": 7}, None])
def test_what_no_adapter_knows_is_refused(source: Any) -> None:
    with pytest.raises(TypeError, match=f"`source` is a {type(source).__name__}"):
        load_release(source, REAL, METADATA)


@pytest.mark.slow
def test_a_third_party_brings_its_library_in_under_twenty_lines(
    plugged: Callable[..., None], expected: dict[str, float]
) -> None:
    plugged("list_of_dicts")
    load_release(placements_synthetic(), REAL, METADATA)  # loads the plugins; the box answers
    import list_of_dicts

    assert list_of_dicts.__file__ is not None
    assert len(Path(list_of_dicts.__file__).read_text().splitlines()) < 20
    rows = list_of_dicts.Rows(placements_synthetic().to_dict("records"))
    releases = load_release(rows, REAL, METADATA, HOLDOUT)
    figures = both_metrics(releases["table"], *SENSITIVE)
    assert figures == pytest.approx(expected, rel=0, abs=1e-12)


# --- alignment ----------------------------------------------------------------------------------


def test_the_summary_says_how_the_tables_fit() -> None:
    synthetic = placements_synthetic().assign(gender=lambda f: f["gender"].replace("F", "X"))
    synthetic = synthetic[synthetic.columns[::-1]].convert_dtypes()
    holdout = pd.concat([HOLDOUT, REAL.iloc[:3], HOLDOUT.iloc[:2]], ignore_index=True)
    found = alignment(from_frames(REAL, synthetic, METADATA, real_validation_data=holdout))
    tables, columns = found.tables, found.columns
    assert tables["rows"].tolist() == [150, 215, 70]
    assert tables["same order"].tolist() == [True, False, True]
    assert tables["repeated rows"].tolist() == [0, 0, 2]
    assert columns.loc["gender", "kind"] == "categorical"
    levels = columns.loc["gender", ["levels in both", "only real", "only synthetic"]]
    assert levels.tolist() == [1, 1, 1]
    assert columns.loc["salary", "markers"] == "NA, NaN"
    assert columns.loc["salary", "gaps in real_data"] == REAL["salary"].isna().sum()
    assert columns.loc["salary", "dtype"] == (
        "real_data: float64, synthetic_data: Int64, real_validation_data: float64"
    )
    assert columns.loc["mba_perc", "dtype"].startswith("real_data: float64")
    assert found.overlap is not None
    assert (found.overlap.exact, found.overlap.n_holdout) == (3, 70)
    assert found.kinds == "metadata"
    assert "3 exactly" in str(found)
    json.dumps(found.to_dict())


def test_the_summary_holds_no_values() -> None:
    release = from_frames(REAL, placements_synthetic(), METADATA, real_validation_data=HOLDOUT)
    told = str(alignment(release)) + json.dumps(alignment(release).to_dict())
    texts = REAL.select_dtypes(object).stack().unique()
    assert not [word for word in texts if re.search(rf"\b{re.escape(str(word))}\b", told)]


def test_the_summary_of_sequences_and_of_several_tables() -> None:
    week = stores(slice(5))
    release = from_frames(week, week, stores_metadata())
    assert alignment(release).tables["units"].tolist() == [5, 5]
    person = sequence_release(release)
    assert alignment(person).tables["rows"].tolist() == [5, 5]
    assert "other tables" in str(alignment(person))


# --- what goes wrong elsewhere (traps: missing values, dtypes, columns, shapes) ------------------

TRAPS: dict[str, Callable[[pd.DataFrame], pd.DataFrame]] = {
    "gaps": lambda f: f.mask(np.random.default_rng(0).random(f.shape) < 0.1),
    "mixed markers": lambda f: f.astype(object).assign(
        salary=lambda g: g["salary"].where(g["salary"].notna(), None),
        gender=lambda g: [pd.NA if i % 9 == 0 else v for i, v in enumerate(g["gender"])],
    ),
    "truth as objects": lambda f: f.assign(
        placed=f["placed"].astype(object).mask(f.index % 9 == 0)
    ),
    "numbers as text": lambda f: f.assign(
        experience_years=f["experience_years"].astype(str), mba_perc=f["mba_perc"].astype(str)
    ),
    "infinities": lambda f: f.assign(mba_perc=f["mba_perc"].where(f.index % 9 != 0, np.inf)),
    "constant": lambda f: f.assign(degree_type="Others", high_perc=np.nan),
    "reverse": lambda f: f[f.columns[::-1]],
    "index": lambda f: f.set_axis([f"row {i}" for i in range(len(f))]),
}


@pytest.mark.parametrize("side", ["real", "synthetic", "both"])
@pytest.mark.parametrize("trap", TRAPS)
def test_traps_are_the_same_by_file_and_by_frame(tmp_path: Path, trap: str, side: str) -> None:
    real, synthetic = REAL.reset_index(drop=True), placements_synthetic()
    if side in ("real", "both"):
        real = TRAPS[trap](real)
    if side in ("synthetic", "both"):
        synthetic = TRAPS[trap](synthetic)
    hashes = [pd.util.hash_pandas_object(frame.astype(str)).sum() for frame in (real, synthetic)]
    by_frame = from_frames(real, synthetic, METADATA)
    real.to_csv(tmp_path / "r.csv", index=False)
    synthetic.to_csv(tmp_path / "s.csv", index=False)
    by_file = from_files(tmp_path / "r.csv", tmp_path / "s.csv", METADATA)
    assert by_file.columns == by_frame.columns
    for one, other in zip(by_frame.frames, by_file.frames, strict=True):
        pd.testing.assert_frame_equal(
            one.reset_index(drop=True), other, check_categorical=False, rtol=0, atol=0
        )
    assert hashes == [
        pd.util.hash_pandas_object(frame.astype(str)).sum() for frame in (real, synthetic)
    ]


def test_nothing_warns_on_the_way(tmp_path: Path) -> None:
    real, synthetic, holdout = written(tmp_path, ".csv")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        from_files(real, synthetic, METADATA, real_validation=holdout)
        from_tables(patients(slice(20)), patients(slice(20)), PATIENTS_METADATA)
        sources.load(stores(slice(5)), stores(slice(5)), stores_metadata())
        assert STORES in stores_metadata()["tables"]
