"""The full audit of UCI Adult, end to end: holdout, synthesizer, every metric, verdict and page.

    python benchmarks/audit_adult.py [folder for page and JSON] [rows]

A quarter of the rows is cut off as a holdout before anything else. The other three quarters are
released by the benchmark's own CART synthesizer, income is sensitive, all else known. Printed: the
verdict under the default policy, and the time by step.
"""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pandas as pd
from cart_synthesizer import CartSynthesizer
from common import golden_folder, print_environment

from sdmetrics_disclosure.plugins.report.report import DisclosureReport

SENSITIVE = "income"
HOLDOUT_SHARE = 0.25
CAP_ROWS = 2000


def main() -> None:
    print_environment()
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else tempfile.mkdtemp(prefix="audit-adult-"))
    rows = int(sys.argv[2]) if len(sys.argv) > 2 else None
    start = time.perf_counter()
    training, holdout = cut(read_adult(), rows)
    cut_at = time.perf_counter()
    synthetic = CartSynthesizer(random_state=0).fit(training).sample(len(training))
    made = time.perf_counter()
    report = DisclosureReport()
    report.generate(
        training,
        synthetic,
        metadata_of(training),
        real_validation_data=holdout,
        sensitive_column_names=[SENSITIVE],
        overlap="keep",  # people with the same 13 values are common here
        # SDMetrics' own metric, for comparison only, needs minutes for more.
        metric_options={"CAPProtection": {"num_rows_subsample": CAP_ROWS}},
    )
    examined = time.perf_counter()
    report.to_html(folder / "adult.html")
    report.save(folder / "adult.json")
    written = time.perf_counter()
    print(f"\n{len(training)} training rows, {len(synthetic)} synthetic, {len(holdout)} holdout")
    print("Seconds by step")
    steps = [("read and cut the holdout", cut_at - start), ("synthesize", made - cut_at)]
    steps += [(step.name, step.seconds) for step in report.result.setting.steps]
    steps += [("page and JSON", written - examined), ("all", written - start)]
    for name, seconds in steps:
        print(f"  {name:32}{seconds:8.1f}")
    print(f"\n{folder / 'adult.html'}\n{folder / 'adult.json'}")


def read_adult() -> pd.DataFrame:
    """The real rows; "?" is a level of Adult, not a gap."""
    path = golden_folder() / "rapid" / "adult" / "adult_orig.csv.gz"
    return pd.read_csv(path, keep_default_na=False)


def cut(real: pd.DataFrame, rows: int | None) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Training rows and a holdout, at random."""
    order = np.random.default_rng(0).permutation(len(real))[:rows]
    n_holdout = int(HOLDOUT_SHARE * len(order))
    parts = order[n_holdout:], order[:n_holdout]
    training, holdout = (real.iloc[part].reset_index(drop=True) for part in parts)
    return training, holdout


def metadata_of(real: pd.DataFrame) -> dict[str, dict[str, dict[str, str]]]:
    """Numbers are numerical, all else categorical."""
    numeric = {column: pd.api.types.is_numeric_dtype(real[column]) for column in real}
    kinds = {c: "numerical" if is_number else "categorical" for c, is_number in numeric.items()}
    return {"columns": {column: {"sdtype": kind} for column, kind in kinds.items()}}


if __name__ == "__main__":
    main()
