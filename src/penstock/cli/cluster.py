"""`penstock cluster`: a standalone Spark cluster or a YARN on this machine, for trying things out."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from penstock.cli.grouped import GroupedHelp
from penstock.cli.output import say
from penstock.errors import ConfigError

if TYPE_CHECKING:
    from penstock.engines.processes import Process

_state = click.option(
    "--state", type=click.Path(path_type=Path), help="The file that notes what was started; the user's own by default."
)
_yarn = click.option("--yarn", is_flag=True, help="A YARN instead, from jars of the Maven registry.")
EXAMPLE = """
\b
Examples:
  penstock cluster up --workers 2 --cores 4
  penstock run tenants.yaml --master spark://127.0.0.1:7077
  penstock cluster down
  penstock cluster up --yarn --queues ads,etl
"""


@click.group(cls=GroupedHelp, epilog=EXAMPLE)
def cluster() -> None:
    """A standalone Spark cluster on this machine, from the installed pyspark: on loopback, or on hosts of its own.

    With --yarn a YARN: its daemons come from the Hadoop client that pyspark brings, and from four jars.
    """


@cluster.command(epilog="Example: penstock cluster up --workers 3 --cores 2 --memory 2g")
@click.option("--workers", default=2, show_default=True, help="How many workers, each on an address of its own.")
@click.option("--hosts", type=int, help="So many workers instead, each in a network namespace of its own (as root).")
@click.option("--bandwidth", default="1gbit", show_default=True, help="Of each host's link, with --hosts.")
@click.option("--cores", default=4, show_default=True, help="Slots of each worker; may exceed the real cores.")
@click.option("--memory", help="Memory of each worker: 1g by default, 4g with --yarn.")
@click.option("--port", type=int, help="Where the master listens, 7077 by default; YARN's page with --yarn, 8088.")
@click.option("--queues", help="Names of YARN's queues, with commas: default, unless given.")
@click.option("--open", "opened", is_flag=True, help="To every user of this machine: without a secret.")
@_yarn
@_state
def up(
    workers: int,
    hosts: int | None,
    bandwidth: str,
    cores: int,
    memory: str | None,
    port: int | None,
    queues: str | None,
    yarn: bool,
    opened: bool,
    state: Path | None,
) -> None:
    """Start a master and workers."""
    if yarn:
        if hosts is not None:
            raise ConfigError("--hosts", hosts, "leave it out: a YARN's nodes are on loopback; write --workers")
        if opened:
            raise ConfigError("--open", opened, "leave it out: it is about a standalone cluster's secret")
        _yarn_up(workers, cores, memory or "4g", 8088 if port is None else port, queues or "default", state)
        return
    if queues is not None:
        raise ConfigError("--queues", queues, "write --yarn too: a standalone cluster has no queues")
    from penstock.engines.spark import standalone

    place, count = state or standalone.default_state_file(), workers if hosts is None else hosts
    net = None if hosts is None else bandwidth
    started = standalone.up(place, count, cores, memory or "1g", 7077 if port is None else port, net, not opened)
    say(f"up: {started.master}, {count} workers with {cores} slots each", err=True)
    for host in () if started.net is None else started.net.hosts:
        say(f"  {host.address} in {host.namespace}, {bandwidth} both ways", err=True)
    page = standalone.page_of(place)
    if page is not None:
        say(f"page: {page}, which a coordinator reads", err=True)
    say(f"try: penstock run TENANTS.yaml --master {started.master}", err=True)
    settings = standalone.settings_of(place)
    if settings is not None:
        say(f"other programs: spark-submit --properties-file {settings} --master {started.master} ...", err=True)


@cluster.command(epilog="Example: penstock cluster down")
@_yarn
@_state
def down(yarn: bool, state: Path | None) -> None:
    """End exactly what `up` started."""
    if yarn:
        from penstock.engines.yarn import cluster as of_yarn

        ended = of_yarn.down(state or of_yarn.default_state_file())
    else:
        from penstock.engines.spark import standalone

        ended = standalone.down(state or standalone.default_state_file())
    say(f"down: {', '.join(process.role for process in ended) or 'nothing was up'}", err=True)


@cluster.command(epilog="Example: penstock cluster status")
@_yarn
@_state
def status(yarn: bool, state: Path | None) -> None:
    """Say what is up."""
    if yarn:
        from penstock.engines.yarn import cluster as of_yarn

        there = of_yarn.status(state or of_yarn.default_state_file())
        _say_up(None if there is None else (there.page, there.processes))
        return
    from penstock.engines.spark import standalone

    found = standalone.status(state or standalone.default_state_file())
    _say_up(None if found is None else (found.master, found.processes))


def _say_up(found: "tuple[str, tuple[Process, ...]] | None") -> None:
    if found is None:
        say("nothing is up", err=True)
        return
    where, known = found
    say(where, err=True)
    for process in known:
        say(f"  {process.role}: pid {process.pid}, {'alive' if process.alive else 'gone'}", err=True)


def _yarn_up(workers: int, cores: int, memory: str, port: int, queues: str, state: Path | None) -> None:
    from penstock.core.units import size_mib
    from penstock.engines.yarn import cluster as of_yarn
    from penstock.engines.yarn.configuration import YarnShape

    names = tuple(filter(None, (name.strip() for name in queues.split(","))))
    shape = YarnShape(workers, cores, size_mib(memory, "--memory"), names, port)
    started = of_yarn.up(state or of_yarn.default_state_file(), shape)
    say(f"up: YARN, {workers} nodes with {cores} cores and {memory} each, queues {', '.join(names)}", err=True)
    say(f"page: {started.page}, which a coordinator reads", err=True)
    say("try, in this shell:", err=True)
    for name, value in started.environment.items():
        say(f"  export {name}={value}", err=True)
    say("  penstock run TENANTS.yaml --master yarn", err=True)
