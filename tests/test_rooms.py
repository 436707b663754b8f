"""The layers and rooms, read from the imports: what each may know, and that none looks up."""

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
        "jinja2",
        "markupsafe",
        "cattrs",
        "pluggy",
        "tomli",  # tomllib of Python 3.10, which does not know it
        "tomllib",
    },
}
LAYERS_BELOW: dict[str, set[str]] = {
    "numba_kernels": set(),
    "adapters": set(),
    "plugins": {"adapters", "numba_kernels"},
}
# Asked for by those who have them, inside functions.
OPTIONAL = {"adapters": {"sdv", "ctgan"}, "plugins": {"dask"}, "numba_kernels": set()}
# Which rooms of `plugins` a room may import, besides itself, the adapters and the kernels.
ARROWS: dict[str, str] = {
    "common": "",
    "partitions": "common",
    "holdout": "partitions common",
    "base": "partitions common",
    "attackers": "common",
    "rapid": "holdout attackers base partitions common",
    "cap": "base common",
    "membership": "holdout base common",
    "gen_lra": "holdout membership partitions base common",
    "attacks": "gen_lra membership common",
    "identification": "holdout membership base common",
    "findings": "rapid membership partitions base common",
    "policy": "findings hooks base common",
    "hooks": "rapid attackers cap gen_lra attacks identification base",
    "results": "policy findings base common",
    "figures": "membership common",
    "page": "figures results policy findings common",
    "quality": "findings figures hooks base",
    "report": "page figures results policy findings quality hooks holdout membership partitions "
    "base common",
    "refits": "figures hooks membership common",
    "assessment": "findings figures quality hooks rapid membership base common",
    "cli": "report results assessment quality policy hooks common",
}
MOST_MODULES = 12
MOST_LINES = 300
MOST_FLOORS = 12
KNOWS_PLUGGY = {"specs", "registry", "calls"}
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


def room_of(path: Path) -> str | None:
    """The room a module stands in; None for one on top of its layer."""
    parts = path.relative_to(PROJECT).parts
    return parts[1] if len(parts) > 2 else None


def dotted(path: Path) -> str:
    name = ".".join((PACKAGE, *path.relative_to(PROJECT).with_suffix("").parts))
    return name.removesuffix(".__init__")


def imported_modules(found: Import) -> list[str]:
    """The package's own modules that an import names: `from package import module` too."""
    if found.layer is None:
        return []
    folder = PROJECT.joinpath(*found.name.split(".")[1:])
    named = [f"{found.name}.{m}" for m in found.members if (folder / f"{m}.py").exists()]
    return named or [found.name]


ALL = [(layer, path) for layer in LAYERS for path in modules(layer)]
each_module = pytest.mark.parametrize(
    ("layer", "path"), ALL, ids=[str(path.relative_to(PROJECT)) for _, path in ALL]
)


def test_the_layers_are_there() -> None:
    for layer in LAYERS:
        assert (PROJECT / layer / "__init__.py").exists()
        assert (PROJECT / layer / "py.typed").exists()


def test_the_rooms_are_those_of_the_table_and_say_what_lives_there() -> None:
    rooms = {folder for folder in (PROJECT / "plugins").iterdir() if any(folder.glob("*.py"))}
    assert {folder.name for folder in rooms} == set(ARROWS)
    for folder in rooms:
        init = folder / "__init__.py"
        assert ast.get_docstring(ast.parse(init.read_text())), init
        assert len(list(folder.glob("*.py"))) - 1 <= MOST_MODULES, folder


@each_module
def test_modules_are_short(layer: str, path: Path) -> None:
    assert len(path.read_text().splitlines()) <= MOST_LINES


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
def test_nobody_imports_a_layer_or_a_room_itself(layer: str, path: Path) -> None:
    for found in imports(path):
        where = f"{path.relative_to(PROJECT)}:{found.line} imports {found.name}"
        assert found.name != PACKAGE, where
        folder = PROJECT.joinpath(*found.name.split(".")[1:])
        if found.layer is not None and folder.is_dir():
            files = {p.stem for p in folder.glob("*.py")}
            assert found.members, where
            assert set(found.members) <= files, f"{where}: names live in modules"


@pytest.mark.parametrize("path", modules("plugins"), ids=lambda path: path.name)
def test_rooms_know_only_what_the_table_allows(path: Path) -> None:
    room = room_of(path)
    if room is None:
        return
    for found in imports(path):
        for name in imported_modules(found):
            if found.layer == "plugins":
                where = f"{path.relative_to(PROJECT)}:{found.line} imports {name}"
                assert name.split(".")[2] in {room, *ARROWS[room].split()}, where


def test_the_rooms_have_a_ground_floor_and_no_circle() -> None:
    floors: dict[str, int] = {}

    def floor(room: str, above: tuple[str, ...] = ()) -> int:
        assert room not in above, " -> ".join((*above, room))
        if room not in floors:
            below = [floor(each, (*above, room)) for each in ARROWS[room].split()]
            floors[room] = 1 + max(below, default=0)
        return floors[room]

    assert max(map(floor, ARROWS)) <= MOST_FLOORS


def test_sdmetrics_is_the_first_import_of_the_plugins() -> None:
    first, *_ = [i for i in imports(PROJECT / "plugins" / "__init__.py") if i.name != "__future__"]
    assert first.name == "sdmetrics"


@pytest.mark.parametrize("path", modules("plugins"), ids=lambda path: path.name)
def test_who_knows_pluggy_and_who_knows_no_attack(path: Path) -> None:
    if path.stem not in KNOWS_PLUGGY:
        assert "pluggy" not in {found.root for found in imports(path)}
    if path.stem in KNOWS_NO_ATTACK:
        own = {n for found in imports(path) for n in imported_modules(found)}
        assert {n.rpartition(".")[2] for n in own} <= KNOWS_NO_ATTACK


def test_modules_import_in_one_direction() -> None:
    """Imports inside functions count too: what is imported late is known all the same."""
    graph: dict[str, set[str]] = {}
    for _, path in ALL:
        loaded = [found for found in imports(path) if not found.for_types_only]
        graph[dotted(path)] = {name for found in loaded for name in imported_modules(found)}
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
