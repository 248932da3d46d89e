"""The options of commands about recorded runs."""

import click

from penstock.calls.driver_environment import STORE
from penstock.cli.out_file import out_option

store_option = click.option(
    "--store",
    metavar="PATH|URL",
    envvar=STORE,
    help="Where runs are recorded: a SQLite file or postgresql://user@host/database. Default: a file in your home.",
)


without_option = click.option(
    "--without",
    is_flag=True,
    help="Simulate the run without each of its newest 20 judged decisions (takes a minute at most).",
)
json_option = out_option("--json", "json_out", help="Write it as JSON to this file; - is standard output.")
