"""Broken files, tables and arguments: a clear error or the right number, never a crash from below.

Each case stands for its kind. A message names the argument, the file or the column; the command
line ends with 3, never with 1, which means "fail"; no library below warns.
"""

from __future__ import annotations

import gzip
import json
import re
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sdmetrics_disclosure.plugins import RAPID, TCAP, DCRAttack, GenLRA
from sdmetrics_disclosure.plugins.cli.main import main
from tests.helpers.reports import quick_metrics
from tests.helpers.tables import METADATA, people

pytestmark = pytest.mark.slow
REAL, SYNTHETIC, HOLDOUT = (people(60, seed) for seed in range(3))
GOOD = REAL.to_csv(index=False)
LINES = GOOD.splitlines()
NAMED = re.compile(r"`[\w.]+`|'[^']+'|--\w+|\[\w+\]")


def said_clearly(message: str) -> None:
    """It names what is wrong and holds no value of a person."""
    assert NAMED.search(message), message
    assert "Traceback" not in message


@pytest.fixture
def strict() -> Iterator[None]:
    """No warning from below: ours are UserWarnings."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", UserWarning)
        yield


# --- files ---------------------------------------------------------------------------------------


def _without(column: str) -> str:
    return REAL.drop(columns=column).to_csv(index=False)


FILES: dict[str, str | bytes] = {
    "nothing": "",
    "a byte": b"\x00",
    "blank lines": "\n\n\n",
    "the header alone": LINES[0] + "\n",
    "a header of one name": "id\n",
    "no age": _without("age"),
    "no sex": _without("sex"),
    "no income": _without("income"),
    "other columns": "a,b\n1,2\n",
    "a field too many": "\n".join([*LINES[:5], LINES[5] + ",9", *LINES[6:]]),
    "a field too few": "\n".join([*LINES[:5], LINES[5].rpartition(",")[0], *LINES[6:]]),
    "a field too many in the first row": "\n".join([LINES[0], LINES[1] + ",9", *LINES[2:]]),
    "a field too many in all rows": "\n".join([LINES[0], *(line + ",9" for line in LINES[1:])]),
    "an open quotation mark": "\n".join([*LINES[:9], '1,"2', *LINES[10:]]),
    "names twice": GOOD.replace("age", "sex", 1),
    "text where numbers belong": REAL.assign(age=REAL["age"].astype(str) + "?").to_csv(index=False),
    "JSON": json.dumps({"columns": {}}),
    "HTML": "<html><body>not found</body></html>",
    "UTF-16 cut in half": GOOD.encode("utf-16")[:-1],
    "bytes": bytes(range(256)) * 4,
    "zeros": "\0" * 100,
}


def _archives() -> dict[str, tuple[str, bytes]]:
    packed = gzip.compress(GOOD.encode())
    return {
        "an archive cut in half": ("x.csv.gz", packed[: len(packed) // 2]),
        "an archive with a flipped bit": ("x.csv.gz", packed[:40] + b"\xff" + packed[41:]),
        "text called an archive": ("x.csv.gz", GOOD.encode()),
        "text called a zip": ("x.csv.zip", GOOD.encode()),
        "text called xz": ("x.csv.xz", GOOD.encode()),
        "text called bz2": ("x.csv.bz2", GOOD.encode()),
        "text called Parquet": ("x.parquet", GOOD.encode()),
        "an empty Parquet": ("x.parquet", b""),
        "a spreadsheet": ("x.xlsx", b"PK\x03\x04"),
        "no ending": ("x", GOOD.encode()),
    }


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Good files, beside which each case puts a bad one."""
    made = tmp_path_factory.mktemp("files")
    for name, frame in (("real", REAL), ("synthetic", SYNTHETIC), ("holdout", HOLDOUT)):
        frame.to_csv(made / f"{name}.csv", index=False)
    (made / "metadata.json").write_text(json.dumps(METADATA))
    (made / "lenient.toml").write_text("[attribute]\nrisk_max = 0.999\n")
    return made


