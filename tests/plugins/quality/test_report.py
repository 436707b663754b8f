"""The disclosure properties inside SDMetrics' own quality report."""

from __future__ import annotations

import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import sdmetrics.reports
from sdmetrics.demos import load_multi_table_demo
from sdmetrics.single_table import GenLRA

from sdmetrics_disclosure.plugins import disclosure_options
from sdmetrics_disclosure.plugins.cli.demo import load_placements
from sdmetrics_disclosure.plugins.quality.report import SWITCH, QualityReport
from tests.helpers.tables import METADATA, PATIENTS, patients, people

NAME = "Attribute Disclosure"
UNIFIED = hasattr(QualityReport(), "table_names")


def generate(
    real: pd.DataFrame,
    synthetic: pd.DataFrame,
    metadata: dict[str, Any],
    report: Any = None,
    verbose: bool = False,
) -> Any:
    """Generate a report on one table with either of SDMetrics' APIs."""
    report = sdmetrics.reports.QualityReport() if report is None else report
    if UNIFIED:
        tables = {"tables": {"people": metadata}}
        report.generate({"people": real}, {"people": synthetic}, tables, verbose=verbose)
    else:
        report.generate(real, synthetic, metadata, verbose=verbose)
    return report


def test_sdmetrics_report_is_ours() -> None:
    assert sdmetrics.reports.QualityReport is QualityReport
    assert QualityReport.__name__ == "QualityReport"


def assert_chance_is_taken_off(details: pd.DataFrame) -> None:
    """Where chance gives everything, nothing is learned."""
    beyond = (details["Risk"] - details["Chance"]) / (1 - details["Chance"])
    np.testing.assert_allclose(details["Score"], 1 - beyond.fillna(0).clip(lower=0))


@pytest.mark.slow
def test_rows_on_student_placements() -> None:
    real, synthetic, metadata = load_placements()
    (table,) = metadata["tables"].values()
    report = generate(real, synthetic, table)
    details = report.get_details(NAME)
    modelable = [c for c, m in table["columns"].items() if m["sdtype"] != "id"]
    assert list(details["Column"]) == modelable
    assert (details["Metric"] == "RAPID").all()
    assert "Error" not in details
    assert_chance_is_taken_off(details)
    assert ((details["Low"] <= details["Risk"]) & (details["Risk"] <= details["High"])).all()
    scores = report.get_properties().set_index("Property")["Score"]
    assert scores[NAME] == details["Score"].mean()


def test_the_overall_score_does_not_move(monkeypatch: pytest.MonkeyPatch) -> None:
    real, synthetic = people(200, 0), people(200, 1)
    with_us = generate(real, synthetic, METADATA)
    monkeypatch.setenv(SWITCH, "off")
    without = generate(real, synthetic, METADATA)
    assert NAME not in set(without.get_properties()["Property"])
    assert with_us.get_score() == without.get_score()
    native = without.get_properties()
    pd.testing.assert_frame_equal(
        with_us.get_properties().iloc[: len(native)].reset_index(drop=True), native
    )


def test_the_printed_overall_score_is_the_native_one(capsys: pytest.CaptureFixture[str]) -> None:
    report = generate(people(100, 0), people(100, 1), METADATA, verbose=True)
    printed = capsys.readouterr().out
    assert f"Overall Score (Average): {round(report.get_score() * 100, 2)}%" in printed
    assert f"Evaluating {NAME}" in printed
    assert "N/A" not in printed.split(f"Evaluating {NAME}")[0] or UNIFIED


def test_verbose_false_prints_nothing(capfd: pytest.CaptureFixture[str]) -> None:
    generate(people(60, 0), people(60, 1), METADATA)
    assert capfd.readouterr() == ("", "")


def test_roles_and_holdout_on_the_report() -> None:
    report = sdmetrics.reports.QualityReport()
    report.sensitive_column_names = ["income"]
    report.known_column_names = ["age", "sex"]
    report.real_validation_data = people(150, 2)
    details = generate(people(150, 0), people(150, 1), METADATA, report).get_details(NAME)
    assert list(details["Column"]) == ["income"]
    assert {"Holdout Risk", "Difference", "Difference Low", "Difference High"} <= set(details)
    assert details["Difference"].iloc[0] == pytest.approx(
        details["Risk"].iloc[0] - details["Holdout Risk"].iloc[0]
    )


