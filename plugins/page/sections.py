"""What stands in the page's sections, plain: numbers as text, tables as rows, figures by place."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sdmetrics_disclosure.plugins.findings.attack import MembershipFinding
from sdmetrics_disclosure.plugins.findings.model import ColumnFinding
from sdmetrics_disclosure.plugins.page.cards import inference_card, membership_card, overview
from sdmetrics_disclosure.plugins.page.charts import (
    MOST_CURVES,
    groups_chart,
    known_chart,
    limit_strip,
    risks_chart,
    roc_chart,
    threshold_chart,
)
from sdmetrics_disclosure.plugins.page.glossary import LIMIT_WORDS
from sdmetrics_disclosure.plugins.page.parts import Table, named
from sdmetrics_disclosure.plugins.page.setting import (
    failures_table,
    header_facts,
    others_table,
    setting_tables,
)
from sdmetrics_disclosure.plugins.page.text import (
    advice,
    cannot_say,
    most_exposed,
    plain_verdict,
    say_group,
    strongest,
    verdict_sentence,
)
from sdmetrics_disclosure.plugins.policy.limits import say_limit
from sdmetrics_disclosure.plugins.policy.verdict import Check, say_decision, worst_of_each
from sdmetrics_disclosure.plugins.results.result import DisclosureResult
from sdmetrics_disclosure.plugins.results.summary import say_interval, say_rows, say_subject

# Columns beyond these have their row in the table, but no section.
MOST_COLUMNS = 6
MOST_GROUPS = 10


def view(result: DisclosureResult) -> dict[str, Any]:
    """All that the templates show beside the result itself.

    Args:
        result:
            What was found.
    """
    several = len(result.setting.tables) > 1
    exposed, attacks = most_exposed(result.columns), strongest(result.memberships)
    return {
        "header": header_facts(result),
        "verdict": {
            "plain": plain_verdict(result),
            "strips": [_strip(check, several) for check in worst_of_each(result.checks)],
            "sentence": verdict_sentence(result),
            "limits": _limits(
                "Every limit of the policy; of several attacks the worst counts",
                worst_of_each(result.checks),
            ),
            "all": _limits("Every attack", result.checks),
            "cannot_say": list(cannot_say(result)),
        },
        "questions": [inference_card(result), membership_card(result)],
        "overview": overview(result),
        "risks": {"chart": risks_chart(exposed), "numbers": _risks(exposed)},
        "columns": [_column(column) for column in exposed[:MOST_COLUMNS]],
        "roc": {"chart": roc_chart(attacks), "numbers": _rates(attacks)} if attacks else None,
        "attacks": _attacks(attacks),
        "advice": list(advice(result)),
        "others": others_table(result),
        "failures": failures_table(result),
        "setting": setting_tables(result),
    }


def _limits(caption: str, checks: Sequence[Check]) -> Table:
    rows = [
        (
            say_subject(check),
            say_limit(check),
            say_interval(check.found),
            f"{check.limit:g}",
            say_decision(check.decision),
            _remark(check),
        )
        for check in checks
    ]
    head = ("Subject", "What is limited", "Found, with interval", "At most", "Verdict", "Remark")
    return Table(caption, head, rows)


def _strip(check: Check, several: bool) -> dict[str, Any]:
    """Who was in the data is asked of all attacks: which one answered is said behind a click."""
    mark, at = limit_strip(check)
    limit, key = say_limit(check), check.limit_name.partition(" ")[0]
    if check.question == "attribute":
        limit = f"{check.subject}: {limit}"
    elif key in LIMIT_WORDS:
        limit = f"Who was in the data: {limit}"
    else:
        limit = limit[:1].upper() + limit[1:]
    return {
        "name": named(check.table if several else None, limit),
        "word": LIMIT_WORDS.get(key, "interval"),
        "mark": mark,
        "at": at,
        "found": say_interval(check.found),
        "limit": f"{check.limit:g}",
        "decision": say_decision(check.decision),
    }


def _remark(check: Check) -> str:
    rows = f"needs about {say_rows(check.needed_rows)} rows" if check.needed_rows else ""
    return "; ".join(part for part in (check.reason, rows) if part)


def _risks(columns: Sequence[ColumnFinding]) -> Table:
    rows = [
        (
            named(column.table, column.column),
            say_interval(column.risk),
            f"{column.chance.median:.3f} (p {column.chance.p_value:.3f})" if column.chance else "",
            *(
                say_interval(found) if found else ""
                for found in (column.excess, column.holdout, column.difference)
            ),
            f"{column.n_records:,}",
        )
        for column in columns
    ]
    difference = "Only training minus holdout is about those who were in the data."
    caption = f"The most exposed first. {difference} p: of chance to reach the risk."
    head = (
        "Column",
        "Risk",
        "Chance",
        "Excess over chance",
        "Holdout",
        "Training minus holdout",
        "People",
    )
    return Table(caption, head, rows)


def _column(column: ColumnFinding) -> dict[str, Any]:
    # RAPID's epsilon is an error that a guess may have; the page keeps that name for the bound.
    of_numbers = column.threshold_name == "epsilon"
    threshold = "tolerance" if of_numbers else column.threshold_name
    return {
        "name": column.column,
        "threshold": column.threshold,
        "of_numbers": of_numbers,
        "curve": threshold_chart(column, threshold),
        "curve_numbers": _threshold_numbers(column, threshold),
        "groups": _groups(column),
        "known": _known(column),
        "regression": _regression(column),
    }


def _threshold_numbers(column: ColumnFinding, name: str) -> Table:
    curve = column.curve
    rows = [
        (
            f"{curve.thresholds[i]:g}",
            f"{curve.risk[i]:.3f}",
            f"{curve.holdout[i]:.3f}" if curve.holdout else "",
        )
        for i in range(0, len(curve.thresholds), 10)
    ]
    head = (name, "Risk", "Risk on the holdout")
    return Table("The risk by threshold", head, rows)


def _groups(column: ColumnFinding) -> dict[str, Any] | None:
    groups = sorted(column.groups, key=lambda group: -group.risk.low)[:MOST_GROUPS]
    if not groups:
        return None
    rows = [(say_group(group), f"{group.n:,}", say_interval(group.risk)) for group in groups]
    numbers = Table("The most exposed groups", ("Group", "People", "Risk"), rows)
    return {"chart": groups_chart(groups, column.risk), "numbers": numbers}


def _known(column: ColumnFinding) -> dict[str, Any] | None:
    known = sorted(
        column.known_columns, key=lambda k: 1.0 if k.left_out is None else k.left_out.value
    )
    if not known:
        return None
    rows = [(each.column, say_interval(each.left_out), say_interval(each.alone)) for each in known]
    head = ("Known column", "Risk with it left out", "Risk with it alone")
    numbers = Table("What each known column does", head, rows)
    return {"chart": known_chart(known, column.risk), "numbers": numbers}


def _regression(column: ColumnFinding) -> Table:
    rows = [
        (term.term, f"{term.coefficient:.3f}", f"{term.standard_error:.3f}", f"{term.p_value:.3g}")
        for term in column.regression
        if term.coefficient == term.coefficient
    ]
    caption = f"Being at risk for {column.column}, on the known columns"
    return Table(caption, ("Term", "Log-odds", "Standard error", "p"), rows)


def _rates(attacks: Sequence[MembershipFinding]) -> Table:
    rows = [
        (
            attack.metric,
            *(
                say_interval(rate.tpr) if rate.measurable else "holdout too small"
                for rate in attack.rates
            ),
        )
        for attack in attacks[:MOST_CURVES]
    ]
    head = ("Attack", *(f"At {rate.fpr:.4g} accused" for rate in attacks[0].rates))
    return Table("Members found while few outsiders are accused", head, rows)


def _attacks(attacks: Sequence[MembershipFinding]) -> Table:
    rows = [
        (
            named(attack.table, attack.metric),
            say_interval(attack.auc),
            f"{attack.p_value:.3g}",
            f"{attack.advantage:.3f}",
            f"{attack.epsilon_lower_bound:.2f}",
            f"{attack.n_members:,}",
            f"{attack.n_non_members:,}",
        )
        for attack in attacks
    ]
    head = ("Attack", "AUC", "p", "Advantage", "Epsilon, at least", "Members", "Outsiders")
    return Table("All attacks, the strongest first", head, rows)
