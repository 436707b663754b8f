"""RAPID on UCI Adult (32,561 x 13, income sensitive), beside the authors' R package.

    python benchmarks/adult.py [attacker ...]

For each of two CART synthetics: the threshold curve and its largest distance from the authors'
curve for the same attacker and table, the rate at tau 0.3, and seconds. Without names: boosting
(which the authors have not; it is held against their forest), forest, cart and logistic.
"""

from __future__ import annotations

import json
import sys
import time
from typing import Any

import numpy as np
import pandas as pd
from common import golden_folder, print_environment

from sdmetrics_disclosure.adapters.release.release import Release, take_columns
from sdmetrics_disclosure.adapters.sources.sources import from_frames
from sdmetrics_disclosure.numba_kernels.rapid.scores import categorical_scores, share_above
from sdmetrics_disclosure.plugins.attackers.training import run_attacker

SENSITIVE = "income"
TAU = 0.3
# What the authors' package calls the attacker.
THEIRS = {"boosting": "rf", "forest": "rf", "cart": "cart", "logistic": "logit"}


def main() -> None:
    print_environment()
    folder = golden_folder() / "rapid" / "adult"
    reference = json.loads((folder / "adult_rapid.json").read_text())
    names = ("orig", "syn1", "syn2")
    # "?" is a level of Adult, not a gap.
    real, *synthetics = (
        pd.read_csv(folder / f"adult_{name}.csv.gz", keep_default_na=False) for name in names
    )
    release = from_frames(real, synthetics)
    for replicate, name in enumerate(names[1:]):
        for attacker in sys.argv[1:] or THEIRS:
            theirs = reference[f"{name}_{THEIRS.get(attacker, 'rf')}"]
            start = time.perf_counter()
            scores = score(release, replicate, attacker)
            seconds = time.perf_counter() - start
            rates = share_above(scores, np.array(theirs["tau"]))
            print(f"{name} {attacker}, {seconds:.2f} s")
            print(f"  rate   {np.mean(scores > TAU):.4f} (theirs {theirs['rate']:.4f})")
            print("  curve  " + " ".join(f"{rate:.3f}" for rate in rates))
            print("  theirs " + " ".join(f"{rate:.3f}" for rate in theirs["rate_by_tau"]))
            print(f"  within {np.abs(rates - theirs['rate_by_tau']).max():.4f}")


def score(release: Release, replicate: int, attacker: str) -> Any:
    """The normalised gain of every real record."""
    known = [column for column in release.columns if column != SENSITIVE]
    synthetic = release.synthetic[replicate]
    attack = run_attacker(
        attacker,
        take_columns(synthetic, known),
        synthetic[SENSITIVE].cat.codes.to_numpy(np.intp),
        [take_columns(release.real, known)],
        kinds={column: release.kinds[column] for column in known},
        n_classes=2,
        random_state=np.random.SeedSequence(0),
        n_jobs=1,
    )
    truth = release.real[SENSITIVE].cat.codes.to_numpy(np.intp)
    probability = attack.predictions[0].values[np.arange(len(truth)), truth]
    return categorical_scores(probability, truth, 2, "normalized_gain")[0]


if __name__ == "__main__":
    main()
