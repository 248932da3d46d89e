"""`penstock cluster`: a standalone Spark cluster, a YARN or a Kubernetes on this machine, for trying things out."""

import time
from pathlib import Path
from typing import TYPE_CHECKING

import click

from penstock.cli.ending import signal_told
from penstock.cli.grouped_help import GroupedHelp
from penstock.cli.output import say
from penstock.errors import ConfigError, EngineError

if TYPE_CHECKING:
    from penstock.local.processes import Process

_LOOK_EVERY_S = 0.5
_state = click.option(
    "--state", type=click.Path(path_type=Path), help="File that records what was started. Default: one in your home."
)
_yarn = click.option("--yarn", is_flag=True, help="The YARN that `up --yarn` started.")
_kubernetes = click.option("--kubernetes", is_flag=True, help="The Kubernetes that `up --kubernetes` started.")
EXAMPLE = """
\b
Examples:
  penstock cluster up --workers 2 --cores 4
  penstock run tenants.yaml --master spark://127.0.0.1:7077
  penstock cluster down
  penstock cluster up --yarn --queues ads,etl
  penstock cluster up --kubernetes --workers 2       until Ctrl-C
"""


@click.group(cls=GroupedHelp, epilog=EXAMPLE)
def cluster() -> None:
    """Run a Spark cluster on this machine: standalone, YARN or Kubernetes.

    The standalone cluster comes from the installed pyspark. Its workers listen on loopback or, with --hosts, in
    network namespaces of their own. With --yarn, the daemons come from pyspark's Hadoop client and four more jars.
    With --kubernetes, the control plane is real and the nodes run Spark's executors as processes.
    """


@cluster.command(epilog="Example: penstock cluster up --workers 3 --cores 2 --memory 2g")
@click.option("--workers", default=2, show_default=True, help="Number of workers, each with its own loopback address.")
@click.option("--hosts", type=int, help="Number of workers, each in its own network namespace; needs root.")
@click.option("--bandwidth", default="1gbit", show_default=True, help="Bandwidth of each host's link, with --hosts.")
@click.option("--cores", default=4, show_default=True, help="Slots per worker; may exceed the real cores.")
@click.option("--memory", help="Memory per worker. Default: 1g; 4g with --yarn, 8g with --kubernetes.")
@click.option("--port", type=int, help="Port of the master (7077), of YARN's page (8088) or of the API server (6443).")
@click.option("--queues", help="Names of YARN's queues, separated by commas. Default: default.")
@click.option("--open", "opened", is_flag=True, help="Without a secret: open to every user of this machine.")
@click.option("--yarn", is_flag=True, help="Start YARN instead, with jars from the Maven registry.")
@click.option("--kubernetes", is_flag=True, help="Start Kubernetes instead; the first time, Go builds it.")
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
    kubernetes: bool,
    opened: bool,
    state: Path | None,
) -> None:
    """Start a cluster. Kubernetes runs until Ctrl-C."""
    _check_kinds(yarn, kubernetes)
    if yarn or kubernetes:
        if hosts is not None:
            raise ConfigError("--hosts", hosts, "leave it out: these nodes are on loopback; write --workers")
        if opened:
            raise ConfigError("--open", opened, "leave it out: only a standalone cluster has this secret")
    if queues is not None and not yarn:
        raise ConfigError("--queues", queues, "write --yarn too: only a YARN has queues")
    if kubernetes:
        _kubernetes_up(workers, cores, memory or "8g", 6443 if port is None else port, state)
        return
    if yarn:
        _yarn_up(workers, cores, memory or "4g", 8088 if port is None else port, queues or "default", state)
        return
    from penstock.core.units import size_mib
    from penstock.local.spark import standalone

    place, count = state or standalone.default_state_file(), workers if hosts is None else hosts
    net = None if hosts is None else bandwidth
    worker_mib = size_mib(memory or "1g", "--memory", least=standalone.LEAST_WORKER_MIB)
    started = standalone.up(place, count, cores, f"{worker_mib}m", 7077 if port is None else port, net, not opened)
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
@_kubernetes
@_state
def down(yarn: bool, kubernetes: bool, state: Path | None) -> None:
    """End exactly what `up` started."""
    _check_kinds(yarn, kubernetes)
    if kubernetes:
        from penstock.local.kubernetes import cluster as of_kubernetes

        ended = of_kubernetes.down(state or of_kubernetes.default_state_file())
    elif yarn:
        from penstock.local.yarn import cluster as of_yarn

        ended = of_yarn.down(state or of_yarn.default_state_file())
    else:
        from penstock.local.spark import standalone

        ended = standalone.down(state or standalone.default_state_file())
    say(f"down: {', '.join(process.role for process in ended) or 'nothing was up'}", err=True)


