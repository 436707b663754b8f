"""What a synthetic table gives away about real people, as SDMetrics metrics and report.

The metrics also stand where SDMetrics keeps its own: `from sdmetrics.single_table import RAPID`.
"""

import sdmetrics  # noqa: F401  # first: SDMetrics loads our entry points, in whatever order it is imported

from sdmetrics_disclosure.plugins.alignment import Alignment, alignment
from sdmetrics_disclosure.plugins.assess import Assessment, assess
from sdmetrics_disclosure.plugins.attacks import (
    DOMIAS,
    DataPlagiarismIndex,
    DCRAttack,
    DCRDifference,
    DensityEstimate,
    LocalNeighborhood,
    MonteCarlo,
)
from sdmetrics_disclosure.plugins.base import DisclosureMetric, Result, Risk
from sdmetrics_disclosure.plugins.cap_protection import CAPProtection
from sdmetrics_disclosure.plugins.classifier_attack import ClassifierAttack
from sdmetrics_disclosure.plugins.disclosure_report import DisclosureReport
from sdmetrics_disclosure.plugins.disclosure_result import DisclosureResult
from sdmetrics_disclosure.plugins.ensemble import MembershipEnsemble
from sdmetrics_disclosure.plugins.gen_lra import GenLRA
from sdmetrics_disclosure.plugins.hookspecs import hookimpl
from sdmetrics_disclosure.plugins.options import disclosure_options
from sdmetrics_disclosure.plugins.policy import Policy, load_policy
from sdmetrics_disclosure.plugins.rapid import RAPID
from sdmetrics_disclosure.plugins.registry import load_release, metrics
from sdmetrics_disclosure.plugins.tcap import TCAP, DiSCO

__all__ = [
    "DOMIAS",
    "RAPID",
    "TCAP",
    "Alignment",
    "Assessment",
    "CAPProtection",
    "ClassifierAttack",
    "DCRAttack",
    "DCRDifference",
    "DataPlagiarismIndex",
    "DensityEstimate",
    "DiSCO",
    "DisclosureMetric",
    "DisclosureReport",
    "DisclosureResult",
    "GenLRA",
    "LocalNeighborhood",
    "MembershipEnsemble",
    "MonteCarlo",
    "Policy",
    "Result",
    "Risk",
    "alignment",
    "assess",
    "disclosure_options",
    "hookimpl",
    "load_policy",
    "load_release",
    "metrics",
]
