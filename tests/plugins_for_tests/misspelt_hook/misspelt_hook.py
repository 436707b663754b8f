"""A plugin whose hook has a wrong name."""

from sdmetrics_disclosure.plugins import hookimpl


@hookimpl
def register_metric():
    return []