def audit(folder: Path, capsys: pytest.CaptureFixture[str], **changed: Any) -> tuple[int, str]:
    """The exit status and what was said, with some of the words changed."""
    words = {
        "real": "real.csv",
        "synthetic": "synthetic.csv",
        "--metadata": "metadata.json",
        "--sensitive": "income",
        "--known": "age,sex",
        **changed,
    }
    line = ["audit"]
    for name, word in words.items():
        if word is None:
            continue
        is_file = name in {"real", "synthetic", "--metadata", "--holdout", "--policy"}
        value = str(folder / word) if is_file else str(word)
        line += [value] if not name.startswith("--") else [name, value]
    with quick_metrics(), warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", UserWarning)
        try:
            status = main(line)
        except SystemExit as stop:  # argparse's own
            status = int(stop.code or 0)
    return status, capsys.readouterr().err


@pytest.mark.parametrize("case", FILES)
@pytest.mark.parametrize("which", ["real", "synthetic", "--holdout"])
def test_a_broken_table(
    folder: Path, capsys: pytest.CaptureFixture[str], case: str, which: str
) -> None:
    text = FILES[case]
    raw = text if isinstance(text, bytes) else text.encode()
    (folder / "bad.csv").write_bytes(raw)
    status, said = audit(folder, capsys, **{which: "bad.csv"})
    assert status == 3, said
    said_clearly(said)


@pytest.mark.parametrize("case", _archives())
@pytest.mark.parametrize("which", ["real", "synthetic", "--holdout"])
def test_a_broken_archive(
    folder: Path, capsys: pytest.CaptureFixture[str], case: str, which: str
) -> None:
    name, raw = _archives()[case]
    (folder / name).write_bytes(raw)
    status, said = audit(folder, capsys, **{which: name})
    assert status == 3, said
    said_clearly(said)


METADATA_FILES = {
    "nothing": "",
    "half": '{"columns": ',
    "a list": "[]",
    "a number": "7",
    "null": "null",
    "no columns": "{}",
    "columns as a list": '{"columns": ["age"]}',
    "columns as null": '{"columns": null}',
    "a column as text": '{"columns": {"age": "numerical"}}',
    "a column without a type": '{"columns": {"age": {}}}',
    "a type of no kind": '{"columns": {"age": {"sdtype": "wizard"}, "sex": {"sdtype": "wizard"}}}',
    "tables as a list": '{"tables": []}',
    "no tables": '{"tables": {}}',
    "two tables": json.dumps({"tables": {"a": METADATA, "b": METADATA}}),
    "a column that is not there": json.dumps(
        {"columns": {**METADATA["columns"], "height": {"sdtype": "numerical"}}}  # type: ignore[dict-item]
    ),
    "only ids": '{"columns": {"id": {"sdtype": "id"}}}',
}


@pytest.mark.parametrize("case", METADATA_FILES)
def test_broken_metadata(folder: Path, capsys: pytest.CaptureFixture[str], case: str) -> None:
    (folder / "bad.json").write_text(METADATA_FILES[case])
    status, said = audit(folder, capsys, **{"--metadata": "bad.json"})
    assert status == 3, said
    said_clearly(said)


POLICIES = {
    "half": "[attribute",
    "an unknown table": "[attributes]\nrisk_max = 0.5\n",
    "an unknown key": "[attribute]\nrisk = 0.5\n",
    "text": '[attribute]\nrisk_max = "low"\n',
    "above 1": "[attribute]\nrisk_max = 1.5\n",
    "below 0": "[membership]\nauc_max = -0.1\n",
    "a truth value": "[membership]\nepsilon_max = true\n",
    "a list": "[membership]\nauc_max = [0.5]\n",
    "not a number": "[membership]\nauc_max = nan\n",
    "bytes": "\ufffd\0",
}


@pytest.mark.parametrize("case", POLICIES)
def test_a_broken_policy(folder: Path, capsys: pytest.CaptureFixture[str], case: str) -> None:
    (folder / "bad.toml").write_text(POLICIES[case])
    status, said = audit(folder, capsys, **{"--policy": "bad.toml"})
    assert status == 3, said
    said_clearly(said)


