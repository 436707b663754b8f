"""The page's sections with figures: the sensitive columns, who is exposed, who was in the data."""

from __future__ import annotations

from html import escape

import plotly.graph_objects as go

from sdmetrics_disclosure.plugins.findings.model import ColumnFinding, MembershipFinding
from sdmetrics_disclosure.plugins.page.figures import (
    groups_figure,
    known_figure,
    risks_figure,
    roc_figure,
    say_group,
    threshold_figure,
)
from sdmetrics_disclosure.plugins.page.html_parts import figure, folded, paragraph, section, table
from sdmetrics_disclosure.plugins.page.text import most_exposed, strongest
from sdmetrics_disclosure.plugins.results.result import DisclosureResult
from sdmetrics_disclosure.plugins.results.summary import say_interval

# Columns beyond these have their row in the table, but no section.
MOST_COLUMNS = 6
MOST_GROUPS = 10
Figures = dict[str, go.Figure]


def columns_section(result: DisclosureResult, figures: Figures) -> str:
    """Risk, chance and holdout of every sensitive column, and its risk at every threshold.

    Args:
        result:
            What was found.
        figures:
            To which the section adds its own.
    """
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


def exposed_section(result: DisclosureResult, figures: Figures) -> str:
    """The groups most at risk, and what each known column does.

    Args:
        result:
            What was found.
        figures:
            To which the section adds its own.
    """
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


def membership_section(result: DisclosureResult, figures: Figures) -> str:
    """The ROC with its low rates, and all attacks.

    Args:
        result:
            What was found.
        figures:
            To which the section adds its own.
    """
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


def _height(drawn: go.Figure) -> int:
    return int(drawn.layout.height)
