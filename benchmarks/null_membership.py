"""Does an interval that excludes 0.5 mean anything? Membership attacks where nothing leaks.

The synthetic rows are a fresh sample of the population: no attack can tell training rows from the
holdout, and at 95 % an interval should exclude 0.5 in 5 % of runs. Each cell is a kind of table on
which that is hard. usage: python benchmarks/null_membership.py [runs] [runs of the ensemble]
"""

from __future__ import annotations

import sys
import time
import warnings
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
from common import print_environment
from scipy.stats import binom

from sdmetrics_disclosure.plugins.attacks.ensemble import MembershipEnsemble
from sdmetrics_disclosure.plugins.base.tables import Tables
from sdmetrics_disclosure.plugins.gen_lra.metric import GenLRA
from sdmetrics_disclosure.plugins.membership.metric import MembershipMetric

Generator = np.random.Generator
Frame = pd.DataFrame
RUNS, ENSEMBLE_RUNS = 400, 100
LEVELS = (4, 5, 3)


def levels(n: int, rng: Generator) -> Frame:
    """Three columns of 4 x 5 x 3 levels: rows are alike by nature."""
    weights = [np.arange(1, k + 1) for k in LEVELS]
    return pd.DataFrame(
        {f"c{i}": rng.choice(w.size, n, p=w / w.sum()).astype(str) for i, w in enumerate(weights)}
    )


def uniform(n: int, rng: Generator) -> Frame:
    """The same columns, every level as frequent as another."""
    return pd.DataFrame({f"c{k}": rng.integers(0, k, n).astype(str) for k in LEVELS})


def third_alike(n: int, rng: Generator) -> Frame:
    """Some 30 % of the rows are of a few kinds, alike by nature; the others are numbers."""
    table = normals(n, rng).round(6)
    common = rng.random(n) < 0.3
    kinds = np.round(np.random.default_rng(0).normal(size=(20, table.shape[1])), 6)
    table[common] = kinds[rng.integers(0, 20, common.sum())]
    return table


def normals(n: int, rng: Generator, d: int = 4) -> Frame:
    """Numbers that never repeat."""
    shared = rng.normal(size=(n, 1))
    return pd.DataFrame(0.5 * shared + rng.normal(size=(n, d))).rename(columns=lambda c: f"x{c}")


def heavy(n: int, rng: Generator) -> Frame:
    """Numbers with heavy tails."""
    return pd.DataFrame(rng.standard_t(1.5, size=(n, 4))).rename(columns=lambda c: f"x{c}")


def repeated(n: int, rng: Generator, share: float = 0.3) -> Frame:
    """Numbers; a share of the rows stands in the table twice."""
    table = normals(n - round(share * n / 2), rng)
    twice = table.head(n - len(table))
    return pd.concat([table, twice], ignore_index=True)


def alike(n_people: int, rng: Generator, keyed: bool = True) -> Frame:
    """Five rows a person, alike but for a little noise."""
    people = normals(n_people, rng).loc[lambda f: np.repeat(f.index, 5)].reset_index(drop=True)
    rows = people + 0.1 * rng.normal(size=people.shape)
    return rows.assign(id=np.repeat(rng.permutation(n_people), 5)) if keyed else people


Draw = Callable[[int, Generator], Frame]
# Rows (or people) of training, synthetic and holdout tables, and where they come from.
CELLS: dict[str, tuple[tuple[int, int, int], Draw]] = {
    "repeats by nature": ((200, 200, 200), levels),
    "repeats within a table": ((200, 200, 200), repeated),
    "five alike rows a person, sequence": ((60, 60, 60), alike),
    "five equal rows a person, no key": ((60, 60, 60), lambda n, r: alike(n, r, keyed=False)),
    "n = 40, all categorical": ((40, 40, 40), levels),
    "d = 2": ((200, 200, 200), lambda n, r: normals(n, r, 2)),
    "d = 50": ((200, 200, 200), lambda n, r: normals(n, r, 50)),
    "heavy tails": ((200, 200, 200), heavy),
    "60 / 600": ((600, 600, 60), normals),
    "600 / 60": ((60, 60, 600), normals),
}


def metadata_of(table: Frame) -> dict[str, Any]:
    """Numbers, levels, and the sequence key where there is one."""
    sdtypes = {
        c: "id" if c == "id" else "numerical" if table[c].dtype.kind == "f" else "categorical"
        for c in table
    }
    plain: dict[str, Any] = {"columns": {c: {"sdtype": kind} for c, kind in sdtypes.items()}}
    return plain | ({"sequence_key": "id"} if "id" in sdtypes else {})


