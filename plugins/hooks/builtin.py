"""What the box plugs in, by the same hooks as anyone's plugin."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sdmetrics_disclosure.adapters.release.release import Release
from sdmetrics_disclosure.adapters.sources.sources import load
from sdmetrics_disclosure.plugins.hooks.specs import hookimpl

if TYPE_CHECKING:
    from sdmetrics_disclosure.adapters.sources.runners import SynthesizerLibrary
    from sdmetrics_disclosure.plugins.attackers.catalog import Attacker
    from sdmetrics_disclosure.plugins.base.metric import DisclosureMetric


@hookimpl
def register_metrics() -> list[type[DisclosureMetric]]:
    """The metrics of this package."""
    from sdmetrics_disclosure.plugins.attacks.ensemble import ATTACKS, MembershipEnsemble
    from sdmetrics_disclosure.plugins.cap.cap_protection import CAPProtection
    from sdmetrics_disclosure.plugins.cap.tcap import TCAP, DiSCO
    from sdmetrics_disclosure.plugins.gen_lra.metric import GenLRA
    from sdmetrics_disclosure.plugins.identification.metrics import (
        Copies,
        Linkability,
        SingleOut,
    )
    from sdmetrics_disclosure.plugins.rapid.metric import RAPID

    others = [attack for attack in ATTACKS.values() if attack is not GenLRA]
    identification = [Copies, SingleOut, Linkability]
    by_key = [TCAP, DiSCO, CAPProtection]
    return [RAPID, GenLRA, *others, MembershipEnsemble, *identification, *by_key]


@hookimpl
def load_release(
    source: Any, real_data: Any, metadata: Any, real_validation_data: Any
) -> dict[str, Release] | None:
    """Fitted SDV synthesizers and ctgan models, frames, dicts of frames, paths, lists of these."""
    return load(source, real_data, metadata, real_validation_data)


@hookimpl
def register_attackers() -> list[Attacker]:
    """The attackers of this package."""
    from sdmetrics_disclosure.plugins.attackers.boosting import BOOSTING, BOOSTING_LIGHT
    from sdmetrics_disclosure.plugins.attackers.cart import CART
    from sdmetrics_disclosure.plugins.attackers.forest import FOREST
    from sdmetrics_disclosure.plugins.attackers.linear import LINEAR
    from sdmetrics_disclosure.plugins.attackers.logistic import LOGISTIC

    return [BOOSTING, BOOSTING_LIGHT, FOREST, CART, LOGISTIC, LINEAR]


@hookimpl
def register_synthesizers() -> list[SynthesizerLibrary]:
    """SDV's synthesizers, those of the ctgan package, and functions, which are asked last."""
    from sdmetrics_disclosure.adapters.sources.runners import CTGAN, FUNCTION, SDV

    return [SDV, CTGAN, FUNCTION]