@pytest.mark.slow
def test_roles_by_context_manager_are_those_on_the_report() -> None:
    report = sdmetrics.reports.QualityReport()
    report.sensitive_column_names = ["income"]
    own = generate(people(150, 0), people(150, 1), METADATA, report).get_details(NAME)
    with disclosure_options(sensitive_column_names=["income"]):
        by_context = generate(people(150, 0), people(150, 1), METADATA).get_details(NAME)
    pd.testing.assert_frame_equal(own, by_context)
    after = generate(people(60, 0), people(60, 1), METADATA).get_details(NAME)
    assert len(after) == 4


def test_the_light_setting_and_the_users_own_subsample() -> None:
    real, synthetic = people(400, 0), people(300, 1)
    report = sdmetrics.reports.QualityReport()
    if not hasattr(report, "num_rows_subsample"):
        pytest.skip("this SDMetrics has no num_rows_subsample on its reports")
    report.num_rows_subsample = 100
    details = generate(real, synthetic, METADATA, report).get_details(NAME)
    assert set(details["Subsample"]) == {"100 of 400 real, 100 of 300 synthetic rows"}
    assert (details["Records"] == 100).all()


def test_an_error_is_a_row_and_a_figure() -> None:
    real, synthetic = people(100, 0).assign(sex="f"), people(100, 1)
    with disclosure_options(sensitive_column_names=["sex", "income"]):
        report = generate(real, synthetic, METADATA)
    details = report.get_details(NAME).set_index("Column")
    assert np.isnan(details.loc["sex", "Score"])
    assert "nothing to guess" in details.loc["sex", "Error"]
    assert details.loc["income", "Error"] is None
    assert report.get_score() > 0
    assert "nothing to guess" in str(figure_of(report).to_json())
    with disclosure_options(sensitive_column_names=["sex"]):
        broken = generate(real, synthetic, METADATA)
    assert "nothing to guess" in str(figure_of(broken).to_json())
    with disclosure_options(sensitive_column_names=["no such column"]):
        wrong = generate(real, synthetic, METADATA)
    assert "no such column" in wrong.get_details(NAME)["Error"].iloc[0]


def figure_of(report: Any, name: str = NAME) -> Any:
    return report.get_visualization(name, "people") if UNIFIED else report.get_visualization(name)


def test_the_figure_shows_risk_interval_and_baseline() -> None:
    report = generate(people(100, 0), people(100, 1), METADATA)
    details = report.get_details(NAME)
    bars, baseline = figure_of(report).data
    assert list(bars.x) == list(details["Column"])
    np.testing.assert_allclose(bars.y, details["Risk"])
    np.testing.assert_allclose(bars.error_y.array, details["High"] - details["Risk"])
    np.testing.assert_allclose(baseline.y, details["Baseline"])


MEMBERSHIP = "Membership Disclosure"


@pytest.mark.slow
def test_without_a_holdout_copies_are_counted_and_an_attack_says_how_to_pass_one() -> None:
    report = generate(patients(60, 0), patients(60, 0), PATIENTS)
    details = report.get_details(MEMBERSHIP).set_index("Metric")
    assert "real_validation_data" in details.loc["GenLRA", "Error"]
    assert details.loc["Copies", "Error"] is None
    assert details.loc["Copies", ["Score", "Rows Copied"]].tolist() == [0.0, 1.0]
    assert "real_validation_data" in figure_of(report, MEMBERSHIP).to_json()


@pytest.mark.slow
def test_with_a_holdout_membership_has_a_row_a_table() -> None:
    training, holdout = patients(200, 0), patients(200, 1)
    with disclosure_options(real_validation_data=holdout):
        report = generate(training, training.copy(), PATIENTS)
    row, copies = report.get_details(MEMBERSHIP).to_dict("records")
    assert (row["Metric"], copies["Metric"]) == ("GenLRA", "Copies")
    assert (copies["Score"], copies["People Copied"]) == (0.0, 200)
    assert row["Score"] == GenLRA.normalize(row["AUC"])
    assert row["AUC"] == GenLRA.compute(training, training.copy(), holdout, PATIENTS)
    assert row["Epsilon Lower Bound"] > 1
    scores = report.get_properties().set_index("Property")["Score"]
    assert scores[MEMBERSHIP] == (row["Score"] + copies["Score"]) / 2
    figure = figure_of(report, MEMBERSHIP)
    assert figure.layout.xaxis.type == figure.layout.yaxis.type == "log"
    assert [trace.name for trace in figure.data if trace.name] == ["GenLRA", "Guessing"]


