"""What plugins may register, and how it is checked."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, is_dataclass
from typing import Any

from sdmetrics_disclosure.adapters.sources.runners import SynthesizerLibrary
from sdmetrics_disclosure.plugins.attackers.catalog import Attacker
from sdmetrics_disclosure.plugins.base.metric import DisclosureMetric


@dataclass
class Collection:
    """What one hook collects.

    Attributes:
        what: What it is, in messages.
        check: Refuses what cannot be used.
        items: What was registered, by name.
        plugins: Which plugin registered it, by name.
    """

    what: str
    check: Callable[[Any], None]
    items: dict[str, Any] = field(default_factory=dict)
    plugins: dict[str, str] = field(default_factory=dict)


def new_collections() -> dict[str, Collection]:
    """Nothing collected yet, by hook."""
    return {
        "register_metrics": Collection("a metric", _check_metric),
        "register_attackers": Collection("an attacker", _check_attacker),
        "register_synthesizers": Collection("a synthesizer library", _check_library),
    }


def _check_metric(metric: Any) -> None:
    if not (isinstance(metric, type) and issubclass(metric, DisclosureMetric)):
        raise TypeError(f"`register_metrics` gave {metric!r}, which is no DisclosureMetric class.")
    if not isinstance(getattr(metric, "name", None), str):
        raise TypeError(f"The metric {metric.__name__} has no `name`; give it a unique one.")
    if getattr(metric, "disclosure", None) not in ("attribute", "membership"):
        raise TypeError(
            f"The metric {metric.name!r} has no `disclosure`; set 'attribute' or 'membership'."
        )
    if not is_dataclass(getattr(metric, "Options", None)):
        raise TypeError(f"The `Options` of {metric.name!r} must be a frozen dataclass.")


def _check_attacker(attacker: Any) -> None:
    if not isinstance(attacker, Attacker):
        raise TypeError(f"`register_attackers` gave {attacker!r}, which is no `Attacker`.")
    _check_name("attacker", attacker.name)
    _check_callable("fit", attacker.name, attacker.fit)
    if not attacker.targets:
        raise TypeError(
            f"The attacker {attacker.name!r} has no `targets`; name `ClassTarget`, "
            "`NumberTarget` or both."
        )


def _check_library(library: Any) -> None:
    if not isinstance(library, SynthesizerLibrary):
        raise TypeError(
            f"`register_synthesizers` gave {library!r}, which is no `SynthesizerLibrary`."
        )
    _check_name("synthesizer library", library.name)
    _check_callable("find_runner", library.name, library.find_runner)


def _check_name(what: str, name: Any) -> None:
    if not (isinstance(name, str) and name):
        raise TypeError(f"The `name` of a registered {what} is {name!r}; give it a unique one.")


def _check_callable(attribute: str, name: str, function: Any) -> None:
    if not callable(function):
        raise TypeError(f"The `{attribute}` of {name!r} is {function!r}; pass a function.")
