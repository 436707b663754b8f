"""A headless Chromium, spoken to by its DevTools protocol over a pipe: no driver, no port."""

from __future__ import annotations

import base64
import contextlib
import itertools
import json
import os
import select
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--disable-dev-shm-usage",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--hide-scrollbars",
    "--remote-debugging-pipe",
)
# Chromium wants its pipe at 3 and 4, whatever stands there in this process.
LAUNCH = """
import fcntl, os, sys
ends = [fcntl.fcntl(int(end), fcntl.F_DUPFD, 10) for end in sys.argv[1:3]]
for end, place in zip(ends, (3, 4)):
    os.dup2(end, place)
os.execv(sys.argv[3], sys.argv[3:])
"""
PATIENCE = 60.0


class Browser:
    """One page in a browser.

    Attributes:
        events: What the browser has told, as it came.
    """

    def __init__(self, into: int, out_of: int) -> None:
        self.events: list[dict[str, Any]] = []
        self._into, self._out_of = into, out_of
        self._numbers = itertools.count(1)
        self._buffer = b""
        self._session: str | None = None
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        attached = self.call("Target.attachToTarget", targetId=target, flatten=True)
        self._session = attached["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")

    def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        """Give an order and wait for its answer."""
        number = next(self._numbers)
        message: dict[str, Any] = {"id": number, "method": method, "params": parameters}
        if self._session is not None:
            message["sessionId"] = self._session
        os.write(self._into, json.dumps(message).encode() + b"\0")
        while True:
            told = self._read()
            if told.get("id") == number:
                assert "error" not in told, told
                return dict(told["result"])
            self.events.append(told)

    def open(self, path: Path, width: int, height: int = 900) -> None:
        """Show a file and wait until it is loaded and drawn."""
        self.call(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=width < 600,
        )
        self.events.clear()
        self.call("Page.navigate", url=path.as_uri())
        while not any(event.get("method") == "Page.loadEventFired" for event in self.events):
            self.events.append(self._read())
        self.evaluate("new Promise(r => requestAnimationFrame(() => setTimeout(r, 300)))")

    def evaluate(self, script: str) -> Any:
        """The value of an expression in the page."""
        told = self.call(
            "Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True
        )
        assert "exceptionDetails" not in told, told
        return told["result"].get("value")

    def complaints(self) -> list[str]:
        """What stands on the console as an error or warning, and what was thrown."""
        found = []
        for event in self.events:
            method, parameters = event.get("method"), event.get("params", {})
            if method == "Runtime.exceptionThrown":
                found.append(str(parameters["exceptionDetails"]))
            elif method == "Log.entryAdded" and parameters["entry"]["level"] in (
                "error",
                "warning",
            ):
                found.append(parameters["entry"]["text"])
            elif method == "Runtime.consoleAPICalled" and parameters["type"] in (
                "error",
                "warning",
            ):
                found.append(str(parameters["args"]))
        return found

    def requests(self) -> list[str]:
        """Everything the page asked for, itself included."""
        return [
            event["params"]["request"]["url"]
            for event in self.events
            if event.get("method") == "Network.requestWillBeSent"
        ]

    def screenshot(self, path: Path) -> None:
        """The whole page as a PNG."""
        told = self.call("Page.captureScreenshot", captureBeyondViewport=True)
        path.write_bytes(base64.b64decode(told["data"]))

    def _read(self) -> dict[str, Any]:
        limit = time.monotonic() + PATIENCE
        while b"\0" not in self._buffer:
            ready, _, _ = select.select([self._out_of], [], [], max(0.0, limit - time.monotonic()))
            assert ready, "the browser does not answer"
            part = os.read(self._out_of, 1 << 20)
            assert part, "the browser has gone"
            self._buffer += part
        message, _, self._buffer = self._buffer.partition(b"\0")
        return dict(json.loads(message))


def find_chromium() -> str:
    """Where Chromium is; the test is skipped where there is none."""
    for name in ("chromium", "chromium-browser", "google-chrome"):
        found = shutil.which(name)
        if found:
            return found
    pytest.skip("there is no Chromium on this machine (Debian: apt-get install chromium)")


def axe_script(folder: Path) -> str:
    """axe-core from npm; the test is skipped where it cannot be had."""
    npm = shutil.which("npm")
    if npm is None:
        pytest.skip("there is no npm on this machine, which axe-core comes from")
    words = [npm, "pack", "--silent", "axe-core@4"]
    got = subprocess.run(words, cwd=folder, capture_output=True, timeout=120, check=False)
    packed = list(folder.glob("axe-core-*.tgz"))
    if got.returncode or not packed:
        pytest.skip("npm does not give axe-core here (no network, or no registry)")
    with tarfile.open(packed[0]) as archive:
        member = archive.extractfile("package/axe.min.js")
        assert member is not None
        return member.read().decode()


@contextlib.contextmanager
def browser() -> Iterator[Browser]:
    """A browser with a fresh profile, gone at the end."""
    chromium = find_chromium()
    read_orders, orders = os.pipe()
    answers, write_answers = os.pipe()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        words = [str(read_orders), str(write_answers), chromium, *FLAGS]
        process = subprocess.Popen(
            [sys.executable, "-c", LAUNCH, *words, f"--user-data-dir={profile}"],
            pass_fds=(read_orders, write_answers),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(read_orders)
        os.close(write_answers)
        try:
            yield Browser(orders, answers)
        finally:
            os.close(orders)
            os.close(answers)
            process.terminate()
            process.wait(timeout=30)
