"""RAPID on the paper's simulated data, beside the published figures.

    python benchmarks/rapid_simulation.py [table] [attackers] [columns]

Without a word all three parts run; every figure is the mean over ten simulations of 1,000 people,
each synthesized once by CART. About five minutes on one core.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence

import numpy as np
from cart_synthesizer import CartSynthesizer
from common import print_environment
from health_simulation import KNOWN, SENSITIVE, VISIT_ORDER, simulate

from sdmetrics_disclosure.adapters.release import Release, take_columns
from sdmetrics_disclosure.adapters.sources import from_frames
from sdmetrics_disclosure.numba_kernels.scores import categorical_scores
from sdmetrics_disclosure.plugins.attackers import run_attacker

N_RUNS = 10
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


def main() -> None:
    print_environment()
    parts = {"table": show_table, "attackers": show_attackers, "columns": show_columns}
    for name in sys.argv[1:] or parts:
        parts[name]()


def show_table() -> None:
    print("forest, rows kappa, columns tau: ours (sd) / published")
    worst = 0.0
    for kappa, published in TABLE.items():
        rates = np.array([risks(release, "forest", TAUS) for release in releases(kappa)])
        means, deviations = rates.mean(axis=0), rates.std(axis=0, ddof=1)
        cells = zip(means, deviations, published, strict=True)
        print(f"  {kappa:3d}  " + "   ".join(f"{m:.3f} ({s:.3f}) / {p:.3f}" for m, s, p in cells))
        worst = max(worst, float(np.abs(means - published).max()))
    print(f"  largest deviation {worst:.3f} (to be below 0.03)\n")


def show_attackers() -> None:
    print("kappa 10, tau 0.3, by attacker: ours (sd) / published")
    everything = list(releases(10))
    worst = 0.0
    for attacker, published in ATTACKERS.items():
        rates = [risks(release, attacker, [TAU])[0] for release in everything]
        print(f"  {attacker:10s} {_mean(rates)} / {published:.3f}")
        worst = max(worst, abs(float(np.mean(rates)) - published))
    print(f"  largest deviation {worst:.3f} (to be below 0.03)\n")


def show_columns() -> None:
    print("kappa 10, tau 0.3, forest, known columns alone and left out: ours (sd) / published")
    everything = list(releases(10))
    for column, (alone, left_out) in ALONE_AND_LEFT_OUT.items():
        others = [name for name in KNOWN if name != column]
        rates = [risks(release, "forest", [TAU], [column])[0] for release in everything]
        without = [risks(release, "forest", [TAU], others)[0] for release in everything]
        print(f"  {column:12s} {_mean(rates)} / {alone:.3f}    {_mean(without)} / {left_out:.3f}")


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


def _mean(rates: Sequence[float]) -> str:
    return f"{np.mean(rates):.3f} ({np.std(rates, ddof=1):.3f})"


if __name__ == "__main__":
    main()
