"""The disclosure report: its manners, its verdicts, and what it must not say."""

from __future__ import annotations

import contextlib
import io
import logging
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import sdmetrics.reports
from sdmetrics.demos import load_multi_table_demo
from sdmetrics.single_table import RAPID, GenLRA

from sdmetrics_disclosure.adapters.sources import files
from sdmetrics_disclosure.plugins.hooks.registry import metrics
from sdmetrics_disclosure.plugins.policy.policy import load_policy, parse_policy
from sdmetrics_disclosure.plugins.report.report import DisclosureReport
from sdmetrics_disclosure.plugins.results.summary import say_rows
from tests.helpers.reports import (
    ROLES,
    copied_report,
    quick_metrics,
    report_on,
    small_report,
    small_result,
)
from tests.helpers.tables import METADATA, PATIENTS, patients, people

ATTRIBUTE, MEMBERSHIP = "Attribute Disclosure", "Membership Disclosure"


def decisions(report: DisclosureReport) -> dict[tuple[str, str], str]:
    return {(check.subject, check.limit_name): check.decision for check in report.result.checks}


def test_sdmetrics_has_it_too() -> None:
    assert sdmetrics.reports.DisclosureReport is DisclosureReport


@pytest.mark.slow
def test_the_numbers_are_the_metrics_own() -> None:
    found = small_result()
    arguments: dict[str, Any] = {"metadata": METADATA, "real_validation_data": people(300, 2)}
    rapid = RAPID.compute_breakdown(people(400, 0), people(400, 1), **arguments, **ROLES)
    (column,) = found.columns
    assert column.risk.to_dict() == rapid["risk"]
    assert column.difference is not None
    assert column.difference.to_dict() == rapid["holdout"]["difference"]
    assert column.chance is not None
    assert column.chance.median == rapid["null"]["median"]
    assert column.excess is not None
    assert column.excess.low == rapid["risk"]["low"] - rapid["null"]["median"]
    assert column.curve.risk == tuple(rapid["threshold_curve"]["risk"])
    without_sex = RAPID.compute(
        people(400, 0),
        people(400, 1),
        METADATA,
        sensitive_column_names=["income"],
        known_column_names=["age"],
    )
    by_column = {known.column: known for known in column.known_columns}
    assert by_column["sex"].left_out == by_column["age"].alone
    assert by_column["sex"].left_out is not None
    assert by_column["sex"].left_out.value == without_sex
    attack = next(each for each in found.memberships if each.metric == "GenLRA")
    lra = GenLRA.compute_breakdown(
        people(400, 0), people(400, 1), people(300, 2), METADATA, overlap="keep"
    )
    assert attack.auc.value == lra["auc"]["value"]
    assert attack.epsilon_lower_bound == lra["epsilon_lower_bound"]
    assert {f"{rate.fpr:g}" for rate in attack.rates} == set(lra["tpr_at_fpr"])


def test_it_has_the_manners_of_sdmetrics_reports() -> None:
    report = small_report()
    properties = report.get_properties()
    assert list(properties.columns) == ["Property", "Score"]
    assert list(properties["Property"]) == [ATTRIBUTE, MEMBERSHIP]
    for name, score in zip(properties["Property"], properties["Score"], strict=True):
        details = report.get_details(name)
        assert details["Score"].mean() == score
        assert "Error" not in details
        assert report.get_visualization(name).data
    assert report.get_score() == properties["Score"].min()
    assert report.get_info()["report_type"] == "DisclosureReport"
    with pytest.raises(ValueError, match="must be one of 'Attribute Disclosure'"):
        report.get_details("Quality")
    with pytest.raises(ValueError, match="call `generate` first"):
        DisclosureReport().get_score()


def test_saved_and_loaded_it_is_the_same(tmp_path: Path) -> None:
    report = small_report()
    report.save(tmp_path / "report.json")
    loaded = DisclosureReport.load(tmp_path / "report.json")
    assert loaded.result == report.result
    for name in (ATTRIBUTE, MEMBERSHIP):
        pd.testing.assert_frame_equal(loaded.get_details(name), report.get_details(name))


@pytest.mark.slow
def test_the_same_seed_gives_the_same_report() -> None:
    def found(seed: Any) -> Any:
        data = people(60, 0), people(60, 1), METADATA
        result = report_on(*data, random_state=seed, **ROLES).result
        return result.columns, result.setting.seed

    assert found(3) == found(np.int64(3)) == found(3)
    columns, seed = found(np.random.default_rng(5))
    assert found(seed) == (columns, seed)  # the seed that is written down repeats the report


