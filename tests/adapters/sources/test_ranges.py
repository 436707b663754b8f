"""Ranges and levels of metadata: widened on a copy, and recognised as those of the rows."""

from __future__ import annotations

import copy
from typing import Any

import pandas as pd
import pytest

from sdmetrics_disclosure.adapters.sources.ranges import (
    columns_with_own_ranges,
    widen_synthesizer,
)

ROWS = pd.DataFrame(
    {
        "age": [20, 30, 40],
        "town": ["a", "b", None],
        "since": ["2020-01-02", "2021-05-06", "2022-03-04"],
    }
)


def columns(**changed: Any) -> dict[str, Any]:
    own = {
        "age": {"sdtype": "numerical", "range_min": 20, "range_max": 40},
        "town": {"sdtype": "categorical", "range_values": ["b", "a"], "range_is_nullable": True},
        "since": {
            "sdtype": "datetime",
            "datetime_format": "%Y-%m-%d",
            "range_min": "2020-01-02",
            "range_max": "2022-03-04",
        },
    }
    return {column: details | changed.get(column, {}) for column, details in own.items()}


def test_ranges_and_levels_of_the_rows_are_recognised() -> None:
    assert columns_with_own_ranges(columns(), ROWS) == ["age", "town", "since"]
    outside = columns(
        age={"range_max": 120},
        town={"range_values": list("abc")},
        since={"range_min": "2000-01-01"},
    )
    assert columns_with_own_ranges(outside, ROWS) == []
    assert columns_with_own_ranges({"age": {"sdtype": "numerical"}}, ROWS) == []


class Described:
    """Something that holds metadata as SDV's synthesizers do."""

    def __init__(self, described: dict[str, Any]) -> None:
        self.columns = described


def test_a_copy_is_widened_to_every_row() -> None:
    narrow = columns(
        age={"range_min": 25, "range_max": 35},
        town={"range_values": ["z", "a"], "range_is_nullable": False},
        since={"range_min": "2021-01-01"},
    )
    holder = Described({})
    holder.metadata = Described(narrow)  # type: ignore[attr-defined]
    before = copy.deepcopy(narrow)
    wide = widen_synthesizer(holder, ROWS).metadata.columns
    assert narrow == before
    assert (wide["age"]["range_min"], wide["age"]["range_max"]) == (20, 40)
    assert wide["town"]["range_values"] == ["z", "a", "b"]
    assert wide["town"]["range_is_nullable"] is True
    assert (wide["since"]["range_min"], wide["since"]["range_max"]) == ("2020-01-02", "2022-03-04")


@pytest.mark.sdv
@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_sdv_fits_rows_outside_the_metadata_it_was_given() -> None:
    metadata_class = pytest.importorskip("sdv.metadata").Metadata
    copula = pytest.importorskip("sdv.single_table").GaussianCopulaSynthesizer
    from sdmetrics_disclosure.plugins.refits.canary_audit import canary_audit
    from tests.plugins.refits.tables import workers

    real = workers(60)
    metadata = metadata_class.detect_from_dataframes({"workers": real.iloc[:50]})
    synthesizer = copula(metadata)
    found = canary_audit({"copula": synthesizer}, {"workers": real}, kinds=["level", "extreme"])
    assert found.rows["Error"].isna().all()
    assert metadata.to_dict() == synthesizer.get_metadata().to_dict()
