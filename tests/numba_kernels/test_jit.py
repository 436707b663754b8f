"""Threads, blocks, arithmetic and the compiled cache."""

from __future__ import annotations

import ast
import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from sdmetrics_disclosure.numba_kernels import jit
from sdmetrics_disclosure.numba_kernels.jit import effective_n_jobs, fast_kernel, run_blocks
from tests.helpers.processes import PROJECT, run, succeed

SOURCES = sorted((PROJECT / "numba_kernels").glob("*.py"))
# Two kernels on four Python threads, then a digest of every bit they returned.
DIGEST = """
import hashlib
import sys
from concurrent.futures import ThreadPoolExecutor
import numpy as np
from sdmetrics_disclosure.numba_kernels.gen_lra.density import log_density
from sdmetrics_disclosure.numba_kernels.neighbors.nearest import nearest

rows = np.random.default_rng(0).normal(size=(600, 5))

def digest(n_jobs):
    indices, distances = nearest(rows, rows[:500], 7, n_jobs=n_jobs)
    results = (indices, distances, log_density(rows, rows[:500], n_jobs=n_jobs))
    return hashlib.sha256(b"".join(result.tobytes() for result in results)).hexdigest()

with ThreadPoolExecutor(4) as pool:
    print(*set(pool.map(digest, [1, 2, 1, 2, 4, 4, 1, 2])))
"""
ONE_KERNEL = """
import numpy as np
from sdmetrics_disclosure.numba_kernels.gen_lra import gaussian

out = np.empty((1, 1))
gaussian.pair_kernel(np.ones((1, 2)), np.zeros((1, 2)), 0, np.zeros((1, 1), np.intp), out)
assert out == 2.0
stats = gaussian.pair_kernel.stats
print(gaussian.__file__, stats.cache_path, sum(stats.cache_hits.values()))
"""


@fast_kernel
def positions_of_nan(values: np.ndarray, out: np.ndarray) -> None:
    for i in range(len(values)):
        out[i] = np.isnan(values[i]) or (np.isinf(values[i]) and values[i] + 1 == values[i])


@pytest.mark.parametrize("n_jobs", [None, 1, 2, 5, -1])
@pytest.mark.parametrize(("n", "block"), [(0, 4), (1, 4), (4, 4), (11, 4)])
def test_blocks_cover_every_row_once(n: int, block: int, n_jobs: int | None) -> None:
    visits = np.zeros(n, dtype=int)
    lengths = []

    def visit(start: int, stop: int) -> None:
        visits[start:stop] += 1
        lengths.append(stop - start)

    run_blocks(visit, n, block, n_jobs)
    assert (visits == 1).all()
    assert sorted(lengths) == sorted(min(block, n - start) for start in range(0, n, block))


@pytest.mark.parametrize("n_jobs", [1, 3])
def test_an_exception_in_a_block_reaches_the_caller(n_jobs: int) -> None:
    def fail(start: int, stop: int) -> None:
        raise ArithmeticError(f"block {start}")

    with pytest.raises(ArithmeticError, match="block"):
        run_blocks(fail, 10, 2, n_jobs)


def test_n_jobs_counts_as_joblib_does(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jit, "_usable_cores", lambda: 6)
    wanted = {None: 1, 1: 1, 4: 4, 9: 9, -1: 6, -2: 5, -6: 1, -7: 1}
    assert {n: effective_n_jobs(n) for n in wanted} == wanted
    with pytest.raises(ValueError, match="n_jobs is 0"):
        effective_n_jobs(0)


@pytest.mark.slow
def test_fast_kernels_still_see_nan_and_infinity() -> None:
    out = np.empty(4)
    positions_of_nan(np.array([np.nan, 1.0, np.inf, -np.inf]), out)
    assert out.tolist() == [1.0, 0.0, 1.0, 1.0]
    assert not {"fast", "nnan", "ninf"} & (jit.REORDERED | jit.FUSED)


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.stem)
def test_only_jit_knows_numbas_options_and_nothing_is_parallel(path: Path) -> None:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    keywords = {node.arg for node in ast.walk(tree) if isinstance(node, ast.keyword)}
    assert not {"prange", "vectorize", "guvectorize"} & names
    assert "parallel" not in keywords
    if path.stem != "jit":
        assert not {"njit", "jit"} & names
        assert not {"fastmath", "cache", "nogil"} & keywords


