"""Real mixed tables: those that ship in packages, and the shared ones where they are here."""

from __future__ import annotations

import os
from pathlib import Path

import pandas as pd
from common import SHARED
from sdmetrics.demos import load_single_table_demo
from sklearn.datasets import load_breast_cancer, load_diabetes, load_wine


def real_tables() -> dict[str, pd.DataFrame]:
    """The tables by name; rows in their own order, categories as text."""
    tables = {
        "placements": _placements(),
        "diabetes": _diabetes(),
        "breast_cancer": _with_class(load_breast_cancer(as_frame=True)),
        "wine": _with_class(load_wine(as_frame=True)),
    }
    folder = Path(os.environ.get("SDMETRICS_DISCLOSURE_DATA", SHARED / "data"))
    if folder.is_dir():
        tables["insurance"] = pd.read_csv(folder / "insurance" / "holdout_set.csv")
        adults = pd.read_csv(folder / "adults" / "control.csv.gz", keep_default_na=False)
        tables["adults"] = adults.drop(columns="fnlwgt")
    return tables


def _placements() -> pd.DataFrame:
    real = load_single_table_demo()[0]
    frame = next(iter(real.values())) if isinstance(real, dict) else real
    return frame.drop(columns=["student_id", "start_date", "end_date"])


def _diabetes() -> pd.DataFrame:
    frame = load_diabetes(as_frame=True).frame
    return frame.assign(sex=(frame["sex"] > 0).map({True: "one", False: "other"}))


def _with_class(data: object) -> pd.DataFrame:
    frame: pd.DataFrame = data.frame  # type: ignore[attr-defined]
    return frame.assign(target="class " + frame["target"].astype(str))