@pytest.mark.parametrize(
    "changed",
    [
        {"real": "absent.csv"},
        {"synthetic": "absent.csv"},
        {"--holdout": "absent.csv"},
        {"--metadata": "absent.json"},
        {"--policy": "absent.toml"},
        {"real": "."},
        {"--metadata": "."},
        {"--policy": "."},
        {"--sensitive": "incme"},
        {"--sensitive": ","},
        {"--sensitive": "income,income"},
        {"--known": "height"},
        {"--known": "income"},
        {"--known": "age,age"},
        {"--attacker": "wizard"},
        {"--attacker": ","},
        {"--overlap": "maybe"},
        {"--rows": "0"},
        {"--rows": "-3"},
        {"--rows": "many"},
        {"--rows": "1.5"},
        {"--seed": "-1"},
        {"--seed": "x"},
        {"--jobs": "0"},
        {"--jobs": "x"},
        {"--html": "/absent/folder/page.html"},
        {"--json": "/absent/folder/result.json"},
        {"--records": "records.xlsx"},
        {"--colour": "red"},
    ],
    ids=str,
)
def test_a_wrong_word_on_the_command_line(
    folder: Path, capsys: pytest.CaptureFixture[str], changed: dict[str, str]
) -> None:
    status, said = audit(folder, capsys, **changed)
    assert status == 3, said
    said_clearly(said)


# --- arguments -----------------------------------------------------------------------------------

ARGUMENTS: list[tuple[str, Any]] = [
    *(("tau", value) for value in ("0.3", np.nan, np.inf, -np.inf, True, [0.3])),
    *(("epsilon", value) for value in (-0.1, np.nan, "x", np.inf)),
    *(("delta", value) for value in (-1, np.nan, "x", np.inf)),
    *(("score", value) for value in ("gain", 3, ["normalized_gain"])),
    *(("error", value) for value in ("square", 3)),
    *(("attacker", value) for value in ("wizard", [], 3, object())),
    *(("confidence_level", value) for value in (0, 1, 95, "high", np.nan)),
    *(("n_bootstrap", value) for value in (-1, 1.5, "many", True)),
    *(("n_permutations", value) for value in (-1, 1.5, "many")),
    *(("num_rows_subsample", value) for value in (0, -1, 1.5, "all")),
    *(("random_state", value) for value in (-1, "seed", 1.5, [1])),
    *(("n_jobs", value) for value in (0, 1.5, "all")),
    *(("sensitive_column_names", v) for v in ("income", [], ["x"], ["income", "income"], 3, {})),
    *(("known_column_names", v) for v in ("age", [], ["x"], ["age", "age"], ["income"], 3)),
    ("colour", "red"),
]


@pytest.mark.parametrize(("name", "value"), ARGUMENTS, ids=lambda each: repr(each)[:30])
def test_a_wrong_argument_of_rapid(strict: None, name: str, value: Any) -> None:
    arguments = {"sensitive_column_names": ["income"], name: value}
    if name in {"epsilon", "delta", "error"}:
        arguments["sensitive_column_names"] = ["wage"]
    with pytest.raises((TypeError, ValueError)) as caught:
        RAPID.compute(REAL, SYNTHETIC, METADATA, **arguments)
    said_clearly(str(caught.value))


MEMBERSHIP: list[tuple[str, Any]] = [
    *(("preset", value) for value in ("papers", 3)),
    *(("kernel", value) for value in ("cauchy", None, 3)),
    *(("surrogate", value) for value in ("open_form", 3, object())),
    *(("exponent", value) for value in (0, -1, np.nan, "x")),
    *(("bandwidth_factor", value) for value in (0, -1, np.nan, "x")),
    *(("covariance", value) for value in ("round", 3)),
    *(("floor", value) for value in (-1, np.nan, "x")),
    *(("n_neighbors", value) for value in (0, -1, 1.5, "all")),
    *(("aggregate", value) for value in ("mean", 3)),
    *(("target_fprs", value) for value in ("0.1", [2], [-1], [np.nan], 0.1)),
    *(("overlap", value) for value in ("maybe", 3, None)),
    ("colour", "red"),
]


