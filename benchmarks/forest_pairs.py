"""The forest attacker beside R's ranger: four real tables, means over ten seeds.

    python benchmarks/forest_pairs.py

About two minutes on one core.
"""

from __future__ import annotations

import json
from collections.abc import Collection
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from common import golden_folder, print_environment

from sdmetrics_disclosure.adapters.release.release import Release, take_columns
from sdmetrics_disclosure.adapters.sources.sources import from_frames
from sdmetrics_disclosure.numba_kernels.rapid.scores import categorical_scores, errors
from sdmetrics_disclosure.plugins.attackers.training import run_attacker

N_SEEDS = 10
SMALL = 300
DELTA = 0.01


def main() -> None:
    print_environment()
    folder = golden_folder() / "rapid" / "pairs"
    index = json.loads((folder / "index.json").read_text())
    print(f"{'task':36s} {'rows':>5s}  ours   ranger  distance  allowed  worst seed")
    for name, run in json.loads((folder / "rf.json").read_text()).items():
        release = read(folder, run["pair"], index[run["pair"]]["levels"])
        rates = np.array([rate(release, run, seed) for seed in range(N_SEEDS)])
        allowed = 0.035 if run["n"] < SMALL else 0.02
        print(
            f"{name:36s} {run['n']:5d}  {rates.mean():.4f} {run['mean']:.4f}  "
            f"{rates.mean() - run['mean']:+.4f}   {allowed:.3f}    "
            f"{np.abs(rates - run['mean']).max():.4f}"
        )


def read(folder: Path, pair: str, categories: Collection[str]) -> Release:
    real, synthetic = (
        pd.read_csv(folder / f"{pair}_{end}.csv.gz", keep_default_na=False)
        for end in ("orig", "syn")
    )
    columns = {
        column: {"sdtype": "categorical" if column in categories else "numerical"}
        for column in real
    }
    return from_frames(real, synthetic, {"columns": columns})


def rate(release: Release, run: dict[str, Any], seed: int) -> float:
    known, sensitive = run["quasi_identifiers"], run["sensitive"]
    is_number = run["type"] == "numeric"
    truth, target = (
        frame[sensitive].to_numpy() if is_number else frame[sensitive].cat.codes.to_numpy(np.intp)
        for frame in (release.real, release.synthetic[0])
    )
    n_classes = None if is_number else len(release.real[sensitive].cat.categories)
    attack = run_attacker(
        "forest",
        take_columns(release.synthetic[0], known),
        target,
        [take_columns(release.real, known)],
        kinds={column: release.kinds[column] for column in known},
        n_classes=n_classes,
        random_state=np.random.SeedSequence(seed),
        n_jobs=1,
    )
    guess = attack.predictions[0]
    if guess.column is None or guess.share is None:
        return float(np.mean(errors(truth, guess.values, "symmetric", DELTA) < run["epsilon"]))
    rows = np.arange(len(truth))
    probability = guess.values[rows, guess.column[truth]] * guess.share[truth]
    scores, _ = categorical_scores(probability, truth, len(guess.column), "normalized_gain")
    return float(np.mean(scores > run["tau"]))


if __name__ == "__main__":
    main()
