"""Which attack finds whom: every membership attack by generator, and the ensemble beside them.

python benchmarks/power.py [--runs 3] [--splits 20] [--output FOLDER]

On real mixed tables (`real_tables`), `--runs` splits a table by seeds of its own, all attacks on
the same splits: mean AUC and TPR at FPR 0, 0.01 and 0.1, the share of leaking runs in which an
attack is the best single one, and how often GenLRA's power law is ahead of it. On fresh samples,
`--splits` splits a table, pooled: how often the ensemble's simultaneous 95 % interval excludes 0.5.
--output writes every run as CSV and the tables as a markdown page.
"""

from __future__ import annotations

import argparse
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
from cart_synthesizer import CartSynthesizer
from common import print_environment
from generators import GENERATORS, Generator
from membership_power import splits
from real_tables import real_tables

from sdmetrics_disclosure.plugins.ensemble import ATTACKS, EnsembleOptions, MembershipEnsemble

FRESH = "fresh sample"
RATES = ("0", "0.01", "0.1")


def bootstrap(
    training: pd.DataFrame, fresh: pd.DataFrame, rng: np.random.Generator
) -> pd.DataFrame:
    """Training rows drawn with replacement."""
    return training.iloc[rng.integers(0, len(training), len(training))].reset_index(drop=True)


def cart(training: pd.DataFrame, fresh: pd.DataFrame, rng: np.random.Generator) -> pd.DataFrame:
    """A tree for every column, as synthpop makes them."""
    synthesizer = CartSynthesizer(int(rng.integers(2**31))).fit(training)
    return synthesizer.sample(len(training))


ALL: dict[str, Generator] = {**GENERATORS, "bootstrap": bootstrap, "CART": cart}


def judge(parts: list[pd.DataFrame], synthetic: pd.DataFrame, seed: int) -> dict:  # type: ignore[type-arg]
    """The ensemble's breakdown; rows alike by nature are kept."""
    release = MembershipEnsemble.make_release(parts[0], synthetic, None, None, parts[1], None)
    options = EnsembleOptions(overlap="keep", random_state=seed)
    return MembershipEnsemble.evaluate(release, options).breakdown()


def compare(tables: dict[str, pd.DataFrame], n_runs: int) -> pd.DataFrame:
    """A row per table, split, generator and attack, and one for the ensemble's maximum."""
    rows = []
    for name, frame in tables.items():
        for seed, parts in splits(name, frame, n_runs):
            for generator, make in ALL.items():
                found = judge(parts, make(parts[0], parts[2], np.random.default_rng(seed)), seed)
                for attack, each in {**found["attacks"], "ensemble": found}.items():
                    rates = [each["tpr_at_fpr"][rate]["value"] for rate in RATES]
                    rows.append((name, seed, generator, attack, each["auc"]["value"], *rates))
    names = ["table", "seed", "generator", "attack", "AUC", *(f"TPR at FPR {r}" for r in RATES)]
    return pd.DataFrame(rows, columns=names)


def calibrate(tables: dict[str, pd.DataFrame], n_splits: int) -> pd.DataFrame:
    """A row per table and split of a fresh sample."""
    rows = []
    for name, frame in tables.items():
        for seed, parts in splits(name, frame, n_splits):
            auc = judge(parts, parts[2], seed)["auc"]
            rows.append((name, auc["value"], not auc["low"] <= 0.5 <= auc["high"]))
    return pd.DataFrame(rows, columns=["table", "AUC", "excludes 0.5"])


def summarise(runs: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """The page's tables, by title."""
    leaking = runs[runs["generator"] != FRESH]
    by_run = leaking.pivot_table(
        index=["table", "seed", "generator"], columns="attack", values="AUC"
    )
    single = by_run[[name for name in ATTACKS if name in by_run]]
    measures = [column for column in runs if column == "AUC" or column.startswith("TPR")]
    overall = leaking.groupby("attack")[measures].mean()
    overall["best in"] = single.idxmax(axis=1).value_counts(normalize=True)
    overall["GenLRA ahead"] = single.rsub(single["GenLRA"], axis=0).gt(0).mean()
    by_generator = runs.pivot_table(index="generator", columns="attack", values="AUC")
    return {
        "Leaking runs": overall.sort_values("AUC", ascending=False).round(3),
        "Mean AUC by generator": by_generator.T.round(3),
    }


def write(folder: Path, runs: pd.DataFrame, tables: dict[str, pd.DataFrame]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    runs.to_csv(folder / "power.csv", index=False)
    page = ["# Power of the membership attacks\n"]
    for title, table in tables.items():
        head = [table.index.name or "", *map(str, table.columns)]
        lines = [[str(name), *map(str, row)] for name, row in zip(table.index, table.to_numpy())]  # noqa: B905
        cells = [head, ["---"] * len(head), *lines]
        page += [f"\n## {title}\n", *("| " + " | ".join(line) + " |" for line in cells)]
    (folder / "power.md").write_text("\n".join(page) + "\n")


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--splits", type=int, default=20)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--output", type=Path)
    arguments = parser.parse_args()
    print_environment()
    warnings.simplefilter("ignore", UserWarning)
    found = real_tables()
    if arguments.runs:
        runs = compare(found, arguments.runs)
        tables = summarise(runs)
        for title, table in tables.items():
            print(f"{title}\n{table.to_string()}\n")
        if arguments.output:
            write(arguments.output, runs, tables)
    if arguments.splits:
        calibrated = calibrate(found, arguments.splits)
        print(f"fresh samples, {arguments.splits} splits a table, pooled:")
        print(calibrated[["AUC", "excludes 0.5"]].mean().round(4))
