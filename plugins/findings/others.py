"""What metrics say themselves, whoever brought them, and what has no number."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from sdmetrics_disclosure.plugins.base.findings import Measure, Question
from sdmetrics_disclosure.plugins.findings.attack import MembershipFinding
from sdmetrics_disclosure.plugins.findings.model import ColumnFinding


@dataclass(frozen=True)
class OtherFinding:
    """What a metric found of which nothing else is known than what it says itself.

    Attributes:
        table: The table's name, or None.
        metric: The metric's name.
        column: The sensitive column, or None.
        question: Which question it bears on.
        score: Its own score.
        protection: 1 is best.
        beside: What stands beside the score in the rows of a report.
        measured: Its numbers with their intervals, which limits can bind.
        doubt: Why no limit may pass, or empty.
    """

    table: str | None
    metric: str
    column: str | None
    question: Question
    score: float
    protection: float
    beside: Mapping[str, float]
    measured: tuple[Measure, ...]
    doubt: str

    def measures(self) -> tuple[Measure, ...]:
        """What limits can bind."""
        return self.measured

    def details(self) -> Mapping[str, float]:
        """What stands beside the score in the rows of a report."""
        return self.beside


@dataclass(frozen=True)
class Failure:
    """A metric that has no number.

    Attributes:
        table: The table's name, or None.
        metric: The metric's name.
        column: The sensitive column, or None.
        question: Which question it would have borne on.
        error: Why; values of real people in a message are hidden.
    """

    table: str | None
    metric: str
    column: str | None
    question: Question
    error: str


AnyFinding = ColumnFinding | MembershipFinding | OtherFinding
