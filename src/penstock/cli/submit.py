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
  penstock submit tenants.yaml --stop                  what runs still
\b
Tenants that are to share a driver are named in the file:
  together: [ads, bots]
"""


@click.command(epilog=EXAMPLE)
@click.argument("tenants", type=click.Path(path_type=Path))
@click.option("--master", help="The cluster: spark://host:port, yarn or k8s://URL; the file's own by default.")
@coordinator_options
@click.option("--policy", shell_complete=policy_names, help="The policy that decides within each of them.")
@click.option("--for", "for_", help="How long, such as 10m; until Ctrl-C by default.")
@click.option("--restart/--no-restart", default=True, show_default=True, help="Start a driver again when it dies.")
@click.option("--standby", metavar="JOBS", help="Keep a second driver warm for these, with commas.")
@click.option("--logs", type=click.Path(path_type=Path, file_okay=False), help="Where each driver's log goes.")
@click.option("--dry-run", is_flag=True, help="Print the commands, and start nothing.")
@click.option("--stop", is_flag=True, help="End what was submitted from this file here and runs still, and end.")
@store_option
def submit(
    tenants: Path,
    master: str | None,
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
    """Start an application for each tenant of the file TENANTS, and end them all at Ctrl-C.

    Those that the file names under `together` share one. Each is a `penstock run` of its own on this machine, with
    its executors on the cluster, its own log, and a run of its own in the store. Where --store has records of these
    tenants, it is said which could share a driver and which should not.

    When it is killed itself (kill -9), its drivers go on: --stop ends them, and until then a second one is refused.
    """
    from penstock.calls import submitted
    from penstock.governing.drivers import INTERRUPTED

    if stop:
        submitted.stop_submitted(tenants, lambda text: say(text, err=True))
        return
    warm = tuple(filter(None, map(str.strip, (standby or "").split(","))))
    how = submitted.Submitting(master, coordinator, policy, for_, restart, logs, store, files_of(files), warm)
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
