"""The page: a disclosure report that a data steward can read in five minutes, and sign.

One file that needs nothing else. From top to bottom: the verdict, the two questions, the sensitive
columns, who is most exposed and why, who was in the data, how to lower the risk, and the setting.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from pathlib import Path
from string import Template

import plotly.graph_objects as go
from plotly.offline import get_plotlyjs

from sdmetrics_disclosure.plugins.disclosure_result import (
    ColumnFinding,
    DisclosureResult,
    MembershipFinding,
)
from sdmetrics_disclosure.plugins.html_parts import (
    Cell,
    bullets,
    figure,
    folded,
    paragraph,
    section,
    table,
)
from sdmetrics_disclosure.plugins.page_figures import (
    TRAINING,
    figure_json,
    groups_figure,
    known_figure,
    risks_figure,
    roc_figure,
    say_group,
    threshold_figure,
)
from sdmetrics_disclosure.plugins.page_setting import setting_sections
from sdmetrics_disclosure.plugins.page_text import (
    advice,
    cannot_say,
    most_exposed,
    say_limit,
    strongest,
    verdict_sentence,
)
from sdmetrics_disclosure.plugins.statistics import Interval
from sdmetrics_disclosure.plugins.summary import say_interval, say_rows, say_subject
from sdmetrics_disclosure.plugins.verdict import Check, worst_of_each

TEMPLATE = Path(__file__).with_name("page_template.html")
CSS = {"pass": "pass", "fail": "fail", "not decided": "open"}
# Columns beyond these have their row in the table, but no section.
MOST_COLUMNS = 6
MOST_GROUPS = 10
Figures = dict[str, go.Figure]


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
        _columns(result, figures),
        _exposed(result, figures),
        _membership(result, figures),
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


def _columns(result: DisclosureResult, figures: Figures) -> str:
    columns = most_exposed(result.columns)
    if not columns:
        return section("columns", "The sensitive columns", paragraph("None could be attacked."))
    figures["risks"] = risks_figure(columns)
    head = ["Column", "Risk", "Chance", "Excess", "Holdout", "Difference", "People"]
    rows = [_column_row(column) for column in columns]
    parts = [
        paragraph(
            "Risk is the share of people whose true value the attacker names with confidence. "
            "Chance is the same share when the true values are shuffled. What holds in the "
            "population shows on the holdout too; only the difference is leakage about those who "
            "were in the data."
        ),
        figure(
            "risks",
            "The risk of each sensitive column on training rows and holdout, beside chance.",
            "Points are shares of people, bars their intervals, upright marks what chance gives.",
            table(
                "The most exposed first. Difference: training minus holdout. p: of chance to "
                "reach the risk.",
                head,
                rows,
            ),
            _height(figures["risks"]),
        ),
    ]
    for position, column in enumerate(columns[:MOST_COLUMNS]):
        parts.append(_threshold(column, f"threshold-{position}", figures))
    return section("columns", "The sensitive columns", *parts)


def _column_row(column: ColumnFinding) -> list[str]:
    chance = column.chance
    name = column.column if column.table is None else f"{column.table}: {column.column}"
    return [
        name,
        say_interval(column.risk),
        "" if chance is None else f"{chance.median:.3f} (p {chance.p_value:.3f})",
        "" if column.excess is None else say_interval(column.excess),
        "" if column.holdout is None else say_interval(column.holdout),
        "" if column.difference is None else say_interval(column.difference),
        f"{column.n_records:,}",
    ]


def _threshold(column: ColumnFinding, place: str, figures: Figures) -> str:
    figures[place] = threshold_figure(column)
    head = [column.threshold_name, "Risk", "Risk on the holdout"]
    curve = column.curve
    shown = range(0, len(curve.thresholds), 10)
    rows = [
        (
            f"{curve.thresholds[i]:g}",
            f"{curve.risk[i]:.3f}",
            f"{curve.holdout[i]:.3f}" if curve.holdout else "",
        )
        for i in shown
    ]
    of_numbers = column.threshold_name == "epsilon"
    counts = "error is below epsilon" if of_numbers else "gain is above tau"
    says = f"A guess counts when its {counts}; dotted: {column.threshold:g}."
    return f"<h3>{escape(column.column)}: how sure must a guess be?</h3>" + figure(
        place,
        f"The risk of {column.column} at every threshold.",
        f"{says} A risk that stays high far to the left is one of guesses nearly exact."
        if of_numbers
        else f"{says} A risk that stays high far to the right is one of guesses nearly certain.",
        folded("The numbers", table("The risk by threshold", head, rows)),
        _height(figures[place]),
    )


def _exposed(result: DisclosureResult, figures: Figures) -> str:
    floor = result.policy.report.group_size_floor
    parts = [
        paragraph(
            f"Groups of fewer than {floor} people are left out, and so are those by which a small "
            "one could be found by subtraction. Of many groups some stand out by chance: trust "
            "those whose whole interval is above the rest."
        )
    ]
    for position, column in enumerate(most_exposed(result.columns)[:MOST_COLUMNS]):
        parts.append(_groups(column, f"groups-{position}", figures))
        if column.known_columns:
            parts.append(_known(column, f"known-{position}", figures))
        parts.append(_regression(column))
    return section("exposed", "Who is most exposed, and by what", *parts)


def _groups(column: ColumnFinding, place: str, figures: Figures) -> str:
    title = f"<h3>{escape(column.column)}: groups</h3>"
    groups = sorted(column.groups, key=lambda group: -group.risk.low)[:MOST_GROUPS]
    if not groups:
        return title + paragraph("No group is large enough to be shown.")
    figures[place] = groups_figure(groups, column.risk)
    rows = [(say_group(group), f"{group.n:,}", say_interval(group.risk)) for group in groups]
    return title + figure(
        place,
        f"The risk of the groups most exposed for {column.column}.",
        "The groups whose lower limit is highest. Dotted: all people.",
        folded("The numbers", table("The most exposed groups", ["Group", "People", "Risk"], rows)),
        _height(figures[place]),
    )


def _known(column: ColumnFinding, place: str, figures: Figures) -> str:
    known = sorted(
        column.known_columns, key=lambda k: 1.0 if k.left_out is None else k.left_out.value
    )
    figures[place] = known_figure(known, column.risk)
    rows = [(each.column, say_interval(each.left_out), say_interval(each.alone)) for each in known]
    head = ["Known column", "Risk with it left out", "Risk with it alone"]
    return f"<h3>{escape(column.column)}: which known columns drive it</h3>" + figure(
        place,
        f"The risk of {column.column} with each known column left out and alone.",
        "Dotted: all known columns together. Left of it, leaving the column out lowers the risk.",
        folded("The numbers", table("What each known column does", head, rows)),
        _height(figures[place]),
    )


def _regression(column: ColumnFinding) -> str:
    rows = [
        (
            term.term,
            f"{term.coefficient:.3f}",
            f"{term.standard_error:.3f}",
            f"{term.p_value:.3g}",
        )
        for term in column.regression
        if term.coefficient == term.coefficient
    ]
    if not rows:
        return ""
    head = ["Term", "Log-odds", "Standard error", "p"]
    caption = f"Being at risk for {column.column}, on the known columns"
    return folded("All known columns at once: a logistic regression", table(caption, head, rows))


def _membership(result: DisclosureResult, figures: Figures) -> str:
    attacks = strongest(result.memberships)
    if not attacks:
        return section(
            "membership",
            "Who was in the data",
            paragraph("Not measured: it takes real rows that the synthesizer never saw."),
        )
    figures["roc"] = roc_figure(attacks)
    head = ["Attack", "AUC", "p", "Advantage", "Epsilon, at least", "Members", "Outsiders"]
    rows = [_attack_row(attack) for attack in attacks]
    return section(
        "membership",
        "Who was in the data",
        paragraph(
            "An attacker who has the release and a sample of the population asks of each person: "
            "were they in? An average such as the AUC can be near 0.5 while a few people are found "
            "for certain; they show in the lower left corner, where hardly anyone is accused in "
            "vain."
        ),
        figure(
            "roc",
            "Members found against outsiders accused, for the strongest attacks.",
            "Both axes are logarithmic. On the dashed line an attack does no better than guessing; "
            "the bands are intervals.",
            table("Members found while few outsiders are accused", *_rates(attacks)),
            _height(figures["roc"]),
        ),
        folded("All attacks", table("All attacks, the strongest first", head, rows)),
    )


def _attack_row(attack: MembershipFinding) -> list[str]:
    name = attack.metric if attack.table is None else f"{attack.table}: {attack.metric}"
    return [
        name,
        say_interval(attack.auc),
        f"{attack.p_value:.3g}",
        f"{attack.advantage:.3f}",
        f"{attack.epsilon_lower_bound:.2f}",
        f"{attack.n_members:,}",
        f"{attack.n_non_members:,}",
    ]


def _rates(attacks: list[MembershipFinding]) -> tuple[list[str], list[list[str]]]:
    fprs = [rate.fpr for rate in attacks[0].rates]
    head = ["Attack", *(f"At {fpr:.4g} accused" for fpr in fprs)]
    rows = [
        [
            attack.metric,
            *(
                say_interval(rate.tpr) if rate.measurable else "holdout too small"
                for rate in attack.rates
            ),
        ]
        for attack in attacks[:3]
    ]
    return head, rows


def _advice(result: DisclosureResult) -> str:
    return bullets(advice(result)) or paragraph("Nothing was found that would lower it.")


def _more(n: int, word: str) -> str:
    return f", of {n} {word}s" if n > 1 else ""


def _range(found: Interval) -> str:
    return f"{found.low:.3f} to {found.high:.3f}"


def _percent(result: DisclosureResult) -> str:
    return f"{100 * result.policy.report.confidence_level:g} %"


def _height(drawn: go.Figure) -> int:
    return int(drawn.layout.height)
