"""A plugin that raises in its hook."""

from sdmetrics_disclosure.plugins import hookimpl


@hookimpl
def register_metrics():
    raise OSError("the list of metrics is not reachable")
