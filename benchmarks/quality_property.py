"""What the property Attribute Disclosure costs and how near its light setting comes.

python benchmarks/quality_property.py [--full]

On Adult (32,561 x 13, nothing declared, every column in turn): the time of the property against
that of SDMetrics' own properties in the same run (at most 5 times), and, with --full, each light
rate's 95 % interval against the full computation (default attacker, all rows). Also the time of
500 bootstrap replicates with the 101-point curve against one fit of the default attacker.
"""

from __future__ import annotations

import argparse
import time
import warnings

import numpy as np
import pandas as pd
import sdmetrics.reports
from common import golden_folder, print_environment

from sdmetrics_disclosure.adapters.sources.sources import from_frames
from sdmetrics_disclosure.plugins.attackers.training import run_attacker
from sdmetrics_disclosure.plugins.base.roles import find_target
from sdmetrics_disclosure.plugins.rapid.class_scores import score_classes
from sdmetrics_disclosure.plugins.rapid.guesses import keep_guesses
from sdmetrics_disclosure.plugins.rapid.metric import RAPID
from sdmetrics_disclosure.plugins.rapid.options import RapidOptions

NAME = "Attribute Disclosure"


def adult() -> tuple[pd.DataFrame, pd.DataFrame, dict]:  # type: ignore[type-arg]
    """Adult, one of its CART synthetics, and metadata by dtype."""
    folder = golden_folder() / "rapid" / "adult"
    real, synthetic = (
        pd.read_csv(folder / name, keep_default_na=False)
        for name in ("adult_orig.csv.gz", "adult_syn1.csv.gz")
    )
    kinds = {
        c: {"sdtype": "numerical" if pd.api.types.is_numeric_dtype(real[c]) else "categorical"}
        for c in real
    }
    return real, synthetic, {"tables": {"adult": {"columns": kinds}}}


def time_properties(real: pd.DataFrame, synthetic: pd.DataFrame, metadata: dict) -> pd.DataFrame:  # type: ignore[type-arg]
    """Print each property's seconds; return the disclosure rows."""
    report = sdmetrics.reports.QualityReport()
    seconds = {}
    for name, made in report._properties.items():
        compute = made.get_score

        def timed(*args: object, _name: str = name, _compute=compute, **kwargs: object) -> float:  # type: ignore[no-untyped-def]
            start = time.perf_counter()
            score: float = _compute(*args, **kwargs)
            seconds[_name] = time.perf_counter() - start
            return score

        made.get_score = timed
    report.generate({"adult": real}, {"adult": synthetic}, metadata, verbose=False)
    own = sum(taken for name, taken in seconds.items() if name != NAME)
    for name, taken in seconds.items():
        print(f"{name:24}{taken:8.2f} s")
    print(f"{NAME} / SDMetrics' own: {seconds[NAME] / own:.2f} (at most 5)\n")
    return report.get_details(NAME)


def compare_with_full(
    light: pd.DataFrame,
    real: pd.DataFrame,
    synthetic: pd.DataFrame,
    metadata: dict,  # type: ignore[type-arg]
) -> None:
    """Print each light rate with its interval beside the full one."""
    print(f"{'column':18}{'light':>8}{'low':>8}{'high':>8}{'full':>8}")
    inside = 0
    for row in light.to_dict("records"):
        full = RAPID.compute(
            real,
            synthetic,
            metadata,
            sensitive_column_names=[row["Column"]],
            known_column_names=[c for c in real if c != row["Column"]],
            n_bootstrap=0,
            n_permutations=0,
        )
        within = row["Low"] <= full <= row["High"]
        inside += within
        rates = "".join(f"{value:8.3f}" for value in (row["Risk"], row["Low"], row["High"], full))
        print(f"{row['Column']:18}{rates}{'' if within else '  outside'}")
    print(f"{inside} of {len(light)} inside\n")


def time_bootstrap(real: pd.DataFrame, synthetic: pd.DataFrame, metadata: dict) -> None:  # type: ignore[type-arg]
    """Print the time of the bootstrap against one fit of the default attacker."""
    release = from_frames(real, synthetic, metadata)
    known = [c for c in release.columns if c != "income"]
    target = find_target(release, "income")
    start = time.perf_counter()
    attack = run_attacker(
        "boosting",
        release.synthetic[0][known],
        target.synthetic[0],
        [release.real[known]],
        kinds={c: release.kinds[c] for c in known},
        n_classes=target.n_classes,
        random_state=np.random.SeedSequence(0),
        n_jobs=None,
    )
    fit = time.perf_counter() - start
    scores = score_classes(
        keep_guesses(attack.predictions[0], target.real), target.real, 2, RapidOptions()
    )
    scores.bootstrap(scores.grid(), 2, np.random.default_rng(0), None)  # compiled, warm
    start = time.perf_counter()
    scores.bootstrap(scores.grid(), 500, np.random.default_rng(0), None)
    resampled = time.perf_counter() - start
    print(f"one fit of the default attacker {fit:.3f} s, 500 replicates {resampled:.3f} s")
    print(f"replicates / fit: {resampled / fit:.2f} (at most 0.5)")


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--full", action="store_true", help="also compute every rate in full")
    arguments = parser.parse_args()
    print_environment()
    warnings.simplefilter("ignore", UserWarning)
    tables = adult()
    time_properties(*tables)  # compiles and loads what is loaded on first use
    rows = time_properties(*tables)
    if arguments.full:
        compare_with_full(rows, *tables)
    time_bootstrap(*tables)
