"""The options of commands about recorded runs."""

import click

from penstock.calls.unseen import STORE
from penstock.cli.out_file import out_option

store_option = click.option(
    "--store",
    metavar="PATH|URL",
    envvar=STORE,
    help="Where runs are recorded, if not at the default path: a SQLite file, or postgresql://user@host/database.",
)


without_option = click.option(
    "--without",
    is_flag=True,
    help="Simulate how it would have gone without each of the newest 20 judged decisions (a minute at most).",
)
json_option = out_option("--json", "json_out", help="Write it as JSON to this file; - is standard output.")
