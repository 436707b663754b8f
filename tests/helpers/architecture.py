"""ARCHITECTURE.md's picture and tables of the rooms, made from the arrows and the docstrings.

`make architecture` writes them anew; a test says when that is due.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from pathlib import Path

PROJECT = Path(__file__).resolve().parent.parent.parent
PAGE = PROJECT / "ARCHITECTURE.md"
BEGIN, END = "<!-- rooms: `make architecture` writes this -->", "<!-- end of rooms -->"


def says(folder: Path) -> str:
    """The first line of the docstring of a folder's `__init__`."""
    text = ast.get_docstring(ast.parse((folder / "__init__.py").read_text(encoding="utf-8")))
    assert text, folder
    return text.partition("\n")[0]


def direct(arrows: Mapping[str, str]) -> dict[str, list[str]]:
    """The arrows without those that a path of others makes plain anyway."""
    reach: dict[str, set[str]] = {}

    def below(room: str) -> set[str]:
        if room not in reach:
            reach[room] = set().union(*({b, *below(b)} for b in arrows[room].split()))
        return reach[room]

    return {
        room: [b for b in allowed.split() if not any(b in below(c) for c in allowed.split())]
        for room, allowed in arrows.items()
    }


def picture(arrows: Mapping[str, str]) -> list[str]:
    """The rooms as a mermaid graph; what stands higher may import what stands lower."""
    lines = [f"    {room} --> {b}" for room, bs in reversed(direct(arrows).items()) for b in bs]
    return ["```mermaid", "graph TD", *lines, "```"]


def tables(arrows: Mapping[str, str]) -> list[str]:
    """A row a room: what it may import, and what lives there."""
    lines = ["| room of `plugins/` | may import | what lives there |", "|---|---|---|"]
    for room, allowed in arrows.items():
        lines.append(
            f"| `{room}` | {allowed or '(no room)'} | {says(PROJECT / 'plugins' / room)} |"
        )
    lines += ["", "| folder of a lower layer | what lives there |", "|---|---|"]
    for layer in ("adapters", "numba_kernels"):
        for folder in sorted(path.parent for path in (PROJECT / layer).glob("*/__init__.py")):
            lines.append(f"| `{layer}/{folder.name}` | {says(folder)} |")
    return lines


def block(arrows: Mapping[str, str]) -> str:
    """All that stands between the two marks."""
    return "\n".join([BEGIN, "", *picture(arrows), "", *tables(arrows), "", END])


def written(page: str) -> str:
    """What stands there now."""
    return page[page.index(BEGIN) : page.index(END) + len(END)]


if __name__ == "__main__":
    from tests.test_rooms import ARROWS

    text = PAGE.read_text(encoding="utf-8")
    PAGE.write_text(text.replace(written(text), block(ARROWS)), encoding="utf-8")
