"""`penstock coordinate`: one penstock over many applications."""

import gc
import logging
import sys
from contextlib import nullcontext
from functools import partial
from pathlib import Path
from typing import Any, TextIO, cast

import click

from penstock.cli.background_writer import in_background
from penstock.cli.completing import policy_names
from penstock.cli.ending import ending_told
from penstock.cli.output import say
from penstock.cli.recorded import store_option
from penstock.cli.serving import dashboard_over, web_options
from penstock.errors import EngineError
from penstock.running.not_yet_told import NotYetTold
from penstock.threads import BesideThread

EXAMPLE = """
\b
Examples:
  penstock coordinate fleet.yaml --new-token fraud     for its agent
  penstock coordinate fleet.yaml
  penstock coordinate fleet.yaml --advise --dashboard
  penstock coordinate fleet.yaml --keda 7475           KEDA's external scaler
"""

_LOOK_EVERY_S = 0.5
_COLLECTED_AFTER = 20_000  # new objects
_STOPS_WITHIN_S = 30.0


@click.command(epilog=EXAMPLE)
@click.argument("fleet", type=click.Path(path_type=Path))
@click.option("--policy", shell_complete=policy_names, help="Policy that decides; see `penstock policies`.")
@click.option("--advise", is_flag=True, help="Print decisions, but order nothing.")
@click.option("--new-token", metavar="NAME", help="Make a token for the agents of NAME (team-a/* for many), and exit.")
@click.option("--agents-host", default="127.0.0.1", show_default=True, help="Address for agents.")
@click.option(
    "--agents-port",
    type=click.IntRange(0, 65535),
    default=7474,
    show_default=True,
    help="Port for agents; 0: a free one.",
)
@click.option(
    "--agent-tokens", type=click.Path(path_type=Path, dir_okay=False), help="File with the hashes of agents' tokens."
)
@click.option(
    "--agents-ca",
    type=click.Path(path_type=Path, dir_okay=False),
    help="PEM file of the CA whose certificate agents must present; needs --tls-certificate.",
)
@click.option(
    "--keda", type=click.IntRange(0, 65535), metavar="PORT", help="Port for KEDA's external scaler; 0: a free one."
)
@click.option(
    "--keda-host",
    default="127.0.0.1",
    show_default=True,
    help="Address for KEDA. Beyond loopback, tokens are required.",
)
@store_option
@click.option("--dashboard", is_flag=True, help="Also serve the fleet's pages; see `penstock serve`.")
@web_options
def coordinate(
    fleet: Path,
    policy: str | None,
    advise: bool,
    new_token: str | None,
    agents_host: str,
    agents_port: int,
    agent_tokens: Path | None,
    agents_ca: Path | None,
    keda: int | None,
    keda_host: str,
    store: str | None,
    dashboard: bool,
    **web: Any,
) -> None:
    """Divide a cluster's executors among many applications, whose agents report here."""
    collect_seldom()
    from penstock.calls.coordinated import answering_keda, check_keda, with_door
    from penstock.config.coordination import read_coordination

    check_keda(keda, advise, "--keda")
    file = read_coordination(fleet, policy)
    from penstock.web.agents_door import AgentsDoor, fresh_tokens, tokens_beside_runs

    tokens = agent_tokens or tokens_beside_runs()
    if new_token is not None:
        _make(tokens, new_token)
        return
    from penstock.governing.advising import Advising
    from penstock.governing.coordinating import Coordination
    from penstock.governing.remembering import DEFAULT_STORE
    from penstock.web.door_tls import door_tls

    words = in_background(sys.stderr)
    logging.basicConfig(level=logging.WARNING, format="%(message)s", stream=cast(TextIO, words))
    tls = door_tls(web["tls_certificate"], web["tls_key"], agents_ca)
    current = fresh_tokens(tokens)
    agents = partial(AgentsDoor, tokens=current, host=agents_host, port=agents_port, tls=tls)
    tell = words.say
    advising = Advising(file.core_price(), tell) if advise else None
    untold = NotYetTold()
    how = Coordination(store or DEFAULT_STORE, policy, advise, troubles=untold.taken)
    coordinator, door = with_door(file, how, agents, tell, advising or (lambda view: None))
    if tls is None:
        _warn_of_plain_text(agents_host)
    if not current().patterns:
        say(f"no agent has a token yet. Make one: penstock coordinate {fleet} --new-token NAME", err=True)
    asked = answering_keda(coordinator, current, keda_host, keda, tls, lambda text: say(text, err=True))
    pages = dashboard_over(store, web, begins=False, tell=untold.add) if dashboard else nullcontext()
    with ending_told(f"the coordinator of {file.name}"), pages, door.open(), asked, advising or nullcontext():
        say(f"agents report to {door.url}", err=True)
        _run(coordinator, door)


def collect_seldom() -> None:
    """Look for cycles of objects less often: a round over thousands of jobs makes a million objects that live on, and
    looking through them again and again was a fifth of its time. It is for a process that is ours alone.
    """
    gc.set_threshold(_COLLECTED_AFTER)


def _warn_of_plain_text(host: str) -> None:
    from penstock.web.settings import is_loopback

    if not is_loopback(host):
        say("warning: without TLS (--tls-certificate, --tls-key), agents' tokens can be read on the network", err=True)


def _run(coordinator: Any, door: Any) -> None:
    """Until it is told to end; what ends it otherwise is raised."""
    from penstock.governing.coordinating import UNHEARD_S

    errors: list[BaseException] = []

    def govern() -> None:
        try:
            coordinator.run()
        except BaseException as error:  # a thread that ends is nobody's concern
            errors.append(error)

    thread = BesideThread(govern, "penstock-coordinator")
    thread.start()
    try:
        while thread.is_alive():
            thread.join(_LOOK_EVERY_S)
            if door.shut_s > UNHEARD_S:
                raise EngineError(f"the server for agents has ended, and could not begin again in {door.shut_s:.0f} s")
    finally:
        coordinator.stop()
        thread.join(_STOPS_WITHIN_S)
    if errors:
        raise errors[0]


def _make(path: Path, pattern: str) -> None:
    from penstock.web.agents_door import new_agent_token

    token = new_agent_token(path, pattern)
    say(f"token for {pattern}, shown only once (its hash is in {path}):", err=True)
    say(token)
