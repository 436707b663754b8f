"""What the page says in words: the verdict, its limits, and how to lower the risk."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from sdmetrics_disclosure.plugins.findings.attack import MembershipFinding
from sdmetrics_disclosure.plugins.findings.model import ColumnFinding, Group, KnownColumn
from sdmetrics_disclosure.plugins.policy.limits import say_limit
from sdmetrics_disclosure.plugins.policy.verdict import (
    FAIL,
    INCONCLUSIVE,
    PASS,
    Check,
    most_needed,
    worst_of_each,
)
from sdmetrics_disclosure.plugins.results.result import DisclosureResult
from sdmetrics_disclosure.plugins.results.summary import say_interval, say_rows, say_subject


def verdict_sentence(result: DisclosureResult) -> str:
    """The verdict against the policy in one sentence.

    Args:
        result:
            What was found.
    """
    checks = worst_of_each(result.checks)
    if not checks:
        return "The policy sets no limit, so there is nothing to decide."
    percent = f"{result.policy.report.confidence_level:.0%}"
    if result.decision == PASS:
        return (
            f"The release keeps all {len(checks)} limits of the policy, not by its numbers alone "
            f"but with their {percent} intervals."
        )
    wrong = [check for check in checks if check.decision == result.decision]
    if result.decision == FAIL:
        worst = wrong[0]
        more = f", and {len(wrong) - 1} more" if len(wrong) > 1 else ""
        return (
            f"The release breaks {_of(wrong, checks)}: {say_subject(worst)} has "
            f"{say_limit(worst)} {say_interval(worst.found)}, where at most {worst.limit:g} is "
            f"allowed{more}."
        )
    needed = most_needed([c for c in result.checks if c.decision == INCONCLUSIVE])
    if needed is None:
        return f"These data do not decide {_of(wrong, checks)}: {_why(wrong[0])}."
    return (
        f"These data do not decide {_of(wrong, checks)}; about {say_rows(needed)} real rows would, "
        f"holdout included, where there are {max(check.n_rows for check in wrong):,} now, if the "
        "numbers stay what they are."
    )


def plain_verdict(result: DisclosureResult) -> str:
    """The verdict as one says it to somebody who is no statistician.

    Args:
        result:
            What was found.
    """
    if result.decision == PASS:
        return "No attack that was run learns more about real people than the policy allows."
    if result.decision == INCONCLUSIVE:
        return "The data are too few to say whether the release gives real people away."
    broken = [c for c in worst_of_each(result.checks) if c.decision == FAIL]
    by_question = {check.question: check for check in sorted(broken, key=_tells_most)}
    return " ".join(_plain(check) for check in by_question.values())


def _tells_most(check: Check) -> bool:
    return check.limit_name == "auc_max"


def _plain(check: Check) -> str:
    if check.question == "attribute":
        return f"More can be learned about people's {check.subject} than the policy allows."
    if check.limit_name != "auc_max" or check.found is None:
        return "Some people can be told to have been in the data."
    who = "nearly everybody who was" if check.found.low >= 0.9 else "many of those who were"
    return f"An outsider can tell {who} in the data."


def say_people(share: float, of: str = "people") -> str:
    """A share as a count of a hundred.

    Args:
        share:
            From 0 to 1.
        of:
            What is counted.
    """
    counted = round(100 * share)
    if counted == 100 and share < 1:
        return f"more than 99 of 100 {of}"
    return f"fewer than 1 of 100 {of}" if counted == 0 and share > 0 else f"{counted} of 100 {of}"


def cannot_say(result: DisclosureResult) -> Iterator[str]:
    """What the verdict leaves open, a sentence each.

    Args:
        result:
            What was found.
    """
    yield (
        "It is about the attackers that were run and the columns they knew: a stronger one, or one "
        "who knows more, may reach more."
    )
    if any(table.n_holdout == 0 for table in result.setting.tables):
        yield (
            "There is no holdout. So nobody can say who was in the data, and what holds in the "
            "whole population counts as if it had leaked. Keep real rows from the synthesizer and "
            "pass them."
        )
    tail = (1 - result.policy.report.confidence_level) / 2
    yield (
        f"Where the truth stands exactly on a limit, chance lets {tail:.1%} of releases pass and "
        f"{tail:.1%} fail. {len(result.checks)} intervals were held against limits, each with that "
        "chance to err."
    )
    if any(check.limit_name == "epsilon_max" for check in result.checks):
        yield (
            "Epsilon is bounded from below only: no evidence of leakage is no proof that there is "
            "none."
        )
    if any(table.subsample for table in result.setting.tables):
        yield (
            "Not all rows were used: the intervals are wider for it, and rare cases may be missed."
        )


def say_group(group: Group) -> str:
    """A group in words."""
    first = f"{group.column}: {group.level}"
    return first if group.column_2 is None else f"{first}; {group.column_2}: {group.level_2}"


def strongest(attacks: Iterable[MembershipFinding]) -> list[MembershipFinding]:
    """The attacks, the highest AUC first.

    Args:
        attacks:
            What was found.
    """
    return sorted(attacks, key=lambda attack: -attack.auc.value)


def most_exposed(columns: Iterable[ColumnFinding]) -> list[ColumnFinding]:
    """The columns, the largest lower bound of excess or difference first.

    Args:
        columns:
            What was found.
    """
    return sorted(columns, key=lambda column: (-column.exposure, -column.risk.value))


def advice(result: DisclosureResult) -> Iterator[str]:
    """How to lower the risk, from what was found, a sentence or two each.

    Args:
        result:
            What was found.
    """
    for column in most_exposed(result.columns):
        if exceeds_chance(column):
            yield from _column_advice(column)
    attacked = strongest(result.memberships)
    if attacked and attacked[0].auc.low > 0.5:
        yield (
            f"{attacked[0].metric} tells members from outsiders better than guessing: some "
            "synthetic rows stand too near to training rows. Fit the synthesizer less closely "
            "(fewer epochs, larger leaves, a privacy budget), or on more rows, and audit again."
        )


def exceeds_chance(column: ColumnFinding) -> bool:
    """Whether anything is there to lower: more than chance gives, or more than on the holdout.

    Args:
        column:
            A finding.
    """
    beyond = [each for each in (column.excess, column.difference) if each is not None]
    return any(each.low > 0 for each in beyond or [column.risk])


def _column_advice(column: ColumnFinding) -> Iterator[str]:
    name = column.column
    drops = sorted(
        (known for known in column.known_columns if known.left_out is not None),
        key=lambda known: _left(known),
    )
    telling = [each for each in drops if each.left_out and each.left_out.high < column.risk.low]
    if telling:
        first = telling[0]
        yield (
            f"Withhold or coarsen {first.column}: when it is left out, the risk of {name} falls "
            f"from {column.risk.value:.3f} to {say_interval(first.left_out)}."
        )
        rest = ", ".join(f"{each.column} ({_left(each):.3f})" for each in telling[1:4])
        if rest:
            yield f"Next, one at a time, would be {rest}."
    elif drops:
        yield (
            f"No single known column carries the risk of {name}: with any one of them left out it "
            f"stays at {_left(drops[0]):.3f} or more, within the intervals. Coarsen several, or "
            f"{name} itself."
        )
    exposed = [group for group in column.groups if group.risk.low > column.risk.high]
    if exposed:
        group = exposed[0]
        yield (
            f"The most exposed group for {name} is {say_group(group)}: {group.risk.value:.3f} of "
            f"its {group.n:,} people are at risk, of all {column.risk.value:.3f}. Coarsening "
            f"{group.column} there reaches them first."
        )
    if column.difference is not None and column.holdout is not None:
        yield _leak_advice(column)


def _leak_advice(column: ColumnFinding) -> str:
    assert column.difference is not None, "there is a holdout"
    if column.difference.low > 0:
        return (
            f"For {column.column}, training rows are more exposed than people who were not in the "
            f"data, by {say_interval(column.difference)}: the synthesizer has learned people, not "
            "only patterns. Fit it less closely, or on more rows."
        )
    assert column.holdout is not None, "there is a holdout"
    return (
        f"The risk of {column.column} is nearly the same for people who were not in the data "
        f"({say_interval(column.holdout)}): it comes from patterns of the population. Withholding "
        "columns lowers it for everybody; protecting the training rows more would not."
    )


def _left(known: KnownColumn) -> float:
    assert known.left_out is not None, "only those left out are sorted"
    return known.left_out.value


def _of(some: list[Check], checks: list[Check]) -> str:
    if len(some) == len(checks):
        word = "all" if some[0].decision == FAIL else "any of"
        return f"{word} the {len(checks)} limits" if len(checks) > 1 else "the one limit set"
    return f"{len(some)} of the {len(checks)} limits of the policy"


def _why(check: Check) -> str:
    if check.reason and check.decision == INCONCLUSIVE:
        return f"{say_subject(check)}, {check.reason}"
    return f"{say_subject(check)} stands on its limit"
