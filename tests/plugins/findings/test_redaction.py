"""Messages that quote the data are kept out, at the price of one pass for all of them."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pytest

from sdmetrics_disclosure.plugins.common.validation import check_count
from sdmetrics_disclosure.plugins.findings import redaction
from sdmetrics_disclosure.plugins.findings.redaction import redact_frames


def frame() -> pd.DataFrame:
    return pd.DataFrame(
        {"name": ["Wilhelmina", *["Anna"] * 20], "age": [987654, *[30] * 20]},
        index=["row-77", *[f"r{i}" for i in range(20)]],
    )


def test_values_are_hidden_and_the_rest_is_said() -> None:
    redactor = redact_frames([frame()], ["name", "age", "sex"], 10)
    harmless = ["Column 'name' has one value: Anna.", "There are 21 rows."]
    quotes = ["no float: 'Wilhelmina'", "987654 is large", "the row row-77 is odd"]
    assert redactor.notes([harmless[0], *quotes, harmless[1]]) == [
        harmless[0],
        "no float: '…'",
        "… is large",
        "the row … is odd",
        harmless[1],
    ]
    assert redactor.errors([ValueError(quotes[0]), KeyError("no rows")]) == [
        "ValueError: no float: '…'",
        "KeyError: 'no rows'",
    ]


def test_a_message_costs_no_pass_over_the_data(monkeypatch: pytest.MonkeyPatch) -> None:
    passes = []
    count = redaction._count_said

    def counted(rows: pd.DataFrame, text: str) -> Any:
        passes.append(len(rows))
        return count(rows, text)

    monkeypatch.setattr(redaction, "_count_said", counted)
    redactor = redact_frames([frame()], [], 10)
    assert redactor.notes([]) == []
    assert passes == []
    redactor.notes([f"message number {i}" for i in range(500)])
    assert passes == [21]


def test_our_own_messages_are_shown_though_their_counts_stand_in_the_data() -> None:
    """Was: "withheld", since 400 rows are somebody's 400 euros."""
    wages = pd.DataFrame({"wage": [400, *range(1000, 1020)]})
    redactor = redact_frames([wages], ["wage"], 10)
    with pytest.raises(ValueError, match="400") as ours:
        check_count("num_rows_subsample", -400, 1)
    with pytest.raises(ValueError, match="400") as theirs:
        int("400 euros")
    shown, hidden = redactor.errors([ours.value, theirs.value])
    assert shown == f"ValueError: {ours.value}"
    assert "400" not in hidden
    assert hidden.startswith("ValueError: invalid literal for int() with base 10: '")


def test_moments_are_hidden_too() -> None:
    days = pd.DataFrame({"born": pd.to_datetime(["1987-06-05", *["2000-01-01"] * 20])})
    redactor = redact_frames([days], ["born"], 10)
    said = redactor.notes(["it cannot be 1987-06-05 00:00:00", "nor 2000-01-01 00:00:00"])
    assert said == ["it cannot be …", "nor 2000-01-01 00:00:00"]
