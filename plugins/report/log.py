"""What happens while a report is made: steps with their time, notes, failures."""

from __future__ import annotations

import logging
import time
import warnings
from collections.abc import Hashable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from sdmetrics_disclosure.plugins.base.findings import Question
from sdmetrics_disclosure.plugins.findings.others import Failure
from sdmetrics_disclosure.plugins.findings.redaction import MessageRedactor
from sdmetrics_disclosure.plugins.results.result import Step

LOGGER = logging.getLogger("sdmetrics_disclosure.plugins.report")
# Preparations shorter than this are no step of their own.
SHOWN_SECONDS = 0.1


@dataclass(frozen=True)
class _Failed:
    metric: str
    table: str | None
    column: Hashable
    error: Exception


@dataclass
class AuditLog:
    """What is kept until the end, when all messages are redacted together.

    Attributes:
        steps: What was done, with its time.
    """

    steps: list[Step] = field(default_factory=list)
    _notes: dict[str, bool] = field(default_factory=dict)
    _failed: list[_Failed] = field(default_factory=list)

    @contextmanager
    def step(
        self,
        name: str,
        metric: str | None = None,
        *,
        table: str | None = None,
        column: Hashable = None,
        bar: Any = None,
    ) -> Iterator[None]:
        """Time a step; its warnings become notes, its exception a failure.

        Args:
            name:
                Of the step.
            metric:
                Whose it is, where that is not its name.
            table:
                The table's name, or None.
            column:
                The sensitive column, or None.
            bar:
                A progress bar to move, or None.
        """
        said = ", ".join([name, *(str(part) for part in (table, column) if part is not None)])
        if bar is not None:
            bar.set_description(said)
        start = time.perf_counter()
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            try:
                yield
            except Exception as error:
                self.fail(metric or name, table, column, error)
        warned = [str(w.message) for w in caught if issubclass(w.category, UserWarning)]
        self.note(*warned, ours=False)
        seconds = time.perf_counter() - start
        if bar is not None or seconds > SHOWN_SECONDS:
            self.steps.append(Step(said, seconds))
        if bar is not None:
            bar.update()

    def note(self, *messages: str, ours: bool = True) -> None:
        """Keep what was noticed, each message once.

        Args:
            messages:
                A sentence each.
            ours:
                Whether this package wrote them: then they say no values.
        """
        for message in messages:
            self._notes.setdefault(message, ours)

    def fail(self, metric: str, table: str | None, column: Hashable, error: Exception) -> None:
        """Keep why a metric has no number; the traceback goes to the log, at debug level."""
        LOGGER.debug("%s failed", metric, exc_info=error)
        self._failed.append(_Failed(metric, table, column, error))

    def notes(self, redactor: MessageRedactor) -> tuple[str, ...]:
        """What was noticed, as it may be shown."""
        theirs = [message for message, ours in self._notes.items() if not ours]
        shown = dict(zip(theirs, redactor.notes(theirs), strict=True))
        return tuple(dict.fromkeys(shown.get(message, message) for message in self._notes))

    def failures(
        self, redactor: MessageRedactor, questions: Mapping[str, Question]
    ) -> tuple[Failure, ...]:
        """What has no number, and why, as it may be shown.

        Args:
            redactor:
                Keeps messages that quote the data out.
            questions:
                Of each metric; what failed and is none, such as an estimate, is left out.
        """
        failed = [each for each in self._failed if each.metric in questions]
        errors = redactor.errors([each.error for each in failed])
        return tuple(
            Failure(
                table=each.table,
                metric=each.metric,
                column=None if each.column is None else str(each.column),
                question=questions[each.metric],
                error=error,
            )
            for each, error in zip(failed, errors, strict=True)
        )
