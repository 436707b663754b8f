"""The page: self-contained, complete without its figures, and whole in a real browser."""

from __future__ import annotations

import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from sdmetrics_disclosure.plugins.common.statistics import Interval
from sdmetrics_disclosure.plugins.page.page import render_page
from sdmetrics_disclosure.plugins.page.text import (
    advice,
    cannot_say,
    most_exposed,
    plain_verdict,
    say_people,
    verdict_sentence,
)
from sdmetrics_disclosure.plugins.policy.limits import say_limit
from sdmetrics_disclosure.plugins.policy.verdict import worst_of_each
from sdmetrics_disclosure.plugins.results.result import DisclosureResult
from sdmetrics_disclosure.plugins.results.summary import say_rows
from tests.helpers.browser import Browser, axe_script, browser
from tests.helpers.reports import copied_report, report_on, small_result
from tests.helpers.tables import METADATA, people

VOID = {"meta", "link", "br", "hr", "img"}
# Text whose box ends outside the screen, or outside the figure it stands in.
CUT_OFF = """[...document.querySelectorAll('body *')]
  .filter(e => e.children.length == 0 && e.textContent.trim() && e.checkVisibility()
    && !e.closest('script, style, .skip, thead, [popover]'))
  .filter(e => { const box = e.getBoundingClientRect(), svg = e.closest('svg');
    const room = svg ? svg.getBoundingClientRect() : {left: 0, right: innerWidth};
    return box.right > room.right + 1 || box.left < room.left - 1; })
  .map(e => e.textContent.trim())"""


@pytest.fixture(scope="module")
def axe(tmp_path_factory: pytest.TempPathFactory) -> str:
    return axe_script(tmp_path_factory.mktemp("axe"))