@pytest.mark.parametrize(("name", "value"), MEMBERSHIP, ids=lambda each: repr(each)[:30])
def test_a_wrong_argument_of_gen_lra(strict: None, name: str, value: Any) -> None:
    with pytest.raises((TypeError, ValueError)) as caught:
        GenLRA.compute(REAL, SYNTHETIC, HOLDOUT, METADATA, **{name: value})
    said_clearly(str(caught.value))


NO_TABLES: dict[str, Any] = {
    "None": None,
    "a number": 3,
    "text": "real",
    "an array": np.zeros((3, 3)),
    "a series": REAL["age"],
    "an empty frame": REAL.iloc[:0],
    "no columns": REAL[[]],
    "an empty dict": {},
    "a dict of two": {"a": REAL, "b": REAL},
    "a dict of numbers": {"a": 3},
    "two columns of one name": pd.concat([REAL, REAL[["age"]]], axis=1),
    "without a column": REAL.drop(columns="age"),
}


@pytest.mark.parametrize("case", NO_TABLES)
@pytest.mark.parametrize("which", [0, 1, 2])
@pytest.mark.parametrize("metric", [RAPID, GenLRA, DCRAttack, TCAP])
def test_what_is_no_table(strict: None, case: str, which: int, metric: Any) -> None:
    tables = [REAL, SYNTHETIC, HOLDOUT]
    tables[which] = NO_TABLES[case]
    roles: dict[str, Any] = (
        {"sensitive_column_names": ["income"]} if metric in (RAPID, TCAP) else {}
    )
    if which == 2 and case == "None" and metric in (RAPID, TCAP):
        return  # no holdout is legal there
    if metric in (RAPID, TCAP):
        roles["real_validation_data"] = tables.pop()
    with pytest.raises((TypeError, ValueError)) as caught:
        metric.compute(*tables, metadata=METADATA, **roles)
    said_clearly(str(caught.value))


# --- odd but legal cells -------------------------------------------------------------------------

CELLS = st.one_of(
    st.none(),
    st.floats(allow_nan=True, allow_infinity=True, width=64),
    st.integers(-(2**70), 2**70),
    st.booleans(),
    st.text(max_size=3),
    st.sampled_from(["", "nan", "NA", "1,5", "1.5", "1e400", "\u212b", "\u00c5", " x ", "0x10"]),
    st.sampled_from([pd.NA, pd.NaT, pd.Timestamp("2020-01-01"), np.float32(1.5), b"x"]),
)


def _frame(cells: list[list[Any]]) -> pd.DataFrame:
    return pd.DataFrame(
        {
            f"c{j}": pd.Series(column, dtype=object)
            for j, column in enumerate(zip(*cells, strict=True))
        }
    )


KIND = st.sampled_from(["numerical", "categorical"])
ROWS = st.lists(st.lists(CELLS, min_size=2, max_size=2), min_size=4, max_size=12)


@settings(
    max_examples=120, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    real=ROWS, synthetic=ROWS, kinds=st.tuples(*[st.sampled_from(["numerical", "categorical"])] * 2)
)
def test_any_cells_give_a_number_or_a_clear_error(
    strict: None, real: list[Any], synthetic: list[Any], kinds: tuple[str, str]
) -> None:
    metadata = {"columns": {f"c{j}": {"sdtype": kind} for j, kind in enumerate(kinds)}}
    attempts: list[Callable[[], float]] = [
        lambda: RAPID.compute(
            _frame(real),
            _frame(synthetic),
            metadata,
            sensitive_column_names=["c0"],
            attacker="cart",
            n_bootstrap=9,
            n_permutations=9,
        ),
        lambda: GenLRA.compute(
            _frame(real), _frame(synthetic), _frame(synthetic[::-1] + real[:1]), metadata
        ),
    ]
    for attempt in attempts:
        try:
            score = attempt()
        except (TypeError, ValueError) as error:
            said_clearly(str(error))
        else:
            assert 0.0 <= score <= 1.0
