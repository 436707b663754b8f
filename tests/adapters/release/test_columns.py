"""Cells of every dtype: read as their sdtype says, one missing marker, or a plain refusal."""

from __future__ import annotations

import datetime as dt
import warnings
from collections.abc import Sequence
from decimal import Decimal
from enum import Enum
from fractions import Fraction
from typing import Any
from uuid import UUID

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sdmetrics_disclosure.adapters.release.kinds import Kind, infer_kind
from sdmetrics_disclosure.adapters.release.release import Release, build_release

NAN = float("nan")
DAY = 86_400.0
NEW_YEAR_2020 = 50 * 365 * DAY + 12 * DAY  # 1972, 1976, …, 2016: twelve leap years since 1970


def objects(*values: Any) -> pd.Series:
    return pd.Series(list(values), dtype=object)


def arrow(values: Sequence[Any], of: pa.DataType) -> pd.Series:
    return pd.Series(pd.array(list(values), dtype=pd.ArrowDtype(of)))


def read(real: Any, synthetic: Any, sdtype: str, holdout: Any = None, **details: Any) -> Release:
    """The release of one column called "x"; nothing below it may warn."""
    frames = [pd.DataFrame({"x": part}) for part in (real, synthetic)]
    validation = None if holdout is None else pd.DataFrame({"x": holdout})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return build_release(
            *frames,
            {"columns": {"x": {"sdtype": sdtype, **details}}},
            real_validation_data=validation,
        )


def numbers(real: Any, synthetic: Any = (0.0,), sdtype: str = "numerical", **details: Any) -> Any:
    return read(real, list(synthetic), sdtype, **details).real["x"].tolist()


def labels(series: pd.Series) -> list[Any]:
    """Each row's level; None for a gap."""
    return [None if pd.isna(value) else value for value in series.astype(object)]


def categories(release: Release) -> tuple[list[Any], list[Any], list[Any]]:
    """The levels, the real labels, the synthetic labels."""
    real, synthetic = release.real["x"], release.synthetic[0]["x"]
    assert real.dtype == synthetic.dtype
    return list(real.cat.categories), labels(real), labels(synthetic)


def assert_refused(*parts: str, error: type[Exception] = ValueError, **arguments: Any) -> None:
    """The refusal names the column and what else is given."""
    with pytest.raises(error) as refusal:
        read(**arguments)
    for part in ("'x'", *parts):
        assert part in str(refusal.value)


# --- kinds -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        (pd.Series([1, 2]), Kind.NUMERICAL),
        (pd.Series([1.5, None]), Kind.NUMERICAL),
        (objects(1, None, 2.5), Kind.NUMERICAL),
        (objects(Decimal("1.5"), None), Kind.NUMERICAL),
        (pd.Series([1, None], dtype="Int64"), Kind.NUMERICAL),
        (arrow([1, None], pa.int8()), Kind.NUMERICAL),
        (arrow([Decimal("1.5"), None], pa.decimal128(5, 2)), Kind.NUMERICAL),
        (pd.to_timedelta(pd.Series([1, None]), unit="s"), Kind.NUMERICAL),
        (objects(dt.timedelta(seconds=1), None), Kind.NUMERICAL),
        (arrow([dt.timedelta(seconds=1)], pa.duration("us")), Kind.NUMERICAL),
        (pd.Series([True, False]), Kind.BOOLEAN),
        (objects(True, None), Kind.BOOLEAN),
        (pd.Series([True, None], dtype="boolean"), Kind.BOOLEAN),
        (arrow([True, None], pa.bool_()), Kind.BOOLEAN),
        (pd.to_datetime(pd.Series(["2020-01-01"])), Kind.DATETIME),
        (pd.to_datetime(pd.Series(["2020-01-01"]), utc=True), Kind.DATETIME),
        (objects(dt.datetime(2020, 1, 1), None), Kind.DATETIME),
        (objects(dt.date(2020, 1, 1), None), Kind.DATETIME),
        (arrow([dt.date(2020, 1, 1)], pa.date32()), Kind.DATETIME),
        (pd.Series(["a", None]), Kind.CATEGORICAL),
        (pd.Series(["1", "2"]), Kind.CATEGORICAL),
        (pd.Series(["a"], dtype="string[pyarrow]"), Kind.CATEGORICAL),
        (pd.Series([1, 2], dtype="category"), Kind.CATEGORICAL),
        (objects(1, "a"), Kind.CATEGORICAL),
        (pd.Series([1j]), Kind.CATEGORICAL),
    ],
)
def test_kind_comes_from_the_values_when_there_is_no_metadata(
    values: pd.Series, kind: Kind
) -> None:
    assert infer_kind(values) is kind