class Outline(HTMLParser):
    """What the page is made of."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.headings: list[int] = []
        self.ids: list[str] = []
        self.attributes: list[tuple[str, dict[str, str | None]]] = []
        self.figures_with_table = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.attributes.append((tag, dict(attrs)))
        self.ids += [value for name, value in attrs if name == "id" and value]
        if tag == "table" and "figure" in self.open:
            self.figures_with_table += 1
        if re.fullmatch(r"h\d", tag):
            self.headings.append(int(tag[1]))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def outline(page: str) -> Outline:
    found = Outline()
    found.feed(page)
    assert found.open == []
    return found


@pytest.mark.slow
@pytest.mark.parametrize("make", [small_result, lambda: copied_report().result])
def test_it_needs_nothing_else_and_every_figure_has_its_table(make: Any) -> None:
    page = render_page(make())
    found = outline(page)
    assert not [a for t, a in found.attributes if "src" in a]
    links = [a["href"] for _, a in found.attributes if a.get("href")]
    assert all(link and (link.startswith(("#", "data:"))) for link in links)
    figures = [a for tag, a in found.attributes if tag == "div" and a.get("role") == "img"]
    assert len(figures) >= 5
    assert all(figure["aria-label"] for figure in figures)
    assert found.figures_with_table == len(figures)
    assert len(set(found.ids)) == len(found.ids)
    assert found.headings[0] == 1
    assert all(b - a <= 1 for a, b in zip(found.headings, found.headings[1:], strict=False))
    assert len(page.encode()) < 1_500_000
    buttons = [a["popovertarget"] for tag, a in found.attributes if tag == "button"]
    assert buttons
    assert set(buttons) <= set(found.ids)


@pytest.mark.slow
def test_the_order_is_that_of_a_reader_in_a_hurry() -> None:
    page = render_page(small_result())
    titles = re.findall(r"<h2 [^>]*>(.*?)</h2>", page)
    assert titles == [
        "The verdict",
        "The two questions",
        "The limits one by one",
        "The sensitive columns",
        "Who is most exposed, and by what",
        "Who was in the data",
        "How to lower the risk",
        "Other metrics",
        "The setting, so that it can be repeated",
        "The words of this page",
    ]


def test_a_limit_without_words_is_named_by_its_key() -> None:
    checks = tuple(replace(c, limit_name="linked_max") for c in small_result().checks)
    result = replace(small_result(), checks=checks, decision="inconclusive")
    assert "what `linked_max` limits" in render_page(result)


def test_names_from_outside_cannot_become_html() -> None:
    result = small_result()
    evil = "<script>alert('x')</script>"
    column = replace(
        result.columns[0],
        column=evil,
        groups=tuple(replace(group, level=evil) for group in result.columns[0].groups),
    )
    page = render_page(replace(result, columns=(column,), notes=(evil,)))
    assert evil not in page
    assert "alert('x')</script>" not in page
    outline(page)


@pytest.mark.slow
def test_the_verdict_in_a_sentence() -> None:
    failed = verdict_sentence(copied_report().result)
    worst = worst_of_each(copied_report().result.checks)
    n_broken = sum(check.decision == "fail" for check in worst)
    said = (
        rf"The release breaks {n_broken} of the {len(worst)} limits of the policy: .* has AUC 0\.99"
    )
    assert re.match(said, failed)
    assert "where at most 0.55 is allowed" in failed
    result = small_result()
    passing = tuple(replace(check, decision="pass") for check in result.checks)
    said = verdict_sentence(replace(result, decision="pass", checks=passing))
    n_limits = len(worst_of_each(passing))
    assert said.startswith(f"The release keeps all {n_limits} limits of the policy")
    assert "95%" in said
    open_question = replace(passing[0], decision="inconclusive", needed_rows=3456)
    said = verdict_sentence(
        replace(result, decision="inconclusive", checks=(open_question, *passing[1:]))
    )
    assert f"do not decide 1 of the {n_limits} limits" in said
    assert "about 3,500 real rows would" in said
    assert "no limit" in verdict_sentence(replace(result, checks=()))


def test_rows_to_two_digits() -> None:
    assert [say_rows(n) for n in (7, 99, 101, 3456, 10**9)] == [
        "7",
        "99",
        "110",
        "3,500",
        "more than 10,000,000",
    ]


@pytest.mark.slow
def test_what_it_cannot_say_without_a_holdout() -> None:
    result = report_on(
        people(60, 0), people(60, 1), METADATA, sensitive_column_names=["income"]
    ).result
    assert any("There is no holdout" in sentence for sentence in cannot_say(result))
    assert not any("There is no holdout" in sentence for sentence in cannot_say(small_result()))
    page = render_page(result)
    assert "it takes real rows that the synthesizer never saw" in page
    outline(page)


def test_the_advice_comes_from_what_was_found() -> None:
    (column,) = small_result().columns
    by_drop = sorted(
        column.known_columns, key=lambda each: each.left_out.value if each.left_out else 1.0
    )
    said = list(advice(small_result()))
    assert by_drop[0].left_out is not None
    assert said[0].startswith(
        f"Withhold or coarsen {by_drop[0].column}: when it is left out, the risk of income falls "
        f"from {column.risk.value:.3f} to {by_drop[0].left_out.value:.3f}"
    )
    assert any("tells members from outsiders" in each for each in advice(copied_report().result))


def test_a_page_from_nothing_but_failures() -> None:
    result: DisclosureResult = replace(small_result(), columns=(), memberships=(), others=())
    page = render_page(result)
    assert "None could be attacked." in page
    outline(page)


@pytest.mark.slow
@pytest.mark.parametrize("mode", ["light", "dark"])
def test_in_a_real_browser(tmp_path: Path, mode: str) -> None:
    path = tmp_path / "report.html"
    path.write_text(render_page(copied_report().result), encoding="utf-8")
    with browser() as shown:
        shown.call(
            "Emulation.setEmulatedMedia",
            features=[{"name": "prefers-color-scheme", "value": mode}],
        )
        for width in (1200, 390):
            shown.open(path, width)
            assert shown.complaints() == []
            assert shown.requests() == [path.as_uri()]
            assert shown.evaluate("document.documentElement.scrollWidth") <= width
            assert shown.evaluate(CUT_OFF) == []
            without = "[...document.querySelectorAll('.plot')].filter(p => !p.querySelector('svg'))"
            assert shown.evaluate(f"{without}.length") == 0
            shown.screenshot(tmp_path / f"{mode}-{width}.png")
            assert (tmp_path / f"{mode}-{width}.png").stat().st_size > 50_000
        _check_keyboard(shown)


def _check_keyboard(shown: Browser) -> None:
    for key in ("keyDown", "keyUp"):
        shown.call("Input.dispatchKeyEvent", type=key, key="Tab", windowsVirtualKeyCode=9)
    assert shown.evaluate("document.activeElement.textContent") == "Skip to the verdict"
    shown.evaluate("document.querySelector('summary').focus()")
    assert shown.evaluate("document.activeElement.matches('summary:focus')")
    shown.evaluate("window.dispatchEvent(new Event('beforeprint'))")
    closed = "document.querySelectorAll('.annex details:not([open])').length"
    assert shown.evaluate(closed) == 0
    shown.evaluate("window.dispatchEvent(new Event('afterprint'))")
    assert shown.evaluate(closed) > 0
    _check_explanation(shown)
    assert shown.complaints() == []


def with_bounds(name: str, risk: float, excess: float, difference: float | None) -> Any:
    """A column of the small report whose lower bounds are these."""
    (column,) = small_result().columns

    def interval(low: float) -> Interval:
        return Interval(low + 0.05, low, low + 0.1, "wilson")

    return replace(
        column,
        column=name,
        risk=interval(risk),
        excess=interval(excess),
        difference=None if difference is None else interval(difference),
        holdout=None if difference is None else column.holdout,
    )


def test_the_first_column_has_the_largest_lower_bound_of_excess_or_difference() -> None:
    """Was: the largest value; a column of risk .9 that chance gives stood before one that leaks."""
    risky = with_bounds("risky", 0.8, -0.05, None)
    leaks = with_bounds("leaks", 0.3, 0.1, 0.2)
    patterns = with_bounds("patterns", 0.6, 0.5, 0.01)
    found = (risky, patterns, leaks)
    assert [each.column for each in most_exposed(found)] == ["leaks", "patterns", "risky"]
    page = render_page(replace(small_result(), columns=found))
    assert "<dd>leaks, of 3 columns</dd>" in page.replace("\n", "")


def test_one_number_has_one_name() -> None:
    page = render_page(small_result())
    for name in ("Excess over chance", "Training minus holdout"):
        assert re.search(rf"<th [^>]*>\s*{name}\s", page)
    assert not re.search(r"<th [^>]*>\s*(Excess|Difference)\s*<", page)
    (check,) = (each for each in small_result().checks if each.limit_name == "excess_max")
    assert say_limit(check) == "training minus holdout"


def test_there_is_advice_only_where_something_exceeds_chance() -> None:
    """Was: "it stays at 0.000 or more. Coarsen several", of a risk of 0."""
    nothing = with_bounds("nothing", 0.0, -0.05, -0.05)
    result = replace(small_result(), columns=(nothing,), memberships=())
    assert list(advice(result)) == []
    assert "Nothing was found that would lower it" in render_page(result)
    some = with_bounds("some", 0.4, 0.2, -0.05)
    assert list(advice(replace(result, columns=(some,))))


def test_what_could_not_be_measured_says_why_on_the_page() -> None:
    checks = tuple(
        replace(each, decision="inconclusive", found=None, reason="it could not be measured: why")
        for each in small_result().checks
    )
    assert "it could not be measured: why" in render_page(replace(small_result(), checks=checks))


def _check_explanation(shown: Browser) -> None:
    """By keyboard: a button opens what its number means, Escape closes it."""
    shown.evaluate("document.querySelector('.question .what').focus()")
    for key, code, text in (("Enter", 13, "\r"), ("Escape", 27, "")):
        pressed = {"key": key, "code": key, "windowsVirtualKeyCode": code}
        shown.call("Input.dispatchKeyEvent", type="keyDown", text=text, **pressed)
        shown.call("Input.dispatchKeyEvent", type="keyUp", **pressed)
        n_open = shown.evaluate("document.querySelectorAll('[popover]:popover-open').length")
        assert n_open == (key == "Enter")


@pytest.mark.slow
@pytest.mark.parametrize("mode", ["light", "dark"])
@pytest.mark.parametrize("make", [small_result, lambda: copied_report().result])
def test_axe_finds_no_violation(tmp_path: Path, axe: str, mode: str, make: Any) -> None:
    path = tmp_path / "report.html"
    path.write_text(render_page(make()), encoding="utf-8")
    with browser() as shown:
        shown.call(
            "Emulation.setEmulatedMedia",
            features=[{"name": "prefers-color-scheme", "value": mode}],
        )
        for width in (1280, 390):
            shown.open(path, width)
            shown.evaluate("document.querySelectorAll('details').forEach(d => { d.open = true; })")
            shown.evaluate(axe)
            found = shown.evaluate(
                "axe.run().then(r => r.violations.map(v => [v.id, v.nodes.map(n => n.html)]))"
            )
            assert found == []


@pytest.mark.slow
def test_print_gives_the_summary_one_page(tmp_path: Path) -> None:
    path = tmp_path / "report.html"
    path.write_text(render_page(copied_report().result), encoding="utf-8")
    with browser() as shown:
        shown.open(path, 1280)
        shown.call("Emulation.setEmulatedMedia", media="print")
        # A4 less its margins of 14 mm, in the 96 pixels an inch of CSS.
        shown.call(
            "Emulation.setDeviceMetricsOverride",
            width=688,
            height=1016,
            deviceScaleFactor=1,
            mobile=False,
        )
        assert shown.evaluate("document.querySelector('.sign').getBoundingClientRect().bottom") < (
            1016
        )
        before = "getComputedStyle(document.querySelector('main > .annex')).breakBefore"
        assert shown.evaluate(before) == "page"


def test_shares_are_said_of_a_hundred() -> None:
    assert [say_people(x) for x in (0.673, 0.0, 1.0, 0.999, 0.001)] == [
        "67 of 100 people",
        "0 of 100 people",
        "100 of 100 people",
        "more than 99 of 100 people",
        "fewer than 1 of 100 people",
    ]


def test_the_verdict_is_said_plainly() -> None:
    said = plain_verdict(copied_report().result)
    assert said == "An outsider can tell nearly everybody who was in the data."
    assert "too few to say" in plain_verdict(replace(small_result(), decision="inconclusive"))
    column = replace(small_result().columns[0], threshold_name="epsilon")
    page = render_page(replace(small_result(), columns=(column,)))
    assert "error is below the tolerance" in page  # epsilon is the privacy bound's name alone
