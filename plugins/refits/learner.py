"""Learning, over all people at once, what a row that is in does to the features.

Prequential: a block of refits is scored by what was learned from the blocks before it. Scores of
cross-fitting would depend on each other through the models, and their intervals are too short.
"""

from __future__ import annotations

import numpy as np

from sdmetrics_disclosure.plugins.common.parallel import limited_threads
from sdmetrics_disclosure.plugins.refits.encoding import Flags, Floats, Positions
from sdmetrics_disclosure.plugins.refits.features import Subsets, add_rarity, learn_standard
from sdmetrics_disclosure.plugins.refits.game import Coins, blocks_of

RIDGE = 0.003  # scikit-learn's C


def score_refits(
    observed: Floats, coins: Coins, has_run: Flags, alike: Positions, subsets: Subsets
) -> Floats:
    """How much each refit speaks for each person's being in, (N, T).

    Args:
        observed: (N, T, F) features; of refits that failed whatever.
        coins: (N, T) who was in.
        has_run: (N,) which refits did not fail.
        alike: (T, Q) see `count_alike`.
        subsets: The Q subsets.

    Returns:
        NaN for the first block, for refits that failed, and where nothing ran before.
    """
    scores = np.full(coins.shape, np.nan)
    for block in blocks_of(len(coins))[1:]:
        before = np.flatnonzero(has_run[: block[0]])
        scored = block[has_run[block]]
        if before.size < 2 or not scored.size:
            continue
        standard = learn_standard(observed[before])
        learned, asked = (
            add_rarity(standard(observed[refits]), alike, subsets) for refits in (before, scored)
        )
        with limited_threads(1):
            scores[scored] = _learn_and_score(learned, coins[before], asked)
    return scores


def _learn_and_score(learned: Floats, coins: Coins, asked: Floats) -> Floats:
    from sklearn.linear_model import LogisticRegression

    n_features = learned.shape[-1]
    model = LogisticRegression(C=RIDGE, max_iter=1000)
    model.fit(learned.reshape(-1, n_features), coins.reshape(-1))
    linear = model.decision_function(asked.reshape(-1, n_features))
    return np.asarray(linear).reshape(asked.shape[:-1])
