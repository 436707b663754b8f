"""Plugins made up on the spot, found where entry points are."""

from __future__ import annotations

import sys
import warnings
from importlib.metadata import EntryPoint
from types import ModuleType
from typing import Any

import pytest

from sdmetrics_disclosure.plugins.hooks import registry as registry_module
from sdmetrics_disclosure.plugins.hooks.specs import PROJECT


def load() -> list[str]:
    """Load the plugins; the warnings that this gave."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        registry_module.registry()
    return [str(warning.message) for warning in caught]


def plug_modules(monkeypatch: pytest.MonkeyPatch, **modules: ModuleType) -> None:
    """Let entry points of these names give these modules."""
    for module in modules.values():
        monkeypatch.setitem(sys.modules, module.__name__, module)
    points = [EntryPoint(name, module.__name__, PROJECT) for name, module in modules.items()]
    monkeypatch.setattr(registry_module, "_entry_points", lambda: points)
    registry_module._new_registry.cache_clear()


def made_up(monkeypatch: pytest.MonkeyPatch, **plugins: Any) -> None:
    """Let entry points of these names give modules with these functions."""
    modules = {}
    for name, functions in plugins.items():
        module = ModuleType(f"made_up_{name.replace('-', '_')}")
        for function in functions:
            setattr(module, function.__name__, function)
        modules[name] = module
    plug_modules(monkeypatch, **modules)


def from_text(monkeypatch: pytest.MonkeyPatch, **texts: str) -> dict[str, ModuleType]:
    """Let entry points of these names give modules with these texts; the modules."""
    modules = {}
    for name, text in texts.items():
        module = ModuleType(f"from_text_{name}")
        exec(compile(text, f"<{name}>", "exec"), vars(module))
        modules[name] = module
    plug_modules(monkeypatch, **modules)
    return modules