@pytest.mark.slow
def test_four_threads_in_any_layer_and_process_return_the_same_bits() -> None:
    layers = ("workqueue", "default")  # numba aborts a process that starts two workqueue kernels
    printed = {succeed(run("-c", DIGEST, env={"NUMBA_THREADING_LAYER": x})) for x in layers}
    assert len(printed) == 1
    assert len(printed.pop().split()) == 1


def copy_of_the_kernels(folder: Path) -> Path:
    package = folder / "sdmetrics_disclosure" / "numba_kernels"
    leave = shutil.ignore_patterns("__pycache__")
    shutil.copytree(PROJECT / "numba_kernels", package, ignore=leave)
    return package


@pytest.mark.slow
def test_compiled_code_is_kept_for_the_next_process(tmp_path: Path) -> None:
    hits = []
    for _ in range(2):
        printed = succeed(run("-c", ONE_KERNEL, env={"NUMBA_CACHE_DIR": str(tmp_path)})).split()
        assert printed[1].startswith(str(tmp_path))
        hits.append(printed[2])
    assert hits == ["0", "1"]


@pytest.mark.slow
def test_a_change_to_another_file_makes_stored_code_stale(tmp_path: Path) -> None:
    package = copy_of_the_kernels(tmp_path)
    env = {"NUMBA_CACHE_DIR": str(tmp_path / "cache"), "PYTHONDONTWRITEBYTECODE": "1"}

    def hits() -> str:
        return succeed(run("-c", ONE_KERNEL, paths=[tmp_path], env=env)).split()[2]

    assert [hits(), hits()] == ["0", "1"]
    # the kernel stands in gaussian.py and calls a function of search.py
    with (package / "neighbors" / "search.py").open("a", encoding="utf-8") as file:
        file.write("# changed\n")
    assert [hits(), hits()] == ["0", "1"]


@pytest.mark.slow
def test_a_read_only_install_without_a_home_compiles_without_a_cache(tmp_path: Path) -> None:
    package = copy_of_the_kernels(tmp_path)
    # a file where the folder should be: nobody can write there, not even root
    for folder in (package, package / "gen_lra"):
        (folder / "__pycache__").write_text("")
    nowhere = str(package / "__pycache__" / "home")
    hidden = {"HOME": nowhere, "XDG_CACHE_HOME": nowhere, "PYTHONDONTWRITEBYTECODE": "1"}
    printed = succeed(run("-c", ONE_KERNEL, paths=[tmp_path], env=hidden)).split()
    assert printed == [str(package / "gen_lra" / "gaussian.py"), "None", "0"]


def test_first_calls_from_several_threads() -> None:
    values = np.random.default_rng(1).normal(size=50)

    @fast_kernel
    def double(values: np.ndarray, out: np.ndarray) -> None:
        for i in range(len(values)):
            out[i] = 2.0 * values[i]

    def call(_: int) -> np.ndarray:
        out = np.empty(50)
        double(values, out)
        return out

    with ThreadPoolExecutor(4) as pool:
        for out in pool.map(call, range(8)):
            np.testing.assert_array_equal(out, 2.0 * values)


@pytest.mark.slow
@pytest.mark.parametrize("ending", ["nbi", "nbc"])
@pytest.mark.parametrize("left", [0, 40])
def test_a_damaged_cache_is_made_anew(tmp_path: Path, ending: str, left: int) -> None:
    env = {"NUMBA_CACHE_DIR": str(tmp_path)}

    def hits() -> str:
        return succeed(run("-c", ONE_KERNEL, env=env)).split()[2]

    assert [hits(), hits()] == ["0", "1"]
    files = list(tmp_path.rglob(f"*.{ending}"))
    assert files
    for path in files:
        path.write_bytes(path.read_bytes()[:left])
    assert [hits(), hits()] == ["0", "1"]
