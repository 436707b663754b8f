"""Who is found by Gen-LRA: the power law against the authors' settings, and what chance gives.

python benchmarks/membership_power.py [--splits 200] [--runs 10]

On real mixed tables: mean AUC and mean TPR at FPR 0.01 of the power law and of preset="paper" by
generator (`--runs` splits a table); and on fresh samples (`--splits` splits a table, seeds derived
per table, tables pooled) how often the power law's 95 % interval excludes 0.5, and how often the
epsilon bound is 0.
"""

from __future__ import annotations

import argparse
import warnings
import zlib
from collections.abc import Iterator

import numpy as np
import pandas as pd
from common import print_environment
from generators import GENERATORS
from real_tables import real_tables

from sdmetrics_disclosure.plugins.base.tables import Tables
from sdmetrics_disclosure.plugins.gen_lra.metric import GenLRA
from sdmetrics_disclosure.plugins.gen_lra.options import GenLRAOptions

MOST_ROWS = 250
FPR = 0.01
SETTINGS = {"power law": {}, "paper": {"preset": "paper"}}


def splits(
    name: str, frame: pd.DataFrame, n_splits: int, most_rows: int = MOST_ROWS
) -> Iterator[tuple[int, list[pd.DataFrame]]]:
    """Training, holdout and fresh rows, disjoint, by a seed of the table's own."""
    size = min(most_rows, len(frame) // 3)
    for i in range(n_splits):
        seed = zlib.crc32(f"{name} {i}".encode())
        order = np.random.default_rng(seed).permutation(len(frame))[: 3 * size]
        yield seed, [frame.iloc[part].reset_index(drop=True) for part in np.split(order, 3)]


def attack(parts: list, synthetic: pd.DataFrame, seed: int, **options: object) -> dict:  # type: ignore[type-arg]
    """The breakdown of one attack; rows alike by nature are kept."""
    training, holdout, _ = parts
    release = GenLRA.make_release(Tables(training, synthetic, holdout=holdout), None)
    result = GenLRA.evaluate(release, GenLRAOptions(overlap="keep", random_state=seed, **options))  # type: ignore[arg-type]
    return result.breakdown()


def compare(tables: dict[str, pd.DataFrame], n_runs: int) -> pd.DataFrame:
    """A row per table, split, generator and setting."""
    rows = []
    for name, frame in tables.items():
        for seed, parts in splits(name, frame, n_runs):
            for generator, make in GENERATORS.items():
                synthetic = make(parts[0], parts[2], np.random.default_rng(seed))
                for setting, options in SETTINGS.items():
                    found = attack(parts, synthetic, seed, **options)
                    rate = found["tpr_at_fpr"]["0.01"]["value"]
                    rows.append((name, generator, setting, found["score"], rate))
    return pd.DataFrame(rows, columns=["table", "generator", "setting", "AUC", "TPR at FPR 0.01"])


def calibrate(tables: dict[str, pd.DataFrame], n_splits: int) -> pd.DataFrame:
    """A row per table and split of a fresh sample."""
    rows = []
    for name, frame in tables.items():
        for seed, parts in splits(name, frame, n_splits):
            found = attack(parts, parts[2], seed)
            low, high = found["auc"]["low"], found["auc"]["high"]
            excludes = not low <= 0.5 <= high
            rows.append((name, found["score"], excludes, found["epsilon_lower_bound"] == 0))
    return pd.DataFrame(rows, columns=["table", "AUC", "excludes 0.5", "epsilon 0"])


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--splits", type=int, default=200)
    parser.add_argument("--runs", type=int, default=10)
    arguments = parser.parse_args()
    print_environment()
    warnings.simplefilter("ignore", UserWarning)
    found = real_tables()
    print("tables:", ", ".join(f"{n} {f.shape}" for n, f in found.items()), "\n")
    compared = compare(found, arguments.runs)
    measures = ["AUC", "TPR at FPR 0.01"]
    print(compared.pivot_table(index="generator", columns="setting", values=measures).round(3))
    copying = compared[~compared["generator"].isin(["fresh sample"])]
    print("\ncopying generators, mean over tables and runs:")
    print(copying.groupby("setting")[measures].mean().round(4), "\n")
    calibrated = calibrate(found, arguments.splits)
    print(f"fresh samples, {arguments.splits} splits a table:")
    print(calibrated.groupby("table")[["AUC", "excludes 0.5", "epsilon 0"]].mean().round(4))
    print("\npooled:")
    print(calibrated[["AUC", "excludes 0.5", "epsilon 0"]].mean().round(4))