def test_metadata_decides_over_the_dtype() -> None:
    assert read([3, 1], [1], "categorical").kinds == {"x": Kind.CATEGORICAL}
    assert categories(read([3, 1], [1], "categorical")) == ([1, 3], [3, 1], [1])
    assert numbers(["3", "1.5"], ["1"]) == [3.0, 1.5]
    assert read([0, 1], [1], "boolean").kinds == {"x": Kind.BOOLEAN}
    assert read([0, 1], [1], "ordinal").kinds == {"x": Kind.ORDINAL}


# --- numbers ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "values",
    [
        pd.Series([1.5, NAN, 3.0]),
        objects(1.5, None, 3),
        objects(1.5, pd.NA, 3),
        objects(1.5, pd.NaT, "3"),
        objects("1.5", NAN, " 3 "),
        objects("1.5", "", "3e0"),
        objects("1.5", "nan", "3"),
        objects("1.5", "<NA>", "3"),
        objects(Decimal("1.5"), Decimal("NaN"), 3),
        objects(Fraction(3, 2), None, np.int8(3)),
        pd.Series([1.5, None, 3], dtype="Float64"),
        pd.Series([1.5, None, 3], dtype="float32"),
        pd.Series(["1.5", None, "3"], dtype="string"),
        pd.Series(["1.5", None, "3"], dtype="string[pyarrow]"),
        pd.Series([1.5, None, 3], dtype="category"),
        pd.Series(["1.5", None, "3"], dtype="category"),
        arrow([1.5, None, 3], pa.float64()),
        arrow([Decimal("1.5"), None, 3], pa.decimal128(5, 2)),
        pd.Series(pd.arrays.SparseArray([1.5, NAN, 3.0])),
    ],
    ids=lambda series: f"{series.dtype}",
)
def test_numbers_are_the_same_in_every_dtype(values: pd.Series) -> None:
    np.testing.assert_array_equal(numbers(values), [1.5, NAN, 3.0])


@pytest.mark.parametrize(
    "values",
    [
        pd.Series([1, 0, None], dtype="boolean"),
        arrow([True, False, None], pa.bool_()),
        objects(True, 0, None),
        pd.Series([1, 0, None], dtype="UInt8"),
    ],
)
def test_truth_values_are_one_and_zero_in_a_numerical_column(values: pd.Series) -> None:
    np.testing.assert_array_equal(numbers(values), [1.0, 0.0, NAN])


@pytest.mark.parametrize(
    "values",
    [
        [1.0, np.inf, -np.inf],
        objects("1", "inf", "-Infinity"),
        objects(Decimal(1), Decimal("Infinity"), None),
        pd.Series([1.0, np.inf, None], dtype="Float64"),
        arrow([1.0, np.inf, None], pa.float64()),
    ],
)
def test_infinities_are_missing_and_one_note_names_the_column(values: Any) -> None:
    release = read(values, [np.inf, 2.0], "numerical")
    np.testing.assert_array_equal(release.real["x"], [1.0, NAN, NAN])
    np.testing.assert_array_equal(release.synthetic[0]["x"], [NAN, 2.0])
    assert release.notes == ("Infinities in 'x' count as missing.",)


def test_a_gap_inside_a_nullable_dtype_is_missing_too() -> None:
    zero_by_zero = pd.Series([0.0, 1.0], dtype="Float64") / pd.Series([0.0, 1.0], dtype="Float64")
    np.testing.assert_array_equal(numbers(zero_by_zero), [NAN, 1.0])
    assert categories(read(zero_by_zero, [1], "categorical")) == ([1.0], [None, 1.0], [1.0])


def test_large_whole_numbers_are_exact_or_refused_by_name() -> None:
    assert numbers(objects(2**53, 2**64, 3 * 2**60)) == [2.0**53, 2.0**64, 3 * 2.0**60]
    assert numbers([2**62, -(2**62), 2**63 - 1024]) == [2.0**62, -(2.0**62), 2.0**63 - 1024]
    for odd in (2**53 + 1, -(2**53) - 1, 2**62 + 1, 2**62 - 1):
        nullable = pd.Series([odd, None], dtype="Int64")
        for cells in ([odd], objects(odd), objects(str(odd), 1), nullable, objects(Decimal(odd))):
            assert_refused(
                "`real_data`", "beyond 2**53", real=cells, synthetic=[1], sdtype="numerical"
            )
    for unsigned in (2**63 + 1, 2**64 - 1):
        cells = np.array([unsigned], dtype="u8")
        assert_refused("beyond 2**53", real=cells, synthetic=[1], sdtype="numerical")


@pytest.mark.parametrize("size", [1.1e100, -1e200, 1.7e308])
def test_numbers_near_the_end_of_float64_are_refused_by_name(size: float) -> None:
    for cells in ([size, 1.0], objects(size), objects(str(size))):
        assert_refused(
            "`real_data`", "beyond 1e+100", real=cells, synthetic=[1], sdtype="numerical"
        )
    assert numbers([1e100, -1e100, 1e-320]) == [1e100, -1e100, 1e-320]


