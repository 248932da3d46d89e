"""`penstock serve` as a call: pages, API and metrics while a block lasts."""

from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from threading import Event, Thread

from penstock.extras import check_extra
from penstock.store.open import open_store
from penstock.store.sql import SqlStore
from penstock.web.reading import Reader
from penstock.web.settings import WebSettings
from penstock.web.sinks import send_to, sinks_of


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
    say: Callable[[str], None] = lambda text: None,
) -> Iterator[Served]:
    """Dashboard, API and metrics over a store while the block lasts; `url` says where. `port` 0 takes a free one.

    `sinks` are targets of metrics, as `penstock serve --sink` has them. `settings` are all there are, in place of port
    and host; `say` hears what should be known, such as new tokens.

    with ps.serve(port=0) as site:
        print(site.url)
    """
    check_extra("web")
    from penstock.web.server import Site

    how = settings or WebSettings(host=host, port=port)
    with closing(open_store(store)) as opened, sent(opened, sinks), Site(opened, how, say).beside() as site:
        yield Served(site.url)


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
