"""Disclosure reports that the tests share; each is made once."""

from __future__ import annotations

import functools
from typing import Any
from unittest import mock

import numpy as np
import pandas as pd

from sdmetrics_disclosure.plugins.hooks.registry import metrics
from sdmetrics_disclosure.plugins.report import audit
from sdmetrics_disclosure.plugins.report.report import DisclosureReport
from sdmetrics_disclosure.plugins.results.result import DisclosureResult
from tests.helpers.tables import METADATA, PATIENTS, patients, people

ROLES: dict[str, Any] = {
    "sensitive_column_names": ["income"],
    "known_column_names": ["age", "sex"],
}


# Seconds each, of models and of SDMetrics' own metric: one test runs them all.
SLOW = {"ClassifierAttack", "MembershipEnsemble", "CAPProtection"}


def quick_metrics() -> Any:
    """A patch by which reports leave out the slow metrics; third parties' stay."""

    def quick() -> dict[str, Any]:
        return {name: metric for name, metric in metrics().items() if name not in SLOW}

    return mock.patch.object(audit, "metrics", quick)


def report_on(real: pd.DataFrame, synthetic: Any, metadata: Any, **more: Any) -> DisclosureReport:
    """A report by the quick metrics, without progress."""
    report = DisclosureReport()
    with quick_metrics():
        report.generate(real, synthetic, metadata, **{"verbose": False, **more})
    return report


@functools.cache
def small_report() -> DisclosureReport:
    """On people, all questions asked; `overlap` is kept since their few columns are often alike."""
    return report_on(
        people(400, 0),
        people(400, 1),
        METADATA,
        real_validation_data=people(300, 2),
        overlap="keep",
        **ROLES,
    )


def small_result() -> DisclosureResult:
    """What the small report found."""
    return small_report().result


def noisy_copies(frame: pd.DataFrame, sd: float, seed: int) -> pd.DataFrame:
    """Every row again, with noise of `sd` standard deviations on its numbers."""
    rng = np.random.default_rng(seed)
    copies = frame.copy()
    for column in copies.select_dtypes("float"):
        copies[column] += rng.normal(0, sd * copies[column].std(), len(copies))
    return copies


@functools.cache
def copied_report() -> DisclosureReport:
    """On patients released as noisy copies of themselves."""
    real = patients(600, 0)
    return report_on(
        real,
        noisy_copies(real, 0.1, 1),
        PATIENTS,
        real_validation_data=patients(600, 2),
        sensitive_column_names=["smoker"],
        known_column_names=["value_0", "value_1", "ward"],
    )