@pytest.mark.parametrize(
    ("texts", "values", "said"),
    [
        (["1,5", "2", "-3,25"], [1.5, 2.0, -3.25], "a decimal comma"),
        (["1.234,5", "12", "1.234.567"], [1234.5, 12.0, 1234567.0], "a decimal comma"),
        (["1 234,5", "1\u00a0000,25"], [1234.5, 1000.25], "a decimal comma"),
        (["1,234.5", "7", "1,000,000"], [1234.5, 7.0, 1e6], "a decimal point"),
        (["$1,200.50", "$3", "80"], [1200.5, 3.0, 80.0], "a currency sign"),
        (["3,50 €", "1.000,00 €"], [3.5, 1000.0], "a currency sign"),
        (["EUR 12", "EUR -3"], [12.0, -3.0], "a currency sign"),
        (["12 %", "7.5%"], [0.12, 0.075], "percent"),
        (["1,5", "", None, "nan", "NA"], [1.5, NAN, NAN, NAN, NAN], "a decimal comma"),
    ],
)
def test_text_that_spells_numbers_by_a_convention(
    texts: list[Any], values: list[float], said: str
) -> None:
    release = read(objects(*texts), [1.0], "numerical")
    np.testing.assert_allclose(release.real["x"].to_numpy(), values, rtol=1e-15)
    (note,) = release.notes
    assert said in note
    assert "`real_data`" in note
    assert read([1.0], objects(*texts), "numerical").real["x"].tolist() == [1.0]


def test_one_value_in_twenty_may_be_no_number() -> None:
    release = read(objects(*["1,5"] * 19, "unknown"), [1.0], "numerical")
    assert release.real["x"].isna().sum() == 1
    assert "1 values of `real_data` in 'x' could not be read as numbers" in " ".join(release.notes)
    cells = objects(*["1,5"] * 18, "unknown")
    assert_refused("Convert", real=cells, synthetic=[1], sdtype="numerical")


def test_a_comma_with_two_meanings_is_refused() -> None:
    cells = objects("1,234", "5,678")
    assert_refused("`real_data`", "two ways", real=cells, synthetic=[1], sdtype="numerical")


@pytest.mark.parametrize(
    "durations",
    [
        pd.Series(pd.to_timedelta([1.5, None], unit="s")),
        objects(dt.timedelta(seconds=1.5), None),
        objects(pd.Timedelta("1.5s"), pd.NaT),
        arrow([dt.timedelta(seconds=1.5), None], pa.duration("ms")),
    ],
)
def test_durations_are_seconds(durations: pd.Series) -> None:
    release = read(durations, pd.to_timedelta([2], unit="min"), "numerical")
    np.testing.assert_array_equal(release.real["x"], [1.5, NAN])
    assert release.synthetic[0]["x"].tolist() == [120.0]


def test_durations_and_numbers_have_no_common_unit() -> None:
    assert_refused(
        "durations (timedelta64[",
        "numbers (float64)",
        "`synthetic_data`",
        real=pd.to_timedelta([1], unit="s"),
        synthetic=[1.0],
        sdtype="numerical",
    )


def test_a_table_without_values_may_have_any_dtype() -> None:
    release = read(pd.to_timedelta([1], unit="s"), [NAN], "numerical")
    assert np.isnan(release.synthetic[0]["x"]).all()


@pytest.mark.parametrize(
    "values",
    [
        ["many"],
        ["1_000"],
        ["True"],
        objects(10**400),
        [1 + 2j],
        objects(1 + 2j),
        objects([1]),
        objects(b"1"),
        objects(1, np.timedelta64(1, "s")),
        [dt.date(2020, 1, 1)],
        pd.to_datetime(["2020-01-01"]),
        pd.period_range("2020", periods=1, freq="M"),
        pd.interval_range(0, 1),
    ],
    ids=repr,
)
def test_what_is_no_number_is_refused_by_name(values: Any) -> None:
    dtype = str(pd.Series(values).dtype)
    assert_refused("`real_data`", dtype, "Convert", real=values, synthetic=[1], sdtype="numerical")


# --- datetimes -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "values",
    [
        ["2020-01-01", None],
        ["2020-01-01 00:00:00", None],
        ["2020-01-01T01:00:00+01:00", None],
        ["Jan 1, 2020", None],
        pd.Series(["2020-01-01", None], dtype="string[pyarrow]"),
        pd.Series(["2020-01-01", None], dtype="category"),
        pd.to_datetime(pd.Series(["2020-01-01", None])),
        pd.to_datetime(pd.Series(["2020-01-01", None])).astype("datetime64[s]"),
        pd.to_datetime(pd.Series(["2020-01-01", None])).astype("category"),
        pd.to_datetime(pd.Series(["2020-01-01T01:00", None])).dt.tz_localize("Europe/Berlin"),
        objects(dt.datetime(2020, 1, 1), None),
        objects(dt.date(2020, 1, 1), pd.NaT),
        objects(np.datetime64("2020-01-01"), pd.NA),
        arrow([dt.date(2020, 1, 1), None], pa.date32()),
        arrow([dt.datetime(2020, 1, 1), None], pa.timestamp("us")),
        arrow(
            [dt.datetime(2020, 1, 1, tzinfo=dt.timezone.utc), None],
            pa.timestamp("ns", "Europe/Berlin"),
        ),
    ],
    ids=lambda values: str(pd.Series(values).dtype),
)
def test_datetimes_are_utc_seconds_in_every_dtype(values: Any) -> None:
    seconds = numbers(values, ["2021-01-01"], "datetime")
    np.testing.assert_array_equal(seconds, [NEW_YEAR_2020, NAN])


