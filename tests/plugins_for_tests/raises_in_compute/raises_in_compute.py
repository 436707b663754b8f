"""A plugin whose metric raises when it is computed."""

from sdmetrics_disclosure.plugins import DisclosureMetric, hookimpl


class Fragile(DisclosureMetric):
    name = "Fragile"
    disclosure = "attribute"

    @classmethod
    def evaluate(cls, release, options):
        raise ZeroDivisionError("nobody is left to count")


@hookimpl
def register_metrics():
    return [Fragile]
