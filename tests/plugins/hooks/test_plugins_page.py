"""Each plugin that docs/plugins.md shows is complete: it is run from the page's own text."""

from __future__ import annotations

import platform
import re
from collections.abc import Callable

import pandas as pd
import pytest

from sdmetrics_disclosure.plugins import RAPID, assess, load_release, metrics
from tests.conftest import PROJECT
from tests.helpers.plugins import from_text, load
from tests.helpers.tables import METADATA, people

PAGE = (PROJECT / "docs" / "plugins.md").read_text()
EXAMPLES = {
    text.splitlines()[0].strip('"'): text
    for text in re.findall(r"```python\n(\"\"\".*?)```", PAGE, flags=re.DOTALL)
}
Plug = Callable[..., None]


def example(about: str) -> str:
    (text,) = (text for title, text in EXAMPLES.items() if about in title)
    return text


def test_there_is_one_for_each_hook_and_a_wrapper() -> None:
    marks = re.findall(r"@hookimpl(.*)\ndef (\w+)", "\n".join(EXAMPLES.values()))
    assert sorted(marks) == [
        ("", "load_release"),
        ("", "register_attackers"),
        ("", "register_metrics"),
        ("", "register_metrics"),
        ("", "register_synthesizers"),
        ("(wrapper=True)", "load_release"),
    ]


def test_a_metric(monkeypatch: pytest.MonkeyPatch, plugged: Plug) -> None:
    from_text(monkeypatch, doubles=example("as they are"))
    assert load() == []
    real = people(30, 0)
    assert metrics()["Doubles"].compute(real, real, METADATA) == 1.0


def test_an_attacker(monkeypatch: pytest.MonkeyPatch, plugged: Plug) -> None:
    """On a copy the nearest row is the person's own: certain, and right."""
    from_text(monkeypatch, mine=example("An attacker"))
    assert load() == []
    real = people(60, 0)
    column = next(c for c, kind in METADATA["columns"].items() if kind["sdtype"] == "categorical")
    found = RAPID.compute_breakdown(
        real, real, METADATA, sensitive_column_names=[column], attacker=["nearest", "cart"]
    )
    assert found["attackers"]["nearest"]["risk"] == 1.0
    with pytest.raises(
        ValueError, match=r"`attacker` is 'nearst'; it must be one of .*'cart'.*, 'nearest'"
    ):
        RAPID.compute(real, real, METADATA, attacker="nearst")


def test_a_source(monkeypatch: pytest.MonkeyPatch, plugged: Plug) -> None:
    modules = from_text(monkeypatch, rows=example("a list with a dict a row"))
    assert load() == []
    real = people(20, 0)
    rows = modules["rows"].Rows(people(15, 1).to_dict("records"))
    assert len(load_release(rows, real, METADATA)["table"].synthetic[0]) == 15


def test_a_synthesizer(monkeypatch: pytest.MonkeyPatch, plugged: Plug) -> None:
    modules = from_text(monkeypatch, shuffler=example("draw each column by itself"))
    assert load() == []
    shuffler = modules["shuffler"].Shuffler()
    real = people(40, 0)
    drawn = shuffler.draw(real, 0)
    for column in real:
        pd.testing.assert_series_equal(
            drawn[column].sort_values(ignore_index=True),
            real[column].sort_values(ignore_index=True),
        )
    options = {"RAPID": {"attacker": "boosting_light", "n_permutations": 0}}
    found = assess(shuffler, real, METADATA, n_splits=2, metrics=["RAPID"], metric_options=options)
    assert found.settings["synthesizers"] == ["Shuffler"]
    assert found.rows["Error"].isna().all()


def test_a_wrapper(monkeypatch: pytest.MonkeyPatch, plugged: Plug) -> None:
    from_text(
        monkeypatch,
        where=example("where it was read"),
        rows=example("a list with a dict a row"),
    )
    assert load() == []
    releases = load_release(people(20, 1), people(20, 0), METADATA)
    assert releases["table"].notes[-1] == f"Read by Python {platform.python_version()}."
