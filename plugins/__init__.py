"""What a synthetic table gives away about real people, as SDMetrics metrics and report.

The metrics also stand where SDMetrics keeps its own: `from sdmetrics.single_table import RAPID`.
"""

import sdmetrics  # noqa: F401  # first: SDMetrics loads our entry points, in whatever order it is imported

from sdmetrics_disclosure.plugins.base import DisclosureMetric, Result, Risk
from sdmetrics_disclosure.plugins.hookspecs import hookimpl
from sdmetrics_disclosure.plugins.options import disclosure_options
from sdmetrics_disclosure.plugins.rapid import RAPID
from sdmetrics_disclosure.plugins.registry import load_release, metrics

__all__ = [
    "RAPID",
    "DisclosureMetric",
    "Result",
    "Risk",
    "disclosure_options",
    "hookimpl",
    "load_release",
    "metrics",
]
