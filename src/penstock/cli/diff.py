"""`penstock diff`: two recorded runs side by side."""

import sys
from contextlib import closing

import click

from penstock.cli.completing import run_names
from penstock.cli.output import say, write_json
from penstock.cli.recorded import json_option, store_option

EXAMPLE = """
\b
Examples:
  penstock diff fair-1 last
  penstock diff nightly last --json - | jq .b.utility_share
"""


@click.command(epilog=EXAMPLE)
@click.argument("a", shell_complete=run_names)
@click.argument("b", default="last", shell_complete=run_names)
@json_option
@store_option
def diff(a: str, b: str, json_out: str | None, store: str | None) -> None:
    """Compare two recorded runs, A and B: utility in total and of each tenant.

    A and B are ids or names of recorded runs, or "last". B is "last" if left out. Shares cover the whole of each run,
    from its start.
    """
    from penstock.cli.diff_table import sides
    from penstock.cli.terminal import Terminal, width_for
    from penstock.store.open import open_store
    from penstock.web.comparing import compared
    from penstock.web.feed import plain
    from penstock.web.reading import Reader

    with closing(open_store(store, create=False)) as opened:
        found = compared(Reader(opened), a, b)
    if json_out is not None:
        write_json(json_out, plain(found))
    if json_out == "-":
        return
    for sentence in found.sentences:
        say(sentence)
    Terminal(width=width_for(sys.stdout)).print(sides(found))
