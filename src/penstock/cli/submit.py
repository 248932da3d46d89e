"""`penstock submit`: the tenants of one file as several applications, a driver for each."""

import shlex
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from penstock.cli.completing import policy_names
from penstock.cli.coordinators import coordinator_options, files_of
from penstock.cli.output import say
from penstock.cli.recorded import store_option

EXAMPLE = """
\b
Examples:
  penstock submit tenants.yaml --master spark://127.0.0.1:7077 --dry-run
  penstock submit tenants.yaml --coordinator http://127.0.0.1:7474
  penstock submit tenants.yaml --standby fraud         a second driver, warm
  penstock submit tenants.yaml --stop                  ends what still runs
\b
Tenants that share a driver are named in the file:
  together: [ads, bots]
"""


@click.command(epilog=EXAMPLE)
@click.argument("tenants", type=click.Path(path_type=Path))
@click.option("--master", help="The cluster: spark://host:port, yarn or k8s://URL. Default: as in the file.")
@click.option(
    "--deploy-mode",
    type=click.Choice(("client", "cluster")),
    default="client",
    show_default=True,
    help="Where drivers run: here. The other one is refused, with what to do instead.",
)
@coordinator_options
@click.option("--policy", shell_complete=policy_names, help="Policy that decides within each application.")
@click.option("--for", "for_", help="How long to run, such as 10m. Default: until Ctrl-C.")
@click.option("--restart/--no-restart", default=True, show_default=True, help="Restart a driver that dies.")
@click.option("--standby", metavar="JOBS", help="Keep a second driver warm for these jobs, separated by commas.")
@click.option("--logs", type=click.Path(path_type=Path, file_okay=False), help="Folder for the drivers' logs.")
@click.option("--dry-run", is_flag=True, help="Print the commands, but start nothing.")
@click.option("--stop", is_flag=True, help="End the applications that were submitted from this file, and exit.")
@store_option
def submit(
    tenants: Path,
    master: str | None,
    deploy_mode: str,
    coordinator: str | None,
    policy: str | None,
    for_: str | None,
    restart: bool,
    standby: str | None,
    logs: Path | None,
    dry_run: bool,
    stop: bool,
    store: str | None,
    **files: Any,
) -> None:
    """Start one application per tenant of the file TENANTS. Ctrl-C ends them all.

    Tenants that the file names under `together` share one application. Each application is a `penstock run` on this
    machine, with its own log and its own run in the store. Its executors run on the cluster. If --store has earlier
    runs of these tenants, the command says which of them could share a driver.

    If this command is killed (kill -9), its drivers continue. --stop ends them. Until then, a second start is refused.
    """
    from penstock.calls import submitted
    from penstock.governing.drivers import INTERRUPTED

    if stop:
        submitted.stop_submitted(tenants, lambda text: say(text, err=True))
        return
    warm = tuple(filter(None, map(str.strip, (standby or "").split(","))))
    tls = files_of(files)
    how = submitted.Submitting(
        master, coordinator, policy, for_, restart, logs, store, tls, warm, deploy_mode=deploy_mode
    )
    applications = submitted.applications_of(tenants, how)
    for line in applications.advice:
        say(line, err=True)
    if dry_run:
        set_before = _shown(applications.environment)
        for command in applications.commands:
            say(f"{set_before}{shlex.join(['penstock', 'run', *command])}")
        return
    code = submitted.driven(applications, how, lambda text: say(text, err=True))
    if code == INTERRUPTED:
        raise click.Abort
    sys.exit(code)


def _shown(environment: Mapping[str, str]) -> str:
    """As a shell has it before a command, passwords left out: a terminal's words are kept and copied."""
    from penstock.store.database import without_password

    return "".join(f"{name}={shlex.quote(without_password(value))} " for name, value in environment.items())
