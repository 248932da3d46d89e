"""`penstock attach`: govern a driver that somebody else started, in Scala, SQL or as a declarative pipeline."""

import os
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from penstock.cli.completing import policy_names
from penstock.cli.ending import end_as_by_ctrl_c
from penstock.cli.governed import console_of_run, end_as, notify_option, with_table
from penstock.cli.out_file import out_option
from penstock.cli.output import say
from penstock.cli.recorded import store_option
from penstock.cli.serving import dashboard_over, web_options
from penstock.core.units import positive_seconds
from penstock.running.not_yet_told import NotYetTold

if TYPE_CHECKING:
    from penstock.config.wanted import WantedFile

EXAMPLE = """
\b
Start the driver with the plugin:
  jar=$(penstock attach --jar)
  spark-submit --driver-class-path "$jar" --jars "$jar" \\
    --conf spark.plugins=penstock.AttachPlugin shop.jar
\b
For a Spark Connect server, keep its own plugin:
  own=org.apache.spark.sql.connect.SparkConnectPlugin
  --conf spark.plugins=$own,penstock.AttachPlugin
\b
Then govern it, from the same machine and as the same user:
  penstock attach --tenants tenants.yaml
  penstock attach --list
  penstock attach app-20260722110000-0007 --tenants tenants.yaml --dry-run
\b
The tenants file has the name of each query (or flow) and its intent:
  jobs:
    - name: fraud
      intent: {latency: 2s, percentile: 95, utility: 35}
"""


@click.command(epilog=EXAMPLE)
@click.argument("application", required=False, metavar="[FILE|APPLICATION]")
@click.option("--tenants", type=click.Path(path_type=Path), help="YAML file with the intent of each query.")
@click.option("--policy", shell_complete=policy_names, help="Policy that decides; see `penstock policies`.")
@click.option("--for", "for_", help="How long, such as 10m. Default: until the driver ends or Ctrl-C.")
@click.option("--dry-run", is_flag=True, help="Print decisions, but do not carry them out.")
@click.option("--list", "lists", is_flag=True, help="List your drivers that run the plugin, and exit.")
@click.option(
    "--jar", "tells_jar", is_flag=True, help="Print the path of the plugin's jar, for spark-submit, and exit."
)
@notify_option
@store_option
@out_option("--json", "json_out", help="Write the results as JSON to this file; - is standard output.")
@click.option("--dashboard", is_flag=True, help="Also serve the run's pages; see `penstock serve`.")
@web_options
def attach(
    application: str | None,
    tenants: Path | None,
    policy: str | None,
    for_: str | None,
    dry_run: bool,
    lists: bool,
    tells_jar: bool,
    notify: tuple[str, ...],
    store: str | None,
    json_out: str | None,
    dashboard: bool,
    **given: Any,
) -> None:
    """Govern a running driver from outside: Scala, SQL or a declarative pipeline.

    The driver must run penstock's plugin. Run this command on the driver's machine, as the driver's user. APPLICATION
    is the application's id or name, or the file that its plugin wrote. Leave it out if there is only one. The queries
    continue after governing ends.
    """
    from penstock.engines.spark.jvm.beside.door import JAR, find_door, folder

    place = folder(os.environ)
    if tells_jar:
        say(str(JAR))
    if lists:
        _list(place)
    if tells_jar or lists:
        return
    if tenants is None:
        raise click.UsageError("Missing option '--tenants'.")
    end_as_by_ctrl_c()
    for_s = float("inf") if for_ is None else positive_seconds(for_, "--for")
    wanted, door = _wanted(tenants), find_door(application, place)
    from penstock.governing.attach import AttachOptions  # pyspark takes a second to import
    from penstock.governing.attach import attach as governed
    from penstock.governing.remembering import DEFAULT_STORE

    console = console_of_run()
    untold = NotYetTold()
    options = AttachOptions(policy, for_s, dry_run, store or DEFAULT_STORE, notify, untold.taken)
    with dashboard_over(store, given, begins=False, tell=untold.add) if dashboard else nullcontext():
        story = with_table(console, door.name, lambda show: governed(door, wanted, options, show))
    end_as(story, console, json_out)


def _wanted(tenants: Path) -> "WantedFile":
    from penstock.config.wanted_file import read_wanted

    return read_wanted(tenants, lambda text: say(f"penstock: {text}", err=True))


def _list(place: Path) -> None:
    from penstock.engines.spark.jvm.beside.door import doors

    found = doors(place)
    if not found:
        say(f"penstock: no driver of yours runs the plugin: there is no file of one in {place}", err=True)
    for door in found:
        say(f"{door.application}  {door.name}, Spark {door.spark}, process {door.pid}")
