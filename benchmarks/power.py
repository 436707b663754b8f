"""Which attack finds whom: every membership attack by generator, and the ensemble beside them.

python benchmarks/power.py [--runs 5] [--large-runs 3] [--cart-runs 20] [--splits 100]
    [--output docs]

On real mixed tables (`real_tables`), all attacks on the same splits, each table with seeds of its
own: `--runs` splits of at most 250 rows, and of the tables that are large enough `--large-runs`
splits of at most 1,000. `--cart-runs` splits of both sizes for CART alone, where GenLRA and the
classifier are close. On fresh samples, `--splits` splits a table: how often the ensemble's
simultaneous 95 % interval excludes 0.5. --output writes every run as CSV (results/power.csv,
power_cart.csv, calibration.csv) and the tables of power.md.
"""

from __future__ import annotations

import argparse
import logging
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from cart_synthesizer import CartSynthesizer
from common import markdown_table, print_environment, write_block, write_results
from generators import GENERATORS, Generator
from membership_power import MOST_ROWS, splits
from real_tables import real_tables
from scipy.stats import t as student_t
from sdv_generators import SDV_GENERATORS
from tqdm import tqdm

from sdmetrics_disclosure.plugins.attacks.ensemble import (
    ATTACKS,
    COMBINATION,
    EnsembleOptions,
    MembershipEnsemble,
)
from sdmetrics_disclosure.plugins.base.tables import Tables

FRESH = "fresh sample"
ENSEMBLE = "ensemble"
LARGE_ROWS = 1_000
RATES = ("0", "0.01", "0.1")
MEASURES = ["AUC", *(f"TPR at FPR {rate}" for rate in RATES)]
RUN = ["table", "rows", "seed", "generator"]


def bootstrap(
    training: pd.DataFrame, fresh: pd.DataFrame, rng: np.random.Generator
) -> pd.DataFrame:
    """Training rows drawn with replacement."""
    return training.iloc[rng.integers(0, len(training), len(training))].reset_index(drop=True)


def cart(training: pd.DataFrame, fresh: pd.DataFrame, rng: np.random.Generator) -> pd.DataFrame:
    """A tree for every column, as synthpop makes them."""
    synthesizer = CartSynthesizer(int(rng.integers(2**31))).fit(training)
    return synthesizer.sample(len(training))


# From what leaks most to what does not leak at all.
ALL: dict[str, Generator] = {
    "exact copy": GENERATORS["exact copy"],
    "bootstrap": bootstrap,
    **{name: make for name, make in GENERATORS.items() if name not in ("exact copy", FRESH)},
    "CART": cart,
    **SDV_GENERATORS,
    FRESH: GENERATORS[FRESH],
}


def judge(parts: list[pd.DataFrame], synthetic: pd.DataFrame, seed: int) -> dict[str, Any]:
    """The ensemble's breakdown; rows alike by nature are kept."""
    tables = Tables(parts[0], synthetic, holdout=parts[1])
    release = MembershipEnsemble.make_release(tables, None)
    options = EnsembleOptions(overlap="keep", random_state=seed)
    return MembershipEnsemble.evaluate(release, options).breakdown()


def all_splits(
    tables: dict[str, pd.DataFrame], n_runs: int, n_large: int
) -> Iterator[tuple[str, int, list[pd.DataFrame]]]:
    """Name of the table, seed and parts: the small splits, then the large ones."""
    for most_rows, n_splits in ((MOST_ROWS, n_runs), (LARGE_ROWS, n_large)):
        for name, frame in tables.items():
            # A table too small for more than 250 rows would only repeat its small splits.
            if most_rows == MOST_ROWS or len(frame) // 3 > MOST_ROWS:
                for seed, parts in splits(name, frame, n_splits, most_rows):
                    yield name, seed, parts


def compare(
    cases: list[tuple[str, int, list[pd.DataFrame]]], generators: dict[str, Generator]
) -> pd.DataFrame:
    """A row per table, split, generator and attack, with the combination and the maximum."""
    rows = []
    for name, seed, parts in tqdm(cases):
        for generator, make in generators.items():
            synthetic = make(parts[0], parts[2], np.random.default_rng(seed))
            found = judge(parts, synthetic, seed)
            for attack, each in {**found["attacks"], ENSEMBLE: found}.items():
                rates = [each["tpr_at_fpr"][rate]["value"] for rate in RATES]
                run = (name, len(parts[0]), seed, generator)
                rows.append((*run, attack, each["auc"]["value"], *rates))
    return pd.DataFrame(rows, columns=[*RUN, "attack", *MEASURES])


