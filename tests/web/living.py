"""A live run: the simulator behind the real loop and a real store, with the pages beside it."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx

from penstock.config.problems import checked
from penstock.core.run import RunInfo
from penstock.simulation.live import LiveOptions, begin_live, live
from penstock.simulation.schema import ScenarioFile
from penstock.store.desk import Card
from penstock.store.open import open_store
from penstock.store.sql import SqlStore
from penstock.web.server import Site
from penstock.web.settings import Rate, WebSettings
from tests.patience import eventually, patience_s
from tests.web import asking

PATIENT = Rate(burst=100_000, per_s=100_000.0)
BATCH = {
    "stages": {"work": {"partitions": 8, "wait": "10ms", "task_overhead": "5ms"}},
    "max_rows_per_batch": 400,
    "trigger": "0s",
    "threads": 2,
}
SHOP: dict[str, Any] = {
    "name": "shop",
    "engine": "micro-batch",
    "duration": "30d",
    "interval": "5s",
    "settings": {"henge": {"quiet_at_most_s": 10.0}},
    "cluster": {"machines": 2, "cores": 4, "slots": 8},
    "jobs": [
        {"name": "fraud", "rate": 300, "intent": {"latency": "2s", "percentile": 95, "utility": 40}, "batch": BATCH},
        {"name": "clicks", "rate": 380, "intent": {"juice": 0.9, "utility": 10}, "batch": BATCH},
        {"name": "reports", "rate": 420, "intent": {"juice": 0.4, "utility": 10}, "batch": BATCH},
    ],
}


def gives_a_sign(store: SqlStore, run_id: str, off_s: float = 0.0) -> None:
    """As a controller does in each round; one alone proves nothing to a server, the next one after it does."""
    store.desk.leave_card(run_id, Card(time.time() + off_s, 50.0, interval_s=600.0))


@dataclass(frozen=True, slots=True)
class LiveRun:
    """The run, where it is recorded, and where its pages are."""

    run: RunInfo
    store: SqlStore
    place: Path
    site: Site

    @property
    def url(self) -> str:
        """Where the pages are."""
        return self.site.url

    def get(self, path: str, **query: str | float) -> Any:
        """An answer of the API."""
        return asking.get(f"{self.url}api/{path}", params=query).raise_for_status().json()

    def act(self, **body: Any) -> httpx.Response:
        """Ask the controller for something."""
        return asking.post(f"{self.url}api/control", json=body)

    def until(self, holds: Callable[[Any], bool]) -> Any:
        """The controller's state, once it is so."""

        def found() -> Any:
            control = self.get("control")
            return control if holds(control) else None

        return eventually(found)


@contextmanager
def living(place: Path, stop: threading.Event, approval: frozenset[str] = frozenset()) -> Iterator[LiveRun]:
    """The shop, ten times as fast as time, until the block ends."""
    path = place / "live.sqlite"
    options = LiveOptions(policy="henge", speed=10.0, approval=approval)
    scenario = checked(ScenarioFile, SHOP | {"duration": 4_000}, "shop")  # it works for as long as it lives
    with closing(open_store(path)) as writer, closing(open_store(path)) as reader:
        run = begin_live(writer, scenario, options)
        settings = WebSettings(
            port=0, tokens=place / "tokens.json", reads=PATIENT, acts=PATIENT, poll_s=0.1, whatif_s=patience_s()
        )
        thread = threading.Thread(target=live, args=(writer, run, scenario, options, stop), daemon=True)
        thread.start()
        try:
            with Site(reader, settings, lambda line: None).beside() as site:
                found = LiveRun(run, reader, path, site)
                eventually(lambda: len(reader.read_run(run.id).at_s) > 2 or not thread.is_alive() or None)
                assert thread.is_alive(), "the simulated controller ended; its traceback is above"
                yield found
        finally:
            stop.set()
            thread.join(patience_s())
            assert not thread.is_alive(), "the simulated controller was told to stop and goes on"
