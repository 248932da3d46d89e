"""`penstock coordinate` as a call: a coordinator of many applications while a block lasts."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from penstock.config.coordination import CoordinationFile, read_coordination
from penstock.core.view import View
from penstock.engines.applications.wire import Report
from penstock.extras import check_extra
from penstock.governing.coordinating import Coordination, Coordinator
from penstock.governing.remembering import DEFAULT_STORE
from penstock.threads import BesideThread

if TYPE_CHECKING:
    from penstock.web.agents_door import AgentsDoor

_STOPS_WITHIN_S = 30.0


@contextmanager
def coordinate(
    fleet: str | Path,
    *,
    policy: str | None = None,
    advise: bool = False,
    store: str | None = None,
    host: str = "127.0.0.1",
    port: int = 7474,
    tokens: Path | None = None,
    tls_certificate: Path | None = None,
    tls_key: Path | None = None,
    agents_ca: Path | None = None,
    say: Callable[[str], None] = lambda text: None,
) -> Iterator[Coordinator]:
    """Divide a cluster's executors among many applications, whose agents report here, while the block lasts.

    Agents come over TLS where a certificate and its key are given (PEM files), and must show a certificate of their own
    that `agents_ca` signed where that is given too.
    """
    check_extra("web")
    from penstock.web.agents_door import AgentsDoor, fresh_tokens, tokens_beside_runs
    from penstock.web.door_tls import door_tls

    file = read_coordination(Path(fleet), policy)
    current, tls = fresh_tokens(tokens or tokens_beside_runs()), door_tls(tls_certificate, tls_key, agents_ca)
    agents = partial(AgentsDoor, tokens=current, host=host, port=port, tls=tls)
    coordinator, door = with_door(file, Coordination(store or DEFAULT_STORE, policy, advise), agents, say)
    with door.open(), beside(coordinator):
        yield coordinator


@contextmanager
def beside(coordinator: Coordinator) -> Iterator[None]:
    """It divides in a thread of its own while the block lasts."""
    thread = BesideThread(coordinator.run, "penstock-coordinator")
    thread.start()
    try:
        yield
    finally:
        coordinator.stop()
        thread.join(_STOPS_WITHIN_S)


def with_door(
    file: CoordinationFile,
    how: Coordination,
    agents: "Callable[..., AgentsDoor]",
    say: Callable[[str], None],
    on_view: Callable[[View], None] = lambda view: None,
) -> "tuple[Coordinator, AgentsDoor]":
    """The coordinator, who tells where agents find it, and the door there, which hands it what they report."""
    coordinator: Coordinator | None = None

    def hear(report: Report) -> bytes:
        assert coordinator is not None
        return coordinator.hear(report)

    door = agents(hear)
    coordinator = Coordinator(file, replace(how, place=door.url), on_view, say)
    return coordinator, door