def draw(sizes: tuple[int, int, int], table: Draw, seed: int) -> Tables:
    """Three independent tables of one population; the units of the holdout have names of theirs."""
    rng = np.random.default_rng(seed)
    real, synthetic, holdout = (table(n, rng) for n in sizes)
    if "id" in holdout:
        holdout = holdout.assign(id=holdout["id"] + 1_000_000)
    return Tables(real, synthetic, metadata_of(real), holdout=holdout)


def run(metric: type[MembershipMetric], tables: Tables, **options: Any) -> tuple[float, int]:
    """The AUC and on which side of 0.5 its interval lies; NaN where the holdout was refused."""
    try:
        checked = metric.make_options(**options)
        found = metric.evaluate(metric.make_release(tables, checked), checked).worst.auc
    except ValueError as error:
        if "that is no holdout" not in str(error) and "stand in `synthetic" not in str(error):
            raise
        return float("nan"), 0
    return found.value, int(found.low > 0.5) - int(found.high < 0.5)


def report(metric: type[MembershipMetric], n_runs: int) -> None:
    """A line a cell: mean AUC, shares of intervals above and below 0.5, refused runs, seconds."""
    low, high = binom.interval(0.95, n_runs, 0.05)
    print(f"\n{metric.name}, {n_runs} runs; chance alone gives {low / n_runs:.1%} to ", end="")
    print(f"{high / n_runs:.1%}\n\n| cell | AUC | excludes .5 | above | below | refused | s |")
    print("|---|---|---|---|---|---|---|")
    for name, (sizes, table) in CELLS.items():
        start = time.perf_counter()
        found = [run(metric, draw(sizes, table, seed), random_state=seed) for seed in range(n_runs)]
        aucs, sides = (np.array(each) for each in zip(*found, strict=True))
        ran = ~np.isnan(aucs)
        above, below = (float(np.mean(sides[ran] == side)) for side in (1, -1))
        print(
            f"| {name} | {aucs[ran].mean():.4f} | {above + below:.2%} | {above:.2%} | {below:.2%} "
            f"| {np.mean(~ran):.2%} | {time.perf_counter() - start:.0f} |",
            flush=True,
        )


def mean_auc(
    sizes: tuple[int, int, int],
    table: Draw,
    release: Callable[[Tables, Generator], Frame],
    n_runs: int,
    **options: Any,
) -> str:
    """The mean AUC over runs of a release made from drawn tables, and shares beside 0.5."""
    found = []
    for seed in range(n_runs):
        tables = draw(sizes, table, seed)
        made = replace(tables, synthetic=release(tables, np.random.default_rng((seed, 1))))
        found.append(run(GenLRA, made, random_state=seed, **options))
    aucs, sides = (np.array(each) for each in zip(*found, strict=True))
    ran = ~np.isnan(aucs)
    above, below = (float(np.mean(sides[ran] == side)) for side in (1, -1))
    return f"{aucs[ran].mean():.3f} | {above:.1%} | {below:.1%} | {int(ran.sum())} of {n_runs}"


def noisy(tables: Tables, rng: Generator, cell: float | None = None) -> Frame:
    """The training rows with noise of 0.3 standard deviations, and perhaps one cell far out."""
    made: Frame = tables.real + 0.3 * rng.normal(size=tables.real.shape)
    if cell is not None:
        made.iloc[0, 0] = cell
    return made


def cases() -> None:
    """The figures that were wrong before, a line each."""
    fresh, training = (lambda t, r: t.synthetic), (lambda t, r: t.real.copy())
    resampled = lambda t, r: t.real.sample(frac=1, replace=True, random_state=1)  # noqa: E731
    print("\n| case | mean AUC | above .5 | below .5 | ran |\n|---|---|---|---|---|")
    for name, line in {
        "4 x 5 x 3 levels, 1,000 rows, fresh": mean_auc((1000,) * 3, uniform, fresh, 40),
        "the same, training rows released": mean_auc((1000,) * 3, uniform, training, 40),
        "200 rows, bootstrap of the training rows": mean_auc((200,) * 3, uniform, resampled, 50),
        "30 % alike by nature, fresh, dropped": mean_auc(
            (300,) * 3, third_alike, fresh, 200, overlap="drop"
        ),
        "the same, kept by default": mean_auc((300,) * 3, third_alike, fresh, 200),
        "noise 0.3, d = 4": mean_auc((250,) * 3, normals, noisy, 20),
        "the same, one cell of 1e7": mean_auc(
            (250,) * 3, normals, lambda t, r: noisy(t, r, 1e7), 20
        ),
    }.items():
        print(f"| {name} | {line} |", flush=True)


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    numbers = [int(word) for word in sys.argv[1:]]
    print_environment()
    cases()
    report(GenLRA, numbers[0] if numbers else RUNS)
    report(MembershipEnsemble, numbers[1] if len(numbers) > 1 else ENSEMBLE_RUNS)
