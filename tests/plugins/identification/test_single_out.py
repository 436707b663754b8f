"""Singling out and linkability: definitions by hand, and what exchange of people gives."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from sdmetrics_disclosure.adapters.release.kinds import Kind
from sdmetrics_disclosure.plugins.identification.linkability import (
    deal_columns,
    link_people,
    range_of,
)
from sdmetrics_disclosure.plugins.identification.people import cut_to_one_size, exchange, units_of
from sdmetrics_disclosure.plugins.identification.predicates import (
    SyntheticRows,
    one_column_predicates,
    several_column_predicates,
)
from sdmetrics_disclosure.plugins.identification.single_out import find_isolation

EQUAL, AT_MOST, AT_LEAST, IS_MISSING = range(4)


def _rng(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


def _rows(values, is_category, units=None) -> SyntheticRows:
    values = np.array(values, dtype=float)
    units = np.arange(len(values)) if units is None else np.array(units)
    return SyntheticRows.distinct(values, units, np.array(is_category))


def _as_set(predicates):
    return {
        (tuple(c), tuple(o), tuple(None if np.isnan(x) else x for x in v))
        for c, o, v in zip(predicates.columns, predicates.operators, predicates.values, strict=True)
    }


def test_one_column_predicates_by_hand():
    seen = _rows([[1, 0], [1, 1], [2, 1], [np.nan, 2], [np.nan, 1]], [False, True])
    made = _as_set(one_column_predicates(seen, 300, _rng()))
    assert made == {
        ((0,), (AT_MOST,), (1.0,)),
        ((0,), (AT_LEAST,), (2.0,)),
        ((0,), (EQUAL,), (2.0,)),  # two rows have a gap, so "is missing" is no predicate
        ((1,), (EQUAL,), (0.0,)),
        ((1,), (EQUAL,), (2.0,)),
    }


def test_a_gap_that_one_row_has_is_a_predicate():
    seen = _rows([[1, 0], [2, 0], [np.nan, 0]], [False, True])
    assert ((0,), (IS_MISSING,), (None,)) in _as_set(one_column_predicates(seen, 300, _rng()))


def test_a_person_with_several_rows_is_singled_out_by_what_they_share():
    seen = _rows([[7, 1], [7, 2], [8, 3]], [True, True], units=[0, 0, 1])
    assert ((0,), (EQUAL,), (7.0,)) in _as_set(one_column_predicates(seen, 300, _rng()))


def test_predicates_of_several_columns_single_out_one_distinct_row():
    rng = _rng(1)
    values = np.column_stack([rng.integers(0, 4, 60), rng.normal(size=60), rng.integers(0, 3, 60)])
    values[:5, 1] = np.nan
    seen = _rows(np.concatenate([values, values]), [True, False, True])
    assert len(seen.values) <= 60
    found = several_column_predicates(seen, 2, 300, 20_000, _rng(), None)
    assert len(found) == len(_as_set(found)) > 10
    assert seen.single_out(found, None).all()
    median = np.nanmedian(seen.values[:, 1])
    number = found.columns == 1
    above = found.operators[number] == AT_LEAST
    np.testing.assert_array_equal(above, found.values[number] > median)
    assert set(found.operators[~number].tolist()) == {EQUAL}


def test_no_more_predicates_than_asked_for_and_than_there_are():
    seen = _rows([[0, 0], [0, 1], [1, 0]], [True, True])
    # (0, 0), (0, 1), (1, 0) are the only pairs of values.
    assert len(several_column_predicates(seen, 2, 300, 5_000, _rng(), None)) == 3
    assert len(several_column_predicates(seen, 2, 2, 5_000, _rng(), None)) == 2


def _frame(**columns) -> pd.DataFrame:
    return pd.DataFrame(columns)


LEVELS = list("abcdef")
KINDS = {"c": Kind.CATEGORICAL}


def _levels(text: str) -> pd.DataFrame:
    return _frame(c=pd.Categorical(list(text), categories=LEVELS))


def _isolate(synthetic, training, holdout, kinds=KINDS, n_columns=1):
    people = cut_to_one_size(training, holdout, None, _rng())
    return find_isolation(
        synthetic,
        units_of(synthetic, None),
        people,
        kinds,
        n_columns=n_columns,
        n_attacks=300,
        max_tries=20_000,
        generator=_rng(),
    )


def test_rates_by_hand():
    """Predicates c = a, b, d; training has one a and two b, the holdout one b and one d."""
    found = _isolate(_levels("abd"), _levels("abbc"), _levels("bdcc"))
    assert found.rates() == (pytest.approx(1 / 3), pytest.approx(2 / 3))
    assert found.excess() == pytest.approx(-1 / 3)
    chance = (0 + 2 * 4 * 0.25 * 0.75**3) / 3
    assert found.expected_by_chance() == pytest.approx(chance)


def test_a_person_with_a_twin_is_not_singled_out():
    training = _levels("aabbccdde")
    assert _isolate(_levels("abcde"), training, training).rates()[0] == pytest.approx(1 / 5)


def test_exchange_by_hand():
    """Two people on each side: one of the four is singled out wherever they are."""
    found = _isolate(_levels("a"), _levels("ab"), _levels("bb"))
    null = exchange([found.excess], found.n, 500, _rng())
    assert set(np.unique(null)) == {-1.0, 1.0}
    assert abs(null.mean()) < 0.15


def test_all_statistics_see_the_same_exchanges():
    statistics = [lambda flags: float(flags[0]), lambda flags: float(flags[0])]
    null = exchange(statistics, 3, 50, _rng())
    np.testing.assert_array_equal(null[0], null[1])


def test_people_are_cut_whole():
    training = _levels("aabbcd").assign(who=pd.Categorical(list("xxyyzz")))
    holdout = _levels("ab").assign(who=pd.Categorical(list("uv")))
    people = cut_to_one_size(training, holdout, "who", _rng())
    assert people.n == 2
    assert len(people.training) == 4
    assert people.person.tolist() == [0, 0, 1, 1, 2, 3]
    assert people.training["who"].nunique() == 2


def test_a_copy_links_and_strangers_do_not():
    rng = _rng()
    kinds = dict.fromkeys("wxyz", Kind.NUMERICAL)
    training, holdout = (
        pd.DataFrame(rng.normal(size=(100, 4)), columns=list("wxyz")) for _ in range(2)
    )
    people = cut_to_one_size(training, holdout, None, rng)
    probability = link_people(training, people, kinds, deal_columns(list(kinds)))
    assert probability[:100].tolist() == [1.0] * 100
    assert probability[100:].mean() < 0.15


def test_a_gap_is_like_a_gap_and_unlike_any_number():
    kinds = {"a": Kind.NUMERICAL, "b": Kind.NUMERICAL}
    released = pd.DataFrame({"a": [np.nan, 0.9, 0.1], "b": [0.2, 0.2, 0.9]})
    training = pd.DataFrame({"a": [np.nan], "b": [0.2]})
    holdout = pd.DataFrame({"a": [0.2], "b": [0.2]})
    people = cut_to_one_size(training, holdout, None, _rng())
    # The first is row 0 in a, row 0 or 1 in b; the second row 2 in a.
    assert link_people(released, people, kinds, (["a"], ["b"])).tolist() == [0.5, 0.0]


def test_columns_are_dealt_alternately():
    assert deal_columns(list("abcde")) == (["a", "c", "e"], ["b", "d"])


def test_a_range_is_not_made_by_one_value():
    values = np.linspace(0.0, 1.0, 1_001)
    assert range_of(values) == 1.0
    assert range_of(np.append(values, 1e12)) == pytest.approx(0.99, abs=0.01)
    assert range_of(np.array([np.nan, 2.0])) == 1.0
