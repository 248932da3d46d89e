"""A failed test leaves the logs of what it started, whoever wrote them, in one folder that the run's end names.

Everything that tests start writes below the run's folder, see `place`: Kafka's broker, Spark's masters, workers and
executors, the driver of the tests' own session, PostgreSQL. At a failure, while all that still runs, the ends of the
logs that grew during the test are copied to a folder of the test's name. Where nothing fails, nothing is kept.
"""

import os
import re
from collections.abc import Generator, Iterator
from pathlib import Path

import pytest

from tests.harness.place import logs_place, place, remove

AT_MOST = 1_000_000  # bytes of each log
_NAMES = {"log", "said", "stderr", "stdout"}  # of PostgreSQL, of the tests' own children, of Spark's executors
_began = pytest.StashKey[float]()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    began_s = item.stash.setdefault(_began, call.start)
    if report.failed:
        keep(report.nodeid, report.when, began_s, str(report.longrepr))
    return report


def keep(test: str, when: str, since_s: float, said: str) -> None:
    """Copy the logs that grew since then to the test's folder, with what pytest says."""
    folder = logs_place() / re.sub(r"[^\w.-]+", "-", test)[-150:]
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"pytest-{when}.txt").write_text(said, encoding="utf-8")
    for log in grown(place(), since_s):
        name = str(log.relative_to(place())).replace("/", "-")
        (folder / name[-200:]).write_bytes(end_of(log))


def grown(root: Path, since_s: float) -> Iterator[Path]:
    """The logs below it that were written to since then."""
    for folder, _, names in os.walk(root):
        for name in names:
            log = Path(folder, name)
            if (name in _NAMES or log.suffix == ".log") and not log.stem.isdigit() and _grew(log, since_s):
                yield log


def end_of(log: Path) -> bytes:
    """As much of its end as is kept."""
    with log.open("rb") as lines:
        lines.seek(max(0, lines.seek(0, os.SEEK_END) - AT_MOST))
        return lines.read()


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    if any(logs_place().iterdir()):
        terminalreporter.write_line(f"logs of what the failed tests started: {logs_place()}")


def pytest_unconfigure(config: pytest.Config) -> None:
    if not hasattr(config, "workerinput"):
        remove()


def _grew(log: Path, since_s: float) -> bool:
    try:
        found = log.stat()
    except FileNotFoundError:  # Spark has just cleared it away
        return False
    return found.st_size > 0 and found.st_mtime >= since_s