@pytest.mark.slow
def test_a_fresh_sample_of_the_population_passes_both() -> None:
    report = report_on(
        patients(3000, 0),
        patients(3000, 1),
        PATIENTS,
        real_validation_data=patients(3000, 2),
        sensitive_column_names=["smoker"],
        known_column_names=["value_0", "value_1", "ward"],
    )
    assert set(decisions(report).values()) == {"pass"}
    assert report.get_verdict() == "pass"


def test_noisy_copies_fail_membership() -> None:
    report = copied_report()
    assert decisions(report)["GenLRA", "auc_max"] == "fail"
    assert decisions(report)["GenLRA", "tpr_at_fpr_max at 0.01"] == "fail"
    assert report.get_verdict() == "fail"


@pytest.mark.slow
def test_a_shuffled_sensitive_column_passes_attribute_disclosure() -> None:
    released = people(1500, 1)
    released["income"] = released["income"].sample(frac=1, random_state=0).to_numpy()
    report = report_on(
        people(1500, 0),
        released,
        METADATA,
        real_validation_data=people(1500, 2),
        overlap="keep",
        **ROLES,
    )
    assert decisions(report)["income", "excess_max"] == "pass"
    (column,) = report.result.columns
    assert column.risk.value < 0.05


@pytest.mark.slow
def test_every_registered_metric_is_in_it() -> None:
    report = DisclosureReport()
    report.generate(
        people(60, 0),
        people(60, 1),
        METADATA,
        real_validation_data=people(60, 2),
        overlap="keep",
        verbose=False,
        **ROLES,
    )
    result = report.result
    found = {"RAPID", *(each.metric for each in (*result.memberships, *result.others))}
    assert found == set(metrics())
    assert result.failures == ()


@pytest.mark.slow
def test_sixty_rows_are_not_decided_and_it_says_how_many_would_do(capsys: Any) -> None:
    report = report_on(
        people(60, 0),
        people(60, 1),
        METADATA,
        real_validation_data=people(60, 2),
        overlap="keep",
        verbose=True,
        **ROLES,
    )
    assert report.get_verdict() == "inconclusive"
    assert "fail" not in decisions(report).values()
    needed = [check.needed_rows for check in report.result.checks if check.needed_rows]
    # The policy's 200 holdout rows, with as many training rows, at least; thousands, not millions.
    assert min(needed) >= 400
    assert max(needed) < 100_000
    shown = capsys.readouterr().out
    assert f"Verdict: not decided, needs about {say_rows(max(needed))} rows" in shown
    assert "the holdout has 60 rows; the policy asks for 200" in shown


@pytest.mark.slow
def test_without_a_holdout_the_excess_over_chance_counts_and_membership_is_open() -> None:
    report = report_on(people(400, 0), people(400, 1), METADATA, **ROLES)
    by_limit = {check.limit_name: check for check in report.result.checks}
    excess = by_limit["excess_max"]
    assert excess.decision == "fail"
    assert excess.found == report.result.columns[0].excess
    assert "over chance, for want of a holdout" in excess.reason
    assert by_limit["auc_max"].decision == "inconclusive"
    errors = report.get_details(MEMBERSHIP).set_index("Metric")["Error"]
    assert "real_validation_data" in errors["GenLRA"]
    assert errors["Copies"] is None


@pytest.mark.slow
def test_limits_of_a_column_come_first_and_must_meet_a_column() -> None:
    policy = parse_policy(
        {
            "attribute": {
                "columns": {"income": {"risk_max": 0.99}, "incme": {"risk_max": 0.9}},
            }
        }
    )
    report = report_on(people(400, 0), people(400, 1), METADATA, policy=policy, **ROLES)
    assert decisions(report) == {
        ("income", "risk_max"): "pass",
        ("incme", "risk_max"): "inconclusive",
    }
    misspelt = report.result.checks[1]
    assert "name it as sensitive" in misspelt.reason


@pytest.mark.slow
def test_no_limits_no_verdict() -> None:
    report = report_on(people(60, 0), people(60, 1), METADATA, policy=parse_policy({}), **ROLES)
    assert report.result.checks == ()
    assert report.get_verdict() == "inconclusive"


def test_an_unattackable_column_is_a_row_with_its_error_and_not_decided() -> None:
    real = people(100, 0).assign(income="high")
    report = report_on(real, people(100, 1), METADATA, **ROLES)
    row = report.get_details(ATTRIBUTE).iloc[0]
    assert row["Column"] == "income"
    assert "one value" in row["Error"]
    assert np.isnan(row["Score"])
    assert decisions(report)["income", "excess_max"] == "inconclusive"
    assert report.get_visualization(ATTRIBUTE) is not None


