"""`penstock explain`: the story of a recorded run, decision by decision."""

import shutil

import click

from penstock.cli.output import say
from penstock.cli.recorded import read_recorded, store_option


@click.command("explain")
@click.argument("run")
@store_option
def explain_command(run: str, store: str | None) -> None:
    """Tell what happened in RUN, and why.

    RUN is the id or the name of a recorded run, "last", or the path of a SQLite file, whose last run is told.
    """
    from penstock.telling.explain import explain

    width = min(120, max(60, shutil.get_terminal_size(fallback=(100, 24)).columns))
    say(explain(read_recorded(run, store), width), nl=False)
