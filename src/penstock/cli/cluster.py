"""`penstock cluster`: a standalone Spark cluster on this machine, for trying things out."""

from pathlib import Path

import click

from penstock.cli.grouped import GroupedHelp
from penstock.cli.output import say

_state = click.option(
    "--state", type=click.Path(path_type=Path), help="The file that notes what was started; the user's own by default."
)
EXAMPLE = """
\b
Examples:
  penstock cluster up --workers 2 --cores 4
  penstock run tenants.yaml --master spark://127.0.0.1:7077
  penstock cluster down
"""


@click.group(cls=GroupedHelp, epilog=EXAMPLE)
def cluster() -> None:
    """A standalone Spark cluster on this machine, from the installed pyspark: on loopback, or on hosts of its own."""


@cluster.command(epilog="Example: penstock cluster up --workers 3 --cores 2 --memory 2g")
@click.option("--workers", default=2, show_default=True, help="How many workers, each on an address of its own.")
@click.option("--hosts", type=int, help="So many workers instead, each in a network namespace of its own (as root).")
@click.option("--bandwidth", default="1gbit", show_default=True, help="Of each host's link, with --hosts.")
@click.option("--cores", default=4, show_default=True, help="Slots of each worker; may exceed the real cores.")
@click.option("--memory", default="1g", show_default=True, help="Memory of each worker.")
@click.option("--port", default=7077, show_default=True, help="Where the master listens.")
@_state
def up(workers: int, hosts: int | None, bandwidth: str, cores: int, memory: str, port: int, state: Path | None) -> None:
    """Start a master and workers."""
    from penstock.engines.spark import standalone

    place, count = state or standalone.default_state_file(), workers if hosts is None else hosts
    started = standalone.up(place, count, cores, memory, port, None if hosts is None else bandwidth)
    say(f"up: {started.master}, {count} workers with {cores} slots each", err=True)
    for host in () if started.net is None else started.net.hosts:
        say(f"  {host.address} in {host.namespace}, {bandwidth} both ways", err=True)
    page = standalone.page_of(place)
    if page is not None:
        say(f"page: {page}, which a coordinator reads", err=True)
    say(f"try: penstock run TENANTS.yaml --master {started.master}", err=True)


@cluster.command(epilog="Example: penstock cluster down")
@_state
def down(state: Path | None) -> None:
    """End exactly what `up` started."""
    from penstock.engines.spark import standalone

    ended = standalone.down(state or standalone.default_state_file())
    say(f"down: {', '.join(process.role for process in ended) or 'nothing was up'}", err=True)


@cluster.command(epilog="Example: penstock cluster status")
@_state
def status(state: Path | None) -> None:
    """Say what is up."""
    from penstock.engines.spark import standalone

    found = standalone.status(state or standalone.default_state_file())
    if found is None:
        say("nothing is up", err=True)
        return
    say(found.master, err=True)
    for process in found.processes:
        say(f"  {process.role}: pid {process.pid}, {'alive' if process.alive else 'gone'}", err=True)
