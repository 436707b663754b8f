"""The plugin manager: who brings what, and what went wrong on the way."""

from __future__ import annotations

import functools
import threading
import traceback
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field
from importlib.metadata import EntryPoint, entry_points
from typing import Any

import pluggy

from sdmetrics_disclosure.adapters.release.release import Release
from sdmetrics_disclosure.adapters.sources.runners import SynthesizerLibrary, SynthesizerRunner
from sdmetrics_disclosure.plugins.attackers.catalog import Attacker
from sdmetrics_disclosure.plugins.base.metric import DisclosureMetric
from sdmetrics_disclosure.plugins.hooks import builtin, specs
from sdmetrics_disclosure.plugins.hooks.calls import answering_plugins, call_plugin
from sdmetrics_disclosure.plugins.hooks.checks import Collection, new_collections
from sdmetrics_disclosure.plugins.hooks.specs import PROJECT

BUILTIN = "sdmetrics-disclosure"
# A plugin may ask for what is registered while it is loaded itself: then by the same thread.
_LOADING = threading.RLock()


@dataclass(frozen=True)
class PluginError:
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
        collections: What was registered, by hook.
        errors: The plugins that failed.
        dropped_wrappers: Hook and plugin of the wrappers that failed.
        is_loaded: Whether the plugins were asked for.
    """

    manager: pluggy.PluginManager
    collections: dict[str, Collection] = field(default_factory=new_collections)
    errors: list[PluginError] = field(default_factory=list)
    dropped_wrappers: set[tuple[str, str]] = field(default_factory=set)
    is_loaded: bool = False

    @property
    def metrics(self) -> dict[str, type[DisclosureMetric]]:
        """The registered metrics by name."""
        return self.collections["register_metrics"].items

    @property
    def plugins(self) -> dict[str, str]:
        """Which plugin registered a metric, by the metric's name."""
        return self.collections["register_metrics"].plugins

    def fail(self, plugin: str, doing: str, error: BaseException) -> None:
        """Keep the story of a failure, and warn once."""
        reason = f"{type(error).__name__}: {error}"
        if any((known.plugin, known.reason) == (plugin, reason) for known in self.errors):
            return
        story = "".join(traceback.format_exception(error))
        self.errors.append(PluginError(plugin, reason, story))
        warnings.warn(
            f"The plugin {plugin!r} failed {doing} and is skipped ({reason}). "
            "`sdmetrics-disclosure doctor` shows the traceback.",
            UserWarning,
            stacklevel=2,
        )

    def call(self, hook: str, plugin: str, **arguments: Any) -> Any:
        """Call one plugin's function of a hook, inside the wrappers of all that work."""

        def drop(wrapper: str, error: Exception) -> None:
            self.fail(wrapper, f"in its wrapper of `{hook}`", error)

        return call_plugin(self.manager, hook, plugin, arguments, drop, self.dropped_wrappers)


def registry() -> Registry:
    """The registry, with all plugins loaded; made on first use, by one thread."""
    with _LOADING:
        made = _new_registry()
        if not made.is_loaded:
            made.is_loaded = True
            try:
                _load_all(made)
            except BaseException:  # an interrupt: another time
                _new_registry.cache_clear()
                raise
        return made


@functools.cache
def _new_registry() -> Registry:
    manager = pluggy.PluginManager(PROJECT)
    manager.add_hookspecs(specs)
    manager.register(builtin, name=BUILTIN)
    return Registry(manager)


def _load_all(made: Registry) -> None:
    _collect_all(made)  # the box's own, for plugins that ask while they are loaded
    for entry_point in _entry_points():
        _load(made, entry_point)
    made.collections = new_collections()
    _collect_all(made)


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


def attackers() -> dict[str, Attacker]:
    """The registered attackers by name."""
    return registry().collections["register_attackers"].items


def find_runner(source: Any) -> SynthesizerRunner:
    """Ask the synthesizer libraries, third parties' first, how a synthesizer is run.

    A plugin that fails is named once and passed over.

    Args:
        source:
            A synthesizer, or a function from a frame to a frame.

    Raises:
        TypeError: If no library knows the source.
    """
    collected = registry().collections["register_synthesizers"]
    for library in _third_parties_first(collected):
        plugin = collected.plugins[library.name]
        try:
            runner = library.find_runner(source)
        except Exception as error:
            if plugin == BUILTIN:  # about what the user passed, and the user's
                raise
            registry().fail(plugin, f"to find a runner of {library.name!r}", error)
            continue
        if runner is not None:
            return runner
    raise TypeError(
        f"A synthesizer is a {type(source).__name__}; pass an SDV synthesizer for one table, a "
        "CTGAN or TVAE of the ctgan package, or a function from a frame to a frame, or install a "
        "plugin with a `register_synthesizers` hook for it."
    )


def _third_parties_first(collected: Collection) -> list[SynthesizerLibrary]:
    listed: list[SynthesizerLibrary] = list(collected.items.values())
    ours = [each for each in listed if collected.plugins[each.name] == BUILTIN]
    return [each for each in reversed(listed) if each not in ours] + ours


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
    known = registry()
    asked = answering_plugins(known.manager, "load_release")
    for plugin in sorted(asked, key=lambda name: name == BUILTIN):
        releases: dict[str, Release] | None
        try:
            releases = known.call("load_release", plugin, **arguments)
        except Exception as error:
            if plugin == BUILTIN:  # about the user's data, and the user's
                raise
            known.fail(plugin, "in `load_release`", error)
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


def _collect_all(made: Registry) -> None:
    for hook in made.collections:
        _collect(made, hook)


def _collect(made: Registry, hook: str) -> None:
    collected = made.collections[hook]
    asked = reversed(answering_plugins(made.manager, hook))
    for plugin in sorted(asked, key=lambda name: name != BUILTIN):
        try:
            listed = [item for answer in made.call(hook, plugin) for item in answer]
            for item in listed:
                collected.check(item)
        except Exception as error:
            made.fail(plugin, f"in `{hook}`", error)
            continue
        for item in listed:
            _add(made, collected, item, plugin)


def _add(made: Registry, collected: Collection, item: Any, plugin: str) -> None:
    if item.name in collected.items:
        reason = (
            f"The plugin {plugin!r} registers {collected.what} named {item.name!r}, which the "
            f"plugin {collected.plugins[item.name]!r} has registered already; the later one is "
            "refused."
        )
        made.errors.append(PluginError(plugin, reason, reason))
        warnings.warn(reason, UserWarning, stacklevel=2)
        return
    collected.items[item.name] = item
    collected.plugins[item.name] = plugin
