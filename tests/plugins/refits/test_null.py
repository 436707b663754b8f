"""What is found where nothing is given away: the rates at which interval and bound may be wrong."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from sdmetrics_disclosure.adapters.sources.sources import from_frames
from sdmetrics_disclosure.plugins.refits.encoding import encode_records
from sdmetrics_disclosure.plugins.refits.epsilon import count_right, epsilon_bound
from sdmetrics_disclosure.plugins.refits.features import count_alike, draw_subsets, observe
from sdmetrics_disclosure.plugins.refits.learner import score_refits
from sdmetrics_disclosure.plugins.refits.result import areas, refit_interval
from tests.plugins.refits.tables import METADATA, workers

pytestmark = pytest.mark.slow
N_UNITS, N_REFITS, N_REDRAWS = 60, 24, 200


@pytest.fixture(scope="module")
def redraws() -> NDArray[np.float64]:
    """(200, 2) whether the interval excludes 0.5, and the bound.

    A synthesizer that ignores its rows gives the same tables whatever the coins, so only the coins
    are drawn again.
    """
    real, source = workers(N_UNITS), workers(5000, seed=7)
    targets = np.arange(N_UNITS)
    subsets = draw_subsets(5, 20, np.random.default_rng(1))
    seen = [
        encode_records(from_frames(real, source.sample(300, random_state=i), METADATA))
        for i in range(N_REFITS)
    ]
    observed = np.stack([observe(records, targets, subsets) for records in seen])
    alike = count_alike(seen[0], targets, subsets)
    everybody, has_run = np.ones(N_UNITS, dtype=bool), np.ones(N_REFITS, dtype=bool)
    found = []
    for i in range(N_REDRAWS):
        rng = np.random.default_rng([i, 5])
        coins = rng.random((N_REFITS, N_UNITS)) < 0.5
        scores = score_refits(observed, coins, has_run, alike, subsets)
        interval = refit_interval(areas(scores, coins, everybody), 0.95)
        right, guesses = count_right(scores, coins, everybody, 0.25, rng.permutation(N_UNITS))
        bound = epsilon_bound(right, guesses, coins.size, 0.0, 0.95)
        found.append((not interval.low <= 0.5 <= interval.high, bound))
    return np.array(found, dtype=float)


def test_the_interval_excludes_half_no_more_often_than_it_may(
    redraws: NDArray[np.float64],
) -> None:
    assert redraws[:, 0].mean() <= 0.085


def test_the_bound_is_positive_no_more_often_than_it_may(redraws: NDArray[np.float64]) -> None:
    assert np.mean(redraws[:, 1] > 0.0) <= 0.085
