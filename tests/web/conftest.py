"""A site over a recorded run, and a site over a live one."""

import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from pathlib import Path

import pytest

from penstock.store.open import open_store
from penstock.store.sql import SqlStore
from penstock.web.server import Site
from penstock.web.settings import Rate, WebSettings
from tests.recorded import RUN, a_cycle, a_judging_cycle, an_acting_cycle
from tests.web.living import LiveRun, living

PATIENT = Rate(burst=100_000, per_s=100_000.0)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SqlStore]:
    """Two runs: one older and over, one with a decision that helped and one that could not be done."""
    with closing(open_store(tmp_path / "runs.sqlite")) as opened:
        opened.begin(RUN)
        for cycle in (a_cycle(10.0), an_acting_cycle(20.0), a_judging_cycle(30.0, 20.0), an_acting_cycle(40.0, "gone")):
            opened.append(cycle)
        yield opened


@pytest.fixture
def settings(tmp_path: Path) -> WebSettings:
    return WebSettings(
        port=0, tokens=tmp_path / "tokens.json", reads=PATIENT, acts=PATIENT, logins=PATIENT, poll_s=0.05
    )


@pytest.fixture
def serve(store: SqlStore) -> Iterator[Callable[[WebSettings], Site]]:
    """Starts sites over the store, and ends them."""
    with ExitStack() as stack:

        def start(settings: WebSettings) -> Site:
            return stack.enter_context(Site(store, settings, lambda line: None).beside())

        yield start


@pytest.fixture
def site(serve: Callable[[WebSettings], Site], settings: WebSettings) -> Site:
    return serve(settings)


@pytest.fixture(scope="package")  # and no longer: tests of the store let this process's disk be full
def live(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveRun]:
    """A simulated shop behind the real loop, store and site, for all tests that look at something live."""
    place = tmp_path_factory.mktemp("live")
    stop = threading.Event()
    with living(place, stop) as run:
        yield run


@pytest.fixture
def own_live(tmp_path: Path) -> Iterator[LiveRun]:
    """Another one for one test: on a slow machine what all share is over before the last of them looks at it."""
    with living(tmp_path, threading.Event()) as run:
        yield run
