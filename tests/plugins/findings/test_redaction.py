"""Messages that quote the data are kept out, at the price of one pass for all of them."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pytest

from sdmetrics_disclosure.plugins.findings import redaction
from sdmetrics_disclosure.plugins.findings.redaction import WITHHELD, redact_frames


def frame() -> pd.DataFrame:
    return pd.DataFrame(
        {"name": ["Wilhelmina", *["Anna"] * 20], "age": [987654, *[30] * 20]},
        index=["row-77", *[f"r{i}" for i in range(20)]],
    )


def test_messages_that_quote_the_data_are_withheld() -> None:
    redactor = redact_frames([frame()], ["name", "age", "sex"], 10)
    harmless = ["Column 'name' has one value: Anna.", "There are 21 rows."]
    quotes = ["no float: 'Wilhelmina'", "987654 is large", "the row row-77 is odd"]
    assert redactor.notes([harmless[0], *quotes, harmless[1]]) == [
        harmless[0],
        *[WITHHELD] * 3,
        harmless[1],
    ]
    said = redactor.errors([ValueError(quote) for quote in quotes])
    assert said == ["ValueError: the message is withheld because it quotes the data"] * 3
    assert redactor.errors([ValueError("no rows")]) == ["ValueError: no rows"]


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
