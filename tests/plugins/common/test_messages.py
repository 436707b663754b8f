"""Our own messages may be shown; a library's may quote what it was given."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from sdmetrics_disclosure.adapters.release.release import build_release
from sdmetrics_disclosure.plugins.common.messages import bad_input, is_ours, mask, say_place
from sdmetrics_disclosure.plugins.common.validation import check_number
from sdmetrics_disclosure.plugins.policy.policy import _number


def raised(function: Callable[[], object]) -> Exception:
    with pytest.raises(Exception) as caught:  # noqa: PT011
        function()
    return caught.value


def test_what_we_raise_is_ours() -> None:
    assert is_ours(raised(lambda: check_number("tau", 2.0, 0.0, 1.0)))
    assert is_ours(raised(lambda: build_release(3, 3)))
    assert is_ours(raised(lambda: _number("Smith")))


def test_what_others_raise_is_not_even_below_a_line_of_ours(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def bare(_: object) -> float:
        return float("Smith")

    assert not is_ours(raised(lambda: bare(3)))
    assert not is_ours(raised(lambda: np.asarray(["Smith"], dtype=float)))
    assert not is_ours(ValueError("never raised"))
    # Compiled code has no line of its own: the last one is that of our module that called it.
    code = compile("def call(text):\n    return float(text)", "ours", "exec")
    ours: dict[str, object] = {"__name__": "sdmetrics_disclosure.plugins.made_up"}
    exec(code, ours)
    call = ours["call"]
    assert callable(call)
    error = raised(lambda: call("Smith"))
    assert not is_ours(error)
    assert say_place(error) == "ValueError in sdmetrics_disclosure.plugins.made_up"


def test_a_masked_message_says_no_values() -> None:
    assert mask("no float: 'Smith', \"Jones\" or 12,345.5 of 7") == "no float: …, … or … of …"


def test_what_cannot_be_read_is_bad_input_whatever_raised_it() -> None:
    def read(error: Exception) -> None:
        with bad_input("The tables", "Look at them."):
            raise error

    for error in (KeyError("Smith"), EOFError("row 7"), RuntimeError("'Smith'")):
        said = str(raised(lambda error=error: read(error)))  # type: ignore[misc]
        assert said.startswith(f"The tables could not be read ({type(error).__name__}")
        assert said.endswith("Look at them.")
        assert "Smith" not in said
    assert isinstance(raised(lambda: read(FileNotFoundError("absent"))), FileNotFoundError)