def calibrate(tables: dict[str, pd.DataFrame], n_splits: int) -> pd.DataFrame:
    """A row per table and split of a fresh sample."""
    rows = []
    for name, seed, parts in tqdm(list(all_splits(tables, n_splits, 0))):
        auc = judge(parts, parts[2], seed)["auc"]
        low, high = auc["low"], auc["high"]
        excludes = not low <= 0.5 <= high
        rows.append((name, len(parts[0]), seed, auc["value"], low, high, excludes))
    names = ["table", "rows", "seed", "AUC", "low", "high", "excludes 0.5"]
    return pd.DataFrame(rows, columns=names)


def by_run(runs: pd.DataFrame) -> pd.DataFrame:
    """The AUC of the single attacks (columns) in every run."""
    wide = runs.pivot(index=RUN, columns="attack", values="AUC")
    return wide[[name for name in ATTACKS if name in wide]]


def leaking(runs: pd.DataFrame) -> pd.DataFrame:
    """What every attack finds where something may leak, and how it does against GenLRA."""
    chosen = runs[runs["generator"] != FRESH]
    found = chosen.groupby("attack")[MEASURES].mean()
    single = by_run(chosen)
    is_best = single.eq(single.max(axis=1), axis=0)
    found["best in"] = is_best.div(is_best.sum(axis=1), axis=0).mean()
    found["GenLRA ahead in"] = single.rsub(single["GenLRA"], axis=0).gt(0).mean()
    found["tied in"] = single.eq(single["GenLRA"], axis=0).mean()
    found.loc["GenLRA", ["GenLRA ahead in", "tied in"]] = np.nan
    return found.sort_values("AUC", ascending=False)


def by_generator(runs: pd.DataFrame, measure: str) -> pd.DataFrame:
    """Means of a measure: generators as rows, attacks as columns."""
    table = runs.pivot_table(index="generator", columns="attack", values=measure)
    order = [name for name in (*ATTACKS, COMBINATION, ENSEMBLE) if name in table]
    return table.loc[[name for name in ALL if name in table.index], order]


def who_is_ahead(runs: pd.DataFrame) -> pd.DataFrame:
    """By generator: GenLRA against the other attack that is best there on average.

    The other one is chosen after the fact, which favours it. To be ahead the 95 % t interval of
    the mean difference over the runs must exclude 0.
    """
    rows = {}
    for generator, single in by_run(runs).groupby("generator"):
        other = single.drop(columns="GenLRA").mean().idxmax()
        mean, margin = mean_and_margin(single["GenLRA"] - single[other])
        ahead = "nobody" if abs(mean) <= margin else "GenLRA" if mean > 0 else other
        aucs = single["GenLRA"].mean(), other, single[other].mean()
        rows[generator] = (len(single), *aucs, f"{mean:+.3f} ± {margin:.3f}", ahead)
    names = ["runs", "GenLRA", "best other", "its AUC", "difference", "ahead"]
    found = pd.DataFrame.from_dict(rows, orient="index", columns=names).rename_axis("generator")
    return found.loc[[name for name in ALL if name in found.index]]


def beyond_fresh(runs: pd.DataFrame) -> pd.DataFrame:
    """By generator: what GenLRA and the best other attack find beyond a fresh sample.

    The difference is taken split by split: with so few rows training and holdout rows differ by
    chance, and a fresh sample meets the same difference.
    """
    ahead = who_is_ahead(runs)
    aucs = by_run(runs).unstack("generator")
    rows = {}
    for generator in ahead.index.drop(FRESH):
        cells = {}
        for attack in ("GenLRA", ahead.loc[generator, "best other"]):
            mean, margin = mean_and_margin(aucs[attack, generator] - aucs[attack, FRESH])
            cells[attack] = f"{mean:+.3f} ± {margin:.3f}"
        other = list(cells)[1]
        rows[generator] = (cells["GenLRA"], other, cells[other])
    names = ["GenLRA", "best other", "its difference"]
    return pd.DataFrame.from_dict(rows, orient="index", columns=names).rename_axis("generator")


def mean_and_margin(differences: pd.Series[float]) -> tuple[float, float]:
    """The mean over runs and half of the width of its 95 % t interval."""
    margin = student_t.ppf(0.975, len(differences) - 1) * differences.sem()
    return float(differences.mean()), float(margin)


