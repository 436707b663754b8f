"""The page's two questions with their answers, and several tables at a glance."""

from __future__ import annotations

from typing import Any

from sdmetrics_disclosure.plugins.common.statistics import Interval
from sdmetrics_disclosure.plugins.page.parts import Table
from sdmetrics_disclosure.plugins.page.text import (
    most_exposed,
    say_people,
    strongest,
)
from sdmetrics_disclosure.plugins.policy.verdict import overall, say_decision
from sdmetrics_disclosure.plugins.results.result import DisclosureResult
from sdmetrics_disclosure.plugins.results.summary import say_interval


def inference_card(result: DisclosureResult) -> dict[str, Any]:
    """What can be inferred about people, of the column most exposed."""
    title = "What can be inferred about people?"
    if not result.columns:
        return {"title": title, "number": "not measured", "exactly": "", "text": "", "facts": []}
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
    text = "have their value guessed confidently from what an attacker knows of them."
    return {
        "title": title,
        "number": say_people(column.risk.value),
        "exactly": f"{column.risk.value:.3f}",
        "text": text,
        "facts": facts,
    }


def membership_card(result: DisclosureResult) -> dict[str, Any]:
    """Who was in the data, by the strongest attack."""
    title = "Who was in the data?"
    if not result.memberships:
        text = "It takes real rows the synthesizer never saw."
        return {"title": title, "number": "not measured", "exactly": "", "text": text, "facts": []}
    attack = strongest(result.memberships)[0]
    facts = [
        ("Strongest attack", attack.metric + _more(len(result.memberships), "attack")),
        (f"{_percent(result)} interval", _range(attack.auc)),
        ("By guessing", "0.5"),
        ("Training against holdout", f"{attack.n_members:,} against {attack.n_non_members:,} rows"),
        ("Epsilon", f"at least {attack.epsilon_lower_bound:.2f}"),
    ]
    text = (
        "of somebody who was in the data and somebody who was not, the attack picks the right one "
        "(a coin: 50)."
    )
    return {
        "title": title,
        "number": say_people(attack.auc.value, "pairs"),
        "exactly": f"AUC {attack.auc.value:.3f}",
        "text": text,
        "facts": facts,
    }


def overview(result: DisclosureResult) -> Table:
    """Several tables: a line each, with what stands worst."""
    rows = []
    for table in result.setting.tables:
        decisions = [check for check in result.checks if check.table == table.name]
        columns = [column for column in result.columns if column.table == table.name]
        attacks = [attack for attack in result.memberships if attack.table == table.name]
        rows.append(
            (
                table.name or "the table",
                say_decision(overall(decisions)),
                say_interval(most_exposed(columns)[0].risk if columns else None),
                say_interval(strongest(attacks)[0].auc if attacks else None),
            )
        )
    head = ("Table", "Verdict", "Risk", "AUC")
    return Table("The tables; what is found about each stands below", head, rows)


def _more(n: int, word: str) -> str:
    return f", of {n} {word}s" if n > 1 else ""


def _range(found: Interval) -> str:
    return f"{found.low:.3f} to {found.high:.3f}"


def _percent(result: DisclosureResult) -> str:
    return f"{100 * result.policy.report.confidence_level:g} %"
