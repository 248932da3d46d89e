"""`penstock kafka`: a Kafka broker on this machine, for trying things out."""

from pathlib import Path

import click

from penstock.cli.grouped_help import GroupedHelp
from penstock.cli.output import say

_state = click.option(
    "--state", type=click.Path(path_type=Path), help="File that records what was started. Default: one in your home."
)
EXAMPLE = """
\b
Examples:
  penstock kafka up --partitions 8
  penstock load --topic rows --rate 1000 --for 10s
  penstock kafka down
"""


@click.group(cls=GroupedHelp, epilog=EXAMPLE)
def kafka() -> None:
    """Run a Kafka broker (KRaft mode) on loopback, with jars from the Maven registry."""


@kafka.command(epilog="Example: penstock kafka up --port 9192 --partitions 8")
@click.option("--port", default=9092, show_default=True, help="The broker's address.")
@click.option("--partitions", default=4, show_default=True, help="Partitions of topics that are created on first use.")
@_state
def up(port: int, partitions: int, state: Path | None) -> None:
    """Start a broker. One that died restarts with its records."""
    from penstock.local.kafka import broker

    started = broker.up(state or broker.default_state_file(), port, partitions)
    say(f"up: {started.bootstrap}; topics are created on first use, with {started.partitions} partitions", err=True)
    say(f"try: penstock load --bootstrap {started.bootstrap} --topic rows --rate 1000 --for 10s", err=True)


@kafka.command(epilog="Example: penstock kafka down")
@_state
def down(state: Path | None) -> None:
    """End the broker that `up` started, and delete its records."""
    from penstock.local.kafka import broker

    ended = broker.down(state or broker.default_state_file())
    say(f"down: {'nothing was up' if ended is None else f'broker, pid {ended.pid}'}", err=True)


@kafka.command(epilog="Example: penstock kafka status")
@_state
def status(state: Path | None) -> None:
    """Show what is running."""
    from penstock.local.kafka import broker

    found = broker.status(state or broker.default_state_file())
    if found is None or found.process is None:
        say("nothing is up", err=True)
        return
    say(f"{found.bootstrap}: pid {found.process.pid}, {'alive' if found.alive else 'gone'}", err=True)


@kafka.command(epilog='Example: spark-submit --jars "$(penstock kafka jars)" my_driver.py')
def jars() -> None:
    """Fetch what a broker and Spark's connector need, unless it is cached; print the value for spark.jars."""
    from penstock.local.kafka.jars import JarSet
    from penstock.local.kafka.jars import jars as fetched

    fetched(JarSet.BROKER)
    say(",".join(str(jar) for jar in fetched(JarSet.CONNECTOR)))
