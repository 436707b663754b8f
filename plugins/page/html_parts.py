"""The page's building blocks: everything that comes from outside is escaped here."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape


@dataclass(frozen=True)
class Cell:
    """A table's cell with a class of its own.

    Attributes:
        text: What it says.
        css: Its class.
    """

    text: str
    css: str


def paragraph(text: str) -> str:
    """A paragraph.

    Args:
        text:
            Plain text.
    """
    return f"<p>{escape(text)}</p>"


def bullets(sentences: Iterable[str]) -> str:
    """A list.

    Args:
        sentences:
            Plain text, one an entry.
    """
    items = "".join(f"<li>{escape(sentence)}</li>" for sentence in sentences)
    return f"<ul>{items}</ul>" if items else ""


def table(caption: str, head: Sequence[str], rows: Sequence[Sequence[str | Cell]]) -> str:
    """A table whose rows become cards on a narrow screen.

    Args:
        caption:
            Says what the table is.
        head:
            The columns' names.
        rows:
            The cells; the first of each row names it.
    """
    names = "".join(f'<th scope="col" role="columnheader">{escape(name)}</th>' for name in head)
    body = "".join(
        '<tr role="row">'
        + "".join(
            _cell(name, cell, position == 0)
            for position, (name, cell) in enumerate(zip(head, row, strict=True))
        )
        + "</tr>"
        for row in rows
    )
    return (
        f'<table class="wide" role="table"><caption>{escape(caption)}</caption>'
        f'<thead role="rowgroup"><tr role="row">{names}</tr></thead>'
        f'<tbody role="rowgroup">{body}</tbody></table>'
    )


def folded(summary: str, content: str) -> str:
    """What is shown on demand, and always in print.

    Args:
        summary:
            What stands in its place.
        content:
            HTML.
    """
    return f"<details><summary>{escape(summary)}</summary>{content}</details>"


def figure(place: str, label: str, caption: str, numbers: str, height: int) -> str:
    """A figure's place, with its description and its table.

    Args:
        place:
            The id of the element that the script fills.
        label:
            What it shows, for those who do not see it.
        caption:
            How to read it.
        numbers:
            Its table, HTML.
        height:
            In pixels, so that nothing moves when it is drawn.
    """
    return (
        f'<figure><div class="plot" id="{place}" role="img" aria-label="{escape(label)}" '
        f'style="min-height:{height}px"></div><figcaption>{escape(caption)}</figcaption>'
        f"{numbers}</figure>"
    )


def section(place: str, title: str, *content: str) -> str:
    """A section with its heading.

    Args:
        place:
            Its id.
        title:
            Its heading.
        *content:
            HTML.
    """
    inside = "".join(content)
    heading = f'<h2 id="{place}">{escape(title)}</h2>'
    return f'<section aria-labelledby="{place}">{heading}{inside}</section>'


def _cell(name: str, cell: str | Cell, is_first: bool) -> str:
    text, css = (cell.text, cell.css) if isinstance(cell, Cell) else (cell, "")
    if is_first:
        return f'<th scope="row" role="rowheader">{escape(text)}</th>'
    marked = f' class="{css}"' if css else ""
    return f'<td role="cell" data-label="{escape(name)}"{marked}>{escape(text)}</td>'
