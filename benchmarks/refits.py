"""The refit attack on real tables: its figures beside those of the prototype, and its cost.

    python benchmarks/refits.py [--table adult] [--seeds 3] [--only copula,cart] [--output docs]
    python benchmarks/refits.py --speed

Each synthesizer is fitted 24 times on halves of 300 rows (placements: 200) and samples five times
as many rows. Printed are means over the tables: AUC of all and of the thirty most isolated, the
plain distance's, epsilon (at the full level, as the prototype's), and those of the prototype. CTGAN
has 50 epochs and batches of 150, TVAE 100 epochs.

With --speed: match counts and distances of 1,000 people, 5,000
rows and 20 columns, against pandas, on one core.
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from cart_synthesizer import CartSynthesizer
from common import (
    data_folder,
    markdown_table,
    print_environment,
    write_block,
    write_results,
)
from real_tables import real_tables

from sdmetrics_disclosure.numba_kernels.refits.distances import nearest_distances
from sdmetrics_disclosure.numba_kernels.refits.matches import match_counts
from sdmetrics_disclosure.plugins.refits.audit import refit_attack
from sdmetrics_disclosure.plugins.refits.encoding import TOLERANCE
from sdmetrics_disclosure.plugins.refits.epsilon import epsilon_bound
from sdmetrics_disclosure.plugins.refits.features import draw_subsets

ADULT = [
    "age",
    "type_employer",
    "education",
    "marital",
    "occupation",
    "relationship",
    "race",
    "sex",
    "hr_per_week",
    "income",
]
# AUC of all, of the isolated, epsilon: means of the prototype over its tables.
PROTOTYPE = {
    "adult": {
        "ignores": (0.505, 0.501, 0.001),
        "copula": (0.639, 0.717, 0.55),
        "CTGAN": (0.586, 0.731, 0.31),
        "TVAE": (0.566, 0.559, 0.21),
        "independent": (0.707, 0.784, 0.89),
        "CART": (0.840, 0.884, 1.91),
        "bootstrap": (0.995, 0.998, 5.84),
    },
    "placements": {
        "copula": (0.603, np.nan, 0.36),
        "independent": (0.810, np.nan, 1.57),
        "CART": (0.894, np.nan, 2.59),
        "bootstrap": (0.996, np.nan, 5.70),
    },
    "insurance": {
        "copula": (0.561, np.nan, 0.21),
        "CTGAN": (0.513, np.nan, 0.01),
        "independent": (0.689, np.nan, 0.85),
        "CART": (0.872, np.nan, 2.25),
    },
}
FIGURES = ("AUC", "Isolated", "Epsilon")


def tables(name: str, n: int) -> Iterator[pd.DataFrame]:
    """Tables of one source, each another draw of its rows."""
    if name == "adult":
        path = data_folder() / "adults" / "control.csv.gz"
        pool = pd.read_csv(path, keep_default_na=False)[ADULT]
        for seed in range(n):
            yield pool.sample(300, random_state=1000 + seed).reset_index(drop=True)
        return
    rows, pool = (200 if name == "placements" else 300), real_tables()[name]
    numbers = pool.select_dtypes("number").columns
    pool = pool.fillna(pool[numbers].median())
    for seed in range(n):
        yield pool.sample(frac=1, random_state=seed).iloc[:rows].reset_index(drop=True)


def bootstrap(real_data: pd.DataFrame, num_rows: int, random_state: int) -> pd.DataFrame:
    return real_data.sample(num_rows, replace=True, random_state=random_state)


def independent(real_data: pd.DataFrame, num_rows: int, random_state: int) -> pd.DataFrame:
    rng = np.random.default_rng(random_state)
    return pd.DataFrame({c: rng.choice(real_data[c].to_numpy(), num_rows) for c in real_data})


def cart(real_data: pd.DataFrame, num_rows: int, random_state: int) -> pd.DataFrame:
    return CartSynthesizer(random_state).fit(real_data).sample(num_rows)


def synthesizers(real: pd.DataFrame) -> dict[str, Callable[[], Any]]:
    """Each by name; SDV's have metadata detected on the table."""
    from sdv.metadata import Metadata
    from sdv.single_table import CTGANSynthesizer, GaussianCopulaSynthesizer, TVAESynthesizer

    metadata = Metadata.detect_from_dataframes({"table": real})
    others = independent(real, 20_000, 0)  # rows that follow no coin

    def ignores(real_data: pd.DataFrame, num_rows: int, random_state: int) -> pd.DataFrame:
        return others.sample(num_rows, random_state=random_state)

    return {
        "ignores": lambda: ignores,
        "copula": lambda: GaussianCopulaSynthesizer(metadata),
        "CTGAN": lambda: CTGANSynthesizer(metadata, epochs=50, batch_size=150),
        "TVAE": lambda: TVAESynthesizer(metadata, epochs=100),
        "independent": lambda: independent,
        "CART": lambda: cart,
        "bootstrap": lambda: bootstrap,
    }