def test_fractions_and_years_before_1970_count_too() -> None:
    assert numbers(["1969-12-31 23:59:58.5", "1900-01-01"], ["2020"], "datetime") == [
        -1.5,
        -(70 * 365 + 17) * DAY,  # 1904, 1908, …, 1968: seventeen leap years
    ]


@pytest.mark.parametrize(
    ("values", "form"),
    [
        (["01.02.2020"], "%d.%m.%Y"),
        (["02/01/2020"], "%m/%d/%Y"),
        ([20200201], "%Y%m%d"),
        ([20200201.0], "%Y%m%d"),
        (objects(20200201, None)[:1], "%Y%m%d"),
        (pd.Series([20200201], dtype="Int64"), "%Y%m%d"),
        (objects(Decimal(20200201)), "%Y%m%d"),
        ([1022020], "%d%m%Y"),  # a number has no leading zero
        ([200201], "%y%m%d"),
        (["2020-02-01 00:00 +0000"], "%Y-%m-%d %H:%M %z"),
        (pd.to_datetime(["2020-02-01"]), "%d.%m.%Y"),
    ],
)
def test_the_format_is_used(values: Any, form: str) -> None:
    read_back = numbers(values, list(values), "datetime", datetime_format=form)
    assert read_back == [NEW_YEAR_2020 + 31 * DAY]


def test_values_that_do_not_fit_become_missing_and_are_counted_by_table() -> None:
    release = read(
        ["2020-01-01", "soon", "2020-13-01", None],
        ["2020-01-01", "later"],
        "datetime",
        datetime_format="%Y-%m-%d",
    )
    np.testing.assert_array_equal(release.real["x"], [NEW_YEAR_2020, NAN, NAN, NAN])
    assert [note[: note.index(" in")] for note in release.notes] == [
        "2 values of `real_data`",
        "1 values of `synthetic_data`",
    ]
    assert all("'x'" in note for note in release.notes)


@pytest.mark.parametrize("form", [None, "%Y-%m-%d"])
@pytest.mark.parametrize(
    "values",
    [
        ["soon", None],
        pd.to_timedelta([1], unit="s"),
        pd.period_range("2020", periods=1, freq="M"),
        objects([1]),
        [b"2020-01-01"],
        [1j],
    ],
)
def test_nothing_that_parses_is_refused_by_name(values: Any, form: str | None) -> None:
    assert_refused(
        "`real_data`",
        "datetime_format",
        real=values,
        synthetic=["2020-01-01"],
        sdtype="datetime",
        datetime_format=form,
    )


@pytest.mark.parametrize("relative", ["10:30", "10:30:15.5", " 9:05 pm", "now", "Today"], ids=repr)
def test_a_time_of_day_is_no_moment(relative: str) -> None:
    # pandas would make it a moment of the day on which the test runs.
    np.testing.assert_array_equal(
        numbers([relative, "2020-01-01"], ["2020"], "datetime"), [NAN, NEW_YEAR_2020]
    )


def test_day_or_month_first_is_decided_once_for_all_tables() -> None:
    february_first = NEW_YEAR_2020 + 31 * DAY
    day_first = read(["01/02/2020"], ["13/02/2020"], "datetime")
    assert day_first.real["x"].tolist() == [february_first]
    assert day_first.notes == ()
    month_first = read(["02/01/2020"], ["02/13/2020"], "datetime")
    assert month_first.real["x"].tolist() == [february_first]
    assert month_first.notes == ()
    unknown = read(["02/01/2020"], ["02/03/2020"], "datetime")
    assert unknown.real["x"].tolist() == [february_first]
    assert "datetime_format" in unknown.notes[0]
    # A year in front says what the rest is.
    mixed = read(["13/02/2020", "2020/02/01"], ["2020-02-01"], "datetime")
    assert mixed.real["x"].tolist() == [february_first + 12 * DAY, february_first]


def test_day_first_and_month_first_at_once_is_refused() -> None:
    assert_refused(
        "datetime_format", real=["13/02/2020"], synthetic=["02/13/2020"], sdtype="datetime"
    )


