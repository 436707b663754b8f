"""The page: a disclosure report that a data steward can read in five minutes, and sign.

One file that needs nothing else. From top to bottom: the verdict, the two questions, the sensitive
columns, who is most exposed and why, who was in the data, how to lower the risk, and the setting.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from pathlib import Path
from string import Template

from plotly.offline import get_plotlyjs

from sdmetrics_disclosure.plugins.common.statistics import Interval
from sdmetrics_disclosure.plugins.page.figures import TRAINING, figure_json
from sdmetrics_disclosure.plugins.page.html_parts import (
    Cell,
    bullets,
    folded,
    paragraph,
    section,
    table,
)
from sdmetrics_disclosure.plugins.page.sections import (
    Figures,
    columns_section,
    exposed_section,
    membership_section,
)
from sdmetrics_disclosure.plugins.page.setting import setting_sections
from sdmetrics_disclosure.plugins.page.text import (
    advice,
    cannot_say,
    most_exposed,
    say_limit,
    strongest,
    verdict_sentence,
)
from sdmetrics_disclosure.plugins.policy.verdict import Check, worst_of_each
from sdmetrics_disclosure.plugins.results.result import DisclosureResult
from sdmetrics_disclosure.plugins.results.summary import say_interval, say_rows, say_subject

TEMPLATE = Path(__file__).with_name("page_template.html")
CSS = {"pass": "pass", "fail": "fail", "not decided": "open"}


def render_page(result: DisclosureResult) -> str:
    """The page as HTML.

    Args:
        result:
            What was found.
    """
    figures: Figures = {}
    body = [
        _verdict(result),
        _questions(result),
        columns_section(result, figures),
        exposed_section(result, figures),
        membership_section(result, figures),
        section("lower", "How to lower the risk", _advice(result)),
        *setting_sections(result),
    ]
    versions = result.setting.versions
    return Template(TEMPLATE.read_text(encoding="utf-8")).substitute(
        decision=escape(result.decision),
        body="\n".join(body),
        footer=escape(
            f"Made on {result.setting.generated} by sdmetrics-disclosure "
            f"{versions['sdmetrics-disclosure']}. The page holds aggregates only: no row of the "
            f"real data, and no group of fewer than {result.policy.report.group_size_floor} people."
        ),
        plotly=get_plotlyjs(),
        figures=figure_json(figures),
        darkest=TRAINING,
    )


def _verdict(result: DisclosureResult) -> str:
    worst = worst_of_each(result.checks)
    limits = _limits("Every limit of the policy; of several attacks the worst counts", worst)
    if len(worst) < len(result.checks):
        limits += folded(
            f"All {len(result.checks)} comparisons", _limits("Every attack", result.checks)
        )
    said = paragraph(verdict_sentence(result))
    return section(
        "verdict",
        "The verdict",
        f'<div class="verdict {CSS[result.decision]}" role="status"><strong>'
        f"{escape(result.decision.capitalize())}</strong>{said}</div>",
        limits,
        "<h3>What it cannot say</h3>",
        bullets(cannot_say(result)),
    )


def _limits(caption: str, checks: Sequence[Check]) -> str:
    rows = [
        (
            say_subject(check),
            say_limit(check),
            say_interval(check.found),
            f"{check.limit:g}",
            Cell(check.decision, CSS[check.decision]),
            _remark(check.reason, check.needed_rows),
        )
        for check in checks
    ]
    head = ["Subject", "What is limited", "Found, with interval", "At most", "Verdict", "Remark"]
    return table(caption, head, rows) if rows else ""


def _remark(reason: str, needed: int | None) -> str:
    rows = f"needs about {say_rows(needed)} rows" if needed else ""
    return "; ".join(part for part in (reason, rows) if part)


def _questions(result: DisclosureResult) -> str:
    return section(
        "questions",
        "The two questions",
        f'<div class="questions">{_inference_card(result)}{_membership_card(result)}</div>',
    )


def _inference_card(result: DisclosureResult) -> str:
    if not result.columns:
        return _card("What can be inferred about people?", "not measured", [])
    column = most_exposed(result.columns)[0]
    facts = [("Sensitive column", column.column + _more(len(result.columns), "column"))]
    facts.append((f"{_percent(result)} interval", _range(column.risk)))
    if column.chance is not None:
        facts.append(("By chance alone", f"{column.chance.median:.3f}"))
    if column.constant_guess is not None:
        facts.append(("By one guess for all", f"{column.constant_guess:.3f}"))
    if column.holdout is not None:
        facts.append(("On the holdout", say_interval(column.holdout)))
        facts.append(("Training minus holdout", say_interval(column.difference)))
    else:
        facts.append(("On the holdout", "there is none"))
    return _card(
        "What can be inferred about people?",
        f"{column.risk.value:.3f}",
        facts,
        "of the people in the data have their value guessed confidently from what an attacker "
        "knows of them.",
    )


def _membership_card(result: DisclosureResult) -> str:
    title = "Who was in the data?"
    if not result.memberships:
        return _card(title, "not measured", [], "It takes real rows the synthesizer never saw.")
    attack = strongest(result.memberships)[0]
    facts = [
        ("Strongest attack", attack.metric + _more(len(result.memberships), "attack")),
        (f"{_percent(result)} interval", _range(attack.auc)),
        ("By guessing", "0.5"),
        ("Training against holdout", f"{attack.n_members:,} against {attack.n_non_members:,} rows"),
        ("Epsilon", f"at least {attack.epsilon_lower_bound:.2f}"),
    ]
    text = "is the chance that a member looks more like one than an outsider does (AUC)."
    return _card(title, f"{attack.auc.value:.3f}", facts, text)


def _card(title: str, number: str, facts: list[tuple[str, str]], text: str = "") -> str:
    listed = "".join(f"<dt>{escape(name)}</dt><dd>{escape(fact)}</dd>" for name, fact in facts)
    return (
        f'<div class="question"><h3>{escape(title)}</h3><div class="number">{escape(number)}</div>'
        f"{paragraph(text)}<dl>{listed}</dl></div>"
    )


def _advice(result: DisclosureResult) -> str:
    return bullets(advice(result)) or paragraph("Nothing was found that would lower it.")


def _more(n: int, word: str) -> str:
    return f", of {n} {word}s" if n > 1 else ""


def _range(found: Interval) -> str:
    return f"{found.low:.3f} to {found.high:.3f}"


def _percent(result: DisclosureResult) -> str:
    return f"{100 * result.policy.report.confidence_level:g} %"
