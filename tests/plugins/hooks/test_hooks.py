"""Plugins of others: loaded on first use, one by one, and none can break the rest."""

from __future__ import annotations

import ast
import inspect
import re
import sys
import threading
import warnings
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from importlib.metadata import EntryPoint
from typing import Any

import numpy as np
import pandas as pd
import pytest
import sdmetrics.reports

from sdmetrics_disclosure.adapters import from_frames
from sdmetrics_disclosure.adapters.sources.runners import FunctionRunner, SynthesizerLibrary
from sdmetrics_disclosure.plugins import RAPID, hookimpl, load_release, metrics
from sdmetrics_disclosure.plugins.attackers.catalog import Attacker
from sdmetrics_disclosure.plugins.attackers.task import Constant, FittedAttacker
from sdmetrics_disclosure.plugins.hooks import builtin
from sdmetrics_disclosure.plugins.hooks import registry as registry_module
from sdmetrics_disclosure.plugins.hooks.registry import BUILTIN, attackers, registry
from sdmetrics_disclosure.plugins.hooks.registry import find_runner as find_a_runner
from sdmetrics_disclosure.plugins.hooks.specs import PROJECT
from sdmetrics_disclosure.plugins.quality.report import SWITCH
from tests.helpers.plugins import load, made_up
from tests.helpers.processes import PLUGINS
from tests.helpers.processes import PROJECT as FOLDER
from tests.helpers.tables import METADATA, people

PROPERTY = "Attribute Disclosure"
BROKEN = ("duplicate_name", "misspelt_hook", "raises_at_import", "raises_at_registration")
EVERY = (*BROKEN, "doubles", "raises_in_compute")
DOCUMENT = (FOLDER / "docs" / "plugins.md").read_text()
HOOKS = ("register_metrics", "register_attackers", "load_release", "register_synthesizers")
Plug = Callable[..., None]


def report_on(real: pd.DataFrame, synthetic: pd.DataFrame) -> Any:
    report = sdmetrics.reports.QualityReport()
    if hasattr(report, "table_names"):
        metadata = {"tables": {"people": METADATA}}
        report.generate({"people": real}, {"people": synthetic}, metadata, verbose=False)
    else:  # SDMetrics before 0.28.1
        report.generate(real, synthetic, METADATA, verbose=False)
    return report


# The documentation


def signature(function: Any) -> str:
    return str(inspect.signature(function)).replace("'", "")


def test_every_hook_is_documented_with_its_exact_signature() -> None:
    from sdmetrics_disclosure.plugins.hooks import specs

    hooks = {
        name: signature(function)
        for name, function in vars(specs).items()
        if hasattr(function, f"{PROJECT}_spec")
    }
    documented = {}
    for block in re.findall(r"```python\n(def .*?)```", DOCUMENT, flags=re.DOTALL):
        (function,) = ast.parse(block).body
        assert isinstance(function, ast.FunctionDef)
        assert function.returns is not None
        assert f"### {function.name}\n" in DOCUMENT
        documented[function.name] = (
            f"({ast.unparse(function.args)}) -> {ast.unparse(function.returns)}"
        )
    assert documented == hooks
    assert set(hooks) == set(HOOKS)


def test_the_documented_example_is_the_tested_one_and_under_20_lines() -> None:
    example = (PLUGINS / "doubles" / "doubles.py").read_text()
    assert len(example.splitlines()) < 20
    assert f"```python\n{example}```" in DOCUMENT
    entry_point = '[project.entry-points.sdmetrics_disclosure]\ndoubles = "doubles"\n'
    assert entry_point in (PLUGINS / "doubles" / "pyproject.toml").read_text()
    assert entry_point in DOCUMENT


def test_the_built_in_plugin_follows_the_hooks_signatures() -> None:
    from sdmetrics_disclosure.plugins.hooks import builtin, specs

    for hook in HOOKS:
        assert signature(getattr(builtin, hook)) == signature(getattr(specs, hook))


# Loading


