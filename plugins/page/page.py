"""The page: a disclosure report that a data steward can read in five minutes, and sign.

One file that needs nothing else. From top to bottom: the verdict, the two questions, the sensitive
columns, who is most exposed and why, who was in the data, how to lower the risk, and the setting.
Here stands what is shown; `templates` makes HTML of it.
"""

from __future__ import annotations

import functools
from pathlib import Path
from typing import TYPE_CHECKING

from sdmetrics_disclosure.plugins.figures.style import PAGE_COLORS
from sdmetrics_disclosure.plugins.page.glossary import EXPLAINED, GLOSSARY
from sdmetrics_disclosure.plugins.page.sections import view
from sdmetrics_disclosure.plugins.policy.verdict import say_decision
from sdmetrics_disclosure.plugins.results.result import DisclosureResult

if TYPE_CHECKING:
    from jinja2 import Environment

TEMPLATES = Path(__file__).with_name("templates")
CSS = {"pass": "pass", "fail": "fail", "not decided": "open"}


def render_page(result: DisclosureResult) -> str:
    """The page as HTML.

    Args:
        result:
            What was found.
    """
    return (
        _environment()
        .get_template("page.html")
        .render(
            result=result,
            decision=say_decision(result.decision),
            decisions=CSS,
            colors=PAGE_COLORS,
            glossary=GLOSSARY,
            explained=EXPLAINED,
            **view(result),
        )
    )


@functools.cache
def _environment() -> Environment:
    """Whatever comes from outside is escaped; a name that is not there is an error."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    return Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