def cart_by_table(runs: pd.DataFrame) -> pd.DataFrame:
    """By table and size: GenLRA against the classifier, with the 95 % t interval of the mean."""
    single = by_run(runs)
    is_small = single.index.get_level_values("rows") <= MOST_ROWS
    parts = dict(list(single.groupby(["table", "rows"])))
    for size, chosen in ((f"at most {MOST_ROWS}", is_small), ("more", ~is_small)):
        if chosen.any():
            parts["all", size] = single[chosen]
    rows = []
    for (name, size), part in parts.items():
        lra, classifier = part["GenLRA"], part["ClassifierAttack"]
        mean, margin = mean_and_margin(lra - classifier)
        share = f"{int((lra > classifier).sum())} of {len(lra)}"
        difference = f"{mean:+.3f} ± {margin:.3f}"
        rows.append((name, size, lra.mean(), classifier.mean(), difference, share))
    names = ["table", "rows", "GenLRA", "ClassifierAttack", "difference", "GenLRA ahead in"]
    return pd.DataFrame(rows, columns=names).set_index(["table", "rows"])


def ensemble_cost(runs: pd.DataFrame) -> pd.DataFrame:
    """Mean AUC of the ensemble and of the combination beside that of the best single attack."""
    means = by_generator(runs, "AUC")
    single = means[[name for name in ATTACKS if name in means]]
    best = single.max(axis=1)
    return pd.DataFrame(
        {
            "best single": single.idxmax(axis=1),
            "its AUC": best,
            "ensemble": means[ENSEMBLE],
            "ensemble - best": means[ENSEMBLE] - best,
            "combination - best": means[COMBINATION] - best,
        }
    )


def calibration_table(calibrated: pd.DataFrame) -> pd.DataFrame:
    """By table and pooled: how often the interval excludes 0.5."""
    grouped = calibrated.groupby("table")
    found = grouped[["AUC", "excludes 0.5"]].mean().assign(splits=grouped.size())
    pooled = calibrated[["AUC", "excludes 0.5"]].mean()
    found.loc["pooled"] = [*pooled, len(calibrated)]
    return found.astype({"splits": int})


def tables_of(runs: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """The tables of the page, by the mark where each belongs."""
    is_small = runs["rows"] <= MOST_ROWS
    tables = {}
    for size, part in (("small", runs[is_small]), ("large", runs[~is_small])):
        if len(part):
            tables[f"{size}: leaking runs"] = leaking(part)
            tables[f"{size}: AUC"] = by_generator(part, "AUC")
            tables[f"{size}: TPR"] = by_generator(part, "TPR at FPR 0.01")
            tables[f"{size}: who is ahead"] = who_is_ahead(part)
            tables[f"{size}: beyond fresh"] = beyond_fresh(part)
    return tables | {"ensemble": ensemble_cost(runs)}


def show(
    name: str, runs: pd.DataFrame, tables: dict[str, pd.DataFrame], output: Path | None
) -> None:
    """Print the tables; write the runs as CSV and the tables into the page."""
    for mark, table in tables.items():
        print(f"{mark}\n{table.round(3).to_string()}\n")
    if output:
        write_results(output, name, runs)
        for mark, table in tables.items():
            write_block(output / "power.md", mark, markdown_table(table))


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--large-runs", type=int, default=3)
    parser.add_argument("--cart-runs", type=int, default=20)
    parser.add_argument("--splits", type=int, default=100)
    parser.add_argument("--output", type=Path, help="the folder of the pages")
    arguments = parser.parse_args()
    print_environment()
    warnings.simplefilter("ignore")
    logging.disable(logging.WARNING)  # SDV says at every fit that it detected the metadata
    tables, output = real_tables(), arguments.output
    if cases := list(all_splits(tables, arguments.runs, arguments.large_runs)):
        runs = compare(cases, ALL)
        show("power", runs, tables_of(runs), output)
    if cases := list(all_splits(tables, arguments.cart_runs, arguments.cart_runs)):
        runs = compare(cases, {"CART": cart})
        show("power_cart", runs, {"CART": cart_by_table(runs)}, output)
    if arguments.splits:
        runs = calibrate(tables, arguments.splits)
        show("calibration", runs, {"calibration": calibration_table(runs)}, output)


if __name__ == "__main__":
    main()