@pytest.mark.slow
def test_plugins_load_on_first_use_and_once(plugged: Plug) -> None:
    plugged("doubles")
    import sdmetrics_disclosure.plugins  # noqa: F401

    assert "doubles" not in sys.modules
    assert load() == []
    assert "doubles" in sys.modules
    assert metrics()["Doubles"].__module__ == "doubles"
    assert load() == []
    assert registry().plugins == {
        **{metric.name: BUILTIN for metric in builtin.register_metrics()},
        "Doubles": "doubles",
    }


@pytest.mark.slow
def test_each_broken_plugin_is_named_once_and_the_rest_works(plugged: Plug) -> None:
    plugged(*EVERY)
    found = load()
    assert len(found) == len(BROKEN)
    for name in BROKEN:
        assert sum(f"plugin {name!r}" in message for message in found) == 1
    assert {"RAPID", "Doubles", "Fragile"} <= set(metrics())
    assert metrics()["RAPID"] is RAPID
    assert load() == []  # said once
    assert [error.plugin for error in registry().errors] == [
        "misspelt_hook",
        "raises_at_import",
        "duplicate_name",
        "raises_at_registration",
    ]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("raises_at_import", "RuntimeError: no licence found"),
        ("raises_at_registration", "OSError: the list of metrics is not reachable"),
        ("misspelt_hook", "unknown hook 'register_metric'"),
        ("duplicate_name", f"metric named 'RAPID', which the plugin {BUILTIN!r} has registered"),
    ],
)
def test_the_warning_says_what_is_wrong(plugged: Plug, name: str, told: str) -> None:
    plugged(name)
    (message,) = load()
    assert f"plugin {name!r}" in message
    assert told in message
    (error,) = registry().errors
    assert told in error.traceback


def test_a_plugin_cannot_take_anothers_name(monkeypatch: pytest.MonkeyPatch, plugged: Plug) -> None:
    @hookimpl
    def register_metrics() -> list[Any]:
        return []

    made_up(monkeypatch, **{BUILTIN: [register_metrics]})
    (message,) = load()
    assert repr(BUILTIN) in message
    assert "registered already" in message
    assert metrics()["RAPID"] is RAPID


def test_the_same_plugin_twice_is_named(monkeypatch: pytest.MonkeyPatch, plugged: Plug) -> None:
    @hookimpl
    def register_metrics() -> list[Any]:
        return []

    made_up(monkeypatch, first=[register_metrics])
    points = [EntryPoint(name, "made_up_first", PROJECT) for name in ("first", "second")]
    monkeypatch.setattr(registry_module, "_entry_points", lambda: points)
    (message,) = load()
    assert "'second'" in message
    assert registry().manager.has_plugin("first")


def test_a_plugin_without_the_mark_is_named(monkeypatch: pytest.MonkeyPatch, plugged: Plug) -> None:
    def register_metrics() -> list[Any]:
        return []

    made_up(monkeypatch, unmarked=[register_metrics])
    (message,) = load()
    assert "'unmarked'" in message
    assert "hookimpl" in message


@pytest.mark.parametrize(
    ("attributes", "told"),
    [
        ({"disclosure": "attribute"}, "has no `name`"),
        ({"name": "Mine"}, "has no `disclosure`"),
        ({"name": "Mine", "disclosure": "identity"}, "has no `disclosure`"),
        ({"name": "Mine", "disclosure": "attribute", "Options": dict}, "frozen dataclass"),
    ],
)
def test_an_incomplete_metric_is_refused(
    monkeypatch: pytest.MonkeyPatch, plugged: Plug, attributes: dict[str, Any], told: str
) -> None:
    from sdmetrics_disclosure.plugins import DisclosureMetric

    metric = type("Mine", (DisclosureMetric,), attributes)

    @hookimpl
    def register_metrics() -> list[Any]:
        return [metric]

    made_up(monkeypatch, mine=[register_metrics])
    (message,) = load()
    assert "'mine'" in message
    assert told in message
    assert "Mine" not in metrics()


