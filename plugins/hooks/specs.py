"""The hooks by which a package adds metrics, sources, attackers and synthesizers.

A plugin is a module (or object) named by an entry point in the group `sdmetrics_disclosure`:

    [project.entry-points.sdmetrics_disclosure]
    my_plugin = "my_package.disclosure"

Its functions carry the hooks' names and the mark `hookimpl`. Plugins load on first use, one by
one; one that fails is named once, skipped, and told in full by `sdmetrics-disclosure doctor`.

Each plugin is asked by itself, inside the wrappers (`hookimpl(wrapper=True)`) of all: a wrapper
runs once for each plugin that is asked, and gets what the hook gives for that one. A wrapper that
fails is left out from then on. One that stands in the same plugin as an answer to the same hook
is around that answer only.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pluggy

if TYPE_CHECKING:
    from sdmetrics_disclosure.adapters.release.release import Release
    from sdmetrics_disclosure.adapters.sources.runners import SynthesizerLibrary
    from sdmetrics_disclosure.plugins.attackers.catalog import Attacker
    from sdmetrics_disclosure.plugins.base.metric import DisclosureMetric

PROJECT = "sdmetrics_disclosure"
hookspec = pluggy.HookspecMarker(PROJECT)
hookimpl = pluggy.HookimplMarker(PROJECT)


@hookspec
def register_metrics() -> list[type[DisclosureMetric]]:  # type: ignore[empty-body]
    """Name the metrics that the plugin brings.

    Called once, on first use. All plugins' lists are collected, the built-in ones first; of two
    metrics with the same name the later is refused, with one warning that names both plugins.

    Returns:
        Subclasses of `DisclosureMetric`.
    """


@hookspec
def register_attackers() -> list[Attacker]:  # type: ignore[empty-body]
    """Name the models that the plugin brings to guess a sensitive column.

    Called once, on first use; collected as metrics are. RAPID takes each of them by its name, as
    `attacker`.

    Returns:
        An `Attacker` each: its name, a function from a `TrainingTask` to a `FittedAttacker`, and
        whether it guesses classes, numbers or both.
    """


@hookspec
def register_synthesizers() -> list[SynthesizerLibrary]:  # type: ignore[empty-body]
    """Name the libraries whose synthesizers `assess` can run by this plugin.

    Called once, on first use; collected as metrics are. Third parties' libraries are asked for a
    runner first, the last one registered before the others, and the built-in ones last.

    Returns:
        A `SynthesizerLibrary` each: its name, and a function that gives the runner for what a
        user passes to `assess`, or None if it is not the library's.
    """


@hookspec(firstresult=True)
def load_release(
    source: Any, real_data: Any, metadata: Any, real_validation_data: Any
) -> dict[str, Release] | None:
    """Make releases of what a synthesizer puts out.

    Third parties are asked first, the last one registered before the others, and the built-in
    sources last. The first answer that is not None is taken.

    Args:
        source:
            The synthetic data in any form: frames, a fitted synthesizer, a library's own object.
        real_data:
            The real rows, as the user passed them.
        metadata:
            SDMetrics' metadata in any form, or None.
        real_validation_data:
            Real rows that the synthesizer never saw, or None.

    Returns:
        A `Release` by table name; None if this plugin does not know the source.
    """