@cluster.command(epilog="Example: penstock cluster status")
@_yarn
@_kubernetes
@_state
def status(yarn: bool, kubernetes: bool, state: Path | None) -> None:
    """Show what is running."""
    _check_kinds(yarn, kubernetes)
    if kubernetes:
        from penstock.local.kubernetes import cluster as of_kubernetes

        known = of_kubernetes.status(state or of_kubernetes.default_state_file())
        _say_up(None if known is None else (known.server, known.processes))
        return
    if yarn:
        from penstock.local.yarn import cluster as of_yarn

        there = of_yarn.status(state or of_yarn.default_state_file())
        _say_up(None if there is None else (there.page, there.processes))
        return
    from penstock.local.spark import standalone

    found = standalone.status(state or standalone.default_state_file())
    _say_up(None if found is None else (found.master, found.processes))


def _check_kinds(yarn: bool, kubernetes: bool) -> None:
    if yarn and kubernetes:
        raise ConfigError("--kubernetes", True, "leave out --kubernetes or --yarn")


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
    from penstock.local.yarn import cluster as of_yarn
    from penstock.local.yarn.configuration import YarnShape

    names = tuple(filter(None, (name.strip() for name in queues.split(","))))
    shape = YarnShape(workers, cores, size_mib(memory, "--memory"), names, port)
    started = of_yarn.up(state or of_yarn.default_state_file(), shape)
    say(f"up: YARN, {workers} nodes with {cores} cores and {memory} each, queues {', '.join(names)}", err=True)
    say(f"page: {started.page}, which a coordinator reads", err=True)
    say("try, in this shell:", err=True)
    for name, value in started.environment.items():
        say(f"  export {name}={value}", err=True)
    say("  penstock run TENANTS.yaml --master yarn", err=True)


def _kubernetes_up(workers: int, cores: int, memory: str, port: int, state: Path | None) -> None:
    from penstock.core.units import size_mib
    from penstock.local.kubernetes import cluster as of_kubernetes
    from penstock.local.kubernetes.configuration import NAMESPACE, KubernetesShape
    from penstock.local.processes import free_port

    shape = KubernetesShape(workers, cores, size_mib(memory, "--memory"), port, free_port())
    place = state or of_kubernetes.default_state_file()
    with signal_told("the Kubernetes"):  # other signals than Ctrl-C end it in the same way
        started = of_kubernetes.up(place, shape, lambda text: say(text, err=True))
        try:
            say(f"up: Kubernetes, {workers} nodes with {cores} cores and {memory} each, until Ctrl-C", err=True)
            say(f"a coordinator's file: cluster: {{kubernetes: {NAMESPACE}}}", err=True)
            say("try, in another shell:", err=True)
            for name, value in started.environment.items():
                say(f"  export {name}={value}", err=True)
            say(f"  penstock run TENANTS.yaml --master k8s://{started.server}", err=True)
            _stay(started.processes)
        finally:
            ended = of_kubernetes.down(place)
            say(f"down: {', '.join(process.role for process in ended)}", err=True)


def _stay(parts: "tuple[Process, ...]") -> None:
    """Until a signal; an EngineError once a part of it is no more."""
    while all(process.alive for process in parts):
        time.sleep(_LOOK_EVERY_S)
    gone = next(process.role for process in parts if not process.alive)
    raise EngineError(f"its {gone} has ended, so the whole cluster ends")
