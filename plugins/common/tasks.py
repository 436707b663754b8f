"""Long tasks that may fail, through joblib: time told on stderr, and gone on with after a stop.

A task's outcome is an array of numbers. With a folder as checkpoint these are kept as they come,
each under the task's key, and nothing else is.
"""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import joblib
import numpy as np
import pandas as pd
from joblib.parallel import get_active_backend
from numpy.typing import NDArray
from tqdm import tqdm


class Task(Protocol):
    """Work that is complete in itself: it is pickled for workers."""

    @property
    def key(self) -> str:
        """A name for everything that the outcome depends on (see `fingerprint`)."""

    def prepare(self) -> Any:
        """The part whose time is told."""

    def measure(self, prepared: Any) -> NDArray[np.float64]:
        """What it comes to, as numbers."""


@dataclass(frozen=True)
class Outcome:
    """What came of a task.

    Attributes:
        values: Its numbers; None if it failed.
        seconds: That preparing took.
        error: Why it failed, or None.
    """

    values: NDArray[np.float64] | None
    seconds: float
    error: str | None


def run_tasks(
    tasks: Sequence[Task], checkpoint: Any, n_jobs: int | None, verbose: bool, title: str
) -> list[Outcome]:
    """The outcomes in the order of the tasks, on any joblib backend.

    Args:
        tasks:
            What is to be run.
        checkpoint:
            A folder of outcomes: those that are there are not run again. None: nothing is kept.
        n_jobs:
            Tasks at a time.
        verbose:
            Whether to show on stderr how far it is and how long it will take.
        title:
            Of that.
    """
    folder = None if checkpoint is None else Path(checkpoint)
    known = {} if folder is None else _read(folder, tasks)
    missing = [task for task in tasks if task.key not in known]
    outcomes = _run(missing, n_jobs, one_by_one=verbose or folder is not None)
    shown = tqdm(outcomes, initial=len(known), total=len(tasks), desc=title, disable=not verbose)
    for task, outcome in zip(missing, shown, strict=True):
        known[task.key] = outcome
        if folder is not None:
            _write(folder, task, outcome)
    return [known[task.key] for task in tasks]


def fingerprint(*parts: Any) -> str:
    """A name for frames, arrays and plain values."""
    digest = hashlib.sha256()
    for part in parts:
        if isinstance(part, pd.DataFrame):
            digest.update(repr(list(part.columns)).encode())
            part = pd.util.hash_pandas_object(part.astype(str), index=False).to_numpy()
        digest.update(part.tobytes() if isinstance(part, np.ndarray) else repr(part).encode())
        digest.update(b"\n")
    return digest.hexdigest()[:32]


def _run(tasks: Sequence[Task], n_jobs: int | None, *, one_by_one: bool) -> Iterable[Outcome]:
    # Not every backend can hand out results one by one.
    backend, _ = get_active_backend()
    can = bool(getattr(backend, "supports_return_generator", False))
    form = "generator" if one_by_one and can else "list"
    parallel = joblib.Parallel(n_jobs=n_jobs, return_as=form)
    outcomes: Iterable[Outcome] = parallel(joblib.delayed(_run_one)(task) for task in tasks)
    return outcomes


def _run_one(task: Task) -> Outcome:
    """Whatever fails is an outcome with its error."""
    start = time.perf_counter()
    try:
        prepared = task.prepare()
        seconds = time.perf_counter() - start
        return Outcome(task.measure(prepared), seconds, None)
    except Exception as error:
        return Outcome(None, time.perf_counter() - start, f"{type(error).__name__}: {error}")


def _read(folder: Path, tasks: Sequence[Task]) -> dict[str, Outcome]:
    folder.mkdir(parents=True, exist_ok=True)
    known = {}
    for task in tasks:
        path = folder / f"{task.key}.npz"
        if path.exists():
            with np.load(path, allow_pickle=False) as stored:
                known[task.key] = Outcome(stored["values"], float(stored["seconds"]), None)
    return known


def _write(folder: Path, task: Task, outcome: Outcome) -> None:
    """Keep what ran; what failed is tried again. A file is there as a whole or not at all."""
    if outcome.values is None:
        return
    path = folder / f"{task.key}.npz"
    unfinished = path.with_suffix(f".{os.getpid()}.tmp")
    with unfinished.open("wb") as file:
        np.savez_compressed(file, values=outcome.values, seconds=np.float64(outcome.seconds))
    unfinished.replace(path)
