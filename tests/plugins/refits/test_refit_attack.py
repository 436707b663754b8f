"""The refit attack: what it finds, what it must not find, and that it is the same everywhere."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import joblib
import numpy as np
import pandas as pd
import pytest

from sdmetrics_disclosure.plugins.refits.audit import refit_attack
from sdmetrics_disclosure.plugins.refits.result import RefitAudit
from tests.helpers.synthesizers import IgnoresRows, bootstrap, independent_columns
from tests.plugins.refits.tables import ADULT, METADATA, adult, workers

pytestmark = pytest.mark.filterwarnings("ignore:.*records equal another:UserWarning")


def attack(synthesizers: Any, real: pd.DataFrame | None = None, **words: Any) -> RefitAudit:
    return refit_attack(synthesizers, workers() if real is None else real, METADATA, **words)


def quick(synthesizers: Any, real: pd.DataFrame | None = None, **words: Any) -> RefitAudit:
    return attack(synthesizers, real, **{"n_refits": 8, "n_synthetic": 4.0} | words)


def whole(found: RefitAudit, synthesizer: str, group: str = "all") -> pd.Series:
    row: pd.Series = found.summary.set_index(["Synthesizer", "Group"]).loc[(synthesizer, group)]
    return row


@pytest.fixture(scope="module")
def audit() -> RefitAudit:
    source = workers(2000, seed=9)
    return attack(
        {
            "ignores": IgnoresRows(source),
            "independent": independent_columns,
            "bootstrap": bootstrap,
        },
        claimed_epsilon=1.0,
    )


# --- what it says -------------------------------------------------------------------------------


def test_copies_are_found_and_strangers_are_not(audit: RefitAudit) -> None:
    copied, nothing = whole(audit, "bootstrap"), whole(audit, "ignores")
    assert copied["AUC"] > 0.97
    assert copied["Distance AUC"] == pytest.approx(1.0, abs=0.01)
    assert copied["Epsilon"] > 3.0
    assert copied["Claim"] == "refuted"
    assert nothing["AUC"] == pytest.approx(0.5, abs=0.03)
    assert nothing["Epsilon"] == 0.0
    assert nothing["Claim"] == "not refuted"


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_marginals_give_people_away_where_distance_sees_nothing(
    shared_data: Path, seed: int
) -> None:
    real = adult(shared_data, seed)
    kinds = {c: "numerical" if real[c].dtype.kind in "iuf" else "categorical" for c in ADULT}
    metadata = {"columns": {column: {"sdtype": kind} for column, kind in kinds.items()}}
    found = whole(refit_attack(independent_columns, real, metadata), "independent_columns")
    assert found["AUC"] > 0.66
    assert found["Distance AUC"] < 0.56
    assert found["Epsilon"] == pytest.approx(0.89, abs=0.17)


def test_guesses_are_fixed_beforehand(audit: RefitAudit) -> None:
    n_units = audit.settings["n_units"]
    for name in audit.people.scores:
        assert whole(audit, name)["Guesses"] == 18 * round(n_units / 4)
        assert whole(audit, name, "isolated")["Guesses"] == 18 * round(30 / 4)
    assert (audit.summary["Epsilon Level"].dropna() == 0.975).all()
    one = quick(bootstrap, n_isolated=0)
    assert whole(one, "bootstrap")["Epsilon Level"] == 0.95
    assert whole(one, "bootstrap", "isolated")["People"] == 0


def test_the_first_block_is_never_scored(audit: RefitAudit) -> None:
    rows = audit.rows[audit.rows["Synthesizer"] == "bootstrap"]
    assert rows.loc[rows["Block"] == 1, "AUC"].isna().all()
    assert rows.loc[rows["Block"] > 1, "AUC"].notna().all()
    assert list(rows["Block"].value_counts()) == [6, 6, 6, 6]


def test_synthesizers_are_ranked_over_the_same_coins(audit: RefitAudit) -> None:
    ranking = audit.ranking()
    assert list(ranking["Synthesizer"]) == ["ignores", "independent", "bootstrap"]
    last = ranking.iloc[-1]
    by_refit = audit.rows.pivot(index="Refit", columns="Synthesizer", values="AUC")
    difference = (by_refit["bootstrap"] - by_refit["ignores"]).dropna()
    assert last["Difference"] == pytest.approx(difference.mean())
    assert 0.0 < last["Low"] < last["Difference"] < last["High"]
    assert last["Refits"] == 18
    assert list(audit.ranking("isolated")["Rank"]) == [1, 2, 3]


def test_records_name_people_and_exports_do_not(audit: RefitAudit) -> None:
    records = audit.records("bootstrap")
    assert list(records.index) == list(workers().index)
    assert records["Isolated"].sum() == 30
    assert (records["Score Difference"] > 0).mean() > 0.95
    assert (records["Standard Error"] > 0).all()
    exported = audit.to_dict()
    json.dumps(exported)
    assert set(exported) == {"rows", "summary", "settings", "warnings"}
    with pytest.raises(ValueError, match="must be one of 'bootstrap'"):
        audit.records("nobody")


def test_alone_with_a_value_is_read_off_the_table() -> None:
    real = workers()
    real["town"] = "town 0"
    real.loc[7, "town"] = "an island"
    real["wage"] = 10.0
    real["age"] = np.arange(len(real)) % 20
    found = quick(bootstrap, real)
    assert list(found.records().index[found.records()["Alone With A Value"]]) == [7]


# --- the game -----------------------------------------------------------------------------------


class Counts:
    """Keeps what it was fitted on and asked for."""

    def __init__(self) -> None:
        self.fitted: list[pd.DataFrame] = []
        self.asked: set[int] = set()

    def __call__(self, real_data: pd.DataFrame, num_rows: int, random_state: int) -> pd.DataFrame:
        self.fitted.append(real_data)
        self.asked.add(num_rows)
        return bootstrap(real_data, num_rows, random_state)


def test_equal_rows_share_a_coin_and_the_number_of_rows_says_nothing() -> None:
    real = workers(60)
    real = pd.concat([real, real.iloc[:5], real.iloc[:1]], ignore_index=True)
    counts = Counts()
    with pytest.warns(UserWarning, match="6 of 66 records equal another"):
        found = quick({"counts": counts}, real)
    assert found.settings["n_units"] == 60
    assert counts.asked == {round(4.0 * 60 / 2)}
    assert len({len(frame) for frame in counts.fitted}) > 1
    for frame in counts.fitted:
        assert {0, 60, 65} <= set(frame.index) or not {0, 60, 65} & set(frame.index)
    inside = [0 in frame.index for frame in counts.fitted]
    assert any(inside)
    assert not all(inside)


def test_more_units_than_asked_for_are_always_in() -> None:
    counts = Counts()
    with pytest.warns(UserWarning, match="20 of 120 units"):
        found = quick({"counts": counts}, max_units=20)
    assert len(found.records()) == 20
    others = set(workers().index) - set(found.records().index)
    assert all(others <= set(frame.index) for frame in counts.fitted)


def repeated(real_data: pd.DataFrame) -> pd.DataFrame:
    return real_data.sample(frac=1.0, replace=True, random_state=np.random.randint(1000))


def test_a_function_without_a_number_is_asked_until_there_are_enough_rows() -> None:
    assert whole(quick(repeated), "repeated")["AUC"] > 0.9


def broken(real_data: pd.DataFrame, num_rows: int, random_state: int) -> pd.DataFrame:
    if 0 in real_data.index:
        raise RuntimeError(f"cannot cope with {real_data['wage'].iloc[0]}")
    return bootstrap(real_data, num_rows, random_state)


def test_failures_are_counted_and_make_no_guesses() -> None:
    found = attack(broken, n_synthetic=4.0)
    row = whole(found, "broken")
    failed = found.rows["Error"].notna()
    assert 0 < failed.sum() < 24
    assert row["Refits Run"] == 24 - failed.sum()
    scored = (found.rows["Block"] > 1) & ~failed
    assert row["Guesses"] == scored.sum() * round(found.settings["n_units"] / 4)
    errors = {each["Error"] for each in found.to_dict()["rows"]}
    assert errors == {None, "RuntimeError"}


def test_what_never_runs_has_no_bound() -> None:
    def refuses(real_data: pd.DataFrame, num_rows: int) -> pd.DataFrame:
        raise ValueError("no")

    row = whole(quick(refuses), "refuses")
    assert np.isnan(row["AUC"])
    assert np.isnan(row["Epsilon"])
    assert row["Refits Run"] == 0


# --- the same everywhere ------------------------------------------------------------------------


def figures(found: RefitAudit) -> list[dict[str, Any]]:
    timeless = found.summary.drop(columns="Seconds a Fit").astype(object)
    return list(timeless.where(timeless.notna(), None).to_dict("records"))


@pytest.fixture(scope="module")
def alone() -> list[dict[str, Any]]:
    return figures(quick({"independent": independent_columns}))


@pytest.mark.slow
@pytest.mark.parametrize(("backend", "n_jobs"), [("threading", 2), ("loky", 2), ("sequential", 1)])
def test_the_same_figures_on_every_backend(
    alone: list[dict[str, Any]], backend: str, n_jobs: int
) -> None:
    with joblib.parallel_config(backend, n_jobs=n_jobs):
        assert figures(quick({"independent": independent_columns})) == alone


def test_a_stopped_run_goes_on_where_it_was(alone: list[dict[str, Any]], tmp_path: Path) -> None:
    counts = Counts()

    def stops(real_data: pd.DataFrame, num_rows: int, random_state: int) -> pd.DataFrame:
        if len(counts.fitted) == 5:
            raise KeyboardInterrupt
        counts(real_data, num_rows, random_state)
        return independent_columns(real_data, num_rows, random_state)

    with pytest.raises(KeyboardInterrupt):
        quick({"independent": stops}, checkpoint=tmp_path)
    stored = list(tmp_path.iterdir())
    assert len(stored) == 5
    counts.fitted.append(workers())  # past the stop
    assert figures(quick({"independent": stops}, checkpoint=tmp_path)) == alone
    assert len(counts.fitted) == 5 + 1 + 3
    for path in stored:
        with np.load(path, allow_pickle=False) as kept:
            assert set(kept) == {"values", "seconds"}
            assert kept["values"].dtype == np.float64


def test_another_table_or_seed_does_not_go_on_there(tmp_path: Path) -> None:
    quick({"bootstrap": bootstrap}, checkpoint=tmp_path)
    quick({"bootstrap": bootstrap}, checkpoint=tmp_path, random_state=1)
    quick({"bootstrap": bootstrap}, workers(seed=5), checkpoint=tmp_path)
    assert len(list(tmp_path.iterdir())) == 24
    with pytest.raises(ValueError, match="`checkpoint` needs a whole number"):
        quick(bootstrap, checkpoint=tmp_path, random_state=None)


def test_progress_goes_to_stderr(capsys: pytest.CaptureFixture[str]) -> None:
    quick(bootstrap)
    assert capsys.readouterr() == ("", "")
    quick(bootstrap, verbose=True)
    out, err = capsys.readouterr()
    assert out == ""
    assert "8/8" in err


def test_the_callers_frame_and_the_global_state_stay() -> None:
    real = workers()
    before, state = real.copy(), np.random.get_state()[1].copy()
    quick(repeated, real)
    pd.testing.assert_frame_equal(real, before)
    np.testing.assert_array_equal(np.random.get_state()[1], state)


# --- input --------------------------------------------------------------------------------------


def test_gaps_and_strange_names() -> None:
    real = workers().astype({"age": float})
    real.loc[::7, "age"] = np.nan
    real.loc[::11, "town"] = None
    found = quick({"bootstrap": bootstrap}, real)
    assert whole(found, "bootstrap")["AUC"] > 0.9
    renamed = real.rename(columns={"age": ("a", 1), "town": "to wn"})
    metadata = {
        "columns": {
            {"age": ("a", 1), "town": "to wn"}.get(c, c): d for c, d in METADATA["columns"].items()
        }
    }
    other = refit_attack({"bootstrap": bootstrap}, renamed, metadata, n_refits=8, n_synthetic=4.0)
    assert figures(other) == figures(found)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ({"n_refits": 7}, "`n_refits` is 7"),
        ({"guess_share": 1.0}, "`guess_share` is 1.0"),
        ({"n_synthetic": 0.0}, "`n_synthetic` is 0.0"),
        ({"claimed_epsilon": -1.0}, "`claimed_epsilon` is -1.0"),
        ({"delta": 2.0}, "`delta` is 2.0"),
    ],
)
def test_options_out_of_range(words: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        attack(bootstrap, **words)


def test_too_few_people() -> None:
    with pytest.raises(ValueError, match="7 different rows"):
        attack(bootstrap, workers(7))


# --- sequences ----------------------------------------------------------------------------------


def visits(n_patients: int = 40) -> tuple[pd.DataFrame, dict[str, Any]]:
    rng = np.random.default_rng(0)
    owners = np.repeat(np.arange(n_patients), rng.integers(1, 6, n_patients))
    rows = workers(len(owners)).assign(patient=owners)
    columns = {**METADATA["columns"], "patient": {"sdtype": "id"}}
    return rows, {"columns": columns, "sequence_key": "patient"}


def whole_patients(real_data: pd.DataFrame, num_rows: int, random_state: int) -> pd.DataFrame:
    rng = np.random.default_rng(random_state)
    drawn = rng.choice(real_data["patient"].unique(), num_rows)
    parts = [
        real_data[real_data["patient"] == owner].assign(patient=i) for i, owner in enumerate(drawn)
    ]
    return pd.concat(parts, ignore_index=True)


@pytest.mark.slow
def test_a_sequence_is_one_unit() -> None:
    real, metadata = visits()
    words = {"n_refits": 8, "n_synthetic": 4.0, "n_isolated": 5}
    found = refit_attack(whole_patients, real, metadata, **words)
    assert found.settings["n_units"] == 40
    assert whole(found, "whole_patients")["AUC"] > 0.9
    refused = refit_attack(repeated, real, metadata, **words)
    assert refused.rows["Error"].str.contains("needs the argument `num_rows`").all()
