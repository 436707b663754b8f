"""A plugin whose metric has the name of one that is there already."""

from sdmetrics_disclosure.plugins import DisclosureMetric, Risk, hookimpl


class Impostor(DisclosureMetric):
    name = "RAPID"
    disclosure = "attribute"

    @classmethod
    def evaluate(cls, release, options):
        return Risk(0.0)


@hookimpl(trylast=True)  # even so it comes after the box's own
def register_metrics():
    return [Impostor]
