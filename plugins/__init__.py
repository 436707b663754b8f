"""What a synthetic table gives away about real people, as SDMetrics metrics and report.

The metrics also stand where SDMetrics keeps its own: `from sdmetrics.single_table import RAPID`.
"""

import sdmetrics  # noqa: F401  # first: SDMetrics loads our entry points, in whatever order it is imported

from sdmetrics_disclosure.plugins.assessment.assess import Assessment, assess
from sdmetrics_disclosure.plugins.attackers.catalog import look_up_with as _look_up_with
from sdmetrics_disclosure.plugins.attacks.classifier import ClassifierAttack
from sdmetrics_disclosure.plugins.attacks.density import DOMIAS, DensityEstimate
from sdmetrics_disclosure.plugins.attacks.distance import DCRAttack, DCRDifference
from sdmetrics_disclosure.plugins.attacks.ensemble import MembershipEnsemble
from sdmetrics_disclosure.plugins.attacks.neighborhood import (
    DataPlagiarismIndex,
    LocalNeighborhood,
    MonteCarlo,
)
from sdmetrics_disclosure.plugins.base.findings import Finding, Limit, Measure
from sdmetrics_disclosure.plugins.base.metric import DisclosureMetric
from sdmetrics_disclosure.plugins.base.result import Result, Risk
from sdmetrics_disclosure.plugins.cap.cap_protection import CAPProtection
from sdmetrics_disclosure.plugins.cap.tcap import TCAP, DiSCO
from sdmetrics_disclosure.plugins.gen_lra.metric import GenLRA
from sdmetrics_disclosure.plugins.hooks.registry import attackers as _attackers
from sdmetrics_disclosure.plugins.hooks.registry import load_release, metrics
from sdmetrics_disclosure.plugins.hooks.specs import hookimpl
from sdmetrics_disclosure.plugins.identification.metrics import Copies, Linkability, SingleOut
from sdmetrics_disclosure.plugins.membership.alignment import Alignment, alignment
from sdmetrics_disclosure.plugins.policy.policy import Policy, load_policy
from sdmetrics_disclosure.plugins.quality.settings import disclosure_options
from sdmetrics_disclosure.plugins.rapid.metric import RAPID
from sdmetrics_disclosure.plugins.refits.audit import refit_attack
from sdmetrics_disclosure.plugins.refits.canary_audit import CanaryAudit, canary_audit
from sdmetrics_disclosure.plugins.refits.result import RefitAudit
from sdmetrics_disclosure.plugins.report.report import DisclosureReport
from sdmetrics_disclosure.plugins.results.result import DisclosureResult

__all__ = [
    "DOMIAS",
    "RAPID",
    "TCAP",
    "Alignment",
    "Assessment",
    "CAPProtection",
    "CanaryAudit",
    "ClassifierAttack",
    "Copies",
    "DCRAttack",
    "DCRDifference",
    "DataPlagiarismIndex",
    "DensityEstimate",
    "DiSCO",
    "DisclosureMetric",
    "DisclosureReport",
    "DisclosureResult",
    "Finding",
    "GenLRA",
    "Limit",
    "Linkability",
    "LocalNeighborhood",
    "Measure",
    "MembershipEnsemble",
    "MonteCarlo",
    "Policy",
    "RefitAudit",
    "Result",
    "Risk",
    "SingleOut",
    "alignment",
    "assess",
    "canary_audit",
    "disclosure_options",
    "hookimpl",
    "load_policy",
    "load_release",
    "metrics",
    "refit_attack",
]

# The room of the attackers cannot import the plugin manager, which stands above it.
_look_up_with(_attackers)
