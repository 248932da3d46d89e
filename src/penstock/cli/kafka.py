"""`penstock kafka`: a Kafka broker on this machine, for trying things out."""

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
  penstock kafka up --partitions 8
  penstock load --topic rows --rate 1000 --for 10s
  penstock kafka down
"""


@click.group(cls=GroupedHelp, epilog=EXAMPLE)
def kafka() -> None:
    """A Kafka broker (KRaft mode) on this machine's loopback, from jars of the Maven registry."""


@kafka.command(epilog="Example: penstock kafka up --port 9192 --partitions 8")
@click.option("--port", default=9092, show_default=True, help="Where the broker listens.")
@click.option("--partitions", default=4, show_default=True, help="Of a topic that somebody names first.")
@_state
def up(port: int, partitions: int, state: Path | None) -> None:
    """Start a broker; one that died starts again with the records it had."""
    from penstock.engines.kafka import broker

    started = broker.up(state or broker.default_state_file(), port, partitions)
    say(f"up: {started.bootstrap}; topics are made on demand, with {started.partitions} partitions", err=True)
    say(f"try: penstock load --bootstrap {started.bootstrap} --topic rows --rate 1000 --for 10s", err=True)


@kafka.command(epilog="Example: penstock kafka down")
@_state
def down(state: Path | None) -> None:
    """End exactly what `up` started, and remove its records."""
    from penstock.engines.kafka import broker

    ended = broker.down(state or broker.default_state_file())
    say(f"down: {'nothing was up' if ended is None else f'broker, pid {ended.pid}'}", err=True)


@kafka.command(epilog="Example: penstock kafka status")
@_state
def status(state: Path | None) -> None:
    """Say what is up."""
    from penstock.engines.kafka import broker

    found = broker.status(state or broker.default_state_file())
    if found is None or found.process is None:
        say("nothing is up", err=True)
        return
    say(f"{found.bootstrap}: pid {found.process.pid}, {'alive' if found.alive else 'gone'}", err=True)


@kafka.command(epilog='Example: spark-submit --jars "$(penstock kafka jars)" my_driver.py')
def jars() -> None:
    """Fetch what a broker and Spark's connector need, unless it is cached; print the value for spark.jars."""
    from penstock.engines.kafka.jars import JarSet
    from penstock.engines.kafka.jars import jars as fetched

    fetched(JarSet.BROKER)
    say(",".join(str(jar) for jar in fetched(JarSet.CONNECTOR)))