def test_numbers_without_a_format_stay_as_they_are() -> None:
    for values in (
        [5, 6],
        [5.0, 6.0],
        objects(5, 6),
        pd.Series([5, 6], dtype="Int64"),
        pd.Series([5, 6], dtype="category"),
    ):
        assert numbers(values, [7], "datetime") == [5.0, 6.0]
    np.testing.assert_array_equal(numbers([5.0, np.inf], [7], "datetime"), [5.0, NAN])


@pytest.mark.parametrize("dates", [["2020-01-01"], pd.to_datetime(["2020-01-01"])])
def test_dates_on_one_side_and_numbers_on_the_other_have_no_common_unit(dates: Any) -> None:
    nanoseconds = [1_577_836_800_000_000_000]
    assert_refused("numbers (int64)", real=dates, synthetic=nanoseconds, sdtype="datetime")
    assert_refused("numbers (int64)", real=nanoseconds, synthetic=dates, sdtype="datetime")


def test_numbers_among_dates_are_no_dates() -> None:
    release = read(objects("2020-01-01", 20200101), ["2020-01-01"], "datetime")
    np.testing.assert_array_equal(release.real["x"], [NEW_YEAR_2020, NAN])
    assert "1 values" in release.notes[0]


@pytest.mark.parametrize(
    "far",
    [
        ["9999-12-31", "2020-01-01"],
        objects(dt.datetime(9999, 12, 31), dt.datetime(2020, 1, 1)),
        pd.Series(np.array(["9999-12-31", "2020-01-01"], dtype="datetime64[s]")),
        arrow([dt.date(9999, 12, 31), dt.date(2020, 1, 1)], pa.date32()),
        arrow([dt.datetime(9999, 12, 31), dt.datetime(2020, 1, 1)], pa.timestamp("us")),
    ],
    ids=lambda values: str(pd.Series(values).dtype),
)
def test_dates_that_stand_for_never_are_missing_in_every_dtype(far: Any) -> None:
    release = read(far, ["2020-01-01"], "datetime")
    np.testing.assert_array_equal(release.real["x"], [NAN, NEW_YEAR_2020])
    assert "1 values of `real_data`" in release.notes[0]


@pytest.mark.parametrize(
    ("values", "form"),
    [
        (["2020-01-01 10:00 EST"], None),  # pandas drops such a zone, with a warning
        (["2020"], "%Q"),
        ([20200101.5], "%Y%m%d"),
        ([np.inf], "%Y%m%d"),
    ],
)
def test_what_pandas_guesses_or_raises_is_a_named_error(values: Any, form: str | None) -> None:
    assert_refused(
        "datetime_format", real=values, synthetic=values, sdtype="datetime", datetime_format=form
    )


def test_a_format_that_is_no_text_is_refused() -> None:
    assert_refused(
        "'datetime_format'",
        "int",
        error=TypeError,
        real=["2020"],
        synthetic=["2020"],
        sdtype="datetime",
        datetime_format=2020,
    )


def test_an_all_missing_datetime_column_is_missing() -> None:
    for gaps in ([None], [NAN], [pd.NaT], pd.array([None], dtype="string")):
        assert np.isnan(numbers(gaps, ["2020-01-01"], "datetime")).all()


# --- categories: one table of levels ---------------------------------------------------------


def test_levels_are_shared_and_sorted() -> None:
    release = read(["b", "a", None], ["c", "b"], "categorical", holdout=["a"])
    assert categories(release) == (["a", "b", "c"], ["b", "a", None], ["c", "b"])
    assert release.holdout is not None
    assert release.holdout["x"].dtype == release.real["x"].dtype


def test_levels_of_the_holdout_alone_come_last_and_are_counted() -> None:
    release = read(["d", "b"], ["c"], "categorical", holdout=["a", "b", "e", "a"])
    assert release.real["x"].cat.categories.tolist() == ["b", "c", "d", "a", "e"]
    assert release.n_holdout_levels == {"x": 2}
    assert labels(release.holdout["x"]) == ["a", "b", "e", "a"]  # type: ignore[index]
    assert read(["b"], ["a"], "categorical").n_holdout_levels == {"x": 0}


def test_declared_levels_are_kept_whoever_declares_them() -> None:
    real = pd.Categorical(["b", None], categories=["c", "b", "a"])
    release = read(real, ["b"], "categorical", holdout=pd.Categorical(["b"], ["b", "z"]))
    assert release.real["x"].cat.categories.tolist() == ["a", "b", "c", "z"]
    assert labels(release.real["x"]) == ["b", None]
    assert release.n_holdout_levels == {"x": 1}


