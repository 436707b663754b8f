"""What the project's own pages and workflows say exists: targets, files, rooms, markers."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest
import yaml

from sdmetrics_disclosure.plugins.membership.attack_input import AttackInput
from sdmetrics_disclosure.plugins.membership.metric import MembershipMetric
from sdmetrics_disclosure.plugins.membership.options import MembershipOptions
from sdmetrics_disclosure.plugins.membership.result import AttackScores
from tests.conftest import PROJECT
from tests.helpers.architecture import PAGE, block, direct, written
from tests.helpers.tables import PATIENTS, patients
from tests.test_rooms import ARROWS

TARGET = re.compile(r"^([a-z][a-z-]*):(.*)$", re.MULTILINE)
NAMED = re.compile(r"\bmake((?: [a-z][a-z-]*\b(?!=))+)")
FILE = re.compile(r"`((?:[\w.-]+/)*[\w-]+\.(?:py|md|toml|yml|html))`( \(new\))?")
LINK = re.compile(r"\]\((?!http)([^)#]+)")
MARKERS = ("slow", "sdv", "packaging")
FILES = {"membership attack": 5, "attacker model": 4, "limit of the policy": 4, "source": 4}
PAGES = ("README.md", "CONTRIBUTING.md", "ARCHITECTURE.md", "SECURITY.md")
CALLERS = (
    "README.md",
    "CONTRIBUTING.md",
    "ARCHITECTURE.md",
    ".ci/run",
    ".pre-commit-config.yaml",
    ".github/workflows/checks.yml",
    ".github/pull_request_template.md",
)
YAML = sorted(
    [*PROJECT.glob(".github/**/*.yml"), PROJECT / ".pre-commit-config.yaml", PROJECT / "mkdocs.yml"]
)


def text(name: str) -> str:
    return (PROJECT / name).read_text(encoding="utf-8")


def targets() -> dict[str, str]:
    return dict(TARGET.findall(text("Makefile")))


def commands(page: str) -> set[str]:
    """The targets that a page calls, in its code; prose may "make" other things."""
    code = re.findall(r"```\n(.*?)```|`(make [^`]*)`", text(page), re.DOTALL)
    spoken = "\n".join(a or b for a, b in code) if page.endswith(".md") else text(page)
    return {name for line in NAMED.findall(_without_comments(spoken)) for name in line.split()}


def _without_comments(code: str) -> str:
    return re.sub(r"#.*", "", code)


@pytest.mark.parametrize("page", CALLERS)
def test_every_target_that_a_page_calls_is_in_the_makefile(page: str) -> None:
    called = commands(page)
    assert called
    assert called <= set(targets())


def test_make_help_has_a_line_for_every_target() -> None:
    phony = re.search(r"\.PHONY: ((?:.*\\\n)*.*)", text("Makefile"))
    assert phony is not None
    assert set(targets()) == set(phony[1].replace("\\", "").split())
    done = subprocess.run(
        ["make", "--no-print-directory", "help"],
        cwd=PROJECT,
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    shown = dict(line.split(maxsplit=1) for line in done.stdout.splitlines())
    assert shown == {name: line.partition("## ")[2] for name, line in targets().items()}
    assert all(shown.values())


@pytest.mark.parametrize("path", YAML, ids=lambda path: path.name)
def test_yaml_is_yaml(path: Path) -> None:
    assert yaml.safe_load(path.read_text(encoding="utf-8"))


def test_workflows_call_make_alone_and_pin_their_actions() -> None:
    workflow: dict[str, Any] = yaml.safe_load(text(".github/workflows/checks.yml"))
    steps = [step for job in workflow["jobs"].values() for step in job["steps"]]
    for step in steps:
        assert re.fullmatch(r"make [a-z]+", step["run"]) if "run" in step else True
        assert re.fullmatch(r"[\w-]+/[\w-]+@v\d+", step["uses"]) if "uses" in step else True
    quick = workflow["jobs"]["quick"]["strategy"]["matrix"]
    assert {name.partition("-")[0] for name in quick["os"]} == {"ubuntu", "macos", "windows"}
    stated = re.findall(r'"Programming Language :: Python :: (3\.\d+)"', text("pyproject.toml"))
    assert quick["python"] == stated


@pytest.mark.parametrize("name", ["bug", "verdict", "attack"])
def test_issue_forms_have_what_a_form_needs(name: str) -> None:
    form = yaml.safe_load(text(f".github/ISSUE_TEMPLATE/{name}.yml"))
    assert {"name", "description", "body"} <= set(form)
    fields = [item for item in form["body"] if item["type"] != "markdown"]
    assert len({item["id"] for item in fields}) == len(fields)
    assert all(item["attributes"]["label"] for item in fields)


@pytest.mark.parametrize("marker", MARKERS)
def test_every_marker_is_registered_used_and_left_out_by_make_quick(marker: str) -> None:
    assert f'\n    "{marker}: ' in text("pyproject.toml")
    assert f"not {marker}" in text("Makefile")
    files = (PROJECT / "tests").rglob("test_*.py")
    assert any(f"pytest.mark.{marker}\n" in path.read_text(encoding="utf-8") for path in files)


def test_the_architecture_has_the_rooms_and_arrows_of_the_code() -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert written(page) == block(ARROWS), "run `make architecture`"


def test_direct_arrows_leave_out_what_a_path_says() -> None:
    arrows = {"a": "", "b": "a", "c": "b a", "d": "c a"}
    assert direct(arrows) == {"a": [], "b": ["a"], "c": ["b"], "d": ["c"]}


@pytest.mark.parametrize("page", PAGES)
def test_files_and_links_lead_somewhere(page: str) -> None:
    for name, new in FILE.findall(text(page)):
        if "/" in name or page == "ARCHITECTURE.md":
            assert (PROJECT / name).exists() != bool(new), name
    for link in LINK.findall(text(page)):
        assert (PROJECT / link).exists(), link


@pytest.mark.parametrize("thing", FILES)
def test_adding_a_thing_touches_few_files(thing: str) -> None:
    (section,) = re.findall(
        rf"### An? {thing}\n(.*?)(?=\n##|\Z)", text("ARCHITECTURE.md"), re.DOTALL
    )
    steps = re.findall(r"^\d\. `([^`]+)`", section, re.MULTILINE)
    assert len(steps) == len(set(steps)) == FILES[thing]
    assert any(step.startswith("docs/") for step in steps)
    assert any(step.startswith("tests/") for step in steps)


def test_the_attack_of_the_architecture_is_one() -> None:
    (code,) = re.findall(r"```python\n(.*?)```", text("ARCHITECTURE.md"), re.DOTALL)
    names = {
        "np": np,
        "ClassVar": ClassVar,
        "MembershipMetric": MembershipMetric,
        "MembershipOptions": MembershipOptions,
        "AttackScores": AttackScores,
        "AttackInput": AttackInput,
    }
    exec("\n".join(line[3:] for line in code.splitlines()), names)
    attack: Any = names["MeanDistance"]
    people = patients(60, 0)
    auc = attack.compute(people, people, patients(60, 1), PATIENTS)
    assert auc > 0.6  # copies are near themselves


def test_the_citation_names_this_version_and_both_papers() -> None:
    citation = yaml.safe_load(text("CITATION.cff"))
    version = re.search(r'^version = "(.+)"$', text("pyproject.toml"), re.MULTILINE)
    assert version is not None
    assert citation["version"] == version[1]
    assert citation["cff-version"] == "1.2.0"
    assert len(citation["references"]) == 2
