"""What `penstock run` and `penstock attach` have in common: who hears of it, a table meanwhile, and how it ends."""

import logging
import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, TextIO, cast

import click

from penstock.calls.driver_environment import NOTIFY, targets_in
from penstock.cli.output import write_json

if TYPE_CHECKING:
    from rich.console import Console

    from penstock.core.seen.view import View
    from penstock.governing.story import RunStory


class _Targets(click.ParamType[str]):
    """Text; in the environment a target's name and path may have blanks, so that each has a line of its own."""

    name = "target"

    def split_envvar_value(self, rv: str) -> Sequence[str]:
        """See ParamType."""
        return targets_in(rv)


notify_option = click.option(
    "--notify",
    multiple=True,
    metavar="TARGET",
    type=_Targets(),
    envvar=NOTIFY,
    help="Where to send notifications: slack:URL, webhook:URL, mail:smtp://…, lines:FILE, cloudevents:FILE or URL, "
    "openlineage:FILE or URL. May be repeated. PENSTOCK_NOTIFY takes the same, one per line.",
)


def console_of_run() -> "Console":
    """Where the run is told, warnings among it; it waits for nobody who reads that."""
    from rich.logging import RichHandler

    from penstock.cli.background_writer import in_background
    from penstock.cli.terminal import Terminal, width_for

    words = cast(TextIO, in_background(sys.stderr))
    console = Terminal(file=words, stderr=True, width=width_for(sys.stderr))
    handler = RichHandler(console=console, show_path=False)
    logging.basicConfig(handlers=[handler], level=logging.WARNING, format="%(message)s")
    return console


def with_table(console: "Console", name: str, govern: "Callable[[Callable[[View], None]], RunStory]") -> "RunStory":
    """What `govern` came to, which is given what shows a view as a table of all tenants."""
    from rich.live import Live

    from penstock.cli.tenants_table import tenants_table

    with Live(console=console, auto_refresh=False, transient=False) as live:

        def show(view: "View") -> None:
            live.update(tenants_table(view, f"{name}, {view.at_s:.0f} s"), refresh=True)

        return govern(show)


def end_as(story: "RunStory", console: "Console", json_out: str | None) -> None:
    """Tell the story, write it where it is wanted, and end the command as governing ended."""
    from penstock.governing.story import as_document

    _tell(story, console)
    if json_out is not None:
        write_json(json_out, as_document(story))
    if story.interrupted:
        raise click.Abort
    if story.error is not None:
        sys.exit(story.exit_code)  # whoever watches over us starts another


def _tell(story: "RunStory", console: "Console") -> None:
    """What was decided, why governing ended if it did by itself, and where it is recorded."""
    console.print()
    for record in story.decisions:
        console.print(record.text(), markup=False, highlight=False)
    if story.error is not None:
        console.print(f"governing ended: {story.error}", style="red", markup=False)
    if story.recording() is not None:
        console.print(story.recording(), highlight=False, markup=False)
