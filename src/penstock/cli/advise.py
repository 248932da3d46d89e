"""`penstock advise`: what a run without penstock had, and what would have done better, out of Spark's event log."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from penstock.cli.out_file import out_option
from penstock.cli.output import say, write_json

if TYPE_CHECKING:
    from penstock.engines.spark.history.events import Logged

EXAMPLE = """
\b
Examples:
  penstock advise --history /tmp/spark-events   (lists its queries)
  penstock advise --history /tmp/spark-events tenants.yaml
  penstock advise --history http://history:18080 tenants.yaml
  penstock advise --history http://history:18080/history/app-1 tenants.yaml
  penstock advise --history app-1 tenants.yaml --json - | jq .enough_slots
\b
The tenants file has the name of each query and its intent:
  jobs:
    - name: fraud
      intent: {latency: 2s, percentile: 95, utility: 35}
  price: {slot_hour: 0.05, currency: EUR}   (optional; or executor_hour)
"""


@click.command(epilog=EXAMPLE)
@click.argument("tenants", required=False, type=click.Path(path_type=Path, dir_okay=False))
@click.option(
    "--history",
    "place",
    required=True,
    metavar="LOG_OR_URL",
    help="An event log, a folder of logs (spark.eventLog.dir) or a history server. The newest run is taken.",
)
@click.option(
    "--minutes",
    type=click.FloatRange(1, 60),
    default=10.0,
    show_default=True,
    help="How many minutes at its end to look at.",
)
@click.option(
    "--within", type=click.FloatRange(10, 3600), default=120.0, show_default=True, help="Time limit in seconds."
)
@out_option("--json", "json_out", help="Write it as JSON to this file; - is standard output.")
def advise(tenants: Path | None, place: str, minutes: float, within: float, json_out: str | None) -> None:
    """Show how well an ungoverned run met its intents, and what would have helped.

    The command reads only Spark's event log. It simulates the run twice: as it was, and governed. It first reports
    the simulator's error, measured against what really happened.
    """
    from penstock.calls.advised import events_of, replayed_of, slot_price_of
    from penstock.cli import advised
    from penstock.cli.terminal import Terminal
    from penstock.config.wanted_file import read_wanted
    from penstock.whatif.from_log import advise as advice_of

    events = events_of(place)
    if tenants is None:
        _tell_queries(events, json_out)
        return
    wanted = read_wanted(tenants, lambda text: say(f"penstock: {text}", err=True))
    history, intents = replayed_of(events, wanted)
    found = advice_of(history, intents, 60.0 * minutes, within, slot_price_of(history, wanted))
    if json_out is not None:
        write_json(json_out, advised.document(history, found))
    terminal = Terminal(stderr=json_out == "-", width=None if sys.stdout.isatty() else 120)
    for part in advised.told(history, found):
        terminal.print(part)


def _tell_queries(events: "list[Logged]", json_out: str | None) -> None:
    from penstock.engines.spark.history.replay import queries_in

    found = queries_in(events)
    if json_out is not None:
        write_json(json_out, {"queries": found})
        return
    say(f"Queries of the run: {', '.join(found) or 'none'}")
    say("Write their intents into a tenants file and name it as well; see penstock advise --help")