# In the quality report


def test_a_third_partys_metric_has_its_row(plugged: Plug) -> None:
    plugged("doubles")
    real = people(60, 0)
    synthetic = pd.concat([real.iloc[:15], people(45, 1)])
    details = report_on(real, synthetic).get_details(PROPERTY).set_index("Metric")
    # 15 of 60 real rows were copied; the rest repeat with no luck in four columns, one of cents.
    assert details.loc["Doubles", "Score"] == 0.75
    assert (details.index == "RAPID").sum() == 4
    assert "Error" not in details


def test_its_methods_are_sdmetrics_own(plugged: Plug) -> None:
    plugged("doubles")
    doubles = metrics("attribute")["Doubles"]
    real = people(30, 0)
    assert doubles.compute(real, real, METADATA) == 1.0
    assert doubles.compute_breakdown(real, people(30, 1), METADATA) == {"score": 0.0}
    assert doubles.normalize(1.0) == 0.0
    with pytest.raises(TypeError, match="has no option 'speed'"):
        doubles.compute(real, real, METADATA, speed=2)


@pytest.mark.slow
def test_a_metric_that_raises_is_a_row_with_an_error(
    plugged: Plug, monkeypatch: pytest.MonkeyPatch
) -> None:
    plugged("doubles", "raises_in_compute")
    real, synthetic = people(60, 0), people(60, 1)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        report = report_on(real, synthetic)
    named = [str(each.message) for each in caught if "Fragile" in str(each.message)]
    assert len(named) == 1
    assert "'raises_in_compute'" in named[0]
    details = report.get_details(PROPERTY).set_index("Metric")
    assert np.isnan(details.loc["Fragile", "Score"])
    assert details.loc["Fragile", "Error"] == "ZeroDivisionError: nobody is left to count"
    others = details.drop(index="Fragile")
    assert others["Score"].notna().all()
    assert others["Error"].isna().all()
    monkeypatch.setenv(SWITCH, "off")
    alone = report_on(real, synthetic)
    assert report.get_score() == alone.get_score()
    assert PROPERTY in set(report.get_properties()["Property"])
    assert PROPERTY not in set(alone.get_properties()["Property"])


def test_a_metric_that_needs_a_holdout_says_so(
    monkeypatch: pytest.MonkeyPatch, plugged: Plug
) -> None:
    from sdmetrics_disclosure.plugins import DisclosureMetric, Risk

    class Hungry(DisclosureMetric):
        name = "Hungry"
        disclosure = "attribute"
        needs_holdout = True

        @classmethod
        def evaluate(cls, release: Any, options: Any) -> Risk:
            return Risk(len(release.holdout) / 100)

    @hookimpl
    def register_metrics() -> list[Any]:
        return [Hungry]

    made_up(monkeypatch, hungry=[register_metrics])
    report = report_on(people(40, 0), people(40, 1))
    details = report.get_details(PROPERTY).set_index("Metric")
    assert "real_validation_data" in details.loc["Hungry", "Error"]


def test_a_membership_metric_that_needs_no_holdout_has_its_row(
    monkeypatch: pytest.MonkeyPatch, plugged: Plug
) -> None:
    from sdmetrics_disclosure.plugins import DisclosureMetric, Risk

    class Guess(DisclosureMetric):
        name = "Guess"
        disclosure = "membership"

        @classmethod
        def evaluate(cls, release: Any, options: Any) -> Risk:
            return Risk(0.25)

    @hookimpl
    def register_metrics() -> list[Any]:
        return [Guess]

    made_up(monkeypatch, guess=[register_metrics])
    report = report_on(people(40, 0), people(40, 1))
    details = report.get_details("Membership Disclosure").set_index("Metric")
    assert details.loc["Guess", "Score"] == 0.75


# Sources


