"""Is RAPID calibrated where nothing leaks? Boosting that looks people up, many null runs.

    python benchmarks/null_coverage.py [runs] [rows]

Training rows, holdout and release are fresh samples of the same population. Printed for a sensitive
class with signal and without: the share of runs whose interval of `difference` covers 0, and the
share with a permutation p-value below .05 (which means something only without signal).
"""

from __future__ import annotations

import sys
import warnings

import numpy as np
import pandas as pd
from common import print_environment
from joblib import Parallel, delayed

from sdmetrics_disclosure.plugins import RAPID

METADATA = {
    "columns": {
        **{column: {"sdtype": "numerical"} for column in "abcd"},
        "group": {"sdtype": "categorical"},
        "y": {"sdtype": "categorical"},
    }
}


def main() -> None:
    print_environment()
    runs, rows = (int(word) for word in (*sys.argv[1:], 400, 200)[:2])
    for signal in (0.0, 2.0):
        found = Parallel(n_jobs=-1)(delayed(one)(signal, seed, rows) for seed in range(runs))
        covers, below = np.mean(found, axis=0)
        print(f"{runs} runs of {rows} rows, signal {signal:g}: covers 0 in {covers:.3f}, ", end="")
        print(f"p below .05 in {below:.3f}", flush=True)


def one(signal: float, seed: int, rows: int) -> tuple[bool, bool]:
    warnings.simplefilter("ignore")
    rng = np.random.default_rng(seed)
    training, holdout, synthetic = (people(rows, signal, rng) for _ in range(3))
    found = RAPID.compute_breakdown(
        training,
        synthetic,
        METADATA,
        real_validation_data=holdout,
        sensitive_column_names=["y"],
        n_bootstrap=0,
        n_permutations=199,
        random_state=seed,
    )
    difference = found["holdout"]["difference"]
    return difference["low"] <= 0 <= difference["high"], found["null"]["p_value"] < 0.05


def people(n: int, signal: float, rng: np.random.Generator) -> pd.DataFrame:
    """Four normals, a group of three, and one of two classes that may depend on them."""
    table = pd.DataFrame(rng.normal(size=(n, 4)), columns=list("abcd"))
    table["group"] = rng.choice(["p", "q", "r"], n)
    score = signal * (table["a"] + (table["group"] == "p")) + rng.logistic(size=n)
    return table.assign(y=np.where(score > np.quantile(score, 0.6), "high", "low"))


if __name__ == "__main__":
    main()
