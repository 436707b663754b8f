"""Dask frames: every real record is scored in its partition, with the figures of memory."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import dask
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest

from sdmetrics_disclosure.adapters.release.kinds import Kind
from sdmetrics_disclosure.adapters.release.schema_sample import read_column, schema_sample, stack
from sdmetrics_disclosure.plugins import (
    RAPID,
    TCAP,
    DisclosureReport,
    GenLRA,
    MembershipEnsemble,
    assess,
)
from sdmetrics_disclosure.plugins.base.tables import Tables
from sdmetrics_disclosure.plugins.common.random_state import generator, seed_sequence
from sdmetrics_disclosure.plugins.findings.redaction import (
    redact_frames,
    redact_partitions,
)
from sdmetrics_disclosure.plugins.partitions.release import is_partitioned, open_partitions
from sdmetrics_disclosure.plugins.partitions.sampling import draw_positions
from sdmetrics_disclosure.plugins.rapid import partitions as rapid_partitions
from sdmetrics_disclosure.plugins.rapid.class_scores import ClassScores
from sdmetrics_disclosure.plugins.rapid.plan import NULL_SAMPLE
from tests.helpers.tables import METADATA, PATIENTS, patients, people


def figures(found: dict[str, Any]) -> dict[str, Any]:
    """All but what names the way of working."""
    return {key: value for key, value in found.items() if key not in ("settings", "warnings")}


NUMERICAL, CATEGORICAL = {"sdtype": "numerical"}, {"sdtype": "categorical"}


def in_parts(frame: pd.DataFrame, n: int = 5) -> Any:
    return dd.from_pandas(frame.reset_index(drop=True), npartitions=n)


def with_gaps(frame: pd.DataFrame, start: int) -> pd.DataFrame:
    frame = frame.copy()
    frame.loc[start : start + 25, "wage"] = np.nan
    frame.loc[start + 10 : start + 30, "income"] = None
    frame.loc[start + 20 : start + 40, "age"] = np.nan
    return frame


@pytest.fixture(scope="module")
def tables() -> list[pd.DataFrame]:
    real, synthetic, holdout = (people(900, seed) for seed in range(3))
    real.loc[3, "sex"] = "x"  # a level that no synthetic row has
    holdout.loc[:4, "sex"] = "y"  # and one that only the holdout has
    return [with_gaps(real, 0), with_gaps(synthetic, 100), with_gaps(holdout, 200)]


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("column", ["income", "wage", "sex"])
@pytest.mark.parametrize("attacker", ["boosting", "cart", ["boosting", "forest"]])
def test_rapid_is_that_of_tables_in_memory(
    tables: list[pd.DataFrame], column: str, attacker: Any
) -> None:
    arguments: dict[str, Any] = {"sensitive_column_names": [column], "attacker": attacker}
    real, synthetic, holdout = tables
    replicates = [synthetic, people(900, 9)]
    in_memory = RAPID.compute_breakdown(
        real, replicates, METADATA, real_validation_data=holdout, **arguments
    )
    found = RAPID.compute_breakdown(
        in_parts(real),
        [in_parts(replicates[0], 2), replicates[1]],
        METADATA,
        real_validation_data=in_parts(holdout, 3),
        **arguments,
    )
    assert figures(found) == figures(in_memory)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_gen_lra_is_that_of_tables_in_memory() -> None:
    real, synthetic, holdout = (patients(700, seed) for seed in range(3))
    synthetic = pd.concat([synthetic[:350], real[:350]], ignore_index=True)
    real.loc[5:20, "value_1"] = np.nan
    in_memory = GenLRA.compute_breakdown(real, [synthetic, synthetic[100:]], holdout, PATIENTS)
    found = GenLRA.compute_breakdown(
        in_parts(real), [in_parts(synthetic), synthetic[100:]], in_parts(holdout, 2), PATIENTS
    )
    assert in_memory["score"] > 0.7
    assert {k: v for k, v in found.items() if k != "warnings"} == {
        k: v for k, v in in_memory.items() if k != "warnings"
    }


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_the_number_of_partitions_does_not_matter(tables: list[pd.DataFrame]) -> None:
    real, synthetic, _ = tables
    found = [
        RAPID.compute_breakdown(
            in_parts(real, n), synthetic, METADATA, sensitive_column_names=["income"]
        )
        for n in (1, 4, 20)
    ]
    assert found[0] == found[1] == found[2]


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_an_empty_partition_and_one_of_one_class(tables: list[pd.DataFrame]) -> None:
    real, synthetic, _ = tables
    pieces = [real[real["income"] == "high"], real[:0], real[real["income"] != "high"]]
    in_pieces = dd.concat([in_parts(piece, 1) for piece in pieces])
    for column in ("income", "wage"):
        arguments: dict[str, Any] = {"sensitive_column_names": [column], "n_permutations": 50}
        found = RAPID.compute_breakdown(in_pieces, synthetic, METADATA, **arguments)
        expected = RAPID.compute_breakdown(pd.concat(pieces), synthetic, METADATA, **arguments)
        assert figures(found) == figures(expected)


@pytest.mark.slow
def test_the_null_tells_noise_from_signal() -> None:
    for signal, low, high in ((0.0, 0.05, 1.0), (2.0, 0.0, 0.05)):
        real, synthetic = (people(800, seed, signal) for seed in range(2))
        found = RAPID.compute_breakdown(
            in_parts(real),
            synthetic,
            METADATA,
            sensitive_column_names=["income"],
            known_column_names=["age", "sex"],
            attacker="cart",
        )
        assert low <= found["null"]["p_value"] <= high


@pytest.mark.slow
def test_the_same_seed_gives_the_same_bits(tables: list[pd.DataFrame]) -> None:
    real, synthetic, holdout = tables
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        first, again, other = (
            RAPID.compute_breakdown(
                in_parts(real),
                in_parts(synthetic),
                METADATA,
                real_validation_data=holdout,
                num_rows_subsample=300,
                random_state=seed,
            )
            for seed in (0, 0, 1)
        )
    assert first == again
    assert first != other


@pytest.mark.slow
def test_a_sample_is_said_to_be_one(tables: list[pd.DataFrame]) -> None:
    real, synthetic, _ = tables
    with pytest.warns(UserWarning, match="300 of the 900 synthetic rows were drawn"):
        found = RAPID.compute_breakdown(
            in_parts(real),
            in_parts(synthetic),
            METADATA,
            sensitive_column_names=["income"],
            num_rows_subsample=300,
        )
    assert found["n_records"] == 900, "every real record is scored"
    assert found["settings"]["num_rows_trained"] == [300]


@pytest.mark.slow
def test_dtypes_of_every_kind(tables: list[pd.DataFrame]) -> None:
    rng = np.random.default_rng(0)
    real, synthetic = (
        pd.DataFrame(
            {
                "when": pd.Timestamp("2020-01-01")
                + pd.to_timedelta(rng.integers(0, 900, 400), "D"),
                "paid": rng.random(400) < 0.5,
                "town": pd.Categorical(rng.choice(list("abc"), 400), categories=list("abcd")),
                "rank": rng.integers(1, 5, 400),
            }
        )
        for _ in range(2)
    )
    metadata = {
        "columns": {
            "when": {"sdtype": "datetime"},
            "paid": {"sdtype": "boolean"},
            "town": {"sdtype": "categorical"},
            "rank": {"sdtype": "ordinal"},
        }
    }
    arguments: dict[str, Any] = {"score": "cross_entropy", "attacker": "cart", "n_permutations": 0}
    found = RAPID.compute_breakdown(in_parts(real), in_parts(synthetic), metadata, **arguments)
    expected = RAPID.compute_breakdown(real, synthetic, metadata, **arguments)
    assert found["score"] == expected["score"]
    for column, breakdown in expected["columns"].items():
        assert found["columns"][column]["threshold_curve"] == breakdown["threshold_curve"]


def sample_of_ages(frame: pd.DataFrame) -> pd.DataFrame:
    ages = read_column(frame["age"], "age", "real_data", Kind.NUMERICAL, None)
    return schema_sample(frame, ["town", "age"], {"age": ages})


def test_a_schema_sample_has_every_level() -> None:
    frame = pd.DataFrame(
        {"town": ["z", "b", "z", None, "c", "b"], "age": [9.0, 1.0, 2.0, 3.0, np.nan, 4.0]}
    )
    found = sample_of_ages(frame)
    assert set(found["town"].dropna()) == {"z", "b", "c"}
    assert found["town"].isna().any()
    assert found["age"].dropna().nunique() == 2
    assert found["age"].isna().any()
    assert not {1.0, 9.0} & set(found["age"]), "extreme values are single people's"
    again = sample_of_ages(stack([found, frame]))
    assert set(again["town"].dropna()) == {"z", "b", "c"}


def test_a_schema_sample_has_no_row_of_the_table() -> None:
    frame = patients(300, 0)
    numbers = [c for c, each in PATIENTS["columns"].items() if each["sdtype"] == "numerical"]
    read = {c: read_column(frame[c], c, "real_data", Kind.NUMERICAL, None) for c in numbers}
    found = schema_sample(frame, list(PATIENTS["columns"]), read)
    assert len(found) == 3
    rows = set(frame.itertuples(index=False, name=None))
    assert not rows & set(found.itertuples(index=False, name=None))


@pytest.mark.parametrize(
    "ages",
    [
        pd.Series(["", "3", "", "4", "5"] * 4),
        pd.Series([np.inf, 1.0, 1.0, 2.0, 3.0] * 4),
        pd.Series([np.nan, None, 1, 1, 2] * 4, dtype="Int64"),
    ],
)
def test_a_schema_sample_of_numbers_has_two_numbers_and_a_gap(ages: Any) -> None:
    found = sample_of_ages(pd.DataFrame({"town": list("abcde") * 4, "age": ages}))["age"]
    numbers = read_column(found, "age", "real_data", Kind.NUMERICAL, None)
    assert len(np.unique(numbers[np.isfinite(numbers)])) == 2
    assert np.isnan(numbers).any()


def test_declared_levels_are_declared_and_no_rows() -> None:
    kind = pd.CategoricalDtype([1, 2, 3, 4])
    frames = [pd.Series(codes, dtype=kind).to_frame("town") for codes in ([1, 2], [2, None])]
    found = sample_of_ages(stack([frame.assign(age=1.0) for frame in frames]))
    assert list(found["town"].dtype.categories) == [1, 2, 3, 4]
    assert set(found["town"].dropna()) == {1, 2}


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize(
    ("column", "arguments"),
    [
        ("income", {"score": "conditional"}),
        ("income", {"score": "cross_entropy"}),
        ("wage", {"error": "absolute", "epsilon": 1.0}),
        ("wage", {"error": "stabilized_relative"}),
    ],
)
def test_every_score_of_partitions_is_that_of_memory(
    tables: list[pd.DataFrame], column: str, arguments: dict[str, Any]
) -> None:
    arguments = {**arguments, "sensitive_column_names": [column], "attacker": "cart"}
    found = RAPID.compute_breakdown(in_parts(tables[0]), tables[1], METADATA, **arguments)
    expected = RAPID.compute_breakdown(tables[0], tables[1], METADATA, **arguments)
    assert figures(found) == figures(expected)


def test_who_needs_memory_says_so(tables: list[pd.DataFrame]) -> None:
    with pytest.raises(ValueError, match="needs its tables in memory"):
        TCAP.compute(in_parts(tables[0]), tables[1], METADATA)


def test_membership_that_needs_memory_is_refused() -> None:
    frames = [in_parts(patients(60, seed)) for seed in range(3)]
    with pytest.raises(ValueError, match=r"MembershipEnsemble needs .* in memory"):
        MembershipEnsemble.compute(*frames, PATIENTS)
    with pytest.raises(ValueError, match="kernel='power_law' only"):
        GenLRA.compute(*frames, PATIENTS, kernel="gaussian")
    with pytest.raises(ValueError, match="needs `real_validation_data`"):
        GenLRA.compute(frames[0], frames[1], None, PATIENTS)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_no_record_leaves_its_partition(tables: list[pd.DataFrame]) -> None:
    real, synthetic, holdout = tables
    with pytest.raises(ValueError, match="there are no scores by record"):
        RAPID.compute_records(
            in_parts(real), synthetic, METADATA, sensitive_column_names=["income"]
        )
    with pytest.raises(ValueError, match="no records by the caller's index"):
        GenLRA.compute_records(in_parts(real), synthetic, holdout, METADATA, overlap="keep")
    with pytest.raises(ValueError, match="needs its tables in memory"):
        RAPID.attribution(in_parts(real), synthetic, METADATA, sensitive_column_names=["income"])


@pytest.mark.slow
def test_a_training_row_in_the_holdout_is_found_in_its_partition() -> None:
    real, synthetic, holdout = (patients(300, seed) for seed in range(3))
    mixed = pd.concat([holdout[:280], real[100:120]], ignore_index=True)
    with pytest.raises(ValueError, match="20 rows of `real_validation_data` are also training"):
        GenLRA.compute(in_parts(real), in_parts(synthetic), in_parts(mixed), PATIENTS)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = GenLRA.compute_breakdown(in_parts(real), synthetic, mixed, PATIENTS, overlap="drop")
    assert found["overlap"]["exact"] == 20
    assert found["n_non_members"] == 280


def test_input_that_cannot_be_read_by_parts() -> None:
    frame = people(50, 0)
    by_person = {**METADATA, "sequence_key": "id"}
    del by_person["primary_key"]
    with pytest.raises(ValueError, match="'sequence_key' 'id'"):
        RAPID.compute(in_parts(frame), frame, by_person)
    with pytest.raises(ValueError, match="`real_data` has 0 rows"):
        RAPID.compute(in_parts(frame)[in_parts(frame)["age"] > 200], frame, METADATA)
    dates = pd.DataFrame({"day": ["01/02/2020", "03/04/2021"] * 9, "sex": list("fm") * 9})
    metadata = {"columns": {"day": {"sdtype": "datetime"}, "sex": {"sdtype": "categorical"}}}
    parsed = dates.assign(day=pd.to_datetime(dates["day"]))
    for real, synthetic in ((in_parts(dates), parsed), (in_parts(parsed), dates)):
        with pytest.raises(ValueError, match=r"'day' of .* holds datetimes as text"):
            RAPID.compute(real, synthetic, metadata)
    with pytest.raises(ValueError, match="`metadata` is None"):
        RAPID.compute(in_parts(frame), frame)
    with pytest.raises(ValueError, match="`synthetic_data` is an empty list"):
        RAPID.compute(in_parts(frame), [], METADATA)
    with pytest.raises(ValueError, match="no column 'wage'"):
        RAPID.compute(in_parts(frame), in_parts(frame).drop(columns="wage"), METADATA)


@pytest.mark.slow
def test_infinities_and_lists_are_said_as_in_memory(tables: list[pd.DataFrame]) -> None:
    real, synthetic, _ = tables
    endless = real.assign(wage=real["wage"].where(real.index != 850, np.inf))
    for each in (endless, endless.astype({"wage": str})):
        with pytest.warns(UserWarning, match="Infinities in 'wage' count as missing"):
            RAPID.compute(in_parts(each), synthetic, METADATA, sensitive_column_names=["income"])
    listed = real.assign(sex=[["f"]] * len(real))
    with (
        dask.config.set({"dataframe.convert-string": False}),
        pytest.raises(ValueError, match="Column 'sex' of `real_data` holds values"),
    ):
        RAPID.compute(in_parts(listed), synthetic, METADATA)


def test_who_takes_no_partitions_says_whose_frame_it_is() -> None:
    with pytest.raises(TypeError, match="`real_data` is a dask DataFrame; pass a pandas"):
        assess(lambda frame: frame, in_parts(people(50, 0)), METADATA)


def test_who_is_partitioned() -> None:
    frame = people(9, 0)
    assert is_partitioned(in_parts(frame))
    assert is_partitioned({"people": in_parts(frame)})
    assert is_partitioned([frame, in_parts(frame)])
    assert not is_partitioned([frame, {"people": frame}, None])
    assert not is_partitioned([in_parts(frame)["age"], dask.delayed(frame)])
    with pytest.raises(TypeError, match="`real_data` is a Series"):
        RAPID.compute(in_parts(frame)["age"], frame, METADATA)
    twice = dd.concat([in_parts(frame), in_parts(frame)[["age"]]], axis=1)
    with pytest.raises(ValueError, match="`synthetic_data` has several columns named 'age'"):
        RAPID.compute(in_parts(frame), twice, METADATA)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_the_report_of_partitions(tmp_path: Path) -> None:
    real, synthetic, holdout = (patients(700, seed) for seed in range(3))
    synthetic = pd.concat([synthetic[:350], real[:350]], ignore_index=True)
    arguments: dict[str, Any] = {"sensitive_column_names": ["ward", "value_0"], "verbose": False}
    in_memory, found = DisclosureReport(), DisclosureReport()
    in_memory.generate(real, synthetic, PATIENTS, real_validation_data=holdout, **arguments)
    found.generate(
        in_parts(real),
        in_parts(synthetic),
        PATIENTS,
        real_validation_data=in_parts(holdout),
        **arguments,
    )
    assert found.get_verdict() == in_memory.get_verdict() == "fail"
    for mine, theirs in zip(found.result.columns, in_memory.result.columns, strict=True):
        assert mine.risk == theirs.risk
        assert mine.difference == theirs.difference
        assert mine.class_shares == theirs.class_shares
        assert mine.groups == ()
    by_name = {each.metric: each.auc for each in in_memory.result.memberships}
    assert [each.metric for each in found.result.memberships] == ["GenLRA"]
    assert found.result.memberships[0].auc == by_name["GenLRA"]
    assert not found.result.failures
    assert any("was not run on partitions" in note for note in found.result.notes)
    (table,) = found.result.setting.tables
    assert (table.n_real, table.n_synthetic, table.n_holdout) == (700, (700,), 700)
    assert table.subsample is None
    found.to_html(tmp_path / "report.html")
    assert "ward" in (tmp_path / "report.html").read_text()
    found.save(tmp_path / "report.json")
    assert DisclosureReport.load(tmp_path / "report.json").result == found.result


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_what_nothing_tells_is_noise_also_where_its_null_is_of_a_sample(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(rapid_partitions, "NULL_ROWS", 100)
    p_values = []
    for seed in range(20):
        rng = np.random.default_rng(seed)
        real, synthetic = (
            pd.DataFrame(
                {
                    "age": rng.integers(18, 80, 1000),
                    "wage": rng.normal(50, 9, 1000),
                    "sex": rng.choice(["f", "m"], 1000),
                }
            )
            for _ in range(2)
        )
        metadata = {
            "columns": {"age": NUMERICAL, "wage": NUMERICAL, "sex": {"sdtype": "categorical"}}
        }
        found = RAPID.compute_breakdown(
            in_parts(real, 3),
            synthetic,
            metadata,
            sensitive_column_names=["wage", "sex"],
            known_column_names=["age"],
            attacker="cart",
            tau=0.01,
            n_permutations=99,
            n_bootstrap=0,
        )
        p_values += [each["null"]["p_value"] for each in found["columns"].values()]
    assert np.mean(np.array(p_values) <= 0.05) <= 0.15, "5 % by chance; 20 tables of two columns"


def test_a_null_of_a_sample_is_that_of_the_same_records_in_memory(
    tables: list[pd.DataFrame], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rapid_partitions, "NULL_ROWS", 200)
    real, synthetic, _ = tables
    options = RAPID.make_options(sensitive_column_names=["income"], attacker="cart")
    opened = RAPID.make_partitions(Tables(in_parts(real), synthetic, METADATA), options)
    drawn = draw_positions(opened.n_real, 200, generator(seed_sequence(0), NULL_SAMPLE))
    ends = np.cumsum([0, *opened.n_real])
    positions = np.concatenate([own + end for own, end in zip(drawn, ends[:-1], strict=True)])
    found = RAPID.evaluate_partitions(opened, options).columns["income"]
    release = RAPID.make_release(Tables(real, synthetic, METADATA), options)
    whole = RAPID.evaluate(release, options)
    scores = whole.columns["income"].worst.scores
    assert isinstance(scores, ClassScores)
    assert isinstance(found.worst.permuted, ClassScores)
    assert found.worst.permuted.probability.tolist() == scores.probability[positions].tolist()
    assert found.null is not None
    assert found.excess is not None
    assert found.null.n_records == 200
    assert found.excess.value == found.null.risk - found.null.median
    assert any("200 of the 900 real records" in note for note in found.notes)


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_one_bad_column_leaves_the_others_in_the_report() -> None:
    real, synthetic = (people(300, seed).assign(same="x") for seed in range(2))
    metadata = {"columns": {**METADATA["columns"], "same": {"sdtype": "categorical"}}}
    report = DisclosureReport()
    report.generate(
        in_parts(real),
        synthetic,
        metadata,
        sensitive_column_names=["income", "same"],
        verbose=False,
    )
    assert [found.column for found in report.result.columns] == ["income"]
    (failure,) = [each for each in report.result.failures if each.metric == "RAPID"]
    assert failure.column == "same"
    assert "has one value" in failure.error


def test_what_few_people_share_is_not_quoted() -> None:
    real = pd.DataFrame(
        {"town": ["kuru"] * 3 + ["oslo"] * 97, "wage": [2000.25] * 3 + [1000.5] * 97, "n": 123456}
    )
    metadata = {
        "columns": {
            "town": {"sdtype": "categorical"},
            "wage": {"sdtype": "numerical"},
            "n": {"sdtype": "numerical"},
        }
    }
    tables = open_partitions(
        in_parts(real, 4),
        real,
        metadata,
        None,
        in_parts(real, 2),
        include_column_names=[],
        num_rows=None,
        random_state=0,
    )
    by_parts = redact_partitions([tables], {"town"}, 10)
    in_memory = redact_frames([real], {"town"}, 10)
    for message, said in (
        ("the town is kuru", "the town is …"),
        ("the town is oslo", "the town is oslo"),
        ("they have 2000.25", "they have …"),
        ("they have 1000.5", "they have 1000.5"),
        ("there are 300 of 123456", "there are 300 of 123456"),
    ):
        assert by_parts.notes([message]) == in_memory.notes([message]) == [said]


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_a_named_id_is_what_its_values_are(tables: list[pd.DataFrame]) -> None:
    real, synthetic, _ = (frame.assign(age=frame["age"].astype(object)) for frame in tables)
    metadata = {"columns": {**METADATA["columns"], "age": {"sdtype": "id"}}}
    arguments: dict[str, Any] = {
        "sensitive_column_names": ["income"],
        "known_column_names": ["age", "sex"],
        "n_permutations": 0,
    }
    with dask.config.set({"dataframe.convert-string": False}):
        found = RAPID.compute(in_parts(real), in_parts(synthetic), metadata, **arguments)
    assert found == RAPID.compute(real, synthetic, metadata, **arguments)


def test_what_float64_cannot_hold_is_refused_by_name(tables: list[pd.DataFrame]) -> None:
    real, synthetic, _ = tables
    for wage in (1e200, 2**53 + 1):
        odd = real.assign(wage=pd.Series([*real["wage"][:-1], wage], dtype=object))
        with (
            dask.config.set({"dataframe.convert-string": False}),
            pytest.raises(ValueError, match=r"'wage' of `real_data` .* beyond"),
        ):
            RAPID.compute(in_parts(odd), synthetic, METADATA)


def test_dates_in_objects_that_are_no_text() -> None:
    rng = np.random.default_rng(0)
    real, synthetic = (
        pd.DataFrame(
            {
                "day": (pd.Timestamp(0) + pd.to_timedelta(rng.integers(0, 900, 300), "D")).date,
                "sex": rng.choice(["f", "m"], 300),
            }
        )
        for _ in range(2)
    )
    metadata = {"columns": {"day": {"sdtype": "datetime"}, "sex": {"sdtype": "categorical"}}}
    arguments: dict[str, Any] = {"sensitive_column_names": ["sex"], "n_permutations": 0}
    with dask.config.set({"dataframe.convert-string": False}):
        found = RAPID.compute(in_parts(real), in_parts(synthetic), metadata, **arguments)
    assert found == RAPID.compute(real, synthetic, metadata, **arguments)


def test_a_partition_without_a_column_is_named(tables: list[pd.DataFrame]) -> None:
    real, synthetic, _ = tables
    pieces = [real[:400], real[400:].drop(columns="wage")]
    parts = dd.from_map(lambda i: pieces[i], range(2), meta=real, enforce_metadata=False)
    with pytest.raises(ValueError, match=r"A partition of `real_data` has other columns .*wage"):
        RAPID.compute(parts, synthetic, METADATA)


@pytest.mark.slow
def test_the_global_random_state_is_untouched(tables: list[pd.DataFrame]) -> None:
    real, synthetic, _ = tables
    before = np.random.get_state()[1].tolist()  # type: ignore[index,union-attr]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        RAPID.compute(in_parts(real), synthetic, METADATA, sensitive_column_names=["income"])
    assert np.random.get_state()[1].tolist() == before  # type: ignore[index,union-attr]
