"""`penstock serve`: the pages, the API and the metrics over a store, of runs that are over or still going on."""

from contextlib import closing
from pathlib import Path
from typing import Any

import click

from penstock.cli.completing import policy_names
from penstock.cli.output import say
from penstock.cli.recorded import store_option
from penstock.cli.serving import web_options, web_settings

EXAMPLE = """
\b
Examples:
  penstock serve                       what is recorded at the default path
  penstock serve --store runs.sqlite --port 0
  penstock serve --scenario scenarios/spark/urgent.yaml --speed 10
  penstock serve --host 0.0.0.0 --tls-certificate cert.pem --tls-key key.pem
  penstock serve --new-tokens          in place of those shown before
"""


@click.command(epilog=EXAMPLE)
@store_option
@click.option("--scenario", type=click.Path(path_type=Path), help="Simulate this scenario in real time meanwhile.")
@click.option("--policy", shell_complete=policy_names, help="The policy that decides in the scenario.")
@click.option("--speed", type=click.FloatRange(0.1, 600), default=1.0, help="Simulated seconds in each real one.")
@click.option("--approval", multiple=True, metavar="JOB", help="A job of the scenario that wants to be asked first.")
@click.option("--otlp", metavar="URL", help="The same as --sink otlp:URL: an OpenTelemetry collector (HTTP).")
@click.option(
    "--sink",
    "sinks",
    multiple=True,
    metavar="TARGET",
    help="Send the metrics there as well: otlp:URL, lines:FILE, or what a package brings; see `penstock extensions`.",
)
@click.option("--new-tokens", is_flag=True, help="Make new tokens, which count at once and alone, and end.")
@web_options
def serve(
    store: str | None,
    scenario: Path | None,
    policy: str | None,
    speed: float,
    approval: tuple[str, ...],
    otlp: str | None,
    sinks: tuple[str, ...],
    new_tokens: bool,
    **web: Any,
) -> None:
    """Serve dashboard, API and Prometheus metrics over a store."""
    if new_tokens:
        _make_tokens(web["tokens"])
        return
    from penstock.calls.served import checked_scenario, sent, simulated_beside
    from penstock.simulation.live import LiveOptions
    from penstock.store.open import open_to_serve
    from penstock.web.server import Site  # a web server takes half a second to import

    lived = None if scenario is None else checked_scenario(scenario, policy, approval, "--approval")
    with closing(open_to_serve(store)) as opened:
        if scenario is None:
            _check_there(store)
        site = Site(opened, web_settings(**web), lambda line: say(line, err=True))
        how = LiveOptions(policy, speed, frozenset(approval), Path(scenario or "").parent)
        with simulated_beside(store, lived, how), sent(opened, (*sinks, *([] if otlp is None else [f"otlp:{otlp}"]))):
            say(f"dashboard: {site.url}", err=True)
            say(f"API: {site.url}api/openapi.json, metrics: {site.url}metrics", err=True)
            site.run()


def _make_tokens(given: Path | None) -> None:
    """On standard output, for whoever asked; a server that runs finds them at the next request."""
    from penstock.web.tokens import default_tokens, new_tokens_at

    path = given or default_tokens()
    shown = new_tokens_at(path)
    say(f"new tokens, shown this once (hashes in {path}); those before count no more:", err=True)
    say(f"read: {shown.read}")
    say(f"operate: {shown.operate}")


def _check_there(store: str | None) -> None:
    from penstock.store.open import open_store

    with closing(open_store(store, create=False)) as read_only:
        read_only.runs()
