"""The end of the page: other metrics, what failed, what was noticed, and how to repeat it all."""

from __future__ import annotations

from collections.abc import Iterator

from sdmetrics_disclosure.plugins.page.html_parts import bullets, folded, section, table
from sdmetrics_disclosure.plugins.results.result import DisclosureResult, TableSetting


def setting_sections(result: DisclosureResult) -> Iterator[str]:
    """The sections after the advice.

    Args:
        result:
            What was found.
    """
    if result.others or result.failures:
        yield section("others", "Other metrics", _others(result), _failures(result))
    yield section(
        "setting",
        "The setting, so that it can be repeated",
        _tables(result),
        _facts(result),
        *(_columns(each) for each in result.setting.tables),
        _steps(result),
        "<h3>What was noticed</h3>" + bullets(result.notes) if result.notes else "",
    )


def _others(result: DisclosureResult) -> str:
    if not result.others:
        return ""
    rows = [
        (
            other.metric if other.table is None else f"{other.table}: {other.metric}",
            "what can be inferred" if other.question == "attribute" else "who was in the data",
            f"{other.score:.3f}",
            f"{other.protection:.3f}",
        )
        for other in result.others
    ]
    head = ["Metric", "Question", "Its score", "Protection (1 is best)"]
    return table("Metrics that the policy does not limit", head, rows)


def _failures(result: DisclosureResult) -> str:
    if not result.failures:
        return ""
    rows = [
        (
            ", ".join(part for part in (each.table, each.column, each.metric) if part),
            each.error,
        )
        for each in result.failures
    ]
    return table("What could not be measured", ["Subject", "Why"], rows)


def _tables(result: DisclosureResult) -> str:
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
    head = ["Table", "Training rows", "Synthetic rows", "Holdout", "Used", "Sensitive", "Known"]
    return table("Tables and roles", head, rows)


def _facts(result: DisclosureResult) -> str:
    setting, policy = result.setting, result.policy
    rows = [
        ("RAPID's attackers", ", ".join(setting.attackers)),
        ("Random state", str(setting.seed)),
        ("Confidence level", f"{policy.report.confidence_level:g}"),
        ("Smallest group shown", str(policy.report.group_size_floor)),
        ("Smallest holdout that decides", str(policy.report.minimum_holdout)),
        ("Run time", f"{setting.seconds:.1f} seconds"),
    ]
    for metric, options in setting.metric_options.items():
        said = ", ".join(f"{name} = {value}" for name, value in options.items())
        rows.append((f"Options of {metric}", said or "none"))
    rows += list(setting.versions.items())
    return folded("Attackers, seed, versions", table("Settings", ["Setting", "Value"], rows))


def _columns(each: TableSetting) -> str:
    name = each.name or "the table"
    rows = list(each.kinds.items())
    return folded(
        f"Columns of {name} that took part", table(f"Columns of {name}", ["Column", "Kind"], rows)
    )


def _steps(result: DisclosureResult) -> str:
    rows = [(step.name, f"{step.seconds:.1f}") for step in result.setting.steps]
    return folded("Time by step", table("Steps", ["Step", "Seconds"], rows))
