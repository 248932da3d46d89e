"""Which of xdist's workers runs what: one has all that is real and shared, another what starts servers of its own.

So there is one Spark session and one broker for all tests that share them, in their order; beside them run tests with
drivers, clusters, a database or a browser of their own, and then what is Python alone. xdist's own groups are names
that it hangs on tests' ids, which pytest from 9.2 on does not see.
"""

from collections.abc import Mapping
from functools import cached_property

import pytest
from xdist.remote import Producer
from xdist.scheduler import LoadScopeScheduling

from tests.harness.needs import parameters
from tests.harness.place import place

_SHARED, _OWN = "shared", "own"
# Fixtures, and a parameter that asks for one of them, that live as long as the run, and take long to come.
_SHARES = frozenset({"spark", "kafka_state", "on_spark"})


def pytest_configure(config: pytest.Config) -> None:
    if hasattr(config, "workerinput"):
        config.pluginmanager.register(Teller(), "penstock-spread")


class Teller:
    """Tells the controller, which collects nothing itself, what is real."""

    @pytest.hookimpl(tryfirst=True)  # before xdist tells it of the tests
    def pytest_collection_finish(self, session: pytest.Session) -> None:
        for name in (_SHARED, _OWN):
            ids = [item.nodeid for item in session.items if _group(item) == name]
            (place() / name).write_text("\n".join(ids), encoding="utf-8")  # by each worker, and the same


def _group(item: pytest.Item) -> str | None:
    if not item.get_closest_marker("real"):
        return None
    return _SHARED if _SHARES.intersection([*getattr(item, "fixturenames", ()), *parameters(item)]) else _OWN


class Spread(LoadScopeScheduling):  # type: ignore[misc]  # xdist has no types
    """The biggest groups are given out first: what is real, which takes longest."""

    @cached_property
    def groups(self) -> Mapping[str, str]:
        """The group of each test that is real, by its id; read when all workers have collected."""
        listed = {name: (place() / name).read_text(encoding="utf-8").splitlines() for name in (_SHARED, _OWN)}
        return {nodeid: name for name, ids in listed.items() for nodeid in ids}

    def _split_scope(self, nodeid: str) -> str:
        return self.groups.get(nodeid, nodeid)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> LoadScopeScheduling | None:
    return Spread(config, log) if config.getvalue("dist") == "loadgroup" else None
