"""The hooks by which a package adds metrics and sources to the disclosure reports.

A plugin is a module (or object) named by an entry point in the group `sdmetrics_disclosure`:

    [project.entry-points.sdmetrics_disclosure]
    my_plugin = "my_package.disclosure"

Its functions carry the hooks' names and the mark `hookimpl`. Plugins load on first use, one by
one; one that fails is named once, skipped, and told in full by `sdmetrics-disclosure doctor`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pluggy

if TYPE_CHECKING:
    from sdmetrics_disclosure.adapters.release.release import Release
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
