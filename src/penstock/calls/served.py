"""`penstock serve` as a call: pages, API and metrics while a block lasts."""

from collections.abc import Callable, Collection, Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from threading import Event, Thread
from typing import TYPE_CHECKING

from penstock.core.units import positive
from penstock.errors import ConfigError, choose
from penstock.extras import check_extra
from penstock.spoken import spoken
from penstock.store.open import open_store, open_to_serve
from penstock.store.sql import SqlStore
from penstock.threads import BesideThread
from penstock.web.reading import Reader
from penstock.web.settings import WebSettings
from penstock.web.sinks import send_to, sinks_of

if TYPE_CHECKING:
    from penstock.simulation.live import LiveOptions
    from penstock.simulation.schema import ScenarioFile


@dataclass(frozen=True, slots=True)
class Served:
    """Where pages, API and metrics are while the block lasts."""

    url: str


@contextmanager
def serve(
    store: str | Path | None = None,
    *,
    port: int = 7373,
    host: str = "127.0.0.1",
    sinks: tuple[str, ...] = (),
    settings: WebSettings | None = None,
    scenario: str | Path | None = None,
    policy: str | None = None,
    speed: float = 1.0,
    approval: Collection[str] = (),
    say: Callable[[str], None] = lambda text: None,
) -> Iterator[Served]:
    """Dashboard, API and metrics over a store while the block lasts; `url` says where. `port` 0 takes a free one.

    `sinks` are targets of metrics, as `penstock serve --sink` has them. `settings` are all there are, in place of port
    and host; `say` hears what should be known, such as new tokens, or that the pages are gone for a while.

    A `scenario` (a YAML file) is simulated in real time meanwhile, under `policy` and with `speed` simulated seconds in
    each real one; its jobs under `approval` want to be asked first.

    with ps.serve(port=0) as site:
        print(site.url)
    """
    check_extra("web")
    from penstock.simulation.live import LiveOptions
    from penstock.web.server import Site

    how = settings or WebSettings(host=host, port=port)
    lived = None if scenario is None else checked_scenario(Path(scenario), policy, approval, "approval")
    options = LiveOptions(policy, positive(speed, "speed"), frozenset(approval), Path(scenario or "").parent)
    with ExitStack() as meanwhile:
        opened = meanwhile.enter_context(closing(open_to_serve(store)))
        meanwhile.enter_context(sent(opened, sinks))
        meanwhile.enter_context(simulated_beside(store, lived, options))
        site = meanwhile.enter_context(Site(opened, how, say).beside(spoken(say)))
        yield Served(site.url)


def checked_scenario(path: Path, policy: str | None, approval: Collection[str], field: str) -> "ScenarioFile":
    """One that can be lived through; `field` is where the jobs that want to be asked are named."""
    from penstock.planning.registry import DEFAULT
    from penstock.simulation.checking import check_scenario
    from penstock.simulation.jobs import intents_of

    scenario = check_scenario(path, [policy or DEFAULT])[0].scenario
    jobs = intents_of(scenario)
    for name in approval:
        if name not in jobs:
            raise ConfigError(field, name, choose(name, jobs))
    return scenario


@contextmanager
def simulated_beside(
    store: str | Path | None, scenario: "ScenarioFile | None", options: "LiveOptions"
) -> Iterator[None]:
    """The scenario, lived through beside the pages, recorded by a store of its own."""
    if scenario is None:
        yield
        return
    from penstock.simulation.live import begin_live, live

    writer, stop = open_store(store), Event()
    run = begin_live(writer, scenario, options)
    thread = BesideThread(live, "penstock-simulated", (writer, run, scenario, options, stop))
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join(10.0)
        writer.close()


@contextmanager
def sent(store: SqlStore, targets: tuple[str, ...]) -> Iterator[None]:
    """Metrics on their way to each target meanwhile."""
    stop = Event()
    for target, sink in zip(targets, sinks_of(targets), strict=True):
        name = target.partition(":")[0]
        Thread(target=send_to, args=(Reader(store), sink, name, stop), name=f"penstock-{name}", daemon=True).start()
    try:
        yield
    finally:
        stop.set()
