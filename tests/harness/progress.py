"""A line of progress a minute, to a terminal and into a pipe alike: how much is done, and what runs now since when."""

import os
import threading
import time

import pytest

EVERY_S = 30.0


def pytest_configure(config: pytest.Config) -> None:
    if not hasattr(config, "workerinput"):  # xdist's workers tell their controller
        config.pluginmanager.register(Progress(time.monotonic()), "penstock-progress")


class Progress:
    """Counts tests, and tells of them from a thread of its own: a test that hangs is told of too."""

    def __init__(self, began_s: float) -> None:
        self._began_s = began_s
        self._total = 0
        self._done = 0
        self._failed = 0
        self._running: dict[str, float] = {}
        self._over = threading.Event()

    def pytest_sessionstart(self) -> None:
        out = os.dup(1)  # the terminal's own: while a test runs, what is printed is captured
        threading.Thread(target=self._tell, args=(out,), daemon=True).start()

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_node_collection_finished(self, ids: list[str]) -> None:
        self._total = len(ids)

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        self._total = len(session.items) or self._total

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        self.began(nodeid, time.monotonic())

    def pytest_runtest_logfinish(self, nodeid: str) -> None:
        self._running.pop(nodeid, None)
        self._done += 1

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self._failed += report.failed

    def pytest_sessionfinish(self) -> None:
        self._over.set()

    def began(self, test: str, now_s: float) -> None:
        """A test runs since then."""
        self._running[test] = now_s

    def line(self, now_s: float) -> str:
        """How far it is."""
        running = [f"{name} for {now_s - since_s:.0f} s" for name, since_s in list(self._running.items())]
        known = f"{self._done} of {self._total} done, {self._failed} failed" if self._total else "collecting"
        now = ", ".join(running) or "between tests"
        return f"[{(now_s - self._began_s) / 60:.1f} min] {known}; now: {now}"

    def _tell(self, out: int) -> None:
        while not self._over.wait(EVERY_S):
            os.write(out, f"\n{self.line(time.monotonic())}\n".encode())
