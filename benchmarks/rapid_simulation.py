"""RAPID on the paper's simulated data, beside the published figures.

python benchmarks/rapid_simulation.py [--output docs]

Every figure is the mean over ten simulations of 1,000 people, each synthesized once by CART. About
five minutes on one core. --output writes results/inference.csv and the tables of inference.md.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
from cart_synthesizer import CartSynthesizer
from common import markdown_table, print_environment, write_block, write_results
from health_simulation import KNOWN, SENSITIVE, VISIT_ORDER, simulate

from sdmetrics_disclosure.adapters.release.release import Release, take_columns
from sdmetrics_disclosure.adapters.sources.sources import from_frames
from sdmetrics_disclosure.numba_kernels.rapid.scores import categorical_scores
from sdmetrics_disclosure.plugins.attackers.training import run_attacker

N_RUNS = 10
KAPPA = 10  # where attackers and columns are compared
TAU = 0.3
TAUS = (0.2, 0.3, 0.4, 0.5)
TABLE = {
    0: (0.327, 0.235, 0.160, 0.099),
    5: (0.803, 0.763, 0.722, 0.678),
    10: (0.887, 0.866, 0.838, 0.807),
    20: (0.931, 0.918, 0.901, 0.879),
    50: (0.962, 0.952, 0.941, 0.925),
}
ATTACKERS = {"cart": 0.876, "boosting": 0.875, "forest": 0.864}
ALONE_AND_LEFT_OUT = {
    "age": (0.749, 0.702),
    "health_score": (0.599, 0.860),
    "income": (0.492, 0.844),
    "education": (0.242, 0.860),
    "gender": (0.000, 0.860),
}


class Figure(NamedTuple):
    """A mean over the simulations, beside the published one."""

    part: str
    kappa: int
    tau: float
    attacker: str
    columns: str
    ours: float
    sd: float
    published: float


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--output", type=Path, help="the folder of the pages")
    output = parser.parse_args().output
    print_environment()
    figures = pd.DataFrame(chain(dependency_and_thresholds(), attackers(), columns()))
    figures["difference"] = figures["ours"] - figures["published"]
    print(figures.to_string(float_format="%.3f"))
    if output:
        write_results(output, "inference", figures)
        for name, text in blocks(figures).items():
            write_block(output / "inference.md", name, text)


def dependency_and_thresholds() -> Iterator[Figure]:
    """The forest's risk by strength of the dependency and by threshold."""
    for kappa, published in TABLE.items():
        rates = np.array([risks(release, "forest", TAUS) for release in releases(kappa)])
        for tau, of_tau, beside in zip(TAUS, rates.T, published, strict=True):
            yield _figure("table", of_tau, beside, kappa=kappa, tau=tau)


def attackers() -> Iterator[Figure]:
    """The risk by attacker."""
    everything = list(releases(KAPPA))
    for attacker, published in ATTACKERS.items():
        rates = [risks(release, attacker, [TAU])[0] for release in everything]
        yield _figure("attackers", rates, published, attacker=attacker)


def columns() -> Iterator[Figure]:
    """The forest's risk with one known column alone, and with all but it."""
    everything = list(releases(KAPPA))
    for column, published in ALONE_AND_LEFT_OUT.items():
        others = [name for name in KNOWN if name != column]
        asked = {"alone": [column], "left out": others}
        for (part, known), beside in zip(asked.items(), published, strict=True):
            rates = [risks(release, "forest", [TAU], known)[0] for release in everything]
            yield _figure(part, rates, beside, columns=column)


def blocks(figures: pd.DataFrame) -> dict[str, str]:
    """The tables of the page, by the mark where each belongs."""
    name = "ours (sd) / published"
    cells = [f"{f.ours:.3f} ({f.sd:.3f}) / {f.published:.3f}" for f in figures.itertuples()]
    shown = figures.assign(**{name: cells}).set_index("part")
    by_tau = shown.loc["table"].pivot(index="kappa", columns="tau", values=name)
    of_columns = shown.loc[["alone", "left out"]].reset_index()
    by_column = of_columns.pivot(index="columns", columns="part", values=name)
    return {
        "table": markdown_table(by_tau.rename(columns="tau {}".format)),
        "attackers": markdown_table(shown.loc["attackers"].set_index("attacker")[[name]]),
        "columns": markdown_table(by_column.loc[list(ALONE_AND_LEFT_OUT)]),
        "distance": _distance(figures),
    }


def _distance(figures: pd.DataFrame) -> str:
    worst = figures.loc[figures["difference"].abs().idxmax()]
    return (
        f"The largest of the {len(figures)} differences is {abs(worst['difference']):.3f} "
        f"({worst['part']}, {worst['attacker']}, kappa {worst['kappa']}, tau {worst['tau']})."
    )


def _figure(
    part: str,
    rates: Sequence[float],
    published: float,
    *,
    kappa: int = KAPPA,
    tau: float = TAU,
    attacker: str = "forest",
    columns: str = "all",
) -> Figure:
    mean, sd = float(np.mean(rates)), float(np.std(rates, ddof=1))
    return Figure(part, kappa, tau, attacker, columns, mean, sd, published)


def releases(kappa: int) -> Iterable[Release]:
    for run in range(N_RUNS):
        real = simulate(kappa, np.random.default_rng([run, kappa]))
        synthetic = CartSynthesizer(run, VISIT_ORDER).fit(real).sample(len(real))
        yield from_frames(real, synthetic)


def risks(
    release: Release, attacker: str, taus: Sequence[float], known: Sequence[str] = KNOWN
) -> list[float]:
    levels = release.real[SENSITIVE].cat.categories
    truth = release.real[SENSITIVE].cat.codes.to_numpy(np.intp)
    synthetic = release.synthetic[0]
    attack = run_attacker(
        attacker,
        take_columns(synthetic, known),
        synthetic[SENSITIVE].cat.codes.to_numpy(np.intp),
        [take_columns(release.real, known)],
        kinds={column: release.kinds[column] for column in known},
        n_classes=len(levels),
        random_state=np.random.SeedSequence(0),
        n_jobs=1,
    )
    guess = attack.predictions[0]
    assert guess.column is not None
    assert guess.share is not None
    rows = np.arange(len(truth))
    probability = guess.values[rows, guess.column[truth]] * guess.share[truth]
    scores, _ = categorical_scores(probability, truth, len(levels), "normalized_gain")
    return [float(np.mean(scores > tau)) for tau in taus]


if __name__ == "__main__":
    main()
