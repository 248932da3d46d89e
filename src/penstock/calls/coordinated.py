"""`penstock coordinate` as a call: a coordinator of many applications while a block lasts."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, closing, contextmanager, nullcontext
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from penstock.config.coordination import CoordinationFile, read_coordination
from penstock.core.seen.view import View
from penstock.engines.applications.wire import Report
from penstock.errors import ConfigError
from penstock.extras import check_extra
from penstock.governing.advising import Advising
from penstock.governing.coordinating import Coordination, Coordinator
from penstock.governing.remembering import DEFAULT_STORE
from penstock.threads import BesideThread

if TYPE_CHECKING:
    from penstock.web.agents_door import AgentsDoor, AgentTokens
    from penstock.web.door_tls import DoorTls

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
    keda: int | None = None,
    keda_host: str = "127.0.0.1",
    say: Callable[[str], None] = lambda text: None,
) -> Iterator[Coordinator]:
    """Divide a cluster's executors among many applications, whose agents report here, while the block lasts.

    Agents come over TLS where a certificate and its key are given (PEM files), and must show a certificate of their own
    that `agents_ca` signed where that is given too. `keda` is a port at which KEDA's external scaler is answered; 0
    takes a free one, and `say` hears where. With `advise` nothing is ordered, and `say` hears what would be saved.
    """
    check_extra("web")
    check_keda(keda, advise, "keda")
    from penstock.web.agents_door import AgentsDoor, fresh_tokens, tokens_beside_runs
    from penstock.web.door_tls import door_tls

    file = read_coordination(Path(fleet), policy)
    # A file that holds none is refused before anything listens.
    current, tls = fresh_tokens(tokens or tokens_beside_runs()), door_tls(tls_certificate, tls_key, agents_ca)
    agents = partial(AgentsDoor, tokens=current, host=host, port=port, tls=tls)
    advising = Advising(file.core_price(), say) if advise else None
    how = Coordination(store or DEFAULT_STORE, policy, advise)
    coordinator, door = with_door(file, how, agents, say, advising or (lambda view: None))
    with closing(door):  # also where nobody comes to open it: its port would be kept from the next coordinator
        asked = answering_keda(coordinator, current, keda_host, keda, tls, say)
        with door.open(), asked, advising or nullcontext(), beside(coordinator):
            yield coordinator


def check_keda(port: int | None, advise: bool, field: str) -> None:
    """Whoever only advises must not be carried out by another."""
    if port is None:
        return
    check_extra("keda")
    if advise:
        raise ConfigError(field, port, "leave it out with --advise: KEDA would carry out what is only advice")


def answering_keda(
    coordinator: Coordinator,
    tokens: "Callable[[], AgentTokens]",
    host: str,
    port: int | None,
    tls: "DoorTls | None",
    say: Callable[[str], None],
) -> AbstractContextManager[object]:
    """KEDA is answered while the block lasts, if there is a port for it; `say` hears where."""
    if port is None:
        return nullcontext()
    from penstock.web.keda.door import KedaDoor, KedaSettings

    settings = KedaSettings(host, port, None if tls is None else (tls.certificate, tls.key))
    if settings.tokens_required and tls is None:
        say("warning: without TLS (a certificate and its key) KEDA's tokens can be read on the way")
    door = KedaDoor(coordinator.wishes, lambda: coordinator.leads, tokens, settings)
    say(f"KEDA is answered at {door.address}, by the leading coordinator")
    return door.open()


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

    def troubles() -> tuple[str, ...]:
        return (*door.troubles(), *how.troubles())

    door = agents(hear)
    try:
        told = replace(how, place=door.url, troubles=troubles, shut_s=lambda: door.shut_s)
        coordinator = Coordinator(file, told, on_view, say)
    except BaseException:
        door.close()
        raise
    return coordinator, door
