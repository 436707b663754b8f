"""Values that do not meet, and figures that do not depend on how tables are laid out."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest

from sdmetrics_disclosure.adapters.release.values import form_in_words
from sdmetrics_disclosure.plugins.base.tables import Tables
from sdmetrics_disclosure.plugins.common.random_state import named_child
from sdmetrics_disclosure.plugins.rapid.metric import RAPID
from sdmetrics_disclosure.plugins.rapid.result import ColumnResult
from tests.helpers.tables import METADATA, people

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")
CATEGORICAL = {"sdtype": "categorical"}


def attack(
    real: pd.DataFrame, synthetic: pd.DataFrame, metadata: Any, column: str, **options: Any
) -> ColumnResult:
    checked = RAPID.make_options(
        sensitive_column_names=[column], n_bootstrap=0, n_permutations=0, **options
    )
    tables = Tables(real, synthetic, metadata)
    return RAPID.evaluate(RAPID.make_release(tables, checked), checked).columns[column]


def priced(n: int, seed: int) -> pd.DataFrame:
    """A shop and the price that it asks, written with a point."""
    shop = np.random.default_rng(seed).choice(list("abcd"), n)
    return pd.DataFrame({"shop": shop, "price": [f"{ord(s)}.5" for s in shop]})


def with_commas(frame: pd.DataFrame) -> pd.DataFrame:
    return frame.assign(price=frame["price"].str.replace(".", ",", regex=False))


@pytest.mark.slow
@pytest.mark.parametrize("column", ["price", "shop"])
def test_decimal_commas_on_one_side_do_not_meet(column: str) -> None:
    real, synthetic = priced(200, 0), priced(200, 1)
    metadata = {"columns": {"shop": CATEGORICAL, "price": CATEGORICAL}}
    assert attack(real, synthetic, metadata, column).values_meet
    found = attack(real, with_commas(synthetic), metadata, column)
    assert not found.values_meet
    assert found.breakdown()["values_meet"] is False
    assert found.n_unseen == 200
    (note,) = [note for note in found.notes if "do not meet" in note]
    assert "'price' (digits with a point in `real_data`, digits with a comma" in note
    assert "97" not in note


def test_decimal_commas_of_a_number_are_read() -> None:
    real, synthetic = priced(200, 0), with_commas(priced(200, 1))
    metadata = {"columns": {"shop": CATEGORICAL, "price": {"sdtype": "numerical"}}}
    found = attack(real, synthetic, metadata, "price")
    assert found.values_meet
    assert found.score == 1.0, "the shop tells the price"


@pytest.mark.parametrize(("n_odd", "meets"), [(100, True), (101, False)])
def test_half_of_the_records_may_be_unseen(n_odd: int, meets: bool) -> None:
    real, synthetic = priced(200, 0), priced(200, 1)
    real.loc[: n_odd - 1, "shop"] = "z"
    metadata = {"columns": {"shop": CATEGORICAL, "price": CATEGORICAL}}
    assert attack(real, synthetic, metadata, "price").values_meet is meets


@pytest.mark.slow
def test_partitions_say_so_too() -> None:
    real, synthetic = priced(200, 0), with_commas(priced(200, 1))
    metadata = {"columns": {"shop": CATEGORICAL, "price": CATEGORICAL}}
    options = RAPID.make_options(sensitive_column_names=["price"], n_permutations=0)
    tables = Tables(dd.from_pandas(real, npartitions=3), synthetic, metadata)
    opened = RAPID.make_partitions(tables, options)
    found = RAPID.evaluate_partitions(opened, options).columns["price"]
    expected = attack(real, synthetic, metadata, "price")
    assert not found.values_meet
    assert found.notes == expected.notes


@pytest.mark.parametrize(
    ("value", "form"),
    [
        ("12,5", "digits with a comma"),
        ("A-17", "letters and digits with a hyphen"),
        ("caf\u00e9 noir", "letters with a blank"),
        ("", "no letters or digits"),
        ("?#", "no letters or digits with other signs"),
        (1.5, "numbers"),
        (True, "truth values"),
    ],
)
def test_a_form_holds_no_value(value: Any, form: str) -> None:
    assert form_in_words(value) == form


def test_a_code_of_62_bits_is_refused_and_a_category_is_exact() -> None:
    rng = np.random.default_rng(0)
    codes = 2**62 + rng.integers(0, 4, 400)
    frame = pd.DataFrame({"code": codes, "ill": np.where(codes % 2, "yes", "no")})
    number = {"columns": {"code": {"sdtype": "numerical"}, "ill": CATEGORICAL}}
    with pytest.raises(ValueError, match=r"'code' of `real_data` .* beyond 2\*\*53"):
        attack(frame, frame, number, "ill")
    category = {"columns": {"code": CATEGORICAL, "ill": CATEGORICAL}}
    assert attack(frame, frame, category, "ill").score == 1.0


def layouts(frames: list[pd.DataFrame]) -> Iterator[tuple[list[pd.DataFrame], Any]]:
    """The same tables: rows, then columns in another order, then with a column of one value."""
    yield [frame.sample(frac=1, random_state=i) for i, frame in enumerate(frames)], METADATA
    columns = METADATA["columns"]
    yield frames, {**METADATA, "columns": dict(reversed(columns.items()))}
    constant = {**METADATA, "columns": {"a": CATEGORICAL, **columns}}
    yield [frame.assign(a="same") for frame in frames], constant


@pytest.mark.slow
@pytest.mark.parametrize("column", ["income", "wage"])
@pytest.mark.parametrize("attacker", ["boosting", "forest", "cart", ["cart", "boosting"]])
def test_figures_do_not_depend_on_the_layout(column: str, attacker: Any) -> None:
    frames = [people(400, seed) for seed in range(3)]
    frames[1].loc[:30, "age"] = np.nan

    def figures(real: pd.DataFrame, synthetic: pd.DataFrame, holdout: Any, metadata: Any) -> Any:
        found = RAPID.compute_breakdown(
            real,
            synthetic,
            metadata,
            real_validation_data=holdout,
            sensitive_column_names=[column],
            attacker=attacker,
            n_permutations=50,
            n_bootstrap=50,
        )
        left_out = ("settings", "warnings", "known_column_names", "attackers")
        quality = found["attackers"]
        return {key: value for key, value in found.items() if key not in left_out}, quality

    expected, quality = figures(*frames, METADATA)
    for others, metadata in layouts(frames):
        found, its_quality = figures(*others, metadata)
        assert found == expected
        for name, each in quality.items():  # sums are rounded in the order of the rows
            assert its_quality[name] == pytest.approx(each, rel=1e-12)


def test_seeds_are_told_apart_by_name_and_type() -> None:
    seeds = np.random.SeedSequence(0)
    names = [1, "1", "a", ("a", 1), "('a', 1)", 1.5, "\ud800"]
    made = {named_child(seeds, name).spawn_key for name in names}
    assert len(made) == len(names)
    assert named_child(seeds, np.int64(1)).spawn_key == named_child(seeds, 1).spawn_key
    assert named_child(seeds, "wage").spawn_key[0] == 596141294, "the same in every process"
