"""What a risk, chance and holdout are called where they are reported, and which limits bind."""

from __future__ import annotations

from sdmetrics_disclosure.plugins.base.findings import TRAINING_MINUS_HOLDOUT, Measure
from sdmetrics_disclosure.plugins.common.statistics import Interval

LIMITED = ("excess_max", "risk_max")
VALUES_DO_NOT_MEET = (
    "the values do not meet: most real records have a value that the synthetic table never shows"
)


def exposure_of(risk: Interval, excess: Interval | None, difference: Interval | None) -> float:
    """The lower bound of what is beyond the holdout, else beyond chance, else of the risk."""
    measured = difference or excess or risk
    return measured.low


def protection_beyond(risk: Interval, excess: Interval | None, chance: float | None) -> float:
    """1 - max(0, (risk - chance) / (1 - chance)): 1 where nothing is learned beyond chance.

    Without a measure of chance, 1 minus the risk.
    """
    if excess is None or chance is None:
        return 1.0 - risk.value
    return 1.0 - max(0.0, excess.value / (1.0 - chance)) if chance < 1.0 else 1.0


def column_measures(
    risk: Interval,
    excess: Interval | None,
    difference: Interval | None,
    n_records: int,
    n_holdout: int,
) -> tuple[Measure, ...]:
    """What a limit can bind: the excess, which a holdout measures best, and the risk."""
    n_rows = n_records
    if difference is not None:
        above = Measure(
            "excess",
            TRAINING_MINUS_HOLDOUT,
            difference,
            n_records + n_holdout,
            n_holdout,
            TRAINING_MINUS_HOLDOUT,
        )
    else:
        remark = "over chance, for want of a holdout"
        if excess is None:
            n_rows, remark = 0, "what chance gives was not measured"
        above = Measure("excess", "excess over chance", excess, n_rows, None, remark)
    return above, Measure("risk", "risk", risk, n_records)


def column_details(
    risk: Interval,
    excess: Interval | None,
    difference: Interval | None,
    baseline: float,
    chance: tuple[float, float] | None,
    holdout: Interval | None,
    n_records: int,
) -> dict[str, float]:
    """What stands beside the score in the rows of a report.

    Args:
        risk:
            With its interval.
        excess:
            The risk minus the median of chance, or None.
        difference:
            Training minus holdout, or None.
        baseline:
            What is reached without the person's data.
        chance:
            Median and 95th percentile of the null, or None.
        holdout:
            The risk on the holdout, or None.
        n_records:
            Real records with a truth.
    """
    details = {"Risk": risk.value, "Low": risk.low, "High": risk.high}
    if chance is not None and excess is not None:
        median, percentile_95 = chance
        details |= {
            "Baseline": baseline,
            "Chance": median,
            "Chance 95%": percentile_95,
            "Excess": excess.value,
        }
    details["Records"] = n_records
    if holdout is not None and difference is not None:
        details |= {
            "Holdout Risk": holdout.value,
            "Difference": difference.value,
            "Difference Low": difference.low,
            "Difference High": difference.high,
        }
    return details
