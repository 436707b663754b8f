"""Tables of every form come out in one, or are refused by name; the caller's stay as they are."""

from __future__ import annotations

import datetime as dt
import tracemalloc
import warnings
from collections.abc import Callable, Hashable
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sdmetrics_disclosure.adapters.release.kinds import Kind
from sdmetrics_disclosure.adapters.release.release import Release, build_release, take_columns
from sdmetrics_disclosure.adapters.sources.sources import from_frames

COLUMNS = {
    "age": {"sdtype": "numerical"},
    "town": {"sdtype": "categorical"},
    "member": {"sdtype": "boolean"},
    "grade": {"sdtype": "ordinal"},
    "since": {"sdtype": "datetime", "datetime_format": "%Y-%m-%d"},
}
METADATA: dict[str, Any] = {"columns": COLUMNS}


def people() -> pd.DataFrame:
    return pd.DataFrame(
        {
            "age": [31.0, np.nan, 33.5],
            "town": ["Oslo", "Bergen", None],
            "member": [True, False, True],
            "grade": [2, 1, 3],
            "since": ["2020-01-01", None, "2020-01-03"],
        }
    )


def build(*args: Any, **kwargs: Any) -> Release:
    """Nothing below `build_release` may warn."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return build_release(*args, **kwargs)


def assert_same(one: Release, other: Release) -> None:
    assert one.kinds == other.kinds
    assert one.n_holdout_levels == other.n_holdout_levels
    for left, right in zip(one.frames, other.frames, strict=True):
        pd.testing.assert_frame_equal(left, right, check_exact=True)


def test_canonical_form() -> None:
    index = pd.Index(["u", "u", "w"], name="who")
    release = build(people().set_index(index), people(), METADATA)
    assert list(release.kinds.items()) == [
        ("age", Kind.NUMERICAL),
        ("town", Kind.CATEGORICAL),
        ("member", Kind.BOOLEAN),
        ("grade", Kind.ORDINAL),
        ("since", Kind.DATETIME),
    ]
    assert release.columns == list(release.real.columns) == list(COLUMNS)
    pd.testing.assert_index_equal(release.real.index, index)
    assert release.holdout is None
    assert release.unit is None
    assert release.notes == ()
    for frame in release.frames:
        np.testing.assert_array_equal(frame["age"], [31.0, np.nan, 33.5])
        since = frame["since"] - frame["since"].iloc[0]
        np.testing.assert_array_equal(since, [0.0, np.nan, 172_800.0])
        assert frame["town"].cat.categories.tolist() == ["Bergen", "Oslo"]
        assert frame["town"].cat.codes.tolist() == [1, 0, -1]
        assert frame["member"].cat.codes.tolist() == [1, 0, 1]
        assert frame["grade"].cat.categories.tolist() == [1, 2, 3]
        assert frame["grade"].cat.codes.tolist() == [1, 0, 2]


# --- the same whatever the form ---------------------------------------------------------------

BACKENDS: dict[str, Callable[[pd.DataFrame], Any]] = {
    "nullable": lambda frame: frame.convert_dtypes(),
    "pyarrow": lambda frame: frame.convert_dtypes(dtype_backend="pyarrow"),
    "object": lambda frame: frame.astype(object),
    "None": lambda frame: frame.astype(object).where(frame.notna(), None),
    "category": lambda frame: frame.astype({"town": "category", "grade": "category"}),
    "string": lambda frame: frame.astype({"town": "string"}),
    "string[pyarrow]": lambda frame: frame.astype({"town": "string[pyarrow]"}),
    "float32": lambda frame: frame.astype({"age": "float32"}),
    "text": lambda frame: frame.astype({"age": "string", "grade": "string", "member": "string"}),
    "dates": lambda frame: frame.assign(since=pd.to_datetime(frame["since"])),
    "polars": pl.from_pandas,
    "arrow table": pa.Table.from_pandas,
}


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("side", ["both", "real", "synthetic", "holdout"])
def test_every_dtype_backend_on_every_side(backend: str, side: str) -> None:
    convert = BACKENDS[backend]
    frames = {name: people() for name in ("real", "synthetic", "holdout")}
    expected = build(
        frames["real"], frames["synthetic"], METADATA, real_validation_data=frames["holdout"]
    )
    for name in frames if side == "both" else [side]:
        frames[name] = convert(frames[name])
    release = build(
        frames["real"], frames["synthetic"], METADATA, real_validation_data=frames["holdout"]
    )
    if backend == "text" and side == "both":  # levels that are text in all tables stay text
        assert release.real["grade"].cat.categories.tolist() == ["1", "2", "3"]
        assert release.real["grade"].cat.codes.tolist() == expected.real["grade"].cat.codes.tolist()
        return
    assert_same(release, expected)


@pytest.mark.filterwarnings("ignore:The 'future.infer_string' option")
def test_pandas_3_text_dtype() -> None:
    with pd.option_context("future.infer_string", True):
        release = build(people(), people(), METADATA)
    assert_same(release, build(people(), people(), METADATA))


quick = settings(max_examples=50, deadline=None)
mixed_rows = st.lists(
    st.tuples(
        st.none() | st.integers(-1000, 1000),
        st.none() | st.floats(-1e9, 1e9, width=64),
        st.none() | st.sampled_from(["a", "b", "", "10", "9"]),
        st.none() | st.booleans(),
        st.none() | st.dates(dt.date(1700, 1, 1), dt.date(2200, 1, 1)),
        st.none() | st.integers(0, 5),
    ),
    min_size=1,
    max_size=8,
)
MIXED = {
    "columns": {
        "whole": {"sdtype": "numerical"},
        "real": {"sdtype": "numerical"},
        "text": {"sdtype": "categorical"},
        "truth": {"sdtype": "boolean"},
        "date": {"sdtype": "datetime"},
        "code": {"sdtype": "categorical"},
    }
}
CONVERSIONS: list[Callable[[pd.DataFrame], Any]] = [
    lambda frame: frame,
    lambda frame: frame.infer_objects(),
    lambda frame: frame.convert_dtypes(),
    lambda frame: frame.convert_dtypes(dtype_backend="pyarrow"),
    lambda frame: frame.assign(date=pd.to_datetime(frame["date"])),
    lambda frame: frame.astype({"text": "string", "truth": "boolean", "whole": "Float64"}),
    lambda frame: frame.assign(whole=frame["whole"].map(str), code=frame["code"].astype("Int64")),
    lambda frame: frame.astype({"text": "category", "code": "category", "truth": "category"}),
    pl.from_pandas,
]


@pytest.mark.slow
@quick
@given(mixed_rows, mixed_rows, st.sampled_from(CONVERSIONS), st.sampled_from(CONVERSIONS))
def test_canonical_frames_do_not_depend_on_the_dtype_backend(
    real: list[Any], synthetic: list[Any], one: Callable[..., Any], other: Callable[..., Any]
) -> None:
    names = list(MIXED["columns"])
    frames = [pd.DataFrame(rows, columns=names, dtype=object) for rows in (real, synthetic)]
    assert_same(build(one(frames[0]), other(frames[1]), MIXED), build(*frames, MIXED))


def test_column_order_and_extra_columns_do_not_matter() -> None:
    expected = build(people(), people(), METADATA, real_validation_data=people())
    turned = people()[list(COLUMNS)[::-1]]
    extra = turned.assign(unheard_of=1)
    assert_same(build(turned, extra, METADATA, real_validation_data=extra), expected)
    without = build(people()[["town", "age"]], people())
    assert without.columns == ["town", "age"]  # no metadata: the real frame's order


@pytest.mark.parametrize(
    "index",
    [
        [7, 7, 7],
        ["c", "a", None],
        pd.MultiIndex.from_tuples([(1, "a"), (1, "b"), (0, "a")]),
        pd.date_range("2020", periods=3),
    ],
)
def test_any_row_index_is_kept_and_changes_nothing(index: Any) -> None:
    moved = people().set_index(pd.Index(index))
    release = build(moved, moved, METADATA)
    pd.testing.assert_index_equal(release.synthetic[0].index, moved.index)
    plain = build(people(), people(), METADATA)
    for frame, expected in zip(release.frames, plain.frames, strict=True):
        pd.testing.assert_frame_equal(frame.reset_index(drop=True), expected)


ODD_NAMES: list[list[Hashable]] = [
    ["a b", "quote ' \" `", "new\nline", "dot.ted", "{columns}"],
    [0, 1, 2, 3, -1],
    [("a", 1), ("a", 2), ("b", 1), ("b", 2), ("c", 1)],
    [("a", 1), "a", 1, 1.5, dt.date(2020, 1, 1)],
    ["", " ", "nan", "\x00", "é"],
]


@pytest.mark.parametrize("odd", ODD_NAMES, ids=repr)
def test_odd_column_names(odd: list[Hashable]) -> None:
    renamed = people()
    renamed.columns = pd.Index(odd, tupleize_cols=False)
    metadata = {"columns": dict(zip(odd, COLUMNS.values(), strict=True))}
    release = build(renamed, renamed, metadata)
    assert release.columns == list(release.real.columns) == odd
    assert not isinstance(release.real.columns, pd.MultiIndex)
    plain = build(people(), people(), METADATA)
    for name, odd_name in zip(COLUMNS, odd, strict=True):
        part = take_columns(release.real, [odd_name])
        assert part.iloc[:, 0].equals(plain.real[name])
    backwards = take_columns(release.real, odd[::-1])
    assert list(backwards.columns) == odd[::-1]


def test_multi_index_columns_become_tuples() -> None:
    frame = pd.DataFrame([[1, "x"], [2, "y"]])
    frame.columns = pd.MultiIndex.from_tuples([("a", ""), ("b", "y")])
    release = build(frame, frame)
    assert release.columns == list(release.real.columns) == [("a", ""), ("b", "y")]


# --- metadata and tables in every form --------------------------------------------------------


@pytest.mark.parametrize(
    "metadata",
    [
        METADATA,
        {"tables": {"people": METADATA}},
        {"tables": {"people": METADATA}, "relationships": None},
        SimpleNamespace(to_dict=lambda: METADATA),
        SimpleNamespace(to_dict=lambda: {"tables": {"people": METADATA}}),
    ],
)
@pytest.mark.parametrize("table", [people(), {"people": people()}])
@pytest.mark.parametrize("table_name", [None, "people"])
def test_metadata_and_tables_in_every_form(metadata: Any, table: Any, table_name: Any) -> None:
    release = build(table, table, metadata, table_name, real_validation_data=table)
    assert_same(release, build(people(), people(), METADATA, real_validation_data=people()))


def test_one_of_several_tables_by_name() -> None:
    metadata = {"tables": {"people": METADATA, "b": {"columns": {"x": {"sdtype": "id"}}}}}
    tables = {"b": pd.DataFrame({"x": [1]}), "people": people()}
    release = build(tables, [tables, people()], metadata, "people")
    assert release.columns == list(COLUMNS)
    assert len(release.synthetic) == 2


@pytest.mark.parametrize("argument", ["real_data", "synthetic_data", "real_validation_data"])
def test_several_tables_and_no_name_lists_them(argument: str) -> None:
    tables: dict[str, Any] = dict.fromkeys(
        ["real_data", "synthetic_data", "real_validation_data"], people()
    )
    tables[argument] = {"b": people(), "a": people()}
    with pytest.raises(ValueError, match=rf"`{argument}`.*'a', 'b'.*`table_name`"):
        build(**tables)
    with pytest.raises(ValueError, match=rf"`table_name` is 'c'.*`{argument}`.*'a', 'b'"):
        build(**tables, table_name="c")
    with pytest.raises(ValueError, match=rf"`{argument}` has no tables"):
        build(**{**tables, argument: {}})


def test_several_tables_in_the_metadata_and_no_name_lists_them() -> None:
    metadata = {"tables": {"b": METADATA, "a": METADATA}}
    with pytest.raises(ValueError, match=r"`metadata`.*'a', 'b'.*`table_name`"):
        build(people(), people(), metadata)
    with pytest.raises(ValueError, match=r"'c'.*`metadata`.*'a', 'b'"):
        build(people(), people(), metadata, "c")


@pytest.mark.parametrize(
    ("metadata", "error", "match"),
    [
        (5, TypeError, "`metadata` is a int"),
        ({}, ValueError, "neither 'tables' nor 'columns'"),
        ({"tables": {}}, ValueError, "no tables"),
        ({"tables": ["people"]}, TypeError, "'tables'"),
        ({"tables": {"people": {}}}, ValueError, "'columns' for table 'people'"),
        ({"columns": ["age"]}, TypeError, "'columns'"),
        ({"columns": {"age": "numerical"}}, TypeError, "'columns'"),
        ({"columns": {"age": {"sdtype": ["numerical"]}}}, TypeError, "'columns'"),
        ({"columns": {**COLUMNS, "gone": {"sdtype": "id"}}}, ValueError, "'gone' of the metadata"),
        ({"columns": {"age": {"sdtype": "numerical"}}}, ValueError, "'grade', 'member', 'since'"),
    ],
)
def test_metadata_that_cannot_be_used(metadata: Any, error: type[Exception], match: str) -> None:
    with pytest.raises(error, match=match):
        build(people(), people(), metadata)


@pytest.mark.parametrize(
    ("table", "error", "match"),
    [
        (None, TypeError, "NoneType"),
        (people()["age"], TypeError, "Series"),
        (people().to_numpy(), TypeError, "ndarray"),
        (pl.LazyFrame({"age": [1]}), TypeError, "LazyFrame"),
        (people()[:0], ValueError, "0 rows and 5 columns"),
        (people()[[]], ValueError, "3 rows and 0 columns"),
        (pd.DataFrame(), ValueError, "0 rows and 0 columns"),
        (people()[["age", "town", "age"]], ValueError, "several columns named 'age'"),
        (people().drop(columns=["town", "age"]), ValueError, "no column 'age', 'town'"),
    ],
)
def test_tables_that_cannot_be_used_are_named(
    table: Any, error: type[Exception], match: str
) -> None:
    with pytest.raises(error, match=f"`synthetic_data`.*{match}"):
        build(people(), table, METADATA)
    with pytest.raises(error, match=rf"`synthetic_data\[1\]`.*{match}"):
        build(people(), [people(), table], METADATA)
    if table is not None:
        with pytest.raises(error, match=f"`real_validation_data`.*{match}"):
            build(people(), people(), METADATA, real_validation_data=table)
    if "no column" not in match:
        with pytest.raises(error, match=f"`real_data`.*{match}"):
            build(table, people(), METADATA)


def test_an_empty_list_of_replicates_is_refused() -> None:
    with pytest.raises(ValueError, match="`synthetic_data` is an empty list"):
        build(people(), [], METADATA)


def test_replicates_share_levels() -> None:
    release = build(people(), [people(), people().assign(town="Åros")], METADATA)
    assert [frame["town"].cat.categories.tolist() for frame in release.frames] == [
        ["Bergen", "Oslo", "Åros"]
    ] * 3


def test_from_frames_is_the_same_door() -> None:
    release = from_frames(people(), people(), METADATA, real_validation_data=people())
    assert_same(release, build(people(), people(), METADATA, real_validation_data=people()))


# --- which columns take part ------------------------------------------------------------------


def with_identifiers() -> tuple[pd.DataFrame, dict[str, Any]]:
    frame = people().assign(
        number=[1, 2, 3],
        key=["k1", "k2", "k1"],
        phone=["+1", "+2", "+3"],
        remark=["x", "y", "z"],
        what=[1, 2, 3],
        name=["a", "b", "c"],
        boss=[1, 1, 2],
        code=["p", "q", "r"],
    )
    columns = {
        **COLUMNS,
        "number": {"sdtype": "id"},
        "key": {"sdtype": "categorical"},
        "phone": {"sdtype": "phone_number"},
        "remark": {"sdtype": "text"},
        "what": {"sdtype": "unknown"},
        "name": {"sdtype": "categorical", "pii": True},
        "boss": {"sdtype": "numerical"},
        "code": {},
    }
    metadata = {
        "tables": {
            "people": {"columns": columns, "primary_key": "number", "alternate_keys": ["key"]},
            "firms": {"columns": {"boss": {"sdtype": "id"}}, "primary_key": "boss"},
        },
        "relationships": [
            {
                "parent_table_name": "firms",
                "parent_primary_key": "boss",
                "child_table_name": "people",
                "child_foreign_key": "boss",
            }
        ],
    }
    return frame, metadata


def test_ids_keys_and_personal_data_are_left_out_unless_named() -> None:
    frame, metadata = with_identifiers()
    release = build(frame, people(), metadata, "people")  # the synthetic table needs none of them
    assert release.columns == list(COLUMNS)
    assert release.notes == ()
    left_out = [column for column in frame if column not in COLUMNS]
    named = build(frame, frame, metadata, "people", include_column_names=left_out)
    assert named.columns == list(frame.columns)
    assert named.kinds["boss"] is Kind.NUMERICAL
    assert named.kinds["phone"] is Kind.CATEGORICAL
    (note,) = named.notes
    assert all(repr(column) in note for column in left_out)
    assert "because they were named" in note


@pytest.mark.parametrize("keys", ["number", ["number"], [("number", "key")]])
def test_keys_of_every_form_are_keys(keys: Any) -> None:
    frame = people().assign(number=[1, 2, 3], key=[4, 5, 6])
    columns = {**COLUMNS, "number": {"sdtype": "numerical"}, "key": {"sdtype": "id"}}
    for field in ("primary_key", "alternate_keys", "sequence_key"):
        if field == "sequence_key" and isinstance(keys[0], tuple):
            continue
        release = build(frame, frame, {"columns": columns, field: keys})
        assert release.columns == list(COLUMNS)


def test_nothing_left_to_model_says_what_to_do() -> None:
    metadata = {"columns": {"age": {"sdtype": "id"}, "town": {"sdtype": "text"}}}
    with pytest.raises(ValueError, match=r"No column can be modelled.*name the columns"):
        build(people()[["age", "town"]], people(), metadata)


def test_named_columns_that_are_not_there_are_refused() -> None:
    with pytest.raises(ValueError, match=r"no column 'gone' in the metadata.*'age', 'grade'"):
        build(people(), people(), METADATA, include_column_names=["gone", "age"])
    with pytest.raises(ValueError, match="no column 'gone' in `real_data`"):
        build(people(), people(), include_column_names=["gone"])
    with pytest.raises(TypeError, match="`include_column_names` is text"):
        build(people(), people(), METADATA, include_column_names="age")


def test_without_metadata_text_that_hardly_repeats_is_an_identifier() -> None:
    frame = pd.DataFrame(
        {
            "name": [f"person {i}" for i in range(60)],
            "pair": [f"pair {i // 2}" for i in range(60)],
            "number": range(60),
        }
    )
    release = build(frame, frame)
    assert release.columns == ["pair", "number"]
    assert release.notes == ("'name' look like identifiers and were left out.",)
    named = build(frame, frame, include_column_names=["name"])
    assert named.columns == ["name", "pair", "number"]
    assert named.notes == ()
    assert build(frame[:49], frame).columns == ["name", "pair", "number"]  # too few to tell
    unhashable = pd.DataFrame({"name": [["a"]] * 60})
    with pytest.raises(ValueError, match="'name'"):
        build(unhashable, unhashable)


# --- units ------------------------------------------------------------------------------------


def visits(person: list[Any], **columns: Any) -> pd.DataFrame:
    return pd.DataFrame({"person": person, "value": range(len(person)), **columns})


VISITS: dict[str, Any] = {
    "columns": {"value": {"sdtype": "numerical"}, "person": {"sdtype": "id"}},
    "sequence_key": "person",
}


def test_the_sequence_key_says_whose_row_it_is() -> None:
    release = build(visits([7, 7, 8]), visits([1, 1, 2]), VISITS, real_validation_data=visits([9]))
    assert release.unit == "person"
    assert release.columns == ["value"]
    assert list(release.real.columns) == ["value", "person"]
    assert release.real["person"].tolist() == [7, 7, 8]
    assert release.n_holdout_levels["person"] == 1
    assert build(visits([1]), visits([1]), {**VISITS, "sequence_key": ["person"]}).unit == "person"


def test_a_named_sequence_key_is_a_category_and_still_the_unit() -> None:
    release = build(visits([7, 7, 8]), visits([1]), VISITS, include_column_names=["person"])
    assert release.unit == "person"
    assert release.kinds == {"value": Kind.NUMERICAL, "person": Kind.CATEGORICAL}
    assert list(release.real.columns) == ["value", "person"]
    assert "'person'" in release.notes[0]
    assert len(release.subsample(2, np.random.default_rng(0)).real) <= 2


def test_units_that_cannot_be_told_are_refused() -> None:
    with pytest.raises(ValueError, match="`synthetic_data` has no column 'person'"):
        build(visits([1]), visits([1])[["value"]], VISITS)
    two = {**VISITS, "sequence_key": ["person", "value"]}
    with pytest.raises(ValueError, match=r"'sequence_key'.*'person', 'value'"):
        build(visits([1]), visits([1]), two, include_column_names=["value"])


def test_large_unit_ids_stay_apart() -> None:
    release = build(visits([2**60, 2**60 + 1]), visits([1]), VISITS)
    assert release.real["person"].nunique() == 2


# --- subsampling ------------------------------------------------------------------------------


def test_subsample_by_row() -> None:
    frame = pd.DataFrame({"x": np.arange(100.0)}, index=np.arange(100)[::-1])
    release = build(frame, [frame, frame[:5]], real_validation_data=frame[:30])
    small = release.subsample(10, np.random.default_rng(3))
    assert [len(part) for part in small.frames] == [10, 10, 5, 10]
    for part, whole in zip(small.frames, release.frames, strict=True):
        assert part["x"].is_monotonic_increasing  # their order
        assert part["x"].is_unique
        pd.testing.assert_frame_equal(part, whole.loc[part.index])
    again = release.subsample(10, np.random.default_rng(3))
    assert_same(small, again)
    other = release.subsample(10, np.random.default_rng(4))
    assert not small.real.equals(other.real)
    assert small.kinds == release.kinds
    for num_rows in (None, 100, 1000):
        assert release.subsample(num_rows, np.random.default_rng(3)) is release


def test_subsample_leaves_the_global_state_alone() -> None:
    before = np.random.get_state()[1].copy()
    release = build(visits([1, 1, 2, 3]), visits([1, 2, 3, 4]), VISITS)
    release.subsample(2, np.random.default_rng(0))
    np.testing.assert_array_equal(before, np.random.get_state()[1])


@quick
@given(
    st.lists(st.integers(0, 6), min_size=1, max_size=30),
    st.integers(1, 30),
    st.integers(0, 2**32 - 1),
)
def test_subsample_by_unit_takes_whole_units(persons: list[int], num_rows: int, seed: int) -> None:
    release = build(visits(persons), visits([1]), VISITS)
    drawn = release.subsample(num_rows, np.random.default_rng(seed)).real
    kept = set(drawn["person"])
    expected = [i for i, person in enumerate(persons) if person in kept]
    assert drawn["value"].tolist() == expected
    # Whole units: never more rows than asked for, unless one unit alone has more.
    assert len(drawn) <= num_rows or len(kept) == 1


# --- constants and the caller's frames --------------------------------------------------------


def test_constant_columns() -> None:
    real = pd.DataFrame(
        {
            "same": [1, 1],
            "gaps": [np.nan, np.nan],
            "text": ["a", "a"],
            "differs": [1, 1],
            "gap": ["a", None],
            "varies": [1, 2],
        }
    )
    metadata = {
        "columns": {
            column: {"sdtype": "categorical" if column in ("text", "gap") else "numerical"}
            for column in real
        }
    }
    release = build(real, real.assign(differs=2), metadata, real_validation_data=real)
    assert release.constant_columns() == ["same", "gaps", "text"]
    # Whatever all other tables say: one differing holdout row is enough.
    release = build(real, real, metadata, real_validation_data=real.assign(text="b", gaps=1.0))
    assert release.constant_columns() == ["same", "differs"]


@pytest.mark.parametrize("backend", [*BACKENDS, "plain"])
def test_the_callers_frames_are_not_changed(backend: str) -> None:
    convert = BACKENDS.get(backend, lambda frame: frame)
    index = pd.Index([5, 5, 6], name="who")
    frames = [convert(people().set_index(index)) for _ in range(3)]
    if backend in ("polars", "arrow table"):
        before = [frame.to_pandas() for frame in frames]
    else:
        before = [frame.copy(deep=True) for frame in frames]
    hashes = [pd.util.hash_pandas_object(frame) for frame in before]
    columns = {**METADATA, "columns": {k: dict(v) for k, v in COLUMNS.items()}}
    release = build(frames[0], frames[1], columns, real_validation_data=frames[2])
    release.subsample(1, np.random.default_rng(0))
    release.constant_columns()
    for part in release.frames:  # nor through a view
        part.iloc[:, 0] = -1.0
        part.isetitem(1, part.iloc[:, 1].cat.rename_categories(["x", "y"]))
        part.index.name = "mine"
    for frame, old, old_hash in zip(frames, before, hashes, strict=True):
        now = frame if isinstance(frame, pd.DataFrame) else frame.to_pandas()
        pd.testing.assert_frame_equal(now, old, check_exact=True)
        pd.testing.assert_series_equal(pd.util.hash_pandas_object(now), old_hash)
    assert columns == METADATA


def test_one_note_a_cause_names_all_columns() -> None:
    frame = pd.DataFrame({"b": [np.inf, 1.0], "a": [1.0, -np.inf], "c": [1.0, 2.0]})
    assert build(frame, frame).notes == ("Infinities in 'a', 'b' count as missing.",)


@pytest.mark.slow
def test_20_000_levels_on_50_000_rows_stay_linear_in_memory() -> None:
    position = np.arange(50_000) % 20_000
    frame = pd.DataFrame({"text": [f"level {i}" for i in position], "code": position})
    metadata = {"columns": {column: {"sdtype": "categorical"} for column in frame}}
    tracemalloc.start()
    release = build(frame, frame, metadata)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 100e6  # a column a level would take 8 GB
    for column in frame:
        assert len(release.real[column].cat.categories) == 20_000
    np.testing.assert_array_equal(release.real["code"].cat.codes, position)


def test_a_column_named_none_keeps_its_kind() -> None:
    frame = pd.DataFrame([[1.5, "a"], [2.5, "b"]], columns=pd.Index([None, "town"], dtype=object))
    metadata = {"columns": {None: {"sdtype": "numerical"}, "town": {"sdtype": "categorical"}}}
    assert build(frame, frame, metadata).kinds[None] is Kind.NUMERICAL
