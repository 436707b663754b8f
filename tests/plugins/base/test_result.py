"""Results in a console and in a notebook."""

from __future__ import annotations

import pandas as pd

from sdmetrics_disclosure.plugins.base.findings import Finding, Measure
from sdmetrics_disclosure.plugins.base.result import ShownResult
from sdmetrics_disclosure.plugins.common.statistics import Interval


class Found(ShownResult):
    score, protection = 0.25, 0.75

    def findings(self) -> tuple[Finding, ...]:
        found = Interval(0.25, 0.125, 0.5, "wilson")
        risk = Measure("risk", "risk", found, 8)
        rate = Measure("rate", "found", None, 8, at=0.01, remark="holdout too small")
        return (Finding("<b>", 0.25, 0.75, measures=(risk, rate)),)


def test_it_is_short_and_its_table_has_every_measure() -> None:
    result = Found()
    assert repr(result) == "<Found: score 0.250, protection 0.750>"
    frame = result.to_frame()
    assert list(frame["Measure"]) == ["risk", "found at 0.01"]
    assert frame.loc[0, ["Value", "Low", "High"]].tolist() == [0.25, 0.125, 0.5]
    assert frame.loc[1, ["Value", "Low", "High"]].isna().all()
    assert isinstance(frame, pd.DataFrame)


def test_names_from_outside_stay_text() -> None:
    page = Found()._repr_html_()
    assert "&lt;b&gt;" in page
    assert "<b>" not in page
