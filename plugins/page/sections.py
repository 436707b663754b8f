"""What stands in the page's sections, plain: numbers as text, tables as rows, figures by place."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sdmetrics_disclosure.plugins.common.statistics import Interval
from sdmetrics_disclosure.plugins.figures.attribute import risks_figure, threshold_figure
from sdmetrics_disclosure.plugins.figures.exposure import groups_figure, known_figure, say_group
from sdmetrics_disclosure.plugins.figures.membership import MOST_CURVES, roc_figure
from sdmetrics_disclosure.plugins.findings.attack import MembershipFinding
from sdmetrics_disclosure.plugins.findings.model import ColumnFinding
from sdmetrics_disclosure.plugins.page.parts import Drawn, Figures, Table, named
from sdmetrics_disclosure.plugins.page.setting import (
    failures_table,
    others_table,
    setting_tables,
)
from sdmetrics_disclosure.plugins.page.text import (
    advice,
    cannot_say,
    most_exposed,
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


def view(result: DisclosureResult) -> tuple[dict[str, Any], Figures]:
    """All that the templates show beside the result itself, and the figures.

    Args:
        result:
            What was found.
    """
    figures = Figures()
    exposed, attacks = most_exposed(result.columns), strongest(result.memberships)
    shown = {
        "verdict": {
            "sentence": verdict_sentence(result),
            "limits": _limits(
                "Every limit of the policy; of several attacks the worst counts",
                worst_of_each(result.checks),
            ),
            "all": _limits("Every attack", result.checks),
            "cannot_say": list(cannot_say(result)),
        },
        "questions": [_inference_card(result), _membership_card(result)],
        "risks": _risks(exposed, figures) if exposed else None,
        "columns": [_column(c, i, figures) for i, c in enumerate(exposed[:MOST_COLUMNS])],
        "roc": figures.draw("roc", roc_figure(attacks), _rates(attacks)) if attacks else None,
        "attacks": _attacks(attacks),
        "advice": list(advice(result)),
        "others": others_table(result),
        "failures": failures_table(result),
        "setting": setting_tables(result),
    }
    return shown, figures


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


def _remark(check: Check) -> str:
    rows = f"needs about {say_rows(check.needed_rows)} rows" if check.needed_rows else ""
    return "; ".join(part for part in (check.reason, rows) if part)


def _inference_card(result: DisclosureResult) -> dict[str, Any]:
    title = "What can be inferred about people?"
    if not result.columns:
        return {"title": title, "number": "not measured", "text": "", "facts": []}
    column = most_exposed(result.columns)[0]
    facts = [
        ("Sensitive column", column.column + _more(len(result.columns), "column")),
        (f"{_percent(result)} interval", _range(column.risk)),
    ]
    if column.chance is not None:
        facts.append(("By chance alone", f"{column.chance.median:.3f}"))
    if column.constant_guess is not None:
        facts.append(("By one guess for all", f"{column.constant_guess:.3f}"))
    if column.holdout is None:
        facts.append(("On the holdout", "there is none"))
    else:
        facts.append(("On the holdout", say_interval(column.holdout)))
        facts.append(("Training minus holdout", say_interval(column.difference)))
    text = (
        "of the people in the data have their value guessed confidently from what an attacker "
        "knows of them."
    )
    return {"title": title, "number": f"{column.risk.value:.3f}", "text": text, "facts": facts}


def _membership_card(result: DisclosureResult) -> dict[str, Any]:
    title = "Who was in the data?"
    if not result.memberships:
        text = "It takes real rows the synthesizer never saw."
        return {"title": title, "number": "not measured", "text": text, "facts": []}
    attack = strongest(result.memberships)[0]
    facts = [
        ("Strongest attack", attack.metric + _more(len(result.memberships), "attack")),
        (f"{_percent(result)} interval", _range(attack.auc)),
        ("By guessing", "0.5"),
        ("Training against holdout", f"{attack.n_members:,} against {attack.n_non_members:,} rows"),
        ("Epsilon", f"at least {attack.epsilon_lower_bound:.2f}"),
    ]
    text = "is the chance that a member looks more like one than an outsider does (AUC)."
    return {"title": title, "number": f"{attack.auc.value:.3f}", "text": text, "facts": facts}


def _more(n: int, word: str) -> str:
    return f", of {n} {word}s" if n > 1 else ""


def _range(found: Interval) -> str:
    return f"{found.low:.3f} to {found.high:.3f}"


def _percent(result: DisclosureResult) -> str:
    return f"{100 * result.policy.report.confidence_level:g} %"


def _risks(columns: Sequence[ColumnFinding], figures: Figures) -> Drawn:
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
    return figures.draw("risks", risks_figure(columns), Table(caption, head, rows))


def _column(column: ColumnFinding, position: int, figures: Figures) -> dict[str, Any]:
    return {
        "name": column.column,
        "threshold": column.threshold,
        "of_numbers": column.threshold_name == "epsilon",
        "curve": figures.draw(
            f"threshold-{position}", threshold_figure(column), _threshold_numbers(column)
        ),
        "groups": _groups(column, f"groups-{position}", figures),
        "known": _known(column, f"known-{position}", figures),
        "regression": _regression(column),
    }


def _threshold_numbers(column: ColumnFinding) -> Table:
    curve = column.curve
    rows = [
        (
            f"{curve.thresholds[i]:g}",
            f"{curve.risk[i]:.3f}",
            f"{curve.holdout[i]:.3f}" if curve.holdout else "",
        )
        for i in range(0, len(curve.thresholds), 10)
    ]
    head = (column.threshold_name, "Risk", "Risk on the holdout")
    return Table("The risk by threshold", head, rows)


def _groups(column: ColumnFinding, place: str, figures: Figures) -> Drawn | None:
    groups = sorted(column.groups, key=lambda group: -group.risk.low)[:MOST_GROUPS]
    if not groups:
        return None
    rows = [(say_group(group), f"{group.n:,}", say_interval(group.risk)) for group in groups]
    numbers = Table("The most exposed groups", ("Group", "People", "Risk"), rows)
    return figures.draw(place, groups_figure(groups, column.risk), numbers)


def _known(column: ColumnFinding, place: str, figures: Figures) -> Drawn | None:
    known = sorted(
        column.known_columns, key=lambda k: 1.0 if k.left_out is None else k.left_out.value
    )
    if not known:
        return None
    rows = [(each.column, say_interval(each.left_out), say_interval(each.alone)) for each in known]
    head = ("Known column", "Risk with it left out", "Risk with it alone")
    numbers = Table("What each known column does", head, rows)
    return figures.draw(place, known_figure(known, column.risk), numbers)


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
