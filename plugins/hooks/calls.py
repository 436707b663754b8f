"""Calling a hook plugin by plugin, so that one that fails stops nobody else.

Pluggy would let one plugin's exception end the whole call. So each plugin that answers is called
by itself, through pluggy's own caller, with the wrappers of all around it.
"""

from __future__ import annotations

import traceback
from collections.abc import Callable, Mapping
from typing import Any

import pluggy


def answering_plugins(manager: pluggy.PluginManager, hook: str) -> list[str]:
    """The plugins that answer a hook and do not only wrap it, in the order of pluggy's calls."""
    implementations = getattr(manager.hook, hook).get_hookimpls()
    names = [each.plugin_name for each in reversed(implementations) if not _wraps(each)]
    return list(dict.fromkeys(names))


def call_plugin(
    manager: pluggy.PluginManager,
    hook: str,
    plugin: str,
    arguments: Mapping[str, Any],
    drop: Callable[[str, Exception], None],
    dropped: set[tuple[str, str]],
) -> Any:
    """Call one plugin's function of a hook, inside the wrappers of all.

    Args:
        manager:
            With all plugins.
        hook:
            Its name.
        plugin:
            The plugin's name.
        arguments:
            What the hook is given.
        drop:
            Told of a wrapper that failed, by the name of its plugin. The call is made again
            without it.
        dropped:
            Hook and plugin of the wrappers that failed; those that fail now are added.

    Returns:
        What the hook's caller gives.

    Raises:
        Exception: What the plugin's own function raises.
    """
    implementations = getattr(manager.hook, hook).get_hookimpls()
    wrappers = [each for each in implementations if _wraps(each) and each.plugin_name != plugin]
    while True:
        left_out = {
            each.plugin
            for each in implementations
            if each.plugin_name != plugin
            and (not _wraps(each) or (hook, each.plugin_name) in dropped)
        }
        try:
            return manager.subset_hook_caller(hook, left_out)(**arguments)
        except Exception as error:
            failed = _failed_wrapper(error, implementations, wrappers)
            if failed is None or (hook, failed) in dropped:
                raise
            dropped.add((hook, failed))
            drop(failed, error)


def _wraps(implementation: pluggy.HookImpl) -> bool:
    return bool(implementation.wrapper or implementation.hookwrapper)


def _failed_wrapper(
    error: Exception, implementations: list[pluggy.HookImpl], wrappers: list[pluggy.HookImpl]
) -> str | None:
    """The plugin whose wrapper raised an error; None if another function did."""
    by_code = {getattr(each.function, "__code__", None): each for each in implementations}
    frames = [frame for frame, _ in traceback.walk_tb(error.__traceback__)]
    # An error of the plugin itself passes through the wrappers: the innermost frame tells.
    for frame in reversed(frames):
        if frame.f_code in by_code:
            found = by_code[frame.f_code]
            return found.plugin_name if found in wrappers else None
    for each in wrappers:  # pluggy's own words on a wrapper that did not yield exactly once
        code = each.function.__code__
        if f"{code.co_filename}:{code.co_firstlineno}" in str(error):
            return each.plugin_name
    return None
