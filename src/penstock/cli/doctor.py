"""`penstock doctor`: can this Spark be governed, and what to change."""

import sys
from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from penstock.cli.out_file import out_option
from penstock.cli.output import say, write_json
from penstock.errors import ConfigError, EngineError, OutageError

if TYPE_CHECKING:
    from rich.table import Table

    from penstock.engines.spark.jvm.doctor import Diagnosis

EXAMPLE = """
\b
Examples:
  penstock doctor
  penstock doctor --master local[4] --conf spark.scheduler.mode=FAIR
  penstock doctor --json - | jq .to_change
"""


@click.command(epilog=EXAMPLE)
@click.option("--master", help="Master of the session to check. Default: as in Spark's configuration.")
@click.option(
    "--conf", "given", multiple=True, metavar="KEY=VALUE", help="A setting as in your driver. May be repeated."
)
@out_option("--json", "json_out", help="Write it as JSON to this file; - is standard output.")
def doctor(master: str | None, given: tuple[str, ...], json_out: str | None) -> None:
    """Check what the installed Spark supports, how a session is configured, and what to change.

    The command starts a session as a driver here would, with Spark's configuration files. It exits with 1 if
    ps.govern would refuse that session. Inside a driver, call ps.doctor(spark).
    """
    from penstock.cli.terminal import Terminal, width_for
    from penstock.engines.spark.jvm.doctor import doctor as looked_at  # pyspark takes a second to import
    from penstock.engines.spark.launch.application import plain_session

    conf = dict(map(_pair, given))
    try:
        with plain_session("penstock doctor", master, conf) as spark:
            found = looked_at(spark)
    except (EngineError, OutageError) as error:
        say(f"penstock: {error}", err=True)
        sys.exit(1)
    if json_out:
        write_json(json_out, {**asdict(found), "governable": found.governable, "to_change": found.to_change})
    terminal = Terminal(stderr=json_out == "-", width=width_for(sys.stdout))
    terminal.print(f"Spark {found.spark}, Scala {found.scala}, Java {found.java}, master {found.master}")
    terminal.print(table(found))
    for line in found.to_change:
        terminal.print(f"- {line}")
    terminal.print("ps.govern works with this session" if found.governable else "ps.govern would refuse this session")
    terminal.print("To govern a driver in Scala or SQL, or a declarative pipeline, use: penstock attach")
    sys.exit(0 if found.governable else 1)


def table(found: "Diagnosis") -> "Table":
    """Features, then settings: what each is for, and how it stands."""
    from rich import box

    from penstock.cli.terminal import Lines

    lines = Lines(box=box.SIMPLE)
    for title in ("feature or setting", "here", "used for, or what happens without it"):
        lines.add_column(title)
    for feature in found.features:
        text = feature.serves if feature.here else f"needs Spark {feature.since}; {feature.without or feature.serves}"
        lines.add_row(feature.name, "yes" if feature.here else "no", text)
    for setting in found.settings:
        lines.add_row(setting.name, setting.value, "see below" if setting.change else "")
    return lines


def _pair(text: str) -> tuple[str, str]:
    key, equals, value = text.partition("=")
    if not equals or not key:
        raise ConfigError("--conf", text, "write KEY=VALUE, such as spark.scheduler.mode=FAIR")
    return key, value
