"""Which of xdist's workers runs what: one has all that shares a Spark, one what starts JVMs of its own, one the rest.

So there is one Spark session and one broker for all tests that share them, in their order; beside them run tests with
drivers and clusters of their own, and on a third worker those with the one database server and the one browser. Who is
done goes on with what is Python alone. A real test waits half of its time, for a JVM, a batch or a page: two cores have
room for three workers. xdist's own groups are names that it hangs on tests' ids, which pytest from 9.2 on does not see.
"""

from collections.abc import Mapping
from functools import cached_property

import pytest
from xdist.remote import Producer
from xdist.scheduler import LoadScopeScheduling

from tests.harness.needs import MARKS, parameters
from tests.harness.place import place

_SHARED, _OWN, _SERVED = GROUPS = ("shared", "own", "served")
# Fixtures, and a parameter that asks for one of them, that live as long as the run, and take long to come.
_SHARES = frozenset({"spark", "kafka_state", "on_spark"})
_SERVES = ("server", "browser")  # marks of tests that one PostgreSQL or one browser is enough for


def pytest_configure(config: pytest.Config) -> None:
    if hasattr(config, "workerinput"):
        config.pluginmanager.register(Teller(), "penstock-spread")


class Teller:
    """Tells the controller, which collects nothing itself, what is real."""

    @pytest.hookimpl(tryfirst=True)  # before xdist tells it of the tests
    def pytest_collection_finish(self, session: pytest.Session) -> None:
        for name in GROUPS:
            ids = [item.nodeid for item in session.items if group_of(item) == name]
            (place() / name).write_text("\n".join(ids), encoding="utf-8")  # by each worker, and the same


def group_of(item: pytest.Item) -> str | None:
    """The group that one worker runs as a whole; None for what is Python alone."""
    if not item.get_closest_marker("real"):
        return None
    if _SHARES.intersection([*getattr(item, "fixturenames", ()), *parameters(item)]):
        return _SHARED
    others = [name for name in MARKS if name not in _SERVES and item.get_closest_marker(name)]
    return _OWN if others else _SERVED


class Spread(LoadScopeScheduling):  # type: ignore[misc]  # xdist has no types
    """The biggest groups are given out first: what is real, which takes longest."""

    @cached_property
    def groups(self) -> Mapping[str, str]:
        """The group of each test that is real, by its id; read when all workers have collected."""
        listed = {name: (place() / name).read_text(encoding="utf-8").splitlines() for name in GROUPS}
        return {nodeid: name for name, ids in listed.items() for nodeid in ids}

    def _split_scope(self, nodeid: str) -> str:
        return self.groups.get(nodeid, nodeid)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> LoadScopeScheduling | None:
    return Spread(config, log) if config.getvalue("dist") == "loadgroup" else None
