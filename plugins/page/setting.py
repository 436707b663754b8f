"""The end of the page: other metrics, what failed, and how to repeat it all."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sdmetrics_disclosure.plugins.page.parts import Table, named
from sdmetrics_disclosure.plugins.results.result import DisclosureResult, TableSetting
from sdmetrics_disclosure.plugins.results.summary import say_interval

QUESTIONS = {"attribute": "what can be inferred", "membership": "who was in the data"}


def header_facts(result: DisclosureResult) -> list[tuple[str, str]]:
    """What was audited, and with what."""
    setting = result.setting
    names = [table.name for table in setting.tables if table.name]

    def rows(count: Callable[[TableSetting], int]) -> str:
        return f"{sum(map(count, setting.tables)):,}"

    return [
        ("Release", ", ".join(names) or "one table"),
        ("Real rows", rows(lambda table: table.n_real)),
        ("Synthetic rows", rows(lambda table: sum(table.n_synthetic))),
        ("Holdout rows", rows(lambda table: table.n_holdout)),
        ("Versions", f"sdmetrics-disclosure {setting.versions['sdmetrics-disclosure']}"),
        ("Seed", str(setting.seed)),
        ("Date", setting.generated),
    ]


def others_table(result: DisclosureResult) -> Table:
    """Metrics of which nothing is known but what they say themselves."""
    rows = [
        (
            named(other.table, other.metric),
            QUESTIONS[other.question],
            f"{other.score:.3f}",
            f"{other.protection:.3f}",
            "; ".join(f"{each.words} {say_interval(each.found)}" for each in other.measures()),
        )
        for other in result.others
    ]
    head = ("Metric", "Question", "Its score", "Protection (1 is best)", "Intervals")
    return Table("Other metrics", head, rows)


def failures_table(result: DisclosureResult) -> Table:
    """What has no number, and why."""
    rows = [
        (", ".join(part for part in (each.table, each.column, each.metric) if part), each.error)
        for each in result.failures
    ]
    return Table("What could not be measured", ("Subject", "Why"), rows)


def setting_tables(result: DisclosureResult) -> dict[str, Any]:
    """Tables and roles, settings, columns, and time by step."""
    steps = [(step.name, f"{step.seconds:.1f}") for step in result.setting.steps]
    return {
        "tables": _tables(result),
        "facts": Table("Settings", ("Setting", "Value"), _facts(result)),
        "columns": [
            Table(
                f"Columns of {each.name or 'the table'}",
                ("Column", "Kind"),
                list(each.kinds.items()),
            )
            for each in result.setting.tables
        ],
        "steps": Table("Steps", ("Step", "Seconds"), steps),
    }


def _tables(result: DisclosureResult) -> Table:
    rows = [
        (
            each.name or "the table",
            f"{each.n_real:,}",
            ", ".join(f"{n:,}" for n in each.n_synthetic),
            f"{each.n_holdout:,}" if each.n_holdout else "none",
            each.subsample or "all rows",
            ", ".join(each.sensitive) or "none",
            "all others" if each.known is None else ", ".join(each.known),
        )
        for each in result.setting.tables
    ]
    head = ("Table", "Training rows", "Synthetic rows", "Holdout", "Used", "Sensitive", "Known")
    return Table("Tables and roles", head, rows)


def _facts(result: DisclosureResult) -> list[tuple[str, str]]:
    setting, report = result.setting, result.policy.report
    options = {
        f"Options of {metric}": ", ".join(f"{name} = {value}" for name, value in chosen.items())
        for metric, chosen in setting.metric_options.items()
    }
    return [
        ("RAPID's attackers", ", ".join(setting.attackers)),
        ("Random state", str(setting.seed)),
        ("Confidence level", f"{report.confidence_level:g}"),
        ("Smallest group shown", str(report.group_size_floor)),
        ("Smallest holdout that decides", str(report.minimum_holdout)),
        ("Run time", f"{setting.seconds:.1f} seconds"),
        *((name, chosen or "none") for name, chosen in options.items()),
        *setting.versions.items(),
    ]
