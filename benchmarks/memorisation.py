"""How far an attack sees approximate memorisation: a generator that scatters rows around people.

python benchmarks/memorisation.py [--repetitions 40] [--output docs]

The population is a Gaussian mixture in eight dimensions. Training, holdout and synthetic tables
have 500 rows. A synthetic row lies with probability epsilon around a random training row, moved by
a normal of rho standard deviations in every column, else it is a fresh draw of the population. The
AUC of each attack over a grid of epsilon and rho, and straight lines of AUC - 0.5 against epsilon.
--output writes results/memorisation.csv and the tables of memorisation.md.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
from common import markdown_table, print_environment, write_block, write_results
from numpy.typing import NDArray
from scipy.stats import t as student_t

from sdmetrics_disclosure.plugins.attacks.density import DOMIAS
from sdmetrics_disclosure.plugins.attacks.distance import DCRAttack, DCRDifference
from sdmetrics_disclosure.plugins.gen_lra.metric import GenLRA

Floats = NDArray[np.float64]

N_ROWS, N_COLUMNS, N_COMPONENTS = 500, 8, 5
EPSILONS = (0.0, 0.1, 0.25, 0.5, 0.75, 1.0)
RHOS = (0.05, 0.1, 0.2, 0.4, 0.8)
COLUMNS = [f"column_{i}" for i in range(N_COLUMNS)]
METADATA = {"columns": {column: {"sdtype": "numerical"} for column in COLUMNS}}
ATTACKS: dict[str, Callable[..., float]] = {
    "GenLRA, power law": GenLRA.compute,
    "GenLRA, Gaussian": partial(GenLRA.compute, kernel="gaussian"),
    "DCR": DCRAttack.compute,
    "DCR-Difference": DCRDifference.compute,
    "DOMIAS": DOMIAS.compute,
}


class Population:
    """A mixture of round Gaussians, each column with standard deviation 1 over all of it."""

    def __init__(self, rng: np.random.Generator) -> None:
        means = rng.normal(0, 2, size=(N_COMPONENTS, N_COLUMNS))
        self.deviation = np.sqrt(1 + means.var(axis=0))
        self.means = means

    def draw(self, n: int, rng: np.random.Generator) -> Floats:
        """(n, 8) rows."""
        component = rng.integers(0, N_COMPONENTS, n)
        return (self.means[component] + rng.normal(size=(n, N_COLUMNS))) / self.deviation


def synthesize(
    population: Population, training: Floats, epsilon: float, rho: float, rng: np.random.Generator
) -> Floats:
    """As many rows as there are training rows; each memorised with probability epsilon."""
    n = len(training)
    near = training[rng.integers(0, n, n)] + rho * rng.normal(size=training.shape)
    return np.where(rng.random((n, 1)) < epsilon, near, population.draw(n, rng))


def simulate(n_repetitions: int) -> Iterator[tuple[float, float, int, str, float]]:
    """Rho, epsilon, repetition, attack and AUC."""
    population = Population(np.random.default_rng(0))
    for repetition in range(n_repetitions):
        people = np.random.default_rng([0, repetition])
        training, holdout = (population.draw(N_ROWS, people) for _ in range(2))
        for cell, (rho, epsilon) in enumerate((r, e) for r in RHOS for e in EPSILONS):
            rng = np.random.default_rng([1, repetition, cell])
            synthetic = synthesize(population, training, epsilon, rho, rng)
            frames = [pd.DataFrame(x, columns=COLUMNS) for x in (training, synthetic, holdout)]
            for name, compute in ATTACKS.items():
                auc = compute(*frames, METADATA, random_state=repetition)
                yield rho, epsilon, repetition, name, auc


def known_copies(epsilon: float) -> float:
    """The AUC of who knows which training rows were drawn from, and nothing else.

    A training row that no synthetic row lies around is as good as an outsider.
    """
    share = 1 - (1 - epsilon / N_ROWS) ** N_ROWS
    return float(0.5 + share / 2)


def mean_auc(results: pd.DataFrame) -> pd.DataFrame:
    """By attack and rho, columns epsilon; the limit below."""
    named = results.assign(rho=results["rho"].map("{:g}".format))
    table = named.pivot_table(index=["attack", "rho"], columns="epsilon", values="AUC")
    table = table.loc[list(ATTACKS)]
    table.loc[("knowing who was copied", ""), :] = [known_copies(e) for e in EPSILONS]
    return table


def lead(results: pd.DataFrame) -> pd.DataFrame:
    """The power law's AUC minus DCR's, means over the repetitions with their 95 % t intervals."""
    attack = results.pivot(index=["rho", "epsilon", "repetition"], columns="attack", values="AUC")
    differences = (attack["GenLRA, power law"] - attack["DCR"]).groupby(["rho", "epsilon"])
    means, errors, counts = differences.mean(), differences.sem(), differences.count()
    margins = student_t.ppf(0.975, counts - 1) * errors
    shown = [f"{mean:+.3f} ± {margin:.3f}" for mean, margin in zip(means, margins, strict=True)]
    table = pd.Series(shown, index=means.index).unstack()
    return table.rename(index="{:g}".format)


def fits(results: pd.DataFrame) -> pd.DataFrame:
    """Straight lines of the mean AUC against epsilon, and against the share of rows drawn from.

    The slopes of the first quarter and of the second half say where the line bends.
    """
    epsilons = np.array(EPSILONS)
    shares = np.array([2 * (known_copies(epsilon) - 0.5) for epsilon in EPSILONS])
    rows = []
    for (attack, rho), means in mean_auc(results).iloc[:-1].iterrows():
        aucs = means.to_numpy(dtype=float)
        ends = [np.interp(epsilon, epsilons, aucs) for epsilon in (0, 0.25, 0.5, 1)]
        bends = (ends[1] - ends[0]) / 0.25, (ends[3] - ends[2]) / 0.5
        rows.append((attack, rho, *line(epsilons, aucs), *bends, *line(shares, aucs)))
    names = ["slope", "R²", "slope to 0.25", "slope from 0.5", "slope on share", "R² on share"]
    return pd.DataFrame(rows, columns=["attack", "rho", *names]).set_index("attack")


def line(x: Floats, y: Floats) -> tuple[float, float]:
    """Slope and R² of least squares with an intercept."""
    slope, intercept = np.polyfit(x, y, 1)
    return float(slope), float(1 - np.var(y - slope * x - intercept) / np.var(y))


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--repetitions", type=int, default=40)
    parser.add_argument("--output", type=Path, help="the folder of the pages")
    arguments = parser.parse_args()
    print_environment()
    names = ["rho", "epsilon", "repetition", "attack", "AUC"]
    results = pd.DataFrame(simulate(arguments.repetitions), columns=names)
    tables = {"auc": mean_auc(results), "lead": lead(results), "fits": fits(results)}
    for table in tables.values():
        print(f"{table.round(3).to_string()}\n")
    if arguments.output:
        write_results(arguments.output, "memorisation", results)
        for name, table in tables.items():
            write_block(arguments.output / "memorisation.md", name, markdown_table(table))


if __name__ == "__main__":
    main()
