"""The attackers by name: what one is, and where the names are looked up."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from sdmetrics_disclosure.plugins.attackers.task import (
    ClassTarget,
    FittedAttacker,
    NumberTarget,
    TrainingTask,
)

TargetType = type[ClassTarget] | type[NumberTarget]


@dataclass(frozen=True)
class Attacker:
    """A model that guesses a sensitive column.

    Attributes:
        name: What `attacker` calls it; unique.
        fit: Learns from synthetic rows.
        targets: What it can guess: classes, numbers or both.
    """

    name: str
    fit: Callable[[TrainingTask], FittedAttacker]
    targets: tuple[TargetType, ...] = (ClassTarget, NumberTarget)


_LOOK_UP: list[Callable[[], Mapping[str, Attacker]]] = []


def look_up_with(function: Callable[[], Mapping[str, Attacker]]) -> None:
    """Say where the names are looked up.

    The plugin manager knows all attackers, and stands above this room: it cannot be imported here.

    Args:
        function:
            Gives every attacker by its name; called on each use.
    """
    _LOOK_UP[:] = [function]


def registered_attackers() -> Mapping[str, Attacker]:
    """Every attacker by its name, those of plugins too."""
    (look_up,) = _LOOK_UP
    return look_up()


def attackers_for(target: TargetType) -> list[str]:
    """The names of the attackers that can guess such a column, sorted."""
    return sorted(name for name, each in registered_attackers().items() if target in each.targets)
