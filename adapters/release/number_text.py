"""Text that spells numbers by a convention: a decimal comma, thousands, a currency, percent."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

# A column of text is one of numbers if so much of it can be read as such.
SHARE_READ = 0.95
GAPS = frozenset({"", "nan", "NaN", "None", "<NA>", "NA"})
_CURRENCY = re.compile(r"[$€£¥₹]|(?<![A-Za-z])(?:USD|EUR|GBP|CHF|JPY|INR)(?![A-Za-z])")
_SPACES = "\u0020\u00a0\u202f"
# Groups of thousands, and what follows the decimal mark.
_BY_MARK = {
    ".": re.compile(rf"[-+]?(?:\d{{1,3}}(?:[,'{_SPACES}]\d{{3}})+|\d*)(?:\.\d*)?(?:[eE][-+]?\d+)?"),
    ",": re.compile(rf"[-+]?(?:\d{{1,3}}(?:[.'{_SPACES}]\d{{3}})+|\d*)(?:,\d*)?(?:[eE][-+]?\d+)?"),
}


@dataclass(frozen=True)
class Convention:
    """How the numbers of a column of text are written.

    Attributes:
        mark: The decimal mark, "." or ",".
        is_percent: Whether a percent sign follows.
        currency: Its sign, or "".
    """

    mark: str
    is_percent: bool
    currency: str

    def read(self, text: str) -> float:
        """The number that a text spells; NaN if it spells none by this convention."""
        core, is_percent, currency = _split(text)
        if is_percent != self.is_percent or currency not in ("", self.currency):
            return float("nan")
        value = _number(core, self.mark)
        return value / 100 if is_percent else value

    def __str__(self) -> str:
        """In words."""
        mark = "a decimal comma" if self.mark == "," else "a decimal point"
        more = ["percent signs (12 % is 0.12)"] if self.is_percent else []
        more += ["a currency sign"] if self.currency else []
        return " and ".join([mark, *more])


def find_convention(texts: Sequence[str], column: Hashable, argument: str) -> Convention | None:
    """The convention by which most texts are numbers; None if fewer than `SHARE_READ` are.

    Args:
        texts:
            What stands in the column; gaps are left out.
        column:
            Its name.
        argument:
            Of which table.

    Raises:
        ValueError: If a comma could be a decimal mark or part the thousands.
    """
    if not texts:
        return None
    counts = Counter((is_percent, sign) for _, is_percent, sign in map(_split, texts))
    signs = [sign for _, sign in counts if sign]
    currency = max(signs, key=lambda sign: counts[False, sign], default="")
    is_percent = sum(n for (percent, _), n in counts.items() if percent) * 2 > len(texts)
    found = [Convention(mark, is_percent, currency) for mark in _BY_MARK]
    values = [_values(convention, texts) for convention in found]
    shares = [float(np.mean(~np.isnan(each))) for each in values]
    if max(shares) < SHARE_READ:
        return None
    if shares[0] == shares[1] and not np.array_equal(values[0], values[1], equal_nan=True):
        raise ValueError(
            f"Column {column!r} of `{argument}` is numerical, but its text can be read in two "
            "ways: each comma may be a decimal mark or part the thousands. Convert the column to "
            "numbers."
        )
    return found[int(np.argmax(shares))]


def _values(convention: Convention, texts: Sequence[str]) -> NDArray[np.float64]:
    return np.array([convention.read(text) for text in texts])


def _split(text: str) -> tuple[str, bool, str]:
    """The text without currency and percent signs, whether it had the latter, and the former."""
    signs: Any = _CURRENCY.findall(text)
    core = _CURRENCY.sub("", text, count=1).strip().replace("\u2212", "-")
    is_percent = core.endswith("%")
    return core.rstrip("%").strip() if is_percent else core, is_percent, "".join(signs[:1])


def _number(core: str, mark: str) -> float:
    if not any(map(str.isdigit, core)) or not _BY_MARK[mark].fullmatch(core):
        return float("nan")
    for space in (*_SPACES, "'", "," if mark == "." else "."):
        core = core.replace(space, "")
    return float(core.replace(",", "."))
