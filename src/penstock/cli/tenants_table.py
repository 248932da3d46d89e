"""One table of all tenants, as they are now."""

from rich import box
from rich.table import Table

from penstock.cli.terminal import Lines, line
from penstock.core.safe_text import visible
from penstock.core.seen.shares import Share, shares_of
from penstock.core.seen.states import State, known_utility, possible_utility, state_of
from penstock.core.seen.view import JobView, View
from penstock.telling.shares import share_text
from penstock.telling.states import headline, utility_text
from penstock.telling.words import number

_ABSENT = "-"
_STYLES = {
    State.MISSING: "yellow",
    State.BLIND: "red",
    State.STALE: "red",
    State.STARTING: "dim",
    State.FINE: None,
    State.RESTING: "dim",
}


def tenants_table(view: View, title: str) -> Table:
    """The tenants of a view, with what they asked for and what they get."""
    utility = utility_text(known_utility(view), possible_utility(view), view.utility)
    caption = f"{headline(view)} Utility {utility}."
    table = Lines(
        title=visible(title), caption=visible(caption), box=box.SIMPLE, title_justify="left", caption_justify="left"
    )
    figures = ("arriving/s", "processed/s", "backlog", "latency", "juice", "utility")
    for heading in ("tenant", "state", "wants", "share of slots", *figures):
        table.add_column(heading, justify="left" if heading in ("tenant", "state", "wants") else "right")
    shares = shares_of(view)
    for job in view.jobs:
        table.add_row(*_row(job, shares[job.name]), style=_STYLES[state_of(job)])
        if job.figures.trouble is not None:
            table.add_row("", "", line(job.figures.trouble, "red"))
    return table


def _row(job: JobView, share: Share) -> tuple[str, ...]:
    figures = job.figures
    latency = figures.latency
    percentile = next((getattr(o, "percentile", None) for o in job.intent.objectives), None)
    seconds = None if latency is None else latency.at(percentile)
    mark = "~" if latency is not None and latency.estimated else ""
    return (
        job.name,
        state_of(job).value,
        job.intent.text(),
        _share(share),
        _number(figures.arrival_rps, ".0f"),
        _number(figures.processed_rps, ".0f"),
        _number(figures.backlog_rows, ".0f"),
        _ABSENT if seconds is None else f"{mark}{seconds:.2f} s",
        _number(figures.juice, ".2f"),
        _ABSENT if job.utility is None else f"{job.utility:.1f} of {job.max_utility:g}",
    )


def _share(share: Share) -> str:
    if share.pool is None or share.slots is None:
        return share_text(share)
    return f"{number(share.slots)} of {share.pool.slots}"


def _number(value: float | None, form: str) -> str:
    return _ABSENT if value is None else format(value, form)
