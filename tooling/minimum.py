"""Print the lowest versions that pyproject.toml allows, as constraints for pip."""

from __future__ import annotations

import sys
from pathlib import Path

from packaging.requirements import Requirement

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib


def lowest(requirement: str) -> str | None:
    """`name==version` of the lower bound; None where the requirement is not for this Python."""
    asked = Requirement(requirement)
    if asked.marker is not None and not asked.marker.evaluate():
        return None
    (bound,) = (each.version for each in asked.specifier if each.operator == ">=")
    return f"{asked.name}=={bound}"


def main() -> None:
    """Print one line a dependency."""
    text = Path(__file__).resolve().parent.parent.joinpath("pyproject.toml").read_text()
    for requirement in tomllib.loads(text)["project"]["dependencies"]:
        pinned = lowest(requirement)
        if pinned is not None:
            print(pinned)


if __name__ == "__main__":
    main()
