"""The plugin manager: who brings which metric, and what went wrong on the way."""

from __future__ import annotations

import functools
import traceback
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, is_dataclass
from importlib.metadata import EntryPoint, entry_points
from typing import Any

import pluggy

from sdmetrics_disclosure.adapters.release.release import Release
from sdmetrics_disclosure.plugins.base.metric import DisclosureMetric
from sdmetrics_disclosure.plugins.hooks import builtin, specs
from sdmetrics_disclosure.plugins.hooks.specs import PROJECT

BUILTIN = "sdmetrics-disclosure"


@dataclass(frozen=True)
class Problem:
    """A plugin that failed.

    Attributes:
        plugin: Its name.
        reason: One sentence.
        traceback: The whole story, for `doctor`.
    """

    plugin: str
    reason: str
    traceback: str


@dataclass
class Registry:
    """The loaded plugins.

    Attributes:
        manager: Pluggy's manager.
        metrics: The registered metrics by name.
        plugins: Which plugin registered a metric, by the metric's name.
        problems: The plugins that failed.
    """

    manager: pluggy.PluginManager
    metrics: dict[str, type[DisclosureMetric]] = field(default_factory=dict)
    plugins: dict[str, str] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)

    def fail(self, plugin: str, doing: str, error: BaseException) -> None:
        """Keep the story of a failure, and warn once."""
        reason = f"{type(error).__name__}: {error}"
        if any((known.plugin, known.reason) == (plugin, reason) for known in self.problems):
            return
        story = "".join(traceback.format_exception(error))
        self.problems.append(Problem(plugin, reason, story))
        warnings.warn(
            f"The plugin {plugin!r} failed {doing} and is skipped ({reason}). "
            "`sdmetrics-disclosure doctor` shows the traceback.",
            UserWarning,
            stacklevel=2,
        )


@functools.cache
def registry() -> Registry:
    """The registry, with all plugins loaded; made on first use."""
    manager = pluggy.PluginManager(PROJECT)
    manager.add_hookspecs(specs)
    manager.register(builtin, name=BUILTIN)
    made = Registry(manager)
    for entry_point in _entry_points():
        _load(made, entry_point)
    _collect_metrics(made)
    return made


def metrics(
    disclosure: str | None = None, *, in_quality_report: bool = False
) -> dict[str, type[DisclosureMetric]]:
    """The registered metrics by name.

    Args:
        disclosure:
            "attribute" or "membership": only those; None: all.
        in_quality_report:
            Only those that run in the quality report.
    """
    return {
        name: metric
        for name, metric in registry().metrics.items()
        if disclosure in (None, metric.disclosure)
        and (metric.in_quality_report or not in_quality_report)
    }


def load_release(
    source: Any, real_data: Any, metadata: Any = None, real_validation_data: Any = None
) -> dict[str, Release]:
    """Ask the plugins, third parties first, to make releases of a source.

    A plugin that fails is named once and passed over.

    Returns:
        A `Release` by table name.

    Raises:
        TypeError: If no plugin knows the source.
    """
    arguments = {
        "source": source,
        "real_data": real_data,
        "metadata": metadata,
        "real_validation_data": real_validation_data,
    }
    releases: dict[str, Release] | None
    for implementation in reversed(registry().manager.hook.load_release.get_hookimpls()):
        call: Callable[[], Any] = functools.partial(
            implementation.function, *(arguments[name] for name in implementation.argnames)
        )
        if implementation.plugin_name == BUILTIN:
            releases = call()  # its errors are about the user's data, and are the user's
        else:
            try:
                releases = call()
            except Exception as error:
                registry().fail(implementation.plugin_name, "in `load_release`", error)
                continue
        if releases is not None:
            return releases
    raise TypeError(
        f"`source` is a {type(source).__name__}, which no adapter knows. Pass DataFrames, or "
        "install a plugin with a `load_release` hook for it."
    )


def _entry_points() -> Iterator[EntryPoint]:
    yield from sorted(entry_points(group=PROJECT), key=lambda point: (point.name, point.value))


def _load(made: Registry, entry_point: EntryPoint) -> None:
    try:
        plugin = entry_point.load()
    except Exception as error:
        made.fail(entry_point.name, "to load", error)
        return
    try:
        _register(made.manager, plugin, entry_point.name)
    except Exception as error:
        made.fail(entry_point.name, "to register", error)


def _register(manager: pluggy.PluginManager, plugin: object, name: str) -> None:
    if manager.has_plugin(name) or manager.is_registered(plugin):
        raise ValueError(f"A plugin is registered already under the name {name!r}, or as {plugin}.")
    try:
        manager.register(plugin, name=name)
        manager.check_pending()  # a misspelt hook
        if not manager.get_hookcallers(plugin):
            raise ValueError(f"{plugin} has no function marked `hookimpl`.")
    except Exception:
        manager.unregister(plugin)
        raise


def _collect_metrics(made: Registry) -> None:
    # Pluggy would let one plugin's exception end the whole call, and `trylast` go before the box.
    found = made.manager.hook.register_metrics.get_hookimpls()
    for implementation in sorted(found, key=lambda each: each.plugin_name != BUILTIN):
        try:
            listed: list[Any] = list(implementation.function())  # type: ignore[call-overload]
            for metric in listed:
                _check_metric(metric)
        except Exception as error:
            made.fail(implementation.plugin_name, "in `register_metrics`", error)
            continue
        for metric in listed:
            _add_metric(made, metric, implementation.plugin_name)


def _add_metric(made: Registry, metric: type[DisclosureMetric], plugin: str) -> None:
    if metric.name in made.metrics:
        reason = (
            f"The plugin {plugin!r} registers a metric named {metric.name!r}, which the plugin "
            f"{made.plugins[metric.name]!r} has registered already; the later one is refused."
        )
        made.problems.append(Problem(plugin, reason, reason))
        warnings.warn(reason, UserWarning, stacklevel=2)
        return
    made.metrics[metric.name] = metric
    made.plugins[metric.name] = plugin


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
