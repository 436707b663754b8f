"""Copies: counts by hand, precision, people, and an interval that holds."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from sdmetrics_disclosure.adapters.release.kinds import Kind
from sdmetrics_disclosure.plugins.identification.copies import find_copies
from sdmetrics_disclosure.plugins.identification.equal_rows import row_ids
from sdmetrics_disclosure.plugins.identification.nearness import find_nearness, scale_of

NUMBERS = {"x": Kind.NUMERICAL}


def _numbers(*values: float) -> pd.DataFrame:
    return pd.DataFrame({"x": np.array(values, dtype=float)})


def _find(synthetic, training, holdout=None, kinds=NUMBERS, unit=None, seed=0):
    return find_copies(
        synthetic,
        training,
        holdout,
        kinds,
        unit,
        confidence_level=0.95,
        generator=np.random.default_rng(seed),
    )


def _many_alike(rng: np.random.Generator, n: int) -> pd.DataFrame:
    """Five columns of few levels, some common: most rows repeat by nature."""
    weights = np.array([0.6, 0.2, 0.1, 0.06, 0.04])
    codes = rng.choice(5, size=(n, 5), p=weights)
    return pd.DataFrame(
        {f"c{j}": pd.Categorical(codes[:, j], categories=range(5)) for j in range(5)}
    )


ALIKE = {f"c{j}": Kind.CATEGORICAL for j in range(5)}


def test_counts_by_hand():
    training, holdout = _numbers(1, 2, 3, 3, 4), _numbers(4, 5, 6, 7, 8)
    found = _find(_numbers(1, 1, 3, 4, 5, 9), training, holdout)
    assert (found.n_copies, found.share) == (4, pytest.approx(4 / 6))
    assert (found.n_people, found.n_people_copied) == (5, 4)  # 1, both 3s, and 4
    assert found.by_chance == pytest.approx(2 / 6)
    assert found.difference.value == pytest.approx(2 / 6)
    assert (found.n_compared, found.n_outsiders) == (5, 5)


def test_without_a_holdout_training_rows_say_what_chance_gives():
    training = _numbers(*range(90), *range(10))
    found = _find(training, training)
    assert found.share == 1.0
    assert found.by_chance == pytest.approx(0.2)  # twenty of a hundred have a twin
    assert found.n_outsiders == 0
    assert found.difference.low > 0.2


def test_numbers_are_equal_to_the_precision_of_the_real_column():
    training, holdout = _numbers(20, 30, 41), _numbers(50, 60, 71)
    assert _find(_numbers(20.3, 40.6, 35.0), training, holdout).n_copies == 2
    finer = _numbers(20.25, 30.5, 41.75)
    assert _find(_numbers(20.3, 20.2501, 41.75), finer, holdout).n_copies == 2
    own = _numbers(np.pi, np.e)
    assert _find(_numbers(3.14159265, np.pi), own, holdout).n_copies == 1


def test_a_large_real_table_sets_the_precision_wherever_its_decimals_stand():
    kinds = {"day": Kind.DATETIME}
    days = pd.DataFrame({"day": np.array([0.0, 1.0, 2.0]) * 86_400})
    noon = pd.DataFrame({"day": np.array([0.0, 1.0, 2.0]) * 86_400 + 3_600})
    assert _find(noon, days, kinds=kinds).n_copies == 3
    moments = pd.DataFrame({"day": np.array([0.0, 3_600.0, 2.5])})
    assert _find(noon, moments, kinds=kinds).n_copies == 1


def test_gaps_are_equal_to_gaps_and_rows_in_any_order_get_the_same_numbers():
    tables = [_numbers(1, np.nan, 2), _numbers(np.nan, 2, 5)]
    (first, second), (third,) = row_ids(tables, [_numbers(5, np.nan)], NUMBERS)
    assert second.tolist()[:2] == [first[1], first[2]]
    assert third.tolist() == [second[2], first[1]]
    turned = [table.iloc[::-1] for table in tables]
    assert row_ids(turned, [], NUMBERS)[0][0].tolist() == first.tolist()[::-1]


def test_people_with_several_rows_count_once():
    frame = _numbers(1, 1, 1, 2, 2, 3)
    frame["who"] = pd.Categorical(list("aaabbc"))
    found = _find(_numbers(1, 2), frame, unit="who")
    assert (found.n_people, found.n_people_copied) == (3, 2)
    assert found.by_chance == 0.0  # a person's own rows are no coincidence


def test_a_person_without_a_name_is_a_person():
    frame = _numbers(1, 2, 3)
    frame["who"] = pd.Categorical(["a", None, None])
    assert _find(_numbers(3), frame, unit="who").n_people == 3


@pytest.mark.parametrize("with_holdout", [True, False])
def test_a_bootstrap_is_all_copies(with_holdout):
    rng = np.random.default_rng(0)
    training, holdout = _numbers(*rng.normal(size=300)), _numbers(*rng.normal(size=300))
    drawn = training.iloc[rng.integers(0, 300, 300)]
    found = _find(drawn, training, holdout if with_holdout else None)
    assert (found.share, found.by_chance) == (1.0, 0.0)
    assert found.difference.low > (0.95 if with_holdout else 0.4)


@pytest.mark.slow
@pytest.mark.parametrize("with_holdout", [True, False])
def test_the_interval_holds_zero_where_rows_repeat_by_nature(with_holdout):
    """400 fresh samples, 95 % +- 2 (docs/identification.md has more tables)."""
    rng = np.random.default_rng(2)
    held = 0
    for seed in range(400):
        synthetic, training, holdout = (_many_alike(rng, 250) for _ in range(3))
        others = holdout if with_holdout else None
        difference = _find(synthetic, training, others, ALIKE, seed=seed).difference
        held += difference.low <= 0 <= difference.high
    assert 0.93 * 400 <= held <= 0.97 * 400


def test_near_copies_are_no_equal_rows_and_no_strangers():
    rng = np.random.default_rng(0)
    kinds = {"x": Kind.NUMERICAL, "y": Kind.NUMERICAL}
    training, holdout, fresh = (
        pd.DataFrame(rng.normal(size=(300, 2)), columns=["x", "y"]) for _ in range(3)
    )
    near = find_nearness(training + 1e-5, training, holdout, kinds)
    assert (near.training.near, near.holdout.near) == (1.0, 0.0)
    assert near.training.dcr < 1e-3 < near.holdout.dcr
    assert near.training.nndr < 0.01 < near.holdout.nndr
    chance = find_nearness(fresh, training, holdout, kinds)
    assert chance.training.near < 0.01
    assert chance.training.dcr == pytest.approx(chance.holdout.dcr, rel=0.2)


def test_one_value_far_out_moves_no_scale():
    rng = np.random.default_rng(0)
    values = rng.normal(size=1_000)
    assert scale_of(values) == np.std(values, ddof=1)
    assert scale_of(np.append(values, 1e7)) == pytest.approx(1.0, abs=0.1)
    assert scale_of(np.ones(5)) == 1.0
    assert scale_of(np.append(np.zeros(999), 5.0)) == np.std(np.append(np.zeros(999), 5.0), ddof=1)