def attack(table: str, n_tables: int, only: list[str]) -> pd.DataFrame:
    found = []
    for seed, real in enumerate(tables(table, n_tables)):
        for name in only:
            source = synthesizers(real)[name]()
            summary = refit_attack({name: source}, real, random_state=seed).summary
            everybody, isolated, alone = (row for _, row in summary.iterrows())
            counts = int(everybody["Right"]), int(everybody["Guesses"])
            row = {
                "Synthesizer": name,
                "Table": seed,
                "AUC": everybody["AUC"],
                "Isolated": isolated["AUC"],
                "Alone": alone["AUC"],
                "Distance": everybody["Distance AUC"],
                "Epsilon": epsilon_bound(*counts, 1, 0.0, 0.95),
                "Seconds a Fit": everybody["Seconds a Fit"],
            }
            print(" ".join(f"{v:.3f}" if isinstance(v, float) else str(v) for v in row.values()))
            found.append(row)
    return pd.DataFrame(found)


def beside_prototype(table: str, found: pd.DataFrame) -> pd.DataFrame:
    means = found.drop(columns="Table").groupby("Synthesizer", sort=False).mean()
    nothing = (np.nan,) * len(FIGURES)
    theirs = [PROTOTYPE[table].get(name, nothing) for name in means.index]
    columns = [f"Prototype's {figure}" for figure in FIGURES]
    return means.join(pd.DataFrame(theirs, index=means.index, columns=columns))


def speed(n_people: int = 1000, n_rows: int = 5000, d: int = 20, asked: int = 20) -> None:
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 8, (n_people + n_rows, d // 2))
    values = np.hstack([rng.normal(size=(n_people + n_rows, d - d // 2)), codes])
    is_category = np.arange(d) >= d - d // 2
    people, rows = values[:n_people], values[n_people:]
    median = np.median(people, axis=0)
    subsets = draw_subsets(d, 40, rng).tests
    width = np.where(is_category, 0.0, TOLERANCE)
    above = (people > median) & ~is_category
    below = ~above & ~is_category
    lower = np.hstack([people - width, np.where(below, -np.inf, people)])
    upper = np.hstack([people + width, np.where(above, np.inf, people)])
    column = np.tile(np.arange(d), 2)

    def ours(n: int) -> tuple[Any, Any]:
        counted = match_counts(rows, lower[:n], upper[:n], column, subsets)
        return counted, nearest_distances(people[:n], rows, is_category, 20)

    frame = pd.DataFrame(rows)

    def pandas(n: int) -> tuple[Any, Any]:
        counts, nearest = [], []
        for t in range(n):
            passed = pd.DataFrame(
                {f: frame[j].between(lower[t, f], upper[t, f]) for f, j in enumerate(column)}
            )
            counts.append([int(passed.loc[:, q].all(axis=1).sum()) for q in subsets])
            numbers = frame.loc[:, ~is_category] - people[t][~is_category]
            squares = (numbers**2).clip(upper=1e6).sum(axis=1)
            squares += (frame.loc[:, is_category] != people[t][is_category]).sum(axis=1)
            nearest.append(np.sqrt(squares.nsmallest(20).to_numpy()))
        return np.array(counts), np.array(nearest)

    ours(2)  # compiles
    mine, quick = timed(lambda: ours(n_people))
    theirs, slow = timed(lambda: pandas(asked))
    np.testing.assert_array_equal(mine[0][:asked], theirs[0])
    np.testing.assert_allclose(mine[1][:asked], theirs[1])
    slow *= n_people / asked
    print(f"{n_people} people, {n_rows} rows, {d} columns, {len(subsets)} subsets, one core:")
    print(
        f"ours {quick:.3f} s, pandas {slow:.1f} s (from {asked} people), {slow / quick:.0f} times"
    )


def timed(work: Callable[[], Any]) -> tuple[Any, float]:
    start = time.perf_counter()
    made = work()
    return made, time.perf_counter() - start


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--table", choices=PROTOTYPE, default="adult")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--only", default="ignores,copula,independent,CART,bootstrap")
    parser.add_argument("--output", type=Path)
    parser.add_argument("--speed", action="store_true")
    arguments = parser.parse_args()
    print_environment()
    warnings.simplefilter("ignore")
    if arguments.speed:
        speed()
    else:
        results = attack(arguments.table, arguments.seeds, arguments.only.split(","))
        shown = markdown_table(beside_prototype(arguments.table, results))
        print(f"\n{shown}")
        if arguments.output:
            write_results(arguments.output, f"refits_{arguments.table}", results)
            write_block(arguments.output / "refits.md", arguments.table, shown)
