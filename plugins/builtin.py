"""What the box plugs in, by the same hooks as anyone's plugin."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sdmetrics_disclosure.adapters.release import Release
from sdmetrics_disclosure.adapters.sources import load
from sdmetrics_disclosure.plugins.hookspecs import hookimpl

if TYPE_CHECKING:
    from sdmetrics_disclosure.plugins.base import DisclosureMetric


@hookimpl
def register_metrics() -> list[type[DisclosureMetric]]:
    """The metrics of this package."""
    from sdmetrics_disclosure.plugins.cap_protection import CAPProtection
    from sdmetrics_disclosure.plugins.ensemble import ATTACKS, MembershipEnsemble
    from sdmetrics_disclosure.plugins.gen_lra import GenLRA
    from sdmetrics_disclosure.plugins.rapid import RAPID
    from sdmetrics_disclosure.plugins.tcap import TCAP, DiSCO

    others = [attack for attack in ATTACKS.values() if attack is not GenLRA]
    return [RAPID, GenLRA, *others, MembershipEnsemble, TCAP, DiSCO, CAPProtection]


@hookimpl
def load_release(
    source: Any, real_data: Any, metadata: Any, real_validation_data: Any
) -> dict[str, Release] | None:
    """Fitted SDV synthesizers and ctgan models, frames, dicts of frames, paths, lists of these."""
    return load(source, real_data, metadata, real_validation_data)
