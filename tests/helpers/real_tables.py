"""Real tables that come with SDMetrics and scikit-learn, as the sources' tests use them."""

from __future__ import annotations

import copy
import re
from collections.abc import Mapping
from typing import Any

import pandas as pd
from sdmetrics.demos import load_single_table_demo, load_timeseries_demo
from sklearn.datasets import load_breast_cancer

from sdmetrics_disclosure.adapters.release.release import Release
from sdmetrics_disclosure.plugins.gen_lra.metric import GenLRA
from sdmetrics_disclosure.plugins.gen_lra.options import GenLRAOptions
from sdmetrics_disclosure.plugins.rapid.metric import RAPID
from sdmetrics_disclosure.plugins.rapid.options import RapidOptions
from tests.conftest import PROJECT

PLACEMENTS = "student_placements"
STORES = "timeseries"
# Some of its columns: synthesizers fit each one by one.
KEPT = ["student_id", "gender", "degree_type", "experience_years", "placed", "salary", "mba_perc"]
KEPT += ["second_perc", "high_perc", "start_date"]
MEASURES = ["radius", "texture", "smoothness"]


def placements(rows: slice) -> pd.DataFrame:
    """Student placements: gaps, dates, truth values, an id."""
    real, _, _ = load_single_table_demo()
    return _placements(real).iloc[rows]


def placements_synthetic() -> pd.DataFrame:
    """What CTGAN made of them for SDMetrics."""
    _, synthetic, _ = load_single_table_demo()
    return _placements(synthetic)


def _placements(loaded: Any) -> pd.DataFrame:
    frame: pd.DataFrame = (loaded[PLACEMENTS] if isinstance(loaded, Mapping) else loaded)[KEPT]
    if frame["start_date"].dtype != object:  # some SDMetrics versions have read the dates
        frame = frame.assign(start_date=frame["start_date"].dt.strftime("%Y-%m-%d"))
    return frame


def placements_metadata() -> dict[str, Any]:
    _, _, metadata = load_single_table_demo()
    tidy = _tidy(metadata, PLACEMENTS)
    columns = tidy["tables"][PLACEMENTS]["columns"]
    tidy["tables"][PLACEMENTS]["columns"] = {column: columns[column] for column in KEPT}
    return tidy


def stores(rows: slice) -> pd.DataFrame:
    """A week of each of some sunglasses stores."""
    real, _, _ = load_timeseries_demo()
    frame = real[STORES] if isinstance(real, Mapping) else real
    frame = frame[list(stores_metadata()["tables"][STORES]["columns"])]
    return frame[frame["store_id"].isin(frame["store_id"].unique()[rows])]


def stores_metadata() -> dict[str, Any]:
    _, _, metadata = load_timeseries_demo()
    tidy = _tidy(metadata, STORES)
    tidy["tables"][STORES]["columns"]["store_id"] = {"sdtype": "id"}
    return tidy


def patients(rows: slice) -> dict[str, pd.DataFrame]:
    """Breast cancer patients, and three measurements of each: mean, error, worst."""
    cancer = load_breast_cancer(as_frame=True).frame.iloc[rows]
    people = pd.DataFrame(
        {
            "patient": cancer.index,
            "diagnosis": cancer["target"].map({0: "malignant", 1: "benign"}).to_numpy(),
            "symmetry": cancer["mean symmetry"].to_numpy(),
        }
    )
    forms = {"mean": "mean {}", "error": "{} error", "worst": "worst {}"}
    parts = []
    for statistic, form in forms.items():
        part = cancer[[form.format(measure) for measure in MEASURES]].set_axis(MEASURES, axis=1)
        parts.append(part.assign(statistic=statistic, patient=cancer.index))
    measurements = pd.concat(parts, ignore_index=True)
    return {
        "patients": people,
        "measurements": measurements.assign(measurement=range(len(measurements))),
    }


PATIENTS_METADATA: dict[str, Any] = {
    "tables": {
        "patients": {
            "primary_key": "patient",
            "columns": {
                "patient": {"sdtype": "id"},
                "diagnosis": {"sdtype": "categorical"},
                "symmetry": {"sdtype": "numerical"},
            },
        },
        "measurements": {
            "primary_key": "measurement",
            "columns": {
                **{measure: {"sdtype": "numerical"} for measure in MEASURES},
                "statistic": {"sdtype": "categorical"},
                "patient": {"sdtype": "id"},
                "measurement": {"sdtype": "id"},
            },
        },
    },
    "relationships": [
        {
            "parent_table_name": "patients",
            "parent_primary_key": "patient",
            "child_table_name": "measurements",
            "child_foreign_key": "patient",
        }
    ],
}


def _tidy(metadata: Any, table: str) -> dict[str, Any]:
    """With `tables`, whatever SDMetrics' version, and without what only old SDVs knew."""
    tidy = copy.deepcopy(metadata)
    tidy = tidy if "tables" in tidy else {"tables": {table: tidy}}
    tidy.pop("METADATA_SPEC_VERSION", None)
    tidy["tables"][table].pop("METADATA_SPEC_VERSION", None)
    for column in tidy["tables"][table]["columns"].values():
        column.pop("computer_representation", None)
        column.pop("regex_format", None)
    return dict(tidy)


def both_metrics(release: Release, *sensitive: Any) -> dict[str, float]:
    """What RAPID and Gen-LRA say of a release, figure by figure."""
    options = RapidOptions(
        sensitive_column_names=list(sensitive) or None,
        attacker="boosting_light",
        n_bootstrap=0,
        n_permutations=20,
    )
    result = RAPID.evaluate(release, options)
    figures = {f"RAPID {column}": found.score for column, found in result.columns.items()}
    for column, found in result.columns.items():
        assert found.null is not None
        figures[f"chance {column}"] = found.null.median
    if release.holdout is not None:
        membership = GenLRA.evaluate(release, GenLRAOptions(overlap="keep"))
        figures["GenLRA"] = membership.score
        figures["GenLRA low"] = membership.worst.auc.low
    return figures


def run_page(page: str) -> dict[str, Any]:
    """Run a page's examples one after the other, and give the names they leave."""
    names: dict[str, Any] = {}
    text = (PROJECT / "docs" / page).read_text()
    for block in re.findall(r"```python\n(.*?)```", text, re.DOTALL):
        exec(block, names)
    return names
