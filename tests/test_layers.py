"""The layers, read from the imports: what each may know, and that none looks up."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

PROJECT = Path(__file__).resolve().parent.parent
PACKAGE = "sdmetrics_disclosure"
LAYERS = ("numba_kernels", "adapters", "plugins")
MAY_IMPORT = {
    "numba_kernels": {"numpy", "numba", "llvmlite"},
    "adapters": {"numpy", "pandas", "sklearn"},
    "plugins": {
        "sdmetrics",
        "numpy",
        "pandas",
        "sklearn",
        "scipy",
        "statsmodels",
        "joblib",
        "tqdm",
        "threadpoolctl",
        "plotly",
        "pluggy",
        "tomli",  # tomllib of Python 3.10
    },
}
LAYERS_BELOW: dict[str, set[str]] = {
    "numba_kernels": set(),
    "adapters": set(),
    "plugins": {"adapters", "numba_kernels"},
}
# Asked for by those who have them, inside functions.
OPTIONAL = {"adapters": {"sdv", "ctgan"}, "plugins": {"dask"}, "numba_kernels": set()}
# Who tells what the metrics found; no metric knows them.
REPORTS = {"figures", "quality_report", "report_rows", "disclosure_report", "cli", "policy"}
REPORTS |= {"assess", "fold_run", "fold_summary", "quality_score"}
REPORTS |= {"audit", "audit_request", "audit_tables", "disclosure_result", "estimate", "findings"}
REPORTS |= {"judge", "plain", "suppression", "verdict", "page", "page_figures", "page_text"}
REPORTS |= {"cli_audit", "cli_compare", "cli_assess", "comparison", "page_setting", "summary"}
REPORTS |= {"html_parts", "records", "page_sections", "demo"}
KNOWS_PLUGGY = {"hookspecs", "registry"}
# Numbers in, numbers out.
KNOWS_NO_ATTACK = {"statistics", "roc"}


@dataclass(frozen=True)
class Import:
    """One imported module, as an absolute dotted name."""

    name: str
    line: int
    level: int
    at_module_level: bool
    for_types_only: bool
    members: tuple[str, ...] = ()

    @property
    def root(self) -> str:
        return self.name.partition(".")[0]

    @property
    def layer(self) -> str | None:
        parts = self.name.split(".")
        return parts[1] if parts[0] == PACKAGE and len(parts) > 1 else None


def imports(path: Path) -> list[Import]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return list(_walk(tree, at_module_level=True, for_types_only=False))


def _walk(node: ast.AST, at_module_level: bool, for_types_only: bool) -> Iterator[Import]:
    for child in ast.iter_child_nodes(node):
        place = (at_module_level, for_types_only)
        if isinstance(child, ast.Import):
            for alias in child.names:
                yield Import(alias.name, child.lineno, 0, *place)
        elif isinstance(child, ast.ImportFrom):
            members = tuple(alias.name for alias in child.names)
            yield Import(child.module or "", child.lineno, child.level, *place, members)
        inside = isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda))
        typing_only = isinstance(child, ast.If) and "TYPE_CHECKING" in ast.dump(child.test)
        yield from _walk(child, at_module_level and not inside, for_types_only or typing_only)


def modules(layer: str) -> list[Path]:
    return sorted((PROJECT / layer).glob("**/*.py"))


def imported_modules(found: Import) -> list[str]:
    """The package's own modules that an import names: `from package import module` too."""
    if found.layer is None:
        return []
    folder = PROJECT.joinpath(*found.name.split(".")[1:])
    named = [f"{found.name}.{m}" for m in found.members if (folder / f"{m}.py").exists()]
    return named or [found.name]


ALL = [(layer, path) for layer in LAYERS for path in modules(layer)]
each_module = pytest.mark.parametrize(
    ("layer", "path"), ALL, ids=[f"{layer}/{path.name}" for layer, path in ALL]
)


def test_the_layers_are_there() -> None:
    for layer in LAYERS:
        assert (PROJECT / layer / "__init__.py").exists()
        assert (PROJECT / layer / "py.typed").exists()
        assert not [p for p in modules(layer) if p.parent != PROJECT / layer], "folders are flat"


def test_reading_finds_every_kind_of_import(tmp_path: Path) -> None:
    source = tmp_path / "module.py"
    source.write_text(
        "import a.b\nfrom c import d\nif TYPE_CHECKING:\n    import e\n"
        "class F:\n    import f\n    def g(self):\n        import g\n"
        "try:\n    from . import h\nexcept ImportError:\n    pass\n"
    )
    found = {item.name: item for item in imports(source)}
    assert set(found) == {"a.b", "c", "e", "f", "g", ""}
    assert found["a.b"].root == "a"
    assert found["c"].members == ("d",)
    assert [name for name, item in found.items() if not item.at_module_level] == ["g"]
    assert [name for name, item in found.items() if item.for_types_only] == ["e"]
    assert found[""].level == 1


@each_module
def test_imports_are_absolute_and_allowed(layer: str, path: Path) -> None:
    for found in imports(path):
        where = f"{path.relative_to(PROJECT)}:{found.line} imports {found.name}"
        assert found.level == 0, f"{where}: relative"
        if found.root == PACKAGE:
            assert found.layer == layer or found.layer in LAYERS_BELOW[layer], f"{where}: upwards"
        elif found.root not in sys.stdlib_module_names:
            inside = set() if found.at_module_level else OPTIONAL[layer]
            assert found.root in MAY_IMPORT[layer] | inside, where


@each_module
def test_nobody_imports_a_layer_itself(layer: str, path: Path) -> None:
    layers = {f"{PACKAGE}.{name}" for name in LAYERS}
    for found in imports(path):
        where = f"{path.relative_to(PROJECT)}:{found.line} imports {found.name}"
        assert found.name != PACKAGE, where
        if found.name in layers:
            files = {p.stem for p in (PROJECT / str(found.layer)).glob("*.py")}
            assert found.members, where
            assert set(found.members) <= files, f"{where}: names live in modules"


def test_sdmetrics_is_the_first_import_of_the_plugins() -> None:
    first, *_ = [i for i in imports(PROJECT / "plugins" / "__init__.py") if i.name != "__future__"]
    assert first.name == "sdmetrics"


@pytest.mark.parametrize("path", modules("plugins"), ids=lambda path: path.name)
def test_metrics_know_nothing_of_reports_nor_of_pluggy(path: Path) -> None:
    module = path.stem
    own = {
        name.rpartition(".")[2]
        for found in imports(path)
        for name in imported_modules(found)
        if found.layer == "plugins"
    }
    if module not in REPORTS | {"__init__"} and not module.endswith("_rows"):
        assert not own & REPORTS
    if module not in KNOWS_PLUGGY:
        assert "pluggy" not in {found.root for found in imports(path)}
    if module in KNOWS_NO_ATTACK:
        assert own <= KNOWS_NO_ATTACK


def test_modules_import_in_one_direction() -> None:
    graph: dict[str, set[str]] = {}
    for layer, path in ALL:
        loaded = [i for i in imports(path) if i.at_module_level and not i.for_types_only]
        name = f"{PACKAGE}.{layer}.{path.stem}"
        graph[name] = {target for found in loaded for target in imported_modules(found)}
    order: list[str] = []

    def visit(name: str, above: tuple[str, ...]) -> None:
        assert name not in above, " -> ".join((*above, name))
        if name not in order:
            for target in sorted(graph.get(name, ())):
                visit(target, (*above, name))
            order.append(name)

    for name in graph:
        visit(name, ())
    assert set(graph) <= set(order)
