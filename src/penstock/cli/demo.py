"""`penstock demo`: tenants in trouble on real Spark, then helped, in under two minutes."""

import logging
import sys
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from penstock.cli.out_file import out_option
from penstock.cli.output import write_text
from penstock.cli.recorded import store_option
from penstock.cli.trials import show_trials

if TYPE_CHECKING:
    from rich.table import Table

    from penstock.core.run import DecisionRecord
    from penstock.core.seen.view import View
    from penstock.governing.comparison import TrialResult

EXAMPLE = """
\b
Examples:
  penstock demo
  penstock demo --html governed.html --no-serve
"""


@click.command(epilog=EXAMPLE)
@out_option(
    "--html",
    default="penstock-demo.html",
    show_default=True,
    help="File for the report of the governed run.",
)
@click.option(
    "--serve/--no-serve",
    default=None,
    help="Show the three runs side by side on a page until Ctrl-C. Default: only in a terminal.",
)
@store_option
def demo(html: str, serve: bool | None, store: str | None) -> None:
    """Run four tenants on a real, embedded Spark: under FIFO, under FAIR, then governed."""
    from rich.live import Live

    from penstock.cli.tenants_table import tenants_table
    from penstock.cli.terminal import Terminal, width_for
    from penstock.governing.demo import SPIKE_FROM_S, SPIKE_TO_S, TRIAL_S, run_demo  # pyspark takes a second
    from penstock.store.open import check_writable
    from penstock.telling.held_back import among, with_held
    from penstock.telling.report import page

    if store is not None:
        check_writable(store, "--store")
    logging.basicConfig(level=logging.ERROR)
    console = Terminal(stderr=True, width=width_for(sys.stderr))
    started_s = time.monotonic()
    with Live(console=console, auto_refresh=False, transient=True) as live:

        def show(title: str, view: "View") -> None:
            now = "spike" if SPIKE_FROM_S <= view.at_s <= SPIKE_TO_S else "calm"
            heading = f"{title}: {view.at_s:.0f} of {TRIAL_S:.0f} s, {now}"
            live.update(tenants_table(view, heading), refresh=True)

        def tell(record: "DecisionRecord") -> None:
            if record.decision.moves:
                console.print(record.text(), markup=False, highlight=False)

        results = run_demo(lambda text: console.print(text, style="dim"), show, tell)
    console.print(_comparison(results))
    write_text(html, page(with_held(results[-1].run, among(results[-1].views))), "--html")
    console.print(f"report of the governed run: {html}", highlight=False)
    console.print(f"{time.monotonic() - started_s:.0f} s in all", style="dim")
    show_trials(results, store, sys.stderr.isatty() if serve is None else serve)


def _comparison(results: Sequence["TrialResult"]) -> "Table":
    """SLO satisfaction (share of time) and utility of each tenant, policy by policy."""
    from rich import box

    from penstock.cli.terminal import Lines
    from penstock.governing.demo import TURNS

    table = Lines(box=box.SIMPLE, title="share of time with the SLO met, and utility", title_justify="left")
    table.add_column("tenant")
    table.add_column("wants")
    for _, title in TURNS:
        table.add_column(f"{title}: met", justify="right")
        table.add_column("utility", justify="right")
    for job in results[-1].views[-1].jobs:
        cells: list[str] = []
        for result in results:
            cells.append(f"{result.met(job.name):.0%}")
            cells.append(f"{result.job_utility_share(job.name) * job.max_utility:.1f} of {job.max_utility:g}")
        table.add_row(job.name, job.intent.text(), *cells)
    totals = [cell for result in results for cell in ("", f"{result.utility_share:.0%}")]
    table.add_row("all", "", *totals, style="bold")
    return table
