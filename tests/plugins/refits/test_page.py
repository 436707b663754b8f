"""The page on refits: its example runs, and what it says of columns is so."""

from __future__ import annotations

import re
from typing import Any

import pytest

from tests.conftest import PROJECT
from tests.helpers.tables import PATIENTS, patients

pytestmark = pytest.mark.slow
PAGE = (PROJECT / "docs" / "refits.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def names() -> dict[str, Any]:
    made: dict[str, Any] = {"real_training_data": patients(60, 0), "metadata": PATIENTS}
    for block in re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL):
        exec(block, made)
    return made


def test_the_example_runs(names: dict[str, Any]) -> None:
    claims = names["found"].summary.set_index(["Synthesizer", "Group"])["Claim"]
    assert claims["bootstrap", "all"] == "refuted"
    assert names["planted"].summary["Claim"].tolist() == ["refuted"]
    assert len(names["figure"].data) == 6


def test_the_columns_of_the_page_are_there(names: dict[str, Any]) -> None:
    table = PAGE.split("## What comes out")[1].split("The groups are")[0]
    documented = set(re.findall(r"`([A-Z][^`]+)`", table))
    assert documented <= set(names["found"].summary.columns)
