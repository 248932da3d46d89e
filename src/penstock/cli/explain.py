"""`penstock explain`: the story of a recorded run, decision by decision."""

import shutil
import sys

import click

from penstock.cli.completing import run_names
from penstock.cli.output import say, write_json
from penstock.cli.recorded import json_option, store_option, without_option

EXAMPLE = """
\b
Examples:
  penstock explain last
  penstock explain nightly --without
  penstock explain last --json - | jq '.events[-1]'
"""


@click.command("explain", epilog=EXAMPLE)
@click.argument("run", shell_complete=run_names)
@without_option
@json_option
@store_option
def explain_command(run: str, without: bool, json_out: str | None, store: str | None) -> None:
    """Explain what happened in RUN, and why.

    RUN is the id or name of a recorded run, "last", or the path of a SQLite file (its last run is taken).
    """
    from penstock.calls.recorded import read_recorded, read_tried  # the database takes half a second to import
    from penstock.telling.explain import explain
    from penstock.telling.run_document import story_document

    told = read_recorded(run, store)
    tried = read_tried(run, store) if without else ()
    if json_out is not None:
        write_json(json_out, story_document(told, tried))
        return
    width = min(120, max(60, shutil.get_terminal_size(fallback=(100, 24)).columns))
    say(explain(told, width, tried, whole=not sys.stdout.isatty()), nl=False)
