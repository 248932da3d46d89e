"""`penstock coordinate`: one penstock over many applications."""

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from threading import Thread
from typing import Any

import click

from penstock.cli.completing import policy_names
from penstock.cli.ending import ending_told, quietly
from penstock.cli.output import say
from penstock.cli.recorded import store_option
from penstock.cli.serving import dashboard_over, web_options
from penstock.errors import ConfigError, EngineError
from penstock.extras import check_extra

EXAMPLE = """
\b
Examples:
  penstock coordinate fleet.yaml --new-token fraud     for its agent
  penstock coordinate fleet.yaml
  penstock coordinate fleet.yaml --advise --dashboard
  penstock coordinate fleet.yaml --keda 7475           KEDA's external scaler
"""

_LOOK_EVERY_S = 0.5
_STOPS_WITHIN_S = 30.0


@click.command(epilog=EXAMPLE)
@click.argument("fleet", type=click.Path(path_type=Path))
@click.option("--policy", shell_complete=policy_names, help="The policy that decides; see `penstock policies`.")
@click.option("--advise", is_flag=True, help="Decide and say so, but order nothing.")
@click.option("--new-token", metavar="NAME", help="Make a token for the agents of NAME (team-a/* for many), and end.")
@click.option("--agents-host", default="127.0.0.1", show_default=True, help="Where agents are listened to.")
@click.option("--agents-port", type=click.IntRange(0, 65535), default=7474, show_default=True, help="0: a free one.")
@click.option(
    "--agent-tokens", type=click.Path(path_type=Path, dir_okay=False), help="Where the hashes of agents' tokens are."
)
@click.option("--keda", type=click.IntRange(0, 65535), metavar="PORT", help="Answer KEDA there; 0: a free one.")
@click.option("--keda-host", default="127.0.0.1", show_default=True, help="Where KEDA is answered; tokens beyond this.")
@store_option
@click.option("--dashboard", is_flag=True, help="Serve the fleet's pages meanwhile; see `penstock serve`.")
@web_options
def coordinate(
    fleet: Path,
    policy: str | None,
    advise: bool,
    new_token: str | None,
    agents_host: str,
    agents_port: int,
    agent_tokens: Path | None,
    keda: int | None,
    keda_host: str,
    store: str | None,
    dashboard: bool,
    **web: Any,
) -> None:
    """Divide a cluster's executors among many applications, whose agents report here."""
    from penstock.config.coordination import read_coordination

    if keda is not None:
        check_extra("keda")
        if advise:
            raise ConfigError("--keda", keda, "leave it out with --advise: nothing is to be carried out, KEDA would")
    file = read_coordination(fleet, policy)
    tokens = agent_tokens or _tokens_beside_runs()
    if new_token is not None:
        _make(tokens, new_token)
        return
    from penstock.governing.coordinating import Coordination, Coordinator
    from penstock.governing.remembering import DEFAULT_STORE
    from penstock.web.agents_door import AgentsDoor
    from penstock.web.agents_door import agent_tokens as read_tokens
    from penstock.web.settings import is_loopback

    logging.basicConfig(level=logging.WARNING, format="%(message)s")
    tls = (web["tls_certificate"], web["tls_key"]) if web["tls_certificate"] and web["tls_key"] else None
    coordinator: Coordinator | None = None

    def hear(report: Any) -> bytes:
        assert coordinator is not None
        return coordinator.hear(report)

    door = AgentsDoor(hear, _fresh(tokens, read_tokens), agents_host, agents_port, tls)
    how = Coordination(store or DEFAULT_STORE, policy, advise, door.url)
    coordinator = Coordinator(file, how, say=quietly(lambda text: say(text, err=True)))
    if tls is None and not is_loopback(agents_host):
        say("warning: without TLS (--tls-certificate, --tls-key) agents' tokens can be read on the way", err=True)
    if not read_tokens(tokens).patterns:
        say(f"no agent has a token yet: penstock coordinate {fleet} --new-token NAME", err=True)
    current = _fresh(tokens, read_tokens)
    asked = nullcontext() if keda is None else _answering_keda(coordinator, current, keda_host, keda, tls)
    pages = dashboard_over(store, web, begins=False) if dashboard else nullcontext()
    with ending_told(f"the coordinator of {file.name}"), pages, door.open(), asked:
        say(f"agents report to {door.url}", err=True)
        _run(coordinator, door)


@contextmanager
def _answering_keda(
    coordinator: Any, tokens: Callable[[], Any], host: str, port: int, tls: tuple[Path, Path] | None
) -> Iterator[None]:
    from penstock.web.keda.door import KedaDoor, KedaSettings

    settings = KedaSettings(host, port, tls)
    if settings.tokens_required and tls is None:
        say("warning: without TLS (--tls-certificate, --tls-key) KEDA's tokens can be read on the way", err=True)
    with KedaDoor(coordinator.wishes, lambda: coordinator.leads, tokens, settings).open() as door:
        say(f"KEDA is answered at {door.address}, by whoever leads", err=True)
        yield


def _run(coordinator: Any, door: Any) -> None:
    """Until it is told to end; what ends it otherwise is raised."""
    errors: list[BaseException] = []

    def govern() -> None:
        try:
            coordinator.run()
        except BaseException as error:  # a thread that ends is nobody's concern
            errors.append(error)

    thread = Thread(target=govern, name="penstock-coordinator", daemon=True)
    thread.start()
    try:
        while thread.is_alive():
            thread.join(_LOOK_EVERY_S)
            if not door.listens:
                raise EngineError("agents are not listened to any more: the server of their door has ended")
    finally:
        coordinator.stop()
        thread.join(_STOPS_WITHIN_S)
    if errors:
        raise errors[0]


def _tokens_beside_runs() -> Path:
    from penstock.store.open import default_path

    return default_path().with_name("agent-tokens.json")


def _make(path: Path, pattern: str) -> None:
    from penstock.web.agents_door import new_agent_token

    token = new_agent_token(path, pattern)
    say(f"for {pattern}, shown this once (its hash is in {path}):", err=True)
    say(token)


def _fresh(path: Path, read: Any) -> Any:
    """The tokens as they are in the file now: one that is made counts at once, one that is taken out no more."""
    known: list[Any] = [None, None]

    def tokens() -> Any:
        try:
            changed = path.stat().st_mtime_ns
        except OSError:
            changed = None
        if known[1] is None or changed != known[0]:
            known[:] = [changed, read(path)]
        return known[1]

    return tokens
