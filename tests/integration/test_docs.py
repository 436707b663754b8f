"""What the pages say is what the code does: parameters, defaults, examples."""

from __future__ import annotations

import re
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

from sdmetrics_disclosure.plugins.attacks.ensemble import ATTACKS, MembershipEnsemble
from sdmetrics_disclosure.plugins.cap.cap_protection import CAPProtection
from sdmetrics_disclosure.plugins.cap.options import SharedOptions
from sdmetrics_disclosure.plugins.cap.tcap import TCAP, DiSCO
from sdmetrics_disclosure.plugins.gen_lra.metric import GenLRA
from sdmetrics_disclosure.plugins.gen_lra.options import GenLRAOptions
from sdmetrics_disclosure.plugins.hooks.builtin import register_attackers
from sdmetrics_disclosure.plugins.membership.options import MembershipOptions
from sdmetrics_disclosure.plugins.rapid.metric import RAPID
from sdmetrics_disclosure.plugins.rapid.options import RapidOptions
from tests.conftest import PROJECT
from tests.helpers.tables import PATIENTS, patients

DOCS = PROJECT / "docs"
ROW = re.compile(r"^\| `(\w+)` \| (.+?) \|", re.MULTILINE)
BLOCK = re.compile(r"```python\n(.*?)```", re.DOTALL)


def parameters(page: Path) -> dict[str, str]:
    return dict(ROW.findall(page.read_text().split("### Parameters")[1]))


@pytest.mark.parametrize(
    ("page", "options", "besides"),
    [
        ("rapid.md", RapidOptions, {"real_validation_data"}),
        ("gen_lra.md", GenLRAOptions, set()),
    ],
)
def test_every_option_stands_in_the_page_with_its_default(
    page: str, options: Any, besides: set[str]
) -> None:
    documented = parameters(DOCS / page)
    assert set(documented) == {field.name for field in fields(options)} | besides
    for field in fields(options):
        shown = documented[field.name].strip("`")
        default = list(field.default) if isinstance(field.default, tuple) else field.default
        expected = f'"{default}"' if isinstance(default, str) else str(default)
        if isinstance(default, list):
            expected = "(" + ", ".join(f"{rate:g}" for rate in default) + ")"
        assert shown == expected, field.name


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("page", ["rapid.md", "gen_lra.md", "attacks.md", "large.md"])
def test_the_examples_run(page: str) -> None:
    names: dict[str, Any] = {
        "real_training_data": patients(80, 0),
        "synthetic_data": patients(80, 1),
        "real_validation_data": patients(80, 2),
        "metadata": PATIENTS,
        "RAPID": RAPID,
        "GenLRA": GenLRA,
    }
    for block in BLOCK.findall((DOCS / page).read_text()):
        exec(block, names)
    assert names["found"]["score"] >= 0


def test_the_page_on_attacks_has_every_metric_option_and_default() -> None:
    page = (DOCS / "attacks.md").read_text()
    rows = re.findall(r"^\| `(\w+)` \| `(\w+)` \| (.+?) \|", page, re.MULTILINE)
    documented = {(metric, name): default.strip("`") for metric, name, default in rows}
    expected = {}
    for metric in [*ATTACKS.values(), MembershipEnsemble, TCAP, DiSCO, CAPProtection]:
        assert f"\n| `{metric.name}` |" in page
        shared = MembershipOptions if metric.disclosure == "membership" else SharedOptions
        for field in fields(metric.Options):
            if metric is GenLRA or field.name in {own.name for own in fields(shared)}:
                assert f"`{field.name}`" in page or metric is GenLRA
                continue
            is_name = isinstance(field.default, str)
            shown = f'"{field.default}"' if is_name else str(field.default)
            expected[metric.name, field.name] = shown
    assert documented == expected


def test_the_page_has_a_row_for_every_attacker() -> None:
    page = (DOCS / "rapid.md").read_text().split("### Attackers")[1].split("###")[0]
    documented = dict(ROW.findall(page))
    expected = {
        each.name: ", ".join(target.what for target in each.targets)
        for each in register_attackers()
    }
    assert documented.pop("attacker") == "guesses"
    assert documented == expected