@pytest.mark.slow
def test_third_parties_metrics_are_in_it(plugged: Any) -> None:
    plugged("doubles", "raises_in_compute")
    report = report_on(people(60, 0), people(60, 1), METADATA, **ROLES)
    details = report.get_details(ATTRIBUTE).set_index("Metric")
    assert details.loc["Doubles", "Score"] >= 0
    failed = [failure for failure in report.result.failures if failure.column is None]
    assert any("Error" in failure.error for failure in failed)
    assert all(check.subject != "Doubles" for check in report.result.checks)


@pytest.mark.slow
def test_nobody_named_every_column_is_attacked_and_the_most_exposed_explained() -> None:
    report = report_on(people(200, 0), people(200, 1), METADATA)
    columns = report.result.columns
    assert [column.column for column in columns] == ["age", "sex", "income", "wage"]
    explained = [column.column for column in columns if column.known_columns]
    assert len(explained) == 1
    (most,) = (column for column in columns if column.known_columns)
    assert most.excess is not None
    assert most.excess.low == max(c.excess.low for c in columns if c.excess is not None)


@pytest.mark.slow
def test_several_tables() -> None:
    real, synthetic, metadata = load_multi_table_demo()
    report = report_on(
        real, synthetic, metadata, sensitive_column_names={"users": ["gender"]}, n_jobs=1
    )
    details = report.get_details(ATTRIBUTE)
    assert {"users", "sessions"} <= set(details["Table"])
    assert list(details[details["Table"] == "users"]["Column"].dropna()) == ["gender"]
    assert set(report.get_details(ATTRIBUTE, "users")["Table"]) == {"users"}
    tables = {table.name: table for table in report.result.setting.tables}
    assert tables["users"].sensitive == ("gender",)
    assert "users with sessions" in tables


@pytest.mark.slow
def test_replicates_and_one_table_dicts() -> None:
    tables = {"tables": {"people": METADATA}}
    report = report_on(
        {"people": people(80, 0)},  # type: ignore[arg-type]
        [{"people": people(80, 1)}, {"people": people(80, 2)}],
        tables,
        sensitive_column_names={"people": ["income"]},
    )
    (table,) = report.result.setting.tables
    assert table.name == "people"
    assert table.n_synthetic == (80, 80)
    assert [column.column for column in report.result.columns] == ["income"]


@pytest.mark.parametrize(
    ("more", "error", "words"),
    [
        ({"sensitive_column_names": ["incme"]}, ValueError, "incme"),
        ({"sensitive_column_names": "income"}, TypeError, "sensitive_column_names"),
        ({"attacker": "wizard"}, ValueError, "`attacker` is 'wizard'"),
        ({"overlap": "ignore"}, ValueError, "`overlap` is 'ignore'"),
        ({"metric_options": {"Rapid": {}}}, ValueError, "'Rapid'"),
        ({"metric_options": {"GenLRA": {"k": 3}}}, TypeError, "'k'"),
        ({"num_rows_subsample": 0}, ValueError, "num_rows_subsample"),
        ({"random_state": -1}, ValueError, "random_state"),
        ({"policy": "absent.toml"}, FileNotFoundError, "absent.toml"),
    ],
)
def test_what_does_not_fit_is_refused_before_any_work(
    more: dict[str, Any], error: type[Exception], words: str
) -> None:
    with pytest.raises(error, match=words):
        report_on(people(60, 0), people(60, 1), METADATA, **more)


@pytest.mark.slow
def test_silence_and_progress(capsys: Any, monkeypatch: Any) -> None:
    data = people(60, 0), people(60, 1), METADATA
    report_on(*data, **ROLES)
    assert capsys.readouterr() == ("", "")
    monkeypatch.setattr("sdmetrics_disclosure.plugins.report.estimate.SHORTEST_TABLE", 50)
    monkeypatch.setattr("sdmetrics_disclosure.plugins.report.audit.LONG_SECONDS", 0.0)
    report_on(*data, verbose=True, **ROLES)
    shown = capsys.readouterr().out
    assert "Generating report" in shown
    assert "RAPID will take about 10 seconds" in shown
    assert "RAPID, income" in shown
    assert "income: age left out" in shown


def planted() -> tuple[pd.DataFrame, pd.DataFrame, pd.DataFrame, list[str]]:
    """Tables with values that no report may repeat, and those values."""
    frames = [people(400, seed).drop(columns="id") for seed in range(3)]
    for frame in frames:
        frame["wage"] = frame["wage"].astype(float)
        frame["name"] = [f"Nameless{i}" for i in range(len(frame))]
    real, _, holdout = frames
    real.index = pd.Index([f"PERSON-{i}" for i in range(len(real))])
    holdout.index = pd.Index([f"OUTSIDER-{i}" for i in range(len(holdout))])
    real.loc["PERSON-7", ["name", "sex", "wage"]] = ["Wilhelmina Planted", "sex-planted", 987654.25]
    real.loc["PERSON-8", "income"] = "income-planted"
    real.loc["PERSON-9", "age"] = 71717
    holdout.loc["OUTSIDER-7", ["name", "sex"]] = ["Outsider Planted", "holdout-planted"]
    values = ["planted", "Planted", "PERSON-", "OUTSIDER-", "Nameless", "987654", "71717"]
    return real, frames[1], holdout, values