@pytest.mark.parametrize(
    "values",
    [
        objects("a", None, "b"),
        objects("a", NAN, "b"),
        objects("a", pd.NA, "b"),
        objects("a", pd.NaT, "b"),
        objects("a", Decimal("NaN"), "b"),
        pd.Series(["a", None, "b"], dtype="string"),
        pd.Series(["a", None, "b"], dtype="string[pyarrow]"),
        pd.Series(["a", None, "b"], dtype="category"),
        arrow(["a", None, "b"], pa.string()),
        arrow(["a", None, "b"], pa.dictionary(pa.int32(), pa.string())),
        pd.Series(pd.Categorical(["a", None, "b"], ordered=True)),
        objects(np.str_("a"), None, "b"),
    ],
    ids=lambda series: str(series.dtype),
)
def test_text_is_the_same_in_every_dtype(values: pd.Series) -> None:
    assert categories(read(values, ["b", None], "categorical")) == (
        ["a", "b"],
        ["a", None, "b"],
        ["b", None],
    )


def test_all_missing_markers_are_one() -> None:
    values = objects("a", None, NAN, pd.NaT, pd.NA, Decimal("NaN"), np.datetime64("NaT"))
    assert labels(read(values, ["a"], "categorical").real["x"]) == ["a"] + [None] * 6


@pytest.mark.parametrize(
    "values",
    [
        objects(True, None, False),
        pd.Series([True, None, False], dtype="boolean"),
        arrow([True, None, False], pa.bool_()),
        objects("True", None, "FALSE"),
        objects("true", None, "false"),
        objects(np.True_, None, np.False_),
        pd.Series([True, None, False], dtype="category"),
    ],
    ids=repr,
)
@pytest.mark.parametrize("sdtype", ["boolean", "categorical"])
def test_truth_values_have_one_table_of_levels(values: pd.Series, sdtype: str) -> None:
    release = read([True, False], values, sdtype)
    assert categories(release) == ([False, True], [True, False], [True, None, False])


@pytest.mark.parametrize("other", [[1, 0], [1.0, 0.0], ["1", "0"], objects(1, False)])
def test_truth_values_against_one_and_zero(other: Any) -> None:
    assert categories(read([True, False], other, "boolean")) == ([0, 1], [1, 0], [1, 0])


SPELLINGS = [
    [3, 10],
    [3.0, 10.0],
    ["3", "10"],
    ["3.0", "10.0"],
    ["03", "1e1"],
    objects(3, "10"),
    objects("3", 10.0),
    objects(Decimal(3), Fraction(10)),
    pd.Series([3, 10], dtype="Int64"),
    pd.Series([3, 10], dtype="float32"),
    arrow([3, 10], pa.int8()),
    pd.Series(["3", "10"], dtype="string[pyarrow]"),
    pd.Series([3, 10], dtype="category"),
]


@pytest.mark.parametrize("one", SPELLINGS, ids=repr)
@pytest.mark.parametrize("other", SPELLINGS, ids=repr)
@pytest.mark.parametrize("sdtype", ["categorical", "ordinal"])
def test_three_is_three_however_it_is_spelled(one: Any, other: Any, sdtype: str) -> None:
    release = read(one, other, sdtype)
    for frame in (release.real, *release.synthetic):
        assert frame["x"].cat.codes.tolist() == [0, 1]  # 3 before 10, also as text
    assert len(release.real["x"].cat.categories) == 2


def test_text_that_spells_numbers_is_sorted_by_them_and_words_follow() -> None:
    release = read(["b", "10", "9", "-1", "nan", "1_0"], ["a"], "categorical")
    levels = release.real["x"].cat.categories.tolist()
    assert levels == ["-1", "9", "10", "1_0", "a", "b", "nan"]


def test_leading_zeros_are_part_of_text() -> None:
    assert categories(read(["01", "1"], ["1", "01"], "categorical"))[0] == ["01", "1"]
    # One table has lost them, and nothing else is 1 there.
    assert categories(read(["01", "02"], [2, 1], "categorical")) == ([1, 2], [1, 2], [2, 1])
    assert categories(read(["01", "02"], ["2", "01"], "categorical")) == ([1, 2], [1, 2], [2, 1])


def test_numbers_beside_two_spellings_of_one_number_are_refused() -> None:
    assert_refused("`real_data`", real=["01", "1"], synthetic=[1, 2], sdtype="categorical")
    assert_refused("`synthetic_data`", real=[1], synthetic=["1", "1.0"], sdtype="categorical")


def test_words_among_numbers_are_compared_as_text() -> None:
    release = read(objects(3, "x", "y"), ["3.0", "x", "z"], "categorical")
    assert categories(release) == (["3", "x", "y", "z"], ["3", "x", "y"], ["3", "x", "z"])
    truth = read(objects(True, "unknown"), ["true", "unknown"], "categorical")
    assert categories(truth)[1:] == (["True", "unknown"], ["True", "unknown"])


