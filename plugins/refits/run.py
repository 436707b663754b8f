"""Running refits through joblib: failures counted, time told, and gone on with after a stop."""

from __future__ import annotations

import hashlib
import json
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

from sdmetrics_disclosure.adapters.release.release import Release
from sdmetrics_disclosure.adapters.sources.sources import from_frames
from sdmetrics_disclosure.plugins.refits.synthesis import Synthesis


@dataclass(frozen=True)
class Tables:
    """How this table and what a synthesizer makes of it are read.

    Attributes:
        metadata: With `columns` or `tables`, the same in all refits.
        table_name: Which of the metadata's tables.
    """

    metadata: dict[str, Any]
    table_name: str | None

    def read(self, real: pd.DataFrame, synthetic: Any) -> Release:
        """The checked tables."""
        return from_frames(real, synthetic, self.metadata, table_name=self.table_name)


class Task(Protocol):
    """One refit, complete in itself: it is pickled for workers."""

    @property
    def key(self) -> str:
        """What its outcome depends on, for the checkpoint."""

    @property
    def synthesis(self) -> Synthesis:
        """The synthesizer."""

    def training_rows(self) -> pd.DataFrame:
        """The rows to fit on."""

    def seeds(self) -> np.random.SeedSequence:
        """Of this refit."""

    def measure(self, synthetic: Any) -> NDArray[np.float64]:
        """What the synthetic rows show, as numbers."""


@dataclass(frozen=True)
class Outcome:
    """What came of a refit.

    Attributes:
        values: What its rows showed; None if it failed.
        seconds: Of fitting and sampling.
        error: Why it failed, or None.
    """

    values: NDArray[np.float64] | None
    seconds: float
    error: str | None


def run_task(task: Task) -> Outcome:
    """Fit, sample and measure; whatever fails is an outcome with its error."""
    start = time.perf_counter()
    try:
        synthetic = task.synthesis(task.training_rows(), task.seeds())
        seconds = time.perf_counter() - start
        return Outcome(task.measure(synthetic), seconds, None)
    except Exception as error:
        reason = f"{type(error).__name__}: {error}"
        return Outcome(None, time.perf_counter() - start, reason)


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
    shown = _run(missing, n_jobs, one_by_one=verbose or folder is not None)
    bar = tqdm(shown, initial=len(known), total=len(tasks), desc=title, disable=not verbose)
    for task, outcome in zip(missing, bar, strict=True):
        known[task.key] = outcome
        if folder is not None:
            _write(folder, task, outcome)
    return [known[task.key] for task in tasks]


def fingerprint(*parts: Any) -> str:
    """A name for everything that an outcome depends on."""
    digest = hashlib.sha256()
    for part in parts:
        if isinstance(part, pd.DataFrame):
            digest.update(str(list(part.columns)).encode())
            part = pd.util.hash_pandas_object(part.astype(str), index=False).to_numpy()
        elif not isinstance(part, np.ndarray):
            part = json.dumps(part, default=str, sort_keys=True)
        digest.update(part.tobytes() if isinstance(part, np.ndarray) else part.encode())
        digest.update(b"\n")
    return digest.hexdigest()[:32]


def _run(tasks: Sequence[Task], n_jobs: int | None, *, one_by_one: bool) -> Iterable[Outcome]:
    # Not every backend can hand out results one by one.
    backend, _ = get_active_backend()
    can = bool(getattr(backend, "supports_return_generator", False))
    parallel = joblib.Parallel(n_jobs=n_jobs, return_as="generator" if one_by_one and can else "list")
    outcomes: Iterable[Outcome] = parallel(joblib.delayed(run_task)(task) for task in tasks)
    return outcomes


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
