"""The demo: the quality report on real and synthetic student placements, and what next."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from sdmetrics_disclosure.plugins.quality.settings import disclosure_options

TABLE = "student_placements"
NOISE = 0.1
ATTRIBUTE = """Risk is the share of students whose value an attacker guesses confidently from the
synthetic table, Low to High its 95 % interval. Chance is the same share when the true values are
shuffled: only what lies above it, the Excess, is disclosure. Score is 1 - Risk."""
CARELESS = """The synthetic placements above were made from all rows, so nobody is left who was not
in. Here half of the real rows are kept back as a holdout, and the other half is released by a
careless synthesizer: a copy of every row with 10 % noise on its numbers."""
MEMBERSHIP = """AUC is how well an outsider, with the release and a sample of the population, tells
the rows that were in the training data from those that were not: 0.5 is guessing. Score is 1 for no
advantage over guessing."""
NEXT = """What to do next: say which columns are sensitive, what an attacker knows, and pass real
rows that the synthesizer never saw.

    from sdmetrics_disclosure.plugins import disclosure_options
    with disclosure_options(real_validation_data=holdout,
                            sensitive_column_names=["salary"],
                            known_column_names=["gender", "degree_type"]):
        report = evaluate_quality(real_data, synthetic_data, metadata)

Look closer at one column:

    from sdmetrics.single_table import RAPID
    RAPID.compute_breakdown(real_data, synthetic_data, metadata, sensitive_column_names=["placed"])

`sdmetrics-disclosure metrics` lists the metrics, `sdmetrics-disclosure doctor` checks the set-up.
"""


def load_placements() -> tuple[pd.DataFrame, pd.DataFrame, dict[str, Any]]:
    """Real rows, synthetic rows and metadata (with `tables`) of SDMetrics' student placements."""
    from sdmetrics.demos import load_single_table_demo

    real, synthetic, metadata = load_single_table_demo()
    if isinstance(real, Mapping):  # SDMetrics from 0.28.1 on gives dicts
        return next(iter(real.values())), next(iter(synthetic.values())), metadata
    return real, synthetic, {"tables": {TABLE: metadata}}


def run_demo() -> None:
    """Show both disclosure properties, by SDMetrics' own report class."""
    real, synthetic, metadata = load_placements()
    report = _report(real, synthetic, metadata, verbose=True)
    details = report.get_details("Attribute Disclosure").drop(columns="Table", errors="ignore")
    print("Attribute Disclosure\n")
    _show(details, ["Column", "Score", "Risk", "Low", "High", "Chance", "Excess"])
    print(f"\n{ATTRIBUTE}\n")
    training, holdout, copies = careless_release(real)
    with disclosure_options(real_validation_data=holdout):
        report = _report(training, copies, metadata, verbose=False)
    print("Membership Disclosure\n")
    print(CARELESS, "\n", sep="")
    details = report.get_details("Membership Disclosure")
    _show(details, ["Metric", "Score", "AUC", "Low", "High", "Epsilon Lower Bound"])
    print(f"\n{MEMBERSHIP}\n\n{NEXT}", end="")


def write_page(path: str) -> None:
    """Write the disclosure report of the careless release.

    Args:
        path:
            Where the page goes.
    """
    from sdmetrics_disclosure.plugins.report.report import DisclosureReport

    real, _, metadata = load_placements()
    training, holdout, copies = careless_release(real)
    report = DisclosureReport()
    report.generate(
        training,
        copies,
        metadata,
        real_validation_data=holdout,
        sensitive_column_names=["placed", "degree_perc"],
    )
    report.to_html(path)


def careless_release(real: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame, pd.DataFrame]:
    """Training rows, a holdout, and copies of the training rows with a little noise.

    Args:
        real:
            The real rows; half of them, drawn at random, become the holdout.
    """
    rng = np.random.default_rng(0)
    order = rng.permutation(len(real))
    half = len(real) // 2
    training, holdout = real.iloc[order[:half]].copy(), real.iloc[order[half:]]
    copies = training.copy()
    for column in copies.select_dtypes("float"):
        scale = NOISE * float(copies[column].std())
        copies[column] = (copies[column] + rng.normal(0, scale, half)).round(2)
    return training, holdout, copies


def _report(
    real: pd.DataFrame, synthetic: pd.DataFrame, metadata: dict[str, Any], verbose: bool
) -> Any:
    import sdmetrics.reports

    (name,) = metadata["tables"]
    report = sdmetrics.reports.QualityReport()
    if hasattr(report, "table_names"):
        report.generate({name: real}, {name: synthetic}, metadata, verbose=verbose)
    else:  # SDMetrics before 0.28.1: one report for one table
        report.generate(real, synthetic, metadata["tables"][name], verbose=verbose)
    return report


def _show(details: pd.DataFrame, columns: list[str]) -> None:
    print(details[columns].to_string(index=False, float_format="{:.3f}".format))