@pytest.mark.parametrize(
    ("one", "other", "parts"),
    [
        ([1, 2], ["a", "b"], ["numbers (", "text ("]),
        ([1, 2], ["1", "x"], ["numbers (", "text ("]),
        ([True, False], ["yes", "no"], ["truth values (", "text ("]),
        (pd.to_datetime(["2020-01-01"]), ["2020-01-01"], ["Timestamp ("]),
        (pd.period_range("2020", periods=1, freq="M"), ["2020-01"], ["Period ("]),
        (pd.cut([1], [0, 2]), ["(0, 2]"], ["Interval ("]),
        ([b"a"], ["a"], ["bytes (", "text ("]),
        ([dt.time(1)], ["01:00:00"], ["time ("]),
        ([UUID(int=1)], [str(UUID(int=1))], ["UUID ("]),
        (objects(True, 2, "x"), ["x"], ["numbers, text, truth values"]),
    ],
)
def test_what_cannot_be_equal_is_refused_never_unseen(
    one: Any, other: Any, parts: list[str]
) -> None:
    assert_refused(*parts, "Convert", real=one, synthetic=other, sdtype="categorical")
    assert_refused(*parts, "Convert", real=other, synthetic=one, sdtype="categorical")


def test_an_empty_side_refuses_nothing() -> None:
    assert categories(read([None, None], [1], "categorical")) == ([1], [None, None], [1])
    assert categories(read([None], [None], "categorical")) == ([], [None], [None])


class Colour(str, Enum):
    RED = "red"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (objects(dt.date(2020, 1, 1)), pd.to_datetime(["2020-01-01"])),
        (objects(dt.datetime(2020, 1, 1)), pd.to_datetime(["2020-01-01"], utc=True)),
        (arrow([dt.date(2020, 1, 1)], pa.date32()), objects(np.datetime64("2020-01-01"))),
        (objects(dt.timedelta(seconds=60)), pd.to_timedelta([1], unit="min")),
        (objects(("a", 1)), objects(("a", 1.0))),
        (objects(Colour.RED), ["red"]),
        (objects(Decimal("0.1")), [0.1]),
        (np.array([0.1], dtype="float32"), ["0.1"]),
        (pd.Series([0.1], dtype="float32").astype("category"), [0.1]),
        (pd.Series([0.1], dtype="Float32"), pd.Series([0.1], dtype="Float64")),
        (np.array([0.1], dtype="float16"), [0.1]),
        ([-0.0], [0]),
        (pd.Series(pd.arrays.SparseArray([2.0])), [2]),
        (objects(UUID(int=1)), objects(UUID(int=1))),
        (
            pd.period_range("2020", periods=1, freq="M"),
            pd.period_range("2020", periods=1, freq="M"),
        ),
    ],
)
def test_equal_values_are_one_level(one: Any, other: Any) -> None:
    release = read(one, other, "categorical")
    assert len(release.real["x"].cat.categories) == 1
    assert release.real["x"].cat.codes.tolist() == release.synthetic[0]["x"].cat.codes.tolist()


def test_intervals_and_dates_are_sorted_by_size_not_by_their_text() -> None:
    release = read(pd.cut([15, 5, 1], [0, 2, 10, 20]), pd.cut([5], [0, 2, 10, 20]), "ordinal")
    assert release.real["x"].cat.codes.tolist() == [2, 1, 0]
    tuples = read(objects((2, "a"), (10, "a")), objects((10, "a")), "categorical")
    assert tuples.real["x"].cat.codes.tolist() == [0, 1]
    incomparable = read(objects((2, "a"), ("b", "a")), objects(("b", "a")), "categorical")
    assert len(incomparable.real["x"].cat.categories) == 2


def test_whole_numbers_beyond_float64_stay_apart() -> None:
    big = 2**53
    release = read([big, big + 1], [big + 1, big], "categorical")
    assert categories(release) == ([big, big + 1], [big, big + 1], [big + 1, big])
    text = read([str(big), str(big + 1)], [big + 1, 1], "categorical")
    assert categories(text)[2] == [big + 1, 1]
    unsigned = np.array([2**64 - 1, 2**63], dtype="uint64")
    assert categories(read(unsigned, unsigned, "categorical"))[0] == [2**63, 2**64 - 1]
    assert categories(read(objects(10**400, 1), [1], "categorical"))[0] == [1, 10**400]


def test_digits_lost_on_the_way_to_float_are_refused() -> None:
    identifier = 2**60 + 1
    assert_refused(
        "`synthetic_data`",
        "2**53",
        real=[identifier, 5],
        synthetic=[float(identifier), NAN],
        sdtype="categorical",
    )
    # What a float holds exactly is not lost.
    assert categories(read([2**60], [2.0**60], "categorical")) == ([2**60], [2**60], [2**60])


def test_infinite_levels_are_missing() -> None:
    values = objects(np.inf, 1.0, Decimal("-Infinity"), np.float32(np.inf))
    release = read(values, pd.Categorical([1.0], categories=[1.0, np.inf]), "categorical")
    assert categories(release) == ([1.0], [None, 1.0, None, None], [1.0])
    assert release.notes == ("Infinities in 'x' count as missing.",)


