"""What a test needs beside Python: told by its fixtures and by the marks of its file, and held to by a guard.

A test that uses the fixture of a server, or has its name for a parameter, is marked for that. A file whose tests start
such programs themselves marks them with `pytestmark = pytest.mark.jvm`, `server`, `browser` or `cluster`. Each of these
is `real` too: what `make check` leaves out. A test that is not marked and starts one fails, and says which mark it
lacks: when it starts the program itself, before that happens; when a child of it does, at the test's end.
"""

import contextlib
import os
import sys
import threading
from collections.abc import Collection, Generator, Iterable
from pathlib import Path
from typing import Any

import pytest

from penstock.engines.spark.profiling import usage

MARKS = {
    "jvm": "starts a JVM: Spark, Kafka, a tool in Java",
    "server": "starts PostgreSQL",
    "browser": "opens pages in Chromium",
    "cluster": "makes hosts of its own, or a cluster",
    "yarn": "starts a YARN; see `make test-yarn`",
    "kubernetes": "starts a Kubernetes API server; see `make test-kubernetes`",
    "lakes": "reads and writes Delta and Iceberg on a Spark that they are for; see `make test-lakes`",
    "lineage": "runs OpenLineage's listener in Spark; see `make test-lineage`",
}
# Needs Python alone, but is not in `make check` either, or not in `make test`.
ALONE = {
    "sockets": "starts penstock's own servers, or drivers, and waits for what they do",
    "long": "adds breadth; see `make test-long`",
    "helm": "renders the Helm chart; see `make chart`",
    "alerts": "asks a real Prometheus; see `make alerts`",
}
# On real Spark or Kafka, and yet in `make test`, whose other tests have the fake for Spark. A test that is run over
# both has the mark over both.
CONTRACT = {"contract": "what breaks first if Spark differs from its fake; the others on Spark: `make test-spark`"}
BY_FIXTURE = {
    "spark": "jvm",
    "kafka_state": "jvm",
    "postgres": "server",
    "browser": "browser",
    "kubernetes": "kubernetes",
    "yarn": "yarn",
}
BY_PARAMETER = {"postgresql": "server", "on_spark": "jvm"}  # of fixtures and tests that ask for it only then
PROGRAMS = {
    "java": "jvm",
    "spark-class": "jvm",
    "spark-submit": "jvm",
    "initdb": "server",
    "postgres": "server",
    "chromium": "browser",
    "chromium-browser": "browser",
    "google-chrome": "browser",
    "chrome": "browser",
}
REAL_LIMIT_S, LIMIT_S = 600, 300  # the last defence only: a host may give a machine a tenth of its cores for minutes
_LOOK_EVERY_S = 0.2  # a JVM lives for half a second at least, and a look costs some milliseconds
_STARTS = ("subprocess.Popen", "os.posix_spawn")


def pytest_configure(config: pytest.Config) -> None:
    for name, meaning in {**MARKS, "real": "any of them", **ALONE, **CONTRACT}.items():
        config.addinivalue_line("markers", f"{name}: {meaning}")


def pytest_itemcollected(item: pytest.Item) -> None:
    """Mark it, before marks select and xdist reads its groups."""
    found = [BY_FIXTURE.get(name) for name in getattr(item, "fixturenames", ())]
    found += [BY_PARAMETER.get(value) for value in parameters(item)]
    for mark in filter(None, found):
        item.add_marker(mark)
    marked = {mark.name for mark in item.iter_markers()}
    real = not marked.isdisjoint(MARKS)
    if real:
        item.add_marker("real")
    if "timeout" not in marked:
        item.add_marker(pytest.mark.timeout(REAL_LIMIT_S if real else LIMIT_S))


def parameters(item: pytest.Item) -> list[str]:
    """The words among its parameters."""
    given = getattr(getattr(item, "callspec", None), "params", {}).values()
    return [value for value in given if isinstance(value, str)]


def sentence(programs: Iterable[str]) -> str:
    """What is wrong with a test that started these, and the line that mends it."""
    program = min(programs)
    return (
        f"this test starts {program} and is not marked for it: write `pytestmark = pytest.mark.{PROGRAMS[program]}`"
        " at the top of its file, so that `make check` leaves it out"
    )


def runs(pid: int) -> str:
    """The program that a process runs: a shell, where a test wrote a script and called it `java`, until its `exec`."""
    return Path(os.readlink(f"/proc/{pid}/exe")).name


class Watch:
    """What one part of one unmarked test starts; nothing is looked at before it starts something."""

    def __init__(self, programs: Collection[str] = frozenset(PROGRAMS)) -> None:
        self.seen: set[str] = set()
        self._programs = frozenset(programs)
        self._over = threading.Event()
        self._looking: threading.Thread | None = None

    def starts(self, command: Iterable[str]) -> None:
        """The test is about to start a program."""
        found = self._programs & {Path(word).name for word in command}
        self.seen |= found
        if found:
            raise PermissionError(sentence(found))  # an error of the kind that starting a program has
        if self._looking is None:
            before = usage.below(os.getpid())
            self._looking = threading.Thread(target=self._look, args=(before,), daemon=True)
            self._looking.start()

    def end(self) -> None:
        """The test is over."""
        self._over.set()
        if self._looking is not None:
            self._looking.join()

    def _look(self, before: Collection[int]) -> None:
        while not self._over.wait(_LOOK_EVERY_S):
            # What stems from a server of other tests is not this test's: PostgreSQL begins a process of its own to
            # clean a table up, whenever it likes.
            for pid in set(usage.below(os.getpid())).difference(before, *(usage.below(pid) for pid in before)):
                with contextlib.suppress(OSError):
                    self.seen |= self._programs & {runs(pid)}


_watch: Watch | None = None


def _heard(event: str, values: tuple[Any, ...]) -> None:
    if _watch is not None and event in _STARTS:
        words = values[1] if isinstance(values[1], list | tuple) else [values[1]]
        _watch.starts(os.fsdecode(word) for word in (values[0], *words) if word is not None)


sys.addaudithook(_heard)


def _guarded(item: pytest.Item) -> Generator[None, Any, Any]:
    global _watch
    if item.get_closest_marker("real"):
        return (yield)
    _watch = watch = Watch()
    try:
        result = yield
    finally:
        _watch = None
        watch.end()
        if watch.seen:  # whatever else came of it
            pytest.fail(sentence(watch.seen), pytrace=False)
    return result


@pytest.hookimpl(wrapper=True)
def pytest_runtest_setup(item: pytest.Item) -> Generator[None, Any, Any]:
    return (yield from _guarded(item))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, Any, Any]:
    return (yield from _guarded(item))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(item: pytest.Item) -> Generator[None, Any, Any]:
    return (yield from _guarded(item))
