"""What looking people up adds to RAPID: the table of docs/rapid.md.

    python benchmarks/own_record.py [rows]

For releases that give away more and less of Adult (1,000 rows each of training, holdout and fresh
rows, two seeds) the risk on training rows / holdout, without and with the own record. Then a
sensitive column 95 / 5 that nothing predicts, and what the own record costs on Adult as a whole.
"""

from __future__ import annotations

import sys
import time
import warnings
from collections.abc import Callable

import numpy as np
import pandas as pd
from cart_synthesizer import CartSynthesizer
from common import golden_folder, print_environment

from sdmetrics_disclosure.plugins import RAPID

SEEDS = (0, 1)
COLUMNS = ("income", "hours.per.week")
Made = Callable[[pd.DataFrame, pd.DataFrame, np.random.Generator], pd.DataFrame]


def noise(share: float) -> Made:
    def made(training: pd.DataFrame, fresh: pd.DataFrame, rng: np.random.Generator) -> pd.DataFrame:
        return with_noise(training, share, rng)

    return made


RELEASES: dict[str, Made] = {
    "exact copy": lambda training, fresh, rng: training,
    "noise of .1 sd": noise(0.1),
    "noise of .3 sd": noise(0.3),
    "fresh sample": lambda training, fresh, rng: fresh,
    "CART": lambda training, fresh, rng: CartSynthesizer(0).fit(training).sample(len(training)),
}


def main() -> None:
    print_environment()
    warnings.simplefilter("ignore")
    n = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000
    adult = pd.read_csv(
        golden_folder() / "rapid" / "adult" / "adult_orig.csv.gz", keep_default_na=False
    )
    for column in COLUMNS:
        for name, made in RELEASES.items():
            found = [figures(adult, n, seed, made, column) for seed in SEEDS]
            print(f"{column}, {name}: " + "; ".join(found))
    for name, made in RELEASES.items():
        if name != "CART":
            print(f"independent 95 / 5, {name}: {independent(n, made)}")
    cost(adult)


def figures(adult: pd.DataFrame, n: int, seed: int, made: Made, column: str) -> str:
    rng = np.random.default_rng(seed)
    rows = adult.iloc[rng.permutation(len(adult))[: 3 * n]].reset_index(drop=True)
    training, holdout, fresh = (rows.iloc[i * n : (i + 1) * n] for i in range(3))
    return told(training, holdout, made(training, fresh, rng), column)


def independent(n: int, made: Made) -> str:
    """Six normals and a class that they say nothing of."""
    rng = np.random.default_rng(0)
    tables = []
    for _ in range(3):
        table = pd.DataFrame(rng.normal(size=(n, 6)), columns=list("abcdef"))
        table["class"] = rng.permutation(np.where(np.arange(n) < n // 20, "rare", "common"))
        tables.append(table)
    training, holdout, fresh = tables
    return told(training, holdout, made(training, fresh, rng), "class")


def told(
    training: pd.DataFrame, holdout: pd.DataFrame, synthetic: pd.DataFrame, column: str
) -> str:
    """Risk on training rows / holdout, without -> with the own record."""
    shown = []
    for lookup in (False, True):
        found = RAPID.compute_breakdown(
            training,
            synthetic,
            real_validation_data=holdout,
            sensitive_column_names=[column],
            lookup=lookup,
            n_bootstrap=0,
            n_permutations=0,
        )
        shown.append(f"{found['score']:.3f} / {found['holdout']['risk']['value']:.3f}")
    return " -> ".join(shown)


def with_noise(table: pd.DataFrame, share: float, rng: np.random.Generator) -> pd.DataFrame:
    """Every number moved by normal noise of this share of its standard deviation."""
    moved = table.copy()
    for column in moved.select_dtypes("number"):
        size = share * moved[column].std()
        moved[column] = moved[column] + rng.normal(0, size, len(moved))
    return moved


def cost(adult: pd.DataFrame) -> None:
    """Seconds of RAPID on Adult as a whole, income sensitive, without and with the own record."""
    rng = np.random.default_rng(0)
    synthetic = with_noise(adult, 0.1, rng)
    seconds = {True: float("inf"), False: float("inf")}
    for lookup in (True, False) * 4:
        start = time.perf_counter()
        RAPID.compute(adult, synthetic, sensitive_column_names=["income"], lookup=lookup)
        seconds[lookup] = min(seconds[lookup], time.perf_counter() - start)
    ratio = seconds[True] / seconds[False]
    print(f"Adult as a whole: {seconds[False]:.2f} s -> {seconds[True]:.2f} s, {ratio:.2f} times")


if __name__ == "__main__":
    main()
