"""What the whole set of membership attacks costs, against the dearest of them alone.

python benchmarks/attack_set.py [--rows 5000] [--columns 20] [--turns 3]

Training, synthetic and holdout tables of `--rows` rows each; a quarter of the columns are
categories. Every attack alone and the ensemble take turns, and the best of the turns counts, in
seconds of processor time on one thread, from frames to statements.
"""

from __future__ import annotations

import argparse
import time
from typing import Any

import numpy as np
import pandas as pd
from common import print_environment

from sdmetrics_disclosure.plugins.attacks.ensemble import ATTACKS, MembershipEnsemble
from sdmetrics_disclosure.plugins.membership.metric import MembershipMetric

MOST = 1.5


def table(n_rows: int, n_columns: int, seed: int) -> pd.DataFrame:
    """Correlated numbers, and categories of six levels."""
    rng = np.random.default_rng(seed)
    n_numbers = n_columns - n_columns // 4
    common = rng.normal(size=(n_rows, 1))
    made = pd.DataFrame(0.6 * common + rng.normal(size=(n_rows, n_numbers)))
    for column in range(n_numbers, n_columns):
        made[column] = rng.choice(list("abcdef"), n_rows)
    return made.set_axis([f"column_{i}" for i in range(n_columns)], axis=1)


def seconds(metric: type[MembershipMetric], frames: list[pd.DataFrame]) -> float:
    start = time.process_time()
    metric.compute(*frames)
    return time.process_time() - start


def measure(n_rows: int, n_columns: int, turns: int) -> dict[str, float]:
    """The best time of every attack and of the ensemble, after a turn that compiles."""
    metrics: dict[str, Any] = {**ATTACKS, MembershipEnsemble.name: MembershipEnsemble}
    small = [table(200, n_columns, seed) for seed in range(3)]
    frames = [table(n_rows, n_columns, seed) for seed in range(3)]
    for metric in metrics.values():
        seconds(metric, small)
    taken = [{name: seconds(m, frames) for name, m in metrics.items()} for _ in range(turns)]
    return {name: min(turn[name] for turn in taken) for name in metrics}


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", type=int, default=5_000)
    parser.add_argument("--columns", type=int, default=20)
    parser.add_argument("--turns", type=int, default=3)
    arguments = parser.parse_args()
    print_environment()
    best = measure(arguments.rows, arguments.columns, arguments.turns)
    for name, value in sorted(best.items(), key=lambda item: item[1]):
        print(f"{name:22} {value:8.2f} s")
    alone = {name: best[name] for name in ATTACKS}
    dearest = max(alone, key=lambda name: alone[name])
    ratio = best[MembershipEnsemble.name] / alone[dearest]
    print(f"\nall one after the other: {sum(alone.values()):.2f} s")
    print(f"the set over the dearest alone ({dearest}): {ratio:.2f} (at most {MOST})")
