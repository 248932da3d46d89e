"""`penstock report`: a recorded run as a summary, and as one page to pass on."""

from pathlib import Path

import click

from penstock.cli.output import say, write_text
from penstock.cli.recorded import read_recorded, store_option


@click.command("report")
@click.argument("run")
@click.option("--html", type=click.Path(path_type=Path, dir_okay=False), help="Write one self-contained page here.")
@store_option
def report_command(run: str, html: Path | None, store: str | None) -> None:
    """Sum up RUN, and with --html make a page of it.

    RUN is the id or the name of a recorded run, "last", or the path of a SQLite file, whose last run is told.
    """
    from penstock.telling.report import page
    from penstock.telling.summary import summarise

    told = read_recorded(run, store)
    for sentence in summarise(told).sentences:
        say(sentence)
    if html is not None:
        write_text(str(html), page(told), "--html")
        say(f"The page is at {html}", err=True)
