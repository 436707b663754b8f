"""What a result says to those who report it: numbers with intervals, and what limits can bind.

A report knows a metric by nothing else. A result that has no `findings` of its own gives its score.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from sdmetrics_disclosure.plugins.common.statistics import Interval

Question = Literal["attribute", "membership"]
# The remark of a measure that a holdout gives.
TRAINING_MINUS_HOLDOUT = "training minus holdout"


@dataclass(frozen=True)
class Limit:
    """A limit that a policy can set on a metric's number.

    Attributes:
        key: The policy's key, such as "auc_max".
        question: Which of the two questions it bears on.
        measure: The `Measure` that it binds, by name.
        words: What is limited, as the page says it.
        highest: The largest number that a policy may set.
        decided_by: "interval": it passes where the whole interval is below; "lower bound": where
            the lower bound is, since there is no upper one.
    """

    key: str
    question: Question
    measure: str
    words: str
    highest: float = 1.0
    decided_by: Literal["interval", "lower bound"] = "interval"


@dataclass(frozen=True)
class Measure:
    """A number with its interval: the page shows it, and a limit can bind it.

    Attributes:
        name: By which a `Limit` knows it.
        words: By which the page calls it.
        found: The number; None where it was not measured.
        n_rows: The real rows behind it, holdout included.
        n_holdout: The holdout rows behind it; None where it needs none.
        remark: What it is, or why it was not measured, where the name does not say.
        at: Where on a curve it was taken, such as the false positive rate; else None.
        needed_holdout: Where the holdout is too small to measure it: how many rows it would take.
    """

    name: str
    words: str
    found: Interval | None
    n_rows: int
    n_holdout: int | None = None
    remark: str = ""
    at: float | None = None
    needed_holdout: int = 0


@dataclass(frozen=True)
class Finding:
    """What a metric found on a table, or on one sensitive column of it.

    Attributes:
        column: The sensitive column, or None.
        score: The metric's own score.
        protection: 1 is best.
        details: What stands beside the score in the rows of a report, by the name of its column.
        measures: The numbers that the page shows and limits can bind.
        exposure: The lower bound of what is lost: where one column is explained, it is the one
            with the largest.
        roc: An attack's ROC with its band, or None.
        doubt: Why no limit may pass for all that was found; empty where there is no doubt. Of a
            whole table it is about every limit on the table.
    """

    column: Hashable
    score: float
    protection: float
    details: Mapping[str, float] = field(default_factory=dict)
    measures: tuple[Measure, ...] = ()
    exposure: float = 0.0
    roc: Any = None
    doubt: str = ""


def findings_of(result: Any) -> Sequence[Finding]:
    """The findings of a result; of one that has none of its own, its score.

    Args:
        result:
            What `DisclosureMetric.evaluate` returned.
    """
    if hasattr(result, "findings"):
        own: Sequence[Finding] = tuple(result.findings())
        return own
    return (Finding(None, float(result.score), float(result.protection)),)
