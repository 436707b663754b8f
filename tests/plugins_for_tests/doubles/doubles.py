"""How many real rows stand in the synthetic table as they are."""

from sdmetrics_disclosure.plugins import DisclosureMetric, Risk, hookimpl


class Doubles(DisclosureMetric):
    name = "Doubles"
    disclosure = "attribute"

    @classmethod
    def evaluate(cls, release, options):
        copied = release.real.merge(release.synthetic[0].drop_duplicates())
        return Risk(len(copied) / len(release.real))


@hookimpl
def register_metrics():
    return [Doubles]
