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
  penstock serve                       the default store
  penstock serve --store runs.sqlite --port 0
  penstock serve --scenario scenarios/spark/urgent.yaml --speed 10
  penstock serve --host 0.0.0.0 --tls-certificate cert.pem --tls-key key.pem
  penstock serve --new-tokens          replaces the old ones
"""


@click.command(epilog=EXAMPLE)
@store_option
@click.option("--scenario", type=click.Path(path_type=Path), help="Also simulate this scenario, in real time.")
@click.option("--policy", shell_complete=policy_names, help="Policy that decides in the scenario.")
@click.option("--speed", type=click.FloatRange(0.1, 600), default=1.0, help="Simulated seconds per real second.")
@click.option("--approval", multiple=True, metavar="JOB", help="Job of the scenario whose changes need approval.")
@click.option("--otlp", metavar="URL", help="OpenTelemetry collector (HTTP); the same as --sink otlp:URL.")
@click.option(
    "--sink",
    "sinks",
    multiple=True,
    metavar="TARGET",
    help="Also send the metrics there: otlp:URL, lines:FILE, or a sink of a package (`penstock extensions`).",
)
@click.option("--new-tokens", is_flag=True, help="Replace all tokens by new ones at once, and exit.")
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
    """Serve the dashboard, the API and Prometheus metrics of a store."""
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
    say(f"new tokens, shown only once (their hashes are in {path}). The old ones are no longer valid:", err=True)
    say(f"read: {shown.read}")
    say(f"operate: {shown.operate}")


def _check_there(store: str | None) -> None:
    from penstock.store.open import open_store

    with closing(open_store(store, create=False)) as read_only:
        read_only.runs()
