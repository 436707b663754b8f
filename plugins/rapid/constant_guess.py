"""The best an attacker can do on a number without knowing anything of the person."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class ConstantGuess:
    """The same guess for everyone.

    Attributes:
        value: The guess.
        risk: The share of real records for which it is a hit.
    """

    value: float
    risk: float
