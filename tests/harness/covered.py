"""Which lines of the project the tests run through, in one line at the end; `make check` asks for it.

Each process that runs tests puts a probe into each line below `src` that it imports (slipcover), which costs much less
than to trace all that Python does, as coverage.py has to before Python 3.12. So this begins before anything of the
project is imported, in xdist's workers too: it is named in `PYTEST_PLUGINS`, which is read before any conftest.py, as
`-p` is not in a worker.

What ran is then counted as coverage.py counts lines, and left where `coverage report` finds it. What tests start in
processes of their own is not seen.
"""

import os
import sys
from collections import defaultdict
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import CodeType

import pytest
from coverage import Coverage
from slipcover import FileMatcher, ImportManager, Slipcover
from slipcover.importer import SlipcoverLoader

_TOLD = "penstock_lines"  # in what a worker says at its end
# Slipcover takes probes out that were passed this often, for which it looks through all functions there are. That costs
# 60 ms each time, more than passing them does.
_NEVER = 2**31 - 1

Lines = Mapping[str, Collection[int]]  # by file


def pytest_load_initial_conftests(early_config: pytest.Config) -> None:
    """Begin, where tests are run: a controller leaves that to its workers."""
    worker = "PYTEST_XDIST_WORKER" in os.environ
    if worker or not getattr(early_config.known_args_namespace, "numprocesses", None):
        os.environ.pop("PYTEST_PLUGINS", None)  # a test that runs pytest has figures of its own
        early_config.pluginmanager.register(Probes(early_config.rootpath / "src"), "penstock-probes")
    if not worker:
        early_config.pluginmanager.register(Told(early_config.rootpath), "penstock-covered")


class Probes:
    """What ran in this process."""

    def __init__(self, sources: Path) -> None:
        known = sorted(package.name for package in sources.iterdir() if package.name in sys.modules)
        if known:
            raise pytest.UsageError(f"{known[0]} was imported before its lines could be counted: ask for it later")
        # Of a loader slipcover keeps no more than it needs; the package reads its public names with this.
        SlipcoverLoader.get_data = lambda loader, path: loader.orig_loader.get_data(path)
        self._probes = _Uncounted(d_miss_threshold=_NEVER)
        ImportManager(self._probes, FileMatcher(sources=[str(sources)])).__enter__()

    @pytest.hookimpl(tryfirst=True)  # before a worker says that it is done
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        if hasattr(session.config, "workeroutput"):
            session.config.workeroutput[_TOLD] = self.lines()
        else:
            told = session.config.pluginmanager.get_plugin("penstock-covered")
            assert isinstance(told, Told)
            told.add(self.lines())

    def lines(self) -> dict[str, list[int]]:
        """Those that ran so far."""
        return {name: sorted(lines) for name, lines in self._probes.newly_seen.items()}


class _Uncounted(Slipcover):  # type: ignore[misc]  # slipcover has no types
    """Without a list of the lines there are: coverage.py has one in the end, and to make it took 40 % of the time."""

    def instrument(self, code: CodeType, parent: CodeType | None = None) -> CodeType:
        """Probes for this code, as for the inner one of another: of these no list is made."""
        found: CodeType = super().instrument(code, parent or code)
        return found


@dataclass
class Told:
    """All processes together."""

    root: Path
    ran: defaultdict[str, set[int]] = field(default_factory=lambda: defaultdict(set))
    lost: int = 0  # processes that have not told

    def add(self, lines: Lines | None) -> None:
        """What one process says."""
        self.lost += lines is None
        for name, numbers in (lines or {}).items():
            self.ran[name].update(numbers)

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: object) -> None:
        self.add(getattr(node, "workeroutput", {}).get(_TOLD))

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        terminalreporter.write_line(self.text())

    def text(self) -> str:
        """The figure, in a line."""
        if self.lost:
            return "lines that these tests ran: not known, for a worker ended before it told"
        ran, there = counted(self.ran, self.root)
        share = int(1000 * ran / max(there, 1)) / 10  # cut, not rounded: only all are 100 %
        return f"lines of src that these tests ran: {ran:,} of {there:,} ({share} %), all workers together"


def counted(ran: Lines, root: Path) -> tuple[int, int]:
    """How many lines ran, and how many there are: as coverage.py counts, for which it is written down."""
    report = Coverage(data_file=str(root / ".coverage"))
    data = report.get_data()
    data.erase()
    data.add_lines(ran)
    files = [str(file) for file in sorted((root / "src").rglob("*.py"))]
    data.touch_files(files)
    found = [report.analysis2(file) for file in files]
    there = sum(len(lines) for _, lines, *_ in found)
    return there - sum(len(missing) for *_, missing, _ in found), there