def test_third_parties_are_asked_for_sources_first(
    monkeypatch: pytest.MonkeyPatch, plugged: Plug
) -> None:
    real, synthetic = people(20, 0), people(20, 1)
    asked = []

    @hookimpl(specname="load_release")
    def doubled(source: Any, real_data: Any) -> Any:  # leaves out what it does not need
        asked.append("doubled")
        return {"mine": from_frames(real_data, pd.concat([source, source]))}

    @hookimpl(specname="load_release")
    def modest(source: Any) -> None:
        asked.append("modest")

    made_up(monkeypatch, early=[doubled], late=[modest])
    releases = load_release(synthetic, real)
    assert asked == ["modest", "doubled"]
    assert len(releases["mine"].synthetic[0]) == 40


def test_a_source_that_raises_is_named_once_and_passed_over(
    monkeypatch: pytest.MonkeyPatch, plugged: Plug
) -> None:
    @hookimpl(specname="load_release")
    def broken(source: Any) -> Any:
        raise KeyError("no such model")

    made_up(monkeypatch, broken=[broken])
    with pytest.warns(UserWarning, match="'broken' failed in `load_release`"):
        releases = load_release(people(20, 1), people(20, 0))
    assert list(releases) == ["table"]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        load_release(people(20, 1), people(20, 0))
    assert len(registry().errors) == 1


def test_a_source_that_nobody_knows(plugged: Plug) -> None:
    with pytest.raises(TypeError, match="`source` is a int, which no adapter knows"):
        load_release(7, people(5, 0))
    with pytest.raises(TypeError, match="`real_data` is a int"):
        load_release(people(5, 0), 7)  # the user's data is the user's to mend


def test_the_built_in_sources(plugged: Plug) -> None:
    real, synthetic = people(20, 0), people(20, 1)
    assert list(load_release({"a": synthetic}, {"a": real})) == ["a"]
    assert len(load_release([synthetic, synthetic], real)["table"].synthetic) == 2


# Attackers and synthesizers


def test_third_parties_attackers_and_libraries_may_not_take_a_name(
    monkeypatch: pytest.MonkeyPatch, plugged: Plug
) -> None:
    @hookimpl
    def register_attackers() -> list[Attacker]:
        return [Attacker("cart", lambda task: FittedAttacker(Constant(task.target.constant)))]

    @hookimpl
    def register_synthesizers() -> list[SynthesizerLibrary]:
        return [SynthesizerLibrary("sdv", lambda source: None)]

    made_up(monkeypatch, mine=[register_attackers, register_synthesizers])
    messages = load()
    assert len(messages) == 2
    for message, name in zip(messages, ("cart", "sdv"), strict=True):
        assert f"'mine' registers a{'n attacker' if name == 'cart' else ' synthesizer'}" in message
        assert f"named {name!r}, which the plugin {BUILTIN!r} has registered already" in message
    assert attackers()["cart"].fit.__module__.endswith("attackers.cart")


@pytest.mark.parametrize(
    ("hook", "item", "told"),
    [
        ("register_attackers", "cart", "`register_attackers` gave 'cart', which is no `Attacker`"),
        ("register_attackers", Attacker("", print), "The `name` of a registered attacker is ''"),
        ("register_attackers", Attacker("a", None), "The `fit` of 'a' is None"),  # type: ignore[arg-type]
        ("register_attackers", Attacker("a", print, ()), "attacker 'a' has no `targets`"),  # type: ignore[arg-type]
        ("register_synthesizers", print, "which is no `SynthesizerLibrary`"),
        ("register_synthesizers", SynthesizerLibrary("a", 3), "`find_runner` of 'a' is 3"),  # type: ignore[arg-type]
    ],
)
def test_what_cannot_be_used_is_refused(
    monkeypatch: pytest.MonkeyPatch, plugged: Plug, hook: str, item: Any, told: str
) -> None:
    @hookimpl(specname=hook)
    def give() -> list[Any]:
        return [item]

    made_up(monkeypatch, mine=[give])
    (message,) = load()
    assert told in message
    assert "a" not in attackers()


