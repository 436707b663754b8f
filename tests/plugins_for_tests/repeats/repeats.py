"""How many real rows stand in the synthetic table: with an interval, and a limit of its own."""

from dataclasses import dataclass

from sdmetrics_disclosure.plugins import DisclosureMetric, Finding, Limit, Measure, hookimpl
from sdmetrics_disclosure.plugins.common.statistics import Interval, wilson


@dataclass(frozen=True)
class Repeated:
    share: Interval
    n_rows: int

    score = property(lambda self: self.share.value)
    protection = property(lambda self: 1 - self.share.value)

    def breakdown(self):
        return {"score": self.score, "share": self.share.to_dict()}

    def findings(self):
        measure = Measure("repeated", "share of rows repeated", self.share, self.n_rows)
        beside = {"Low": self.share.low, "High": self.share.high, "Rows": self.n_rows}
        return [Finding(None, self.score, self.protection, beside, (measure,))]


class Repeats(DisclosureMetric):
    name = "Repeats"
    disclosure = "attribute"
    limits = (Limit("repeated_max", "attribute", "repeated", "share of rows repeated"),)

    @classmethod
    def evaluate(cls, release, options):
        copied = release.real.merge(release.synthetic[0].drop_duplicates())
        return Repeated(wilson(len(copied), len(release.real)), len(release.real))


@hookimpl
def register_metrics():
    return [Repeats]
