"""Which of xdist's workers runs what: all that shares a Spark, a broker, a browser or a cluster is one worker's.

So there is one browser for all tests that open pages, one database server, one Spark session for all that share it,
one more with the one broker; clusters are apart from them, and so is what starts JVMs of its own. Who is done takes
the next of these groups, then tests that talk to penstock's own servers, one by one, then files of what is Python
alone: what a file's tests share was set up by each of three workers, when they had a test of it each. A real test
waits half of its time, for a JVM, a batch or a page: two cores have room for three workers. xdist's own groups are
names that it hangs on tests' ids, which pytest from 9.2 on does not see.
"""

from collections import OrderedDict
from collections.abc import Mapping
from functools import cached_property
from typing import Any

import pytest
from xdist.remote import Producer
from xdist.scheduler import LoadScopeScheduling

from tests.harness.needs import MARKS, parameters
from tests.harness.place import place

# The longest first: who begins one last is waited for by all. On two slow cores pages take 6 minutes and, with all
# tests on Spark, the session's 9, clusters 6, the others 2 to 5 each.
_BROWSER, _SPARK, _CLUSTER, _OWN, _KAFKA, _SERVER = GROUPS = ("browser", "spark", "cluster", "own", "kafka", "server")
ALONE = "alone"
# Fixtures, and a parameter that asks for one of them, that live as long as the run, and take long to come.
_BROKERS = frozenset({"kafka_state", "secured"})
_SESSIONS = frozenset({"spark", "on_spark"})
_SERVED = ("server", "browser")  # marks of tests that one PostgreSQL or one browser is enough for


def pytest_configure(config: pytest.Config) -> None:
    if hasattr(config, "workerinput"):
        config.pluginmanager.register(Teller(), "penstock-spread")


class Teller:
    """Tells the controller, which collects nothing itself, what is real."""

    @pytest.hookimpl(tryfirst=True)  # before xdist tells it of the tests
    def pytest_collection_finish(self, session: pytest.Session) -> None:
        found = [(item.nodeid, group_of(item)) for item in session.items]
        for name in (*GROUPS, ALONE):
            ids = [nodeid for nodeid, group in found if group == name]
            (place() / name).write_text("\n".join(ids), encoding="utf-8")  # by each worker, and the same


def group_of(item: pytest.Item) -> str | None:
    """The group that one worker runs as a whole; `ALONE` for what goes wherever room is, None for what its file has."""
    if not item.get_closest_marker("real"):
        return ALONE if item.get_closest_marker("sockets") else None
    uses = {*getattr(item, "fixturenames", ()), *parameters(item)}
    if uses & (_BROKERS | _SESSIONS):
        return _KAFKA if uses & _BROKERS else _SPARK
    marks = {name for name in MARKS if item.get_closest_marker(name)}
    if marks.difference(_SERVED):
        return _CLUSTER if "cluster" in marks else _OWN
    return _BROWSER if "browser" in marks else _SERVER


def in_turn(waiting: "OrderedDict[str, Any]") -> None:
    """Put them in the order in which they are given out: groups, tests alone, files with the most tests first.

    Who waits for sockets runs beside browsers and JVMs; what is left in the end takes a core each, and is short.
    """
    rank = {name: place for place, name in enumerate(GROUPS)}
    for name in sorted(waiting, key=lambda name: rank.get(name, len(GROUPS) if "::" in name else len(GROUPS) + 1)):
        waiting.move_to_end(name)


class Spread(LoadScopeScheduling):  # type: ignore[misc]  # xdist has no types
    """Gives out what is real first, which takes longest, and what is Python alone by files."""

    @cached_property
    def groups(self) -> Mapping[str, str]:
        """The group of each test that has one, by its id; read when all workers have collected."""
        listed = {name: (place() / name).read_text(encoding="utf-8").splitlines() for name in (*GROUPS, ALONE)}
        return {nodeid: name for name, ids in listed.items() for nodeid in ids}

    def _split_scope(self, nodeid: str) -> str:
        return unit_of(nodeid, self.groups.get(nodeid))

    def _assign_work_unit(self, node: object) -> None:
        if not any(self.assigned_work.values()):
            in_turn(self.workqueue)
        super()._assign_work_unit(node)


def unit_of(nodeid: str, group: str | None) -> str:
    """What is given to one worker as a whole."""
    if group is None:
        return nodeid.partition("::")[0]
    return nodeid if group == ALONE else group


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> LoadScopeScheduling | None:
    return Spread(config, log) if config.getvalue("dist") == "loadgroup" else None