@pytest.mark.parametrize(
    "values",
    [
        objects(["a"], ["b"]),
        objects({"a": 1}, {}),
        objects({"a"}, {"b"}),
        objects(np.array([1, 2]), np.array([1])),
        objects(("a", ["b"]), ("a", "b")),
        objects(frozenset("ab"), frozenset("a")),
        objects(object(), object()),
        objects(1j, 2j),
        arrow([[1], [2]], pa.list_(pa.int64())),
        arrow([{"a": 1}, {"a": 2}], pa.struct([("a", pa.int64())])),
    ],
    ids=lambda series: f"{series.dtype} {type(series[0]).__name__}",
)
def test_cells_that_cannot_be_compared_are_refused_by_name(values: pd.Series) -> None:
    assert_refused("`real_data`", "Convert", real=values, synthetic=["a"], sdtype="categorical")
    frame = pd.DataFrame({"x": values})
    with pytest.raises(ValueError, match="'x'"):
        build_release(frame, frame)


@pytest.mark.parametrize(
    ("real", "synthetic", "levels"),
    [
        (["Paris", "Rome"], [" Paris", "Rome "], ["Paris", "Rome"]),
        (["caf\u00e9", "x"], ["cafe\u0301", "x"], ["caf\u00e9", "x"]),
        (["a", "a "], ["a"], ["a"]),
        ([" a", "b"], [" a", "b"], [" a", "b"]),
    ],
)
def test_levels_meet_after_blanks_and_unicode(
    real: list[str], synthetic: list[str], levels: list[str]
) -> None:
    release = read(objects(*real), objects(*synthetic), "categorical")
    assert categories(release)[0] == sorted(levels)
    is_changed = real != [" a", "b"]
    assert ["outer blanks" in note for note in release.notes] == [True] * is_changed


@pytest.mark.parametrize("word", ["", "nan", "NaN", "None", "<NA>", "NA", " "])
def test_words_for_gaps_are_gaps_where_the_other_side_has_gaps(word: str) -> None:
    for real, synthetic in ((["a", None, "b"], ["a", word, "b"]), (["a", word, "b"], ["a", None])):
        release = read(objects(*real), objects(*synthetic), "categorical")
        levels, own, others = categories(release)
        assert levels == ["a", "b"]
        assert own == ["a", None, "b"]
        assert others[:2] == ["a", None]
        assert "Words for a gap" in " ".join(release.notes)
    for real, synthetic in ((["a", word], ["a", word]), (["a", word, None], ["a", word, None])):
        assert categories(read(objects(*real), objects(*synthetic), "categorical"))[0] == sorted(
            ["a", word]
        )


def test_numbers_beside_a_word_for_a_gap_meet_numbers_beside_gaps() -> None:
    levels, real, synthetic = categories(
        read([1.0, np.nan, 2.0], objects("1", "nan", "2"), "categorical")
    )
    assert levels == [1, 2]
    assert real == synthetic == [1, None, 2]


def test_odd_text_is_text() -> None:
    odd = ["", "a b", "a", "a\x00b", "\ud800", "\x00", "None", "nan", "inf", "é", "A"]
    levels, real, _ = categories(read(objects(*odd), odd[:1], "categorical"))
    assert levels == sorted(odd)
    assert real == odd


quick = settings(max_examples=50, deadline=None)
cells = st.one_of(
    st.none(),
    st.integers(-(2**60), 2**60),
    st.integers(-3, 3),
    st.sampled_from([0.5, 0.1, -2.0, 1e300, 2.0**53]),
)


@quick
@given(st.lists(cells, min_size=1, max_size=12), st.lists(cells, min_size=1, max_size=12))
def test_levels_are_equal_exactly_where_python_says_so(one: list[Any], other: list[Any]) -> None:
    release = read(objects(*one), objects(*other), "categorical")
    levels, *rows = categories(release)
    assert levels == sorted(set(levels))
    assert rows == [one, other]


@quick
@given(
    st.lists(
        st.none() | st.integers(-(2**53), 2**53) | st.floats(-1e100, 1e100),
        min_size=1,
        max_size=12,
    ),
)
def test_numbers_as_text_are_the_numbers(values: list[float | int | None]) -> None:
    as_text = [None if value is None else str(value) for value in values]
    np.testing.assert_array_equal(numbers(objects(*values)), numbers(objects(*as_text)))


@pytest.mark.parametrize(
    ("values", "sdtype"),
    [
        (objects("planted"), "numerical"),
        (objects("planted", 1), "numerical"),
        (objects("planted"), "datetime"),
        (objects("planted", "planted 2", ["planted"]), "categorical"),
        (objects("planted", True, 7), "categorical"),
    ],
)
def test_no_message_quotes_a_cell(values: pd.Series, sdtype: str) -> None:
    with pytest.raises(ValueError, match="'x'") as refusal:
        read(values, values, sdtype)
    assert "planted" not in str(refusal.value)
