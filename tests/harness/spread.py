"""Which of xdist's workers runs what: one has all that is real, in its order, the others share the rest.

So there is one Spark session, one broker, one database server and one browser, and what is timed on them is disturbed
by Python alone. xdist's own groups are names that it hangs on tests' ids, which pytest from 9.2 on does not see.
"""

from collections.abc import Collection
from functools import cached_property

import pytest
from xdist.remote import Producer
from xdist.scheduler import LoadScopeScheduling

from tests.harness.place import place

_REAL = "real"


def pytest_configure(config: pytest.Config) -> None:
    if hasattr(config, "workerinput"):
        config.pluginmanager.register(Teller(), "penstock-spread")


class Teller:
    """Tells the controller, which collects nothing itself, what is real."""

    @pytest.hookimpl(tryfirst=True)  # before xdist tells it of the tests
    def pytest_collection_finish(self, session: pytest.Session) -> None:
        real = [item.nodeid for item in session.items if item.get_closest_marker(_REAL)]
        (place() / "real").write_text("\n".join(real), encoding="utf-8")  # by each worker, and the same


class Spread(LoadScopeScheduling):  # type: ignore[misc]  # xdist has no types
    """The biggest group is given out first: what is real, which takes longest."""

    @cached_property
    def real(self) -> Collection[str]:
        """The ids of what is real; read when all workers have collected."""
        return frozenset((place() / "real").read_text(encoding="utf-8").splitlines())

    def _split_scope(self, nodeid: str) -> str:
        return _REAL if nodeid in self.real else nodeid


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> LoadScopeScheduling | None:
    return Spread(config, log) if config.getvalue("dist") == "loadgroup" else None
