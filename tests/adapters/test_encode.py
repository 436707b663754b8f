"""The encoder: small tables worked out by hand, then what must hold for every table."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sdmetrics_disclosure.adapters.encode import EncodedTable, encode, spread_of
from sdmetrics_disclosure.adapters.release.kinds import Kind
from sdmetrics_disclosure.adapters.release.release import build_release

NAN = float("nan")
KINDS = {"number": Kind.NUMERICAL, "letter": Kind.CATEGORICAL, "grade": Kind.ORDINAL}
LEVELS = {"letter": list("abcd"), "grade": [1, 2, 3]}


def table(number: list[Any], letter: list[Any], grade: list[Any]) -> pd.DataFrame:
    return pd.DataFrame(
        {
            "number": np.array(number, dtype=float),
            "letter": pd.Categorical(letter, categories=LEVELS["letter"]),
            "grade": pd.Categorical(grade, categories=LEVELS["grade"]),
        }
    )


SEEN = table([1.0, 3.0, NAN, 5.0], ["b", "d", "b", None], [3, 3, 1, 3])
OTHER = table([100.0, NAN], ["a", "d"], [2, None])


def encoded(*tables: pd.DataFrame, **options: Any) -> list[EncodedTable]:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        result = encode(list(tables) or [SEEN, OTHER], KINDS, **{"fit_on": [0], **options})
    for part in result:
        assert part.values.dtype == np.float64
        assert part.values.flags.c_contiguous
        assert part.values.shape[1] == len(part.columns) == len(part.is_category)
        assert not np.isinf(part.values).any()
    return result


def test_codes_and_native_gaps() -> None:
    seen, other = encoded()
    # b, d, missing; then 1, 3: what the fitted table has, in order.
    np.testing.assert_array_equal(seen.values, [[1, 0, 1], [3, 1, 1], [NAN, 0, 0], [5, 2, 1]])
    # Neither a, nor 2, nor a missing grade occurs there.
    np.testing.assert_array_equal(other.values, [[100, -1, -1], [NAN, 1, -1]])
    for part in (seen, other):
        assert part.columns == ("number", "letter", "grade")
        assert part.is_category.tolist() == [False, True, False]
        assert part.pooled == ()


def test_one_hot_has_a_column_a_level_and_zeros_for_the_unknown() -> None:
    seen, other = encoded(categories="one_hot", one_hot_weight=0.5)
    assert seen.columns == ("number", "letter", "letter", "letter", "grade")
    assert seen.is_category.tolist() == [False, True, True, True, False]
    np.testing.assert_array_equal(
        seen.values[:, 1:4], [[0.5, 0, 0], [0, 0.5, 0], [0.5, 0, 0], [0, 0, 0.5]]
    )
    np.testing.assert_array_equal(other.values[:, 1:4], [[0, 0, 0], [0, 0.5, 0]])


def test_ordered_classes_can_be_categories() -> None:
    seen, other = encoded(categories="one_hot", ordinal="category")
    assert seen.columns[4:] == ("grade", "grade")
    np.testing.assert_array_equal(seen.values[:, 4:], [[0, 1], [0, 1], [1, 0], [0, 1]])
    np.testing.assert_array_equal(other.values[:, 4:], [[0, 0], [0, 0]])
    assert encoded(ordinal="category")[0].is_category.tolist() == [False, True, True]


def test_a_missing_number_becomes_the_median_and_an_indicator() -> None:
    seen, other = encoded(missing="indicator")
    assert seen.columns == ("number", "number", "letter", "grade")
    assert seen.is_category.tolist() == [False, True, True, False]
    np.testing.assert_array_equal(seen.values[:, :2], [[1, 0], [3, 0], [3, 1], [5, 0]])
    np.testing.assert_array_equal(other.values[:, :2], [[100, 0], [3, 1]])
    # A gap in a table that nobody fits on is enough for the indicator; no gap, no indicator.
    whole = SEEN.assign(number=[1.0, 3.0, 4.0, 5.0])
    assert encoded(whole, OTHER, missing="indicator")[0].columns[:2] == ("number", "number")
    assert encoded(whole, whole, missing="indicator")[0].columns[:2] == ("number", "letter")
    nothing = SEEN.assign(number=NAN)
    np.testing.assert_array_equal(
        encoded(nothing, OTHER, missing="indicator")[1].values[:, :2], [[100, 0], [0, 1]]
    )


def test_scale_is_the_fitted_tables_sample_deviation() -> None:
    seen, other = encoded(scale="sd")
    # 1, 3, 5: deviation 2. Ranks 1, 1, 0, 1: variance (3/4 * 1/4) * 4/3 = 1/4.
    np.testing.assert_allclose(seen.values[:, 0], [0.5, 1.5, NAN, 2.5])
    np.testing.assert_allclose(seen.values[:, 2], [2.0, 2.0, 0.0, 2.0])
    np.testing.assert_allclose(other.values[:, 0], [50.0, NAN])
    np.testing.assert_array_equal(seen.values[:, 1], [0, 1, 0, 2])  # codes are no size
    filled = encoded(scale="sd", missing="indicator")[0]
    np.testing.assert_allclose(filled.values[:, :2], [[0.5, 0], [1.5, 0], [1.5, 1], [2.5, 0]])


@pytest.mark.parametrize(
    ("numbers", "scale"),
    [
        ([7.0, 7.0, 7.0], 1.0),
        ([0.1, 0.1, 0.1], 1.0),  # whose deviation is not exactly 0
        ([7.0, NAN, NAN], 1.0),
        ([NAN, NAN, NAN], 1.0),
        ([0.0, 0.0, 0.0], 1.0),
        ([1e200, 3e200, 5e200], 2e200),  # their squares are beyond float64
        ([1e-200, 3e-200, 5e-200], 2e-200),
        ([1.0, 3.0, 5.0], 2.0),
    ],
)
def test_constant_and_extreme_columns_have_a_scale(numbers: list[float], scale: float) -> None:
    frame = pd.DataFrame({"x": numbers})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        (part,) = encode([frame], {"x": Kind.NUMERICAL}, fit_on=[0], scale="sd")
    np.testing.assert_allclose(part.values[:, 0], np.array(numbers) / scale)


def test_rare_levels_are_pooled_last_and_ties_keep_their_order() -> None:
    letters = pd.Categorical(["d", "d", "a", "b", "c", None], categories=LEVELS["letter"])
    frame = pd.DataFrame({"letter": letters})
    kinds = {"letter": Kind.CATEGORICAL}
    (part,) = encode([frame], kinds, fit_on=[0], max_levels=2)
    # d is the most frequent, a the first of the rest; b, c and missing become one.
    np.testing.assert_array_equal(part.values[:, 0], [1, 1, 0, 2, 2, 2])
    assert part.pooled == ("letter",)
    (hot,) = encode([frame], kinds, fit_on=[0], max_levels=2, categories="one_hot")
    assert hot.columns == ("letter",) * 3
    assert hot.values.sum(axis=0).tolist() == [1, 2, 3]
    (whole,) = encode([frame], kinds, fit_on=[0], max_levels=5)
    assert whole.pooled == ()
    unknown, _ = encode([frame, frame[:3]], kinds, fit_on=[1], max_levels=1)
    np.testing.assert_array_equal(unknown.values[:, 0], [0, 0, 1, -1, -1, -1])


def test_several_fitted_tables_are_pooled() -> None:
    seen, other = encoded(fit_on=[0, 1], missing="indicator")
    assert other.values[:, 0].tolist() == [100.0, 4.0]  # the median of 1, 3, 5, 100
    # a, b, d, missing; 1, 2, 3, missing.
    np.testing.assert_array_equal(seen.values[:, 2:], [[1, 2], [2, 2], [1, 0], [3, 2]])
    np.testing.assert_array_equal(other.values[:, 2:], [[0, 1], [2, 3]])


def test_only_categories_only_numbers_and_no_columns() -> None:
    letters = encode([SEEN], {"letter": Kind.CATEGORICAL}, fit_on=[0])[0]
    assert letters.values.shape == (4, 1)
    numbers = encode([SEEN], {"number": Kind.DATETIME}, fit_on=[0])[0]
    np.testing.assert_array_equal(numbers.values[:, 0], SEEN["number"])
    nothing = encode([SEEN], {}, fit_on=[0])[0]
    assert nothing.values.shape == (4, 0)
    assert nothing.is_category.dtype == np.bool_


def test_tables_are_not_changed() -> None:
    before = SEEN.copy(deep=True)
    seen, _ = encoded(missing="indicator", scale="sd", categories="one_hot")
    seen.values[:] = -1.0
    encoded()[0].values[:] = -1.0
    pd.testing.assert_frame_equal(SEEN, before)


def test_holdout_levels_do_not_move_the_codes_of_others() -> None:
    frame = pd.DataFrame({"x": ["m", "k", "m"], "y": ["p", "q", "p"]})
    holdout = pd.DataFrame({"x": ["a", "k"], "y": ["p", "z"]})
    with_holdout = build_release(frame, frame, real_validation_data=holdout)
    without = build_release(frame, frame)
    for release in (with_holdout, without):
        part = encode(release.frames, release.kinds, fit_on=[1])[0]
        np.testing.assert_array_equal(part.values, [[1, 0], [0, 1], [1, 0]])
    part = encode(with_holdout.frames, with_holdout.kinds, fit_on=[1])[2]
    np.testing.assert_array_equal(part.values, [[-1, 0], [0, -1]])


def test_20_000_levels_stay_linear_in_memory() -> None:
    codes = np.arange(50_000) % 20_000
    dtype = pd.CategoricalDtype([f"level {i:05}" for i in range(20_000)])
    frame = pd.DataFrame({"x": pd.Categorical.from_codes(codes, dtype=dtype)})
    kinds = {"x": Kind.CATEGORICAL}
    (part,) = encode([frame], kinds, fit_on=[0])
    np.testing.assert_array_equal(part.values[:, 0], codes)
    (hot,) = encode([frame], kinds, fit_on=[0], categories="one_hot", max_levels=50)
    assert hot.values.shape == (50_000, 51)
    np.testing.assert_array_equal(hot.values.sum(axis=1), 1.0)


# --- what must hold for every table -----------------------------------------------------------

quick = settings(max_examples=50, deadline=None)
finite = st.floats(-1e6, 1e6, allow_subnormal=False)
rows = st.tuples(
    st.just(NAN) | finite,
    st.none() | st.sampled_from("abcd"),
    st.none() | st.sampled_from([1, 2, 3]),
)
tables = st.lists(rows, min_size=1, max_size=10).map(
    lambda found: table(*(list(column) for column in zip(*found, strict=True)))
)
options = st.fixed_dictionaries(
    {
        "categories": st.sampled_from(["codes", "one_hot"]),
        "missing": st.sampled_from(["native", "indicator"]),
        "scale": st.sampled_from(["none", "sd"]),
        "ordinal": st.sampled_from(["rank", "category"]),
        "max_levels": st.sampled_from([None, 1, 2]),
        "one_hot_weight": st.sampled_from([1.0, math.sqrt(0.5)]),
    }
)


@quick
@given(tables, tables, options)
def test_gaps_remain_only_where_asked_for(
    seen: pd.DataFrame, other: pd.DataFrame, style: dict[str, Any]
) -> None:
    for part, frame in zip(encoded(seen, other, **style), (seen, other), strict=True):
        gaps = np.isnan(part.values)
        if style["missing"] == "indicator":
            assert not gaps.any()
        else:
            np.testing.assert_array_equal(gaps.any(axis=1), frame["number"].isna())
        assert not gaps[:, part.is_category].any()


@pytest.mark.slow
@quick
@given(tables, tables, tables, options)
def test_only_the_fitted_table_decides(
    seen: pd.DataFrame, other: pd.DataFrame, third: pd.DataFrame, style: dict[str, Any]
) -> None:
    # Whether there is an indicator is the one thing that any table decides.
    third = third.assign(number=third["number"].fillna(0.0))
    one = encoded(seen, other, **style)
    two = encoded(seen, other, third, **style)
    for left, right in zip(one, two, strict=False):
        np.testing.assert_array_equal(left.values, right.values)
        assert left.columns == right.columns


@pytest.mark.slow
@quick
@given(tables, tables, options, st.randoms(use_true_random=False))
def test_rows_may_come_in_any_order(
    seen: pd.DataFrame, other: pd.DataFrame, style: dict[str, Any], random: Any
) -> None:
    order = list(range(len(seen)))
    random.shuffle(order)
    plain = encoded(seen, other, **style)
    moved = encoded(seen.iloc[order], other, **style)
    np.testing.assert_allclose(plain[0].values[order], moved[0].values, rtol=1e-12)
    np.testing.assert_allclose(plain[1].values, moved[1].values, rtol=1e-12)


@pytest.mark.slow
@quick
@given(tables, tables, options)
def test_other_names_in_the_same_order_change_nothing(
    seen: pd.DataFrame, other: pd.DataFrame, style: dict[str, Any]
) -> None:
    def renamed(frame: pd.DataFrame) -> pd.DataFrame:
        letter = frame["letter"].cat.rename_categories([10, 20, 30, 40])
        return frame.assign(letter=letter, grade=frame["grade"].cat.rename_categories(list("xyz")))

    plain = encoded(seen, other, **style)
    other_names = encoded(renamed(seen), renamed(other), **style)
    for left, right in zip(plain, other_names, strict=True):
        np.testing.assert_array_equal(left.values, right.values)


@pytest.mark.slow
@quick
@given(tables, tables, options)
def test_levels_that_no_row_has_change_nothing(
    seen: pd.DataFrame, other: pd.DataFrame, style: dict[str, Any]
) -> None:
    def padded(frame: pd.DataFrame) -> pd.DataFrame:
        letter = frame["letter"].cat.set_categories(["A", "a", "aa", "b", "c", "d", "e"])
        return frame.assign(letter=letter)

    plain = encoded(seen, other, **style)
    for left, right in zip(plain, encoded(padded(seen), padded(other), **style), strict=True):
        np.testing.assert_array_equal(left.values, right.values)


@pytest.mark.slow
@quick
@given(tables, tables)
def test_equal_codes_are_equal_levels(seen: pd.DataFrame, other: pd.DataFrame) -> None:
    frames = (seen, other)
    codes = [part.values[:, 1] for part in encoded(*frames)]
    values = [frame["letter"].astype(object).fillna("gap").tolist() for frame in frames]
    known = dict(zip(values[0], codes[0], strict=True))
    assert sorted(known.values()) == list(range(len(known)))
    assert codes[0].tolist() == [known[value] for value in values[0]]
    assert codes[1].tolist() == [known.get(value, -1) for value in values[1]]
    named = sorted(level for level in known if level != "gap")
    assert [known[level] for level in named] == list(range(len(named)))


@quick
@given(tables, tables, options)
def test_one_hot_says_what_the_codes_say(
    seen: pd.DataFrame, other: pd.DataFrame, style: dict[str, Any]
) -> None:
    style = {**style, "missing": "native"}
    by_code = encoded(seen, other, **{**style, "categories": "codes"})
    by_column = encoded(seen, other, **{**style, "categories": "one_hot"})
    for code, hot in zip(by_code, by_column, strict=True):
        block = hot.values[:, [column == "letter" for column in hot.columns]]
        weight = style["one_hot_weight"]
        np.testing.assert_array_equal(
            block, (code.values[:, 1, None] == np.arange(block.shape[1])) * weight
        )


@quick
@given(tables, st.floats(1e-3, 1e3), st.floats(-1e3, 1e3))
def test_scaled_numbers_do_not_know_their_unit(
    seen: pd.DataFrame, factor: float, shift: float
) -> None:
    numbers = seen["number"].to_numpy()
    present = numbers[~np.isnan(numbers)]
    if present.size < 2 or np.ptp(present) < 1e-3:
        return
    plain = encoded(seen, scale="sd")[0].values[:, 0]
    moved = encoded(seen.assign(number=numbers * factor + shift), scale="sd")[0].values[:, 0]
    np.testing.assert_allclose(
        moved - moved[~np.isnan(moved)][0], plain - plain[~np.isnan(plain)][0], atol=1e-4
    )
    assert np.nanstd(plain, ddof=1) == pytest.approx(1.0)


def test_values_far_out_do_not_set_the_scale() -> None:
    rng = np.random.default_rng(0)
    ordinary = pd.DataFrame({"a": rng.normal(size=150), "b": rng.exponential(size=150)})
    kinds = dict.fromkeys("ab", Kind.NUMERICAL)
    plain = encode([ordinary], kinds, fit_on=[0], scale="sd")[0]
    assert plain.far_out == ()
    np.testing.assert_allclose(plain.values, ordinary / ordinary.std(), rtol=1e-14)
    far = ordinary.copy()
    far.iloc[7, 0] = 1e7
    found = encode([far], kinds, fit_on=[0], scale="sd")[0]
    assert found.far_out == ("a",)
    rest = np.delete(found.values[:, 0], 7)
    assert 0.9 < rest.std() < 1.1  # was 1e-6
    np.testing.assert_array_equal(found.values[:, 1], plain.values[:, 1])


def test_a_spread_by_hand() -> None:
    # of 20 values the outermost on each side is cut to the next: eighteen zeros leave no middle
    assert spread_of(np.array([*[0.0] * 19, 1.0]))[1] is False
    values = np.array([-50.0, *np.arange(18.0), 1e6])
    clipped = np.array([0.0, *np.arange(18.0), 17.0])
    assert spread_of(values) == (pytest.approx(clipped.std(ddof=1)), True)
    assert spread_of(values[1:]) == (pytest.approx(values[1:].std(ddof=1)), False)
    assert spread_of(np.array([np.nan, 3.0, 3.0])) == (0.0, False)