@pytest.mark.slow
def test_a_holdout_of_training_rows_is_an_error_row() -> None:
    training = patients(100, 0)
    with disclosure_options(real_validation_data=training.head(50)):
        report = generate(training, patients(100, 1), PATIENTS)
    assert "that is no holdout" in report.get_details(MEMBERSHIP)["Error"].iloc[0]
    shown = figure_of(report, MEMBERSHIP).to_json().replace("\\u003cbr\\u003e", " ")
    assert "that is no holdout" in shown


def test_saved_reports_hold_nobodys_rows(tmp_path: Path) -> None:
    real, synthetic = people(100, 0), people(100, 1)
    real["income"] = real["income"].replace("high", "PLANTED-REAL")
    holdout = people(50, 2).assign(sex="PLANTED-HOLDOUT")
    report = sdmetrics.reports.QualityReport()
    report.real_validation_data = holdout
    report.sensitive_column_names = ["wage"]
    generate(real, synthetic, METADATA, report)
    path = tmp_path / "report.pkl"
    report.save(path)
    assert b"PLANTED" not in path.read_bytes()
    loaded = QualityReport.load(path)
    pd.testing.assert_frame_equal(loaded.get_details(NAME), report.get_details(NAME))
    assert loaded.get_score() == report.get_score()
    assert report.real_validation_data is holdout


def test_a_report_can_be_pickled_before_it_is_generated() -> None:
    assert not pickle.loads(pickle.dumps(QualityReport())).is_generated


def multi_table_report() -> Any:
    if UNIFIED:
        return QualityReport()
    from sdmetrics.reports.multi_table import QualityReport as MultiTable

    return MultiTable()


def test_several_tables() -> None:
    real, synthetic, metadata = load_multi_table_demo()
    report = multi_table_report()
    report.sensitive_column_names = {"users": ["gender"]}
    report.generate(real, synthetic, metadata, verbose=False)
    details = report.get_details(NAME)
    assert list(details.columns[:4]) == ["Table", "Column", "Metric", "Score"]
    assert set(details["Table"]) <= set(metadata["tables"])
    users = report.get_details(NAME, "users")
    assert list(users["Column"]) == ["gender"]
    assert report.get_visualization(NAME, "users").data


@pytest.mark.slow
def test_the_switch_is_read_from_the_environment() -> None:
    code = (
        "import sdmetrics.reports as r;"
        "print('Attribute Disclosure' in r.QualityReport()._properties)"
    )
    for value, expected in (("off", "False"), ("on", "True")):
        shown = subprocess.run(
            [sys.executable, "-c", code],
            env={"SDMETRICS_DISCLOSURE": value, "PATH": "", "HOME": str(Path.home())},
            capture_output=True,
            text=True,
            check=True,
        )
        assert shown.stdout.strip() == expected


def test_the_score_takes_chance_off() -> None:
    """Was 1 - risk: 0 for a column whose every guess is right by chance."""
    details = generate(people(200, 0), people(200, 1), METADATA).get_details(NAME)
    assert_chance_is_taken_off(details)


def test_what_has_no_score_says_why_on_screen(capsys: pytest.CaptureFixture[str]) -> None:
    real = people(60, 0).assign(sex="f")
    with disclosure_options(sensitive_column_names=["sex"]):
        generate(real, people(60, 1), METADATA, verbose=True)
    shown = capsys.readouterr().out
    assert "Attribute Disclosure was not measured: ValueError" in shown
    assert "nothing to guess" in shown


def test_a_message_of_a_library_quotes_no_value(monkeypatch: pytest.MonkeyPatch) -> None:
    real = people(60, 0)
    real.loc[7, "wage"] = 987654.25

    def tell(*_: Any, **__: Any) -> Any:
        return int("987654.25")

    monkeypatch.setattr("sdmetrics_disclosure.plugins.rapid.metric.evaluate_column", tell)
    details = generate(real, people(60, 1), METADATA).get_details(NAME)
    assert not details["Error"].str.contains("987654").any()
    assert details["Error"].str.startswith("ValueError: invalid literal for int()").all()