def test_a_librarys_failure_stops_nobody(monkeypatch: pytest.MonkeyPatch, plugged: Plug) -> None:
    def find_runner(source: Any) -> Any:
        raise OSError("no licence")

    @hookimpl
    def register_synthesizers() -> list[SynthesizerLibrary]:
        return [SynthesizerLibrary("mine", find_runner)]

    made_up(monkeypatch, mine=[register_synthesizers])
    with pytest.warns(UserWarning, match="'mine' failed to find a runner of 'mine'"):
        assert find_a_runner(people) == FunctionRunner(people)


def test_a_plugin_may_ask_for_what_is_registered_while_it_is_loaded(
    monkeypatch: pytest.MonkeyPatch, plugged: Plug
) -> None:
    asked: list[str] = []

    @hookimpl
    def register_metrics() -> list[Any]:
        asked.extend(metrics())
        return []

    made_up(monkeypatch, curious=[register_metrics])
    assert load() == []
    assert "RAPID" in asked


@pytest.mark.slow
def test_two_first_calls_load_plugins_once(monkeypatch: pytest.MonkeyPatch, plugged: Plug) -> None:
    inside, calls = threading.Barrier(2, timeout=2), []

    @hookimpl
    def register_metrics() -> list[Any]:
        calls.append(threading.get_ident())
        with suppress(threading.BrokenBarrierError):  # nobody else may come here
            inside.wait()
        return []

    made_up(monkeypatch, slow=[register_metrics])
    with ThreadPoolExecutor(2) as pool:
        first, second = pool.map(lambda _: registry(), range(2))
    assert first is second
    assert len(calls) == 1


# Wrappers


def test_a_wrapper_is_around_every_plugin_that_is_asked(
    monkeypatch: pytest.MonkeyPatch, plugged: Plug
) -> None:
    seen = []

    @hookimpl(specname="load_release")
    def modest(source: Any) -> None:
        return None

    @hookimpl(specname="load_release", wrapper=True)
    def around(source: Any) -> Any:
        releases = yield
        seen.append(None if releases is None else list(releases))
        return releases

    made_up(monkeypatch, modest=[modest], around=[around])
    assert list(load_release(people(20, 1), people(20, 0))) == ["table"]
    assert seen == [None, ["table"]]
    with pytest.raises(TypeError, match="`real_data` is a int"):
        load_release(people(5, 0), 7)  # as it is without the wrapper


def test_a_wrapper_around_what_is_registered(
    monkeypatch: pytest.MonkeyPatch, plugged: Plug
) -> None:
    @hookimpl(specname="register_metrics", wrapper=True)
    def without_cap() -> Any:
        listed = yield
        return [[metric for metric in each if metric.name != "TCAP"] for each in listed]

    made_up(monkeypatch, around=[without_cap])
    assert load() == []
    assert "TCAP" not in metrics()
    assert metrics()["RAPID"] is RAPID


def test_a_wrapper_that_fails_is_left_out(monkeypatch: pytest.MonkeyPatch, plugged: Plug) -> None:
    @hookimpl(specname="load_release", wrapper=True)
    def fails_before(source: Any) -> Any:
        raise KeyError("before")
        yield

    @hookimpl(specname="load_release", wrapper=True)
    def fails_behind(source: Any) -> Any:
        yield
        raise KeyError("behind")

    @hookimpl(specname="load_release", wrapper=True)
    def yields_twice(source: Any) -> Any:
        releases = yield
        yield releases

    @hookimpl(specname="load_release")
    def broken(source: Any) -> Any:
        raise KeyError("mine")

    plugins = {"one": fails_before, "two": fails_behind, "three": yields_twice, "four": broken}
    made_up(monkeypatch, **{name: [function] for name, function in plugins.items()})
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        assert list(load_release(people(20, 1), people(20, 0))) == ["table"]
    messages = " ".join(str(each.message) for each in caught)
    for name in ("one", "two", "three"):
        assert f"{name!r} failed in its wrapper of `load_release`" in messages
    assert "'four' failed in `load_release` and is skipped (KeyError: 'mine')" in messages
    assert len(caught) == 4
