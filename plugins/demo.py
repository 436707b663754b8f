"""The demo: the quality report on real and synthetic student placements, and what next."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

TABLE = "student_placements"
NEXT = """What the rows say: Risk is the share of students whose value an attacker guesses
confidently from the synthetic table, Low to High its 95 % interval. Chance is the same share when
the true values are shuffled: only what lies above it is disclosure. Score is 1 - Risk.

What to do next:
  1. Say which columns are sensitive and which an attacker knows:
       from sdmetrics_disclosure.plugins import disclosure_options
       with disclosure_options(sensitive_column_names=["salary"],
                               known_column_names=["gender", "degree_type"]):
           report = evaluate_quality(real_data, synthetic_data, metadata)
  2. Look closer at one of them:
       from sdmetrics.single_table import RAPID
       RAPID.compute_breakdown(real_data, synthetic_data, metadata,
                               sensitive_column_names=["placed"])
  3. `sdmetrics-disclosure metrics` lists the metrics, `sdmetrics-disclosure doctor` the set-up."""


def load_placements() -> tuple[pd.DataFrame, pd.DataFrame, dict[str, Any]]:
    """Real rows, synthetic rows and metadata (with `tables`) of SDMetrics' student placements."""
    from sdmetrics.demos import load_single_table_demo

    real, synthetic, metadata = load_single_table_demo()
    if isinstance(real, Mapping):  # SDMetrics from 0.28.1 on gives dicts
        return next(iter(real.values())), next(iter(synthetic.values())), metadata
    return real, synthetic, {"tables": {TABLE: metadata}}


def run_demo() -> None:
    """Generate the report with SDMetrics' own class and print the rows."""
    import sdmetrics.reports

    real, synthetic, metadata = load_placements()
    (name,) = metadata["tables"]
    report = sdmetrics.reports.QualityReport()
    if hasattr(report, "table_names"):
        report.generate({name: real}, {name: synthetic}, metadata)
    else:  # SDMetrics before 0.28.1: one report for one table
        report.generate(real, synthetic, metadata["tables"][name])
    details = report.get_details("Attribute Disclosure").drop(columns="Table", errors="ignore")
    shown = ["Column", "Metric", "Score", "Risk", "Low", "High", "Chance", "Excess"]
    print("Attribute Disclosure\n")
    print(details[shown].to_string(index=False, float_format="{:.3f}".format))
    print(f"\n{NEXT}")
