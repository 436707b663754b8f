"""Looking people up: who finds a person's own row takes its value."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray
from scipy.spatial.distance import cdist

from sdmetrics_disclosure.adapters.release.kinds import Kind
from sdmetrics_disclosure.plugins import RAPID
from sdmetrics_disclosure.plugins.attackers.own_record import LEVEL, _answers, _p_values
from sdmetrics_disclosure.plugins.attackers.training import TrainedAttacker, train_attacker
from tests.helpers.attacks import KINDS, people

QUICK: dict[str, Any] = {"n_bootstrap": 0, "n_permutations": 0}
N = 1_000


def table(seed: int, d: int = 6) -> pd.DataFrame:
    """Normals, and a class of 95 / 5 of which they say nothing."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(rng.normal(size=(N, d)), columns=[f"x{i}" for i in range(d)])
    return frame.assign(y=rng.permutation(np.where(np.arange(N) < N // 20, "rare", "common")))


def noisy(frame: pd.DataFrame, share: float) -> pd.DataFrame:
    rng = np.random.default_rng(99)
    moved = frame.drop(columns="y") + rng.normal(0, share, (len(frame), frame.shape[1] - 1))
    return moved.assign(y=frame["y"])


def risks(training: pd.DataFrame, synthetic: pd.DataFrame, **words: Any) -> tuple[float, float]:
    found = RAPID.compute_breakdown(
        training,
        synthetic,
        real_validation_data=table(1, training.shape[1] - 1),
        sensitive_column_names=["y"],
        **{**QUICK, **words},
    )
    return found["score"], found["holdout"]["risk"]["value"]


def test_an_exact_copy_of_what_nothing_predicts() -> None:
    """Without looking anybody up its risk is 0; of others 5 % look found, and are by chance."""
    training = table(0)
    assert risks(training, training, lookup=False) == (0.0, 0.0)
    risk, holdout = risks(training, training)
    assert risk == 1.0
    assert abs(holdout - LEVEL * 0.95) < 0.02


def test_a_fresh_sample_gives_nobody_away() -> None:
    risk, holdout = risks(table(0), table(2))
    assert abs(risk - LEVEL * 0.95) < 0.02
    assert abs(risk - holdout) < 0.02


def found_by_hand(training: pd.DataFrame, synthetic: pd.DataFrame) -> NDArray[np.bool_]:
    """Who is sure and right, from the full matrix of distances."""
    known = [column for column in training if column != "y"]
    rows = synthetic[known].to_numpy() / synthetic[known].std().to_numpy()
    asked = training[known].to_numpy() / synthetic[known].std().to_numpy()
    among = cdist(rows, rows, "cityblock")
    np.fill_diagonal(among, np.inf)
    among.sort(axis=1)
    reference = among[:, 0] / among[:, 1]
    distances = cdist(asked, rows, "cityblock")
    nearest = distances.argmin(axis=1)
    distances.sort(axis=1)
    ratio = distances[:, 0] / distances[:, 1]
    p = np.array([np.mean(reference < r) + np.mean(reference == r) / 2 for r in ratio])
    right = synthetic["y"].to_numpy()[nearest] == training["y"].to_numpy()
    return (p <= LEVEL) & right


@pytest.mark.parametrize(("d", "least"), [(6, 0.25), (8, 0.55)])
def test_noise_of_three_tenths_by_hand(d: int, least: float) -> None:
    """The more columns are known, the better a moved row is found."""
    training = table(0, d)
    synthetic = noisy(training, 0.3)
    risk, _ = risks(training, synthetic)
    assert risk == found_by_hand(training, synthetic).mean()
    assert risk > least
    assert risks(training, noisy(training, 0.1))[0] > 0.95


def test_people_far_out_are_named_first() -> None:
    training, synthetic = table(0), table(2)
    known = [f"x{i}" for i in range(6)]
    rng = np.random.default_rng(3)
    far = np.eye(6)[:5] * 12.0
    training.loc[:4, known] = far
    synthetic.loc[:4, known] = far + rng.normal(0, 0.05, far.shape)
    synthetic.loc[:4, "y"] = training.loc[:4, "y"] = "rare"
    records = RAPID.compute_records(training, synthetic, sensitive_column_names=["y"], **QUICK)
    first = records.sort_values("normalized_gain", ascending=False, kind="stable").index[:10]
    assert set(range(5)) <= set(first)


def test_p_values_by_hand() -> None:
    reference = np.array([0.0, 0.0, 0.5, 0.5, 0.5, 0.9, 1.0, 1.0, 1.0, 1.0])
    np.testing.assert_allclose(
        _p_values(np.array([0.0, 0.2, 0.5, 1.0]), reference), [0.1, 0.2, 0.35, 0.8]
    )


def test_equal_rows_say_what_most_of_them_have() -> None:
    values = np.array([3, 1, 2, 2, 1, 7])
    first_equal = np.array([0, 1, 1, 1, 1, 5])
    has_twin = np.array([False, True, True, True, True, False])
    # 1 and 2 have two rows each: row 1 comes first
    np.testing.assert_array_equal(_answers(values, first_equal, has_twin), [3, 1, 1, 1, 1, 7])


# --- Promises ----------------------------------------------------------------------------------


def trained(known: pd.DataFrame, target: NDArray[Any], n_classes: int | None) -> TrainedAttacker:
    return train_attacker(
        "cart",
        known,
        target,
        kinds=KINDS,
        n_classes=n_classes,
        random_state=np.random.SeedSequence(0),
        n_jobs=None,
        lookup=True,
    )


@pytest.mark.parametrize("n_classes", [3, None])
def test_chunk_by_chunk_elsewhere_is_all_at_once(n_classes: int | None) -> None:
    """With gaps: pickled, asked for any part of a table in any order, the same bits."""
    known, real = people(300, 1, gaps=0.1), people(200, 2, gaps=0.2)
    real.iloc[:50] = known.iloc[:50]
    rng = np.random.default_rng(0)
    target = rng.normal(size=300) if n_classes is None else rng.integers(0, 3, 300)
    attacker = trained(known, target, n_classes)
    whole = attacker.predict([real])[0].values
    elsewhere = pickle.loads(pickle.dumps(attacker.for_many_tables()))
    parts = [elsewhere.predict([real.iloc[i : i + 37]])[0].values for i in range(0, 200, 37)]
    np.testing.assert_array_equal(np.concatenate(parts), whole)
    own = whole[:50] if n_classes is None else whole[np.arange(50), target[:50]]
    np.testing.assert_array_equal(own, target[:50] if n_classes is None else 1.0)


@pytest.mark.parametrize("copies", [1, 2])
def test_where_rows_repeat_nobody_is_sure(copies: int) -> None:
    """Each row twice: of all ratios every one is 0, and half of them is more than a twentieth."""
    known = pd.concat([people(100, 1)] * copies, ignore_index=True)
    target = np.random.default_rng(0).normal(size=len(known))
    plain = train_attacker(
        "cart",
        known,
        target,
        kinds=KINDS,
        n_classes=None,
        random_state=np.random.SeedSequence(0),
        n_jobs=None,
    )
    found = trained(known, target, None).predict([known])[0].values
    assert np.array_equal(found, plain.predict([known])[0].values) == (copies == 2)


def test_too_few_rows_look_nobody_up() -> None:
    known = pd.DataFrame({"age": np.arange(19.0)})
    attacker = train_attacker(
        "linear",
        known,
        np.arange(19.0) ** 2,
        kinds={"age": Kind.NUMERICAL},
        n_classes=None,
        random_state=np.random.SeedSequence(0),
        n_jobs=None,
        lookup=True,
    )
    assert type(attacker.predictor).__name__ == "RowWise"


def test_huge_numbers_are_far_away() -> None:
    known = people(100, 1)
    real = known.iloc[:3].copy()
    real["age"] = [1e300, -1e300, 1e10]
    target = np.random.default_rng(0).normal(size=100)
    assert np.isfinite(trained(known, target, None).predict([real])[0].values).all()
