"""The holdout's one check: what is alike by nature runs, what is no holdout is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from sdmetrics_disclosure.plugins.base.tables import Tables
from sdmetrics_disclosure.plugins.gen_lra.metric import GenLRA
from sdmetrics_disclosure.plugins.holdout.check import check_holdout
from sdmetrics_disclosure.plugins.holdout.repeats import (
    clumping,
    row_groups,
    stands_again,
    stands_in,
)
from sdmetrics_disclosure.plugins.rapid.metric import RAPID

NO_HOLDOUT = "that is no holdout"


def levels(n: int, seed: int) -> pd.DataFrame:
    """Three columns of 4 x 5 x 3 levels: most rows repeat another by nature."""
    rng = np.random.default_rng(seed)
    return pd.DataFrame({f"c{k}": rng.integers(0, k, n).astype(str) for k in (4, 5, 3)})


def numbers(n: int, seed: int) -> pd.DataFrame:
    return pd.DataFrame(np.random.default_rng(seed).normal(size=(n, 4)), columns=list("abcd"))


def check(
    training: pd.DataFrame,
    holdout: pd.DataFrame,
    overlap: str = "refuse",
    *,
    synthetic: pd.DataFrame,
) -> Any:
    release = Tables(training, synthetic, holdout=holdout).release(())
    return check_holdout(release, overlap)


def test_who_repeats_whom_by_hand() -> None:
    training, holdout = np.array([1, 1, 2, 3]), np.array([1, 4, 3])
    assert stands_in(holdout, training).tolist() == [True, False, True]
    assert stands_again(training, None).tolist() == [True, True, False, False]
    # both rows of kind 1 are one unit's: nobody repeats anybody
    assert not stands_again(training, np.array([7, 7, 8, 9])).any()


def test_ten_pairs_between_the_tables_are_two_and_a_half_deviations_off() -> None:
    # of ten pairs each is dealt between the tables or within one: gains 1, 0, -2 of n
    n = 10_000
    training = np.arange(n)
    holdout = np.concatenate([np.arange(10), n + np.arange(n - 10)])
    assert clumping(holdout, training) == pytest.approx(10 / np.sqrt(10 * 1.5), rel=1e-3)
    assert clumping(training, np.arange(n) + n) == 0.0


def test_repeats_by_nature_run() -> None:
    training, holdout = levels(1000, 0), levels(1000, 1)
    checked = check(training, holdout, synthetic=levels(1000, 2))
    assert checked.overlap.share == 1.0
    assert checked.overlap.by_nature == 1.0
    assert not checked.equal_are_one
    assert checked.notes == ()


def test_adult_cut_at_random_runs(shared_data: Path) -> None:
    adults = pd.read_csv(shared_data / "adults" / "control.csv.gz").drop(columns="fnlwgt")
    rows = adults.sample(frac=1, random_state=1).reset_index(drop=True)
    third = len(rows) // 3
    parts = [rows[i * third : (i + 1) * third] for i in range(3)]
    found = check(parts[0], parts[1], synthetic=parts[2]).overlap
    assert found.exact > 0.01 * third  # what was refused before there was anything to compare with
    assert abs(found.share - found.by_nature) < 0.02


def test_half_of_the_holdout_from_the_training_rows_is_refused_by_every_metric() -> None:
    training, fresh = numbers(200, 0), numbers(200, 1)
    mixed = pd.concat([fresh[:100], training[:100]], ignore_index=True)
    with pytest.raises(ValueError, match=f"100 rows of .*{NO_HOLDOUT}"):
        GenLRA.compute(training, numbers(200, 2), mixed)
    with pytest.raises(ValueError, match=f"100 rows of .*{NO_HOLDOUT}"):
        RAPID.compute(training, numbers(200, 2), real_validation_data=mixed)


def test_near_rows_count_and_a_far_cell_makes_nobody_near() -> None:
    training, holdout = numbers(250, 0), numbers(250, 1)
    moved = pd.concat([holdout[:225], training[:25] + 1e-12], ignore_index=True)
    with pytest.raises(ValueError, match=r"0 rows of .* and 25 nearly so, of 250"):
        check(training, moved, synthetic=numbers(250, 2))
    holdout.loc[3, "a"] = 1e12
    assert check(training, holdout, synthetic=numbers(250, 2)).overlap.near == 0


def test_drop_is_symmetric() -> None:
    training, holdout = levels(60, 0), levels(60, 1)
    checked = check(training, holdout, "drop", synthetic=levels(60, 2))
    kept = checked.judged(Tables(training, holdout, holdout=holdout).release(()))
    left = [set(map(tuple, frame.to_numpy())) for frame in (kept.real, kept.holdout)]
    assert left[0]
    assert left[1]
    assert left[0].isdisjoint(left[1])
    gone = [len(training) - len(kept.real), len(holdout) - len(kept.holdout)]
    assert f"{gone[0]} training rows and {gone[1]} holdout rows" in checked.notes[0]


def test_a_table_that_holds_people_twice_is_judged_by_kinds_of_rows() -> None:
    training, holdout = (
        pd.concat([part, part[:60]], ignore_index=True)
        for part in (numbers(200, 0), numbers(200, 1))
    )
    checked = check(training, holdout, synthetic=numbers(200, 2))
    assert checked.equal_are_one
    assert "equal rows of one table count as one unit" in checked.notes[0]
    found = GenLRA.compute_breakdown(training, numbers(200, 2), holdout)
    assert (found["n_members"], found["n_member_units"]) == (260, 200)


PEOPLE = {
    "columns": {**{c: {"sdtype": "numerical"} for c in "abcd"}, "id": {"sdtype": "id"}},
    "sequence_key": "id",
}


def visits(seed: int, first: int) -> pd.DataFrame:
    """Forty people with five alike rows each."""
    people = numbers(40, seed).loc[np.repeat(np.arange(40), 5)].reset_index(drop=True)
    return people.assign(id=first + np.repeat(np.arange(40), 5))


def test_a_key_in_both_tables_is_refused_with_counts() -> None:
    training, synthetic = visits(0, 0), visits(1, 0)
    with pytest.raises(ValueError, match=r"10 of 40 units \('id'\) of `real_validation_data`"):
        GenLRA.compute(training, synthetic, visits(2, 30), PEOPLE)
    with pytest.warns(UserWarning, match="count as different ones"):
        kept = GenLRA.compute_breakdown(training, synthetic, visits(2, 30), PEOPLE, overlap="keep")
    assert kept["n_non_member_units"] == 40
    with pytest.warns(UserWarning, match="50 training rows and 50 holdout rows"):
        left = GenLRA.compute_breakdown(training, synthetic, visits(2, 30), PEOPLE, overlap="drop")
    assert (left["n_member_units"], left["n_non_member_units"]) == (30, 30)


@pytest.mark.parametrize("overlap", ["refuse", "drop"])
def test_the_wrong_file_is_refused(overlap: str) -> None:
    training, holdout, fresh = (numbers(200, seed) for seed in range(3))
    copies = holdout.sample(frac=1, random_state=0)
    for wrong, synthetic in ((fresh, fresh), (holdout, copies)):
        for metric, where in ((GenLRA, {}), (RAPID, {"sensitive_column_names": ["a"]})):
            with pytest.raises(ValueError, match="files were swapped"):
                metric.compute(  # type: ignore[attr-defined]
                    training, synthetic, real_validation_data=wrong, overlap=overlap, **where
                )
    assert 0 <= GenLRA.compute(training, copies, holdout, overlap="keep") < 0.5


def test_an_honest_release_that_copies_training_rows_is_not_refused() -> None:
    training = numbers(200, 0)
    assert GenLRA.compute(training, training.copy(), numbers(200, 1)) > 0.95


@pytest.mark.parametrize(("n", "m"), [(40, 40), (200, 60)])
def test_honest_tables_are_rarely_refused(n: int, m: int) -> None:
    refused = 0
    for seed in range(200):
        ids = row_groups([levels(n, 2 * seed), levels(m, 2 * seed + 1)])
        refused += clumping(ids[1], ids[0]) > 2.326
    # one of a hundred, and chance: a 99.9 % binomial bound
    assert refused <= stats.binom.isf(0.001, 200, 0.01)


def test_the_same_file_is_refused_where_every_row_repeats() -> None:
    table, other = levels(1000, 0), levels(1000, 1)
    for synthetic, told in (
        (other, "rows of `real_data`"),
        (levels(1000, 2), "rows of `real_data`"),
    ):
        with pytest.raises(ValueError, match=told):
            check_holdout(Tables(table, synthetic, holdout=table.copy()).release(()), "refuse")
    with pytest.raises(ValueError, match="rows of `synthetic_data`"):
        check_holdout(Tables(table, other, holdout=other.copy()).release(()), "refuse")