@pytest.mark.slow
def test_no_planted_value_is_in_json_page_output_or_logs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, synthetic, holdout, values = planted()
    metadata = {
        "columns": {
            "age": {"sdtype": "numerical"},
            "sex": {"sdtype": "categorical"},
            "income": {"sdtype": "categorical"},
            "wage": {"sdtype": "numerical"},
            "name": {"sdtype": "name", "pii": True},
        }
    }

    def tell(release: Any, options: Any) -> Any:
        raise ValueError(f"cannot attack {release.real.index[7]}")

    monkeypatch.setattr(GenLRA, "evaluate", tell)
    logged = io.StringIO()
    handler = logging.StreamHandler(logged)
    logging.getLogger().addHandler(handler)
    with contextlib.redirect_stdout(logged), contextlib.redirect_stderr(logged), quick_metrics():
        report = DisclosureReport()
        report.generate(
            real,
            synthetic,
            metadata,
            real_validation_data=holdout,
            sensitive_column_names=["income", "wage"],
            known_column_names=["age", "sex"],
            policy=load_policy(),
            metric_options={"RAPID": {"error": "absolute", "epsilon": 1.0}},
        )
        report.save(tmp_path / "report.json")
        report.to_html(tmp_path / "report.html")
    logging.getLogger().removeHandler(handler)
    texts = {
        "json": (tmp_path / "report.json").read_text(),
        "page": (tmp_path / "report.html").read_text(),
        "output": logged.getvalue(),
        "result": repr(report.result),
    }
    for where, text in texts.items():
        assert text, where
        assert [value for value in values if value in text] == [], where
    (failed,) = [each for each in report.result.failures if each.metric == "GenLRA"]
    assert "cannot attack …" in failed.error
    floor = report.result.policy.report.group_size_floor
    assert all(group.n >= floor for column in report.result.columns for group in column.groups)


def test_files_are_read_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, seed in (("real", 0), ("synthetic", 1), ("holdout", 2)):
        people(60, seed).to_csv(tmp_path / f"{name}.csv", index=False)
    read = []
    read_delimited = files.read_delimited

    def counted(argument: str, path: Path, *more: Any) -> Any:
        read.append(path.stem)
        return read_delimited(argument, path, *more)

    monkeypatch.setattr(files, "read_delimited", counted)
    report_on(
        str(tmp_path / "real.csv"),  # type: ignore[arg-type]
        str(tmp_path / "synthetic.csv"),
        METADATA,
        real_validation_data=str(tmp_path / "holdout.csv"),
        overlap="keep",
        **ROLES,
    )
    assert sorted(read) == ["holdout", "real", "synthetic"]


@pytest.mark.slow
def test_a_metric_that_fails_leaves_its_traceback_in_the_log(
    plugged: Any, caplog: pytest.LogCaptureFixture
) -> None:
    plugged("raises_in_compute")
    with caplog.at_level(logging.DEBUG, logger="sdmetrics_disclosure"):
        report_on(people(60, 0), people(60, 1), METADATA, **ROLES)
    (record,) = [each for each in caplog.records if "Fragile" in each.getMessage()]
    assert record.levelno == logging.DEBUG
    assert record.exc_info is not None
    assert record.exc_info[0] is ZeroDivisionError


def test_in_a_notebook_it_is_short_and_its_limits_are_a_table() -> None:
    report = copied_report()
    assert repr(report) == "<DisclosureReport: fail>"
    assert repr(DisclosureReport()) == "<DisclosureReport: not generated>"
    assert "not generated" in DisclosureReport()._repr_html_()
    checks = report.result.checks
    assert repr(report.result) == (
        f"<DisclosureResult: fail, {len(checks)} comparisons with limits>"
    )
    frame = report.to_frame()
    assert list(frame["Decision"]) == [check.decision for check in checks]
    assert frame["Value"].iloc[0] == checks[0].found.value  # type: ignore[union-attr]
    assert "Table" not in frame
    page = report._repr_html_()
    assert page.startswith("<p><strong>DisclosureReport: fail</strong></p><table")
    assert page.count("<tr") == 1 + len(checks)
