"""The table of `penstock diff`: a row for all, and one for each tenant."""

from penstock.cli.terminal import Lines
from penstock.telling.counterfactuals import points_text
from penstock.telling.words import percent
from penstock.web.comparing import SAME
from penstock.web.shapes_reports import CompareOut


def sides(found: CompareOut) -> Lines:
    """What each had in A and in B."""
    table = Lines(box=None, pad_edge=False, header_style="dim", padding=(0, 2, 0, 0))
    table.add_column("")
    for heading in ("utility A", "B", "", "met A", "B", ""):
        table.add_column(heading, justify="right", no_wrap=True)
    a, b = found.a, found.b
    table.add_row("all", *_pair(a.utility_share, b.utility_share), *_pair(a.met_share, b.met_share))
    for job in found.jobs:
        table.add_row(job.name, *_pair(job.utility_a, job.utility_b), *_pair(job.met_a, job.met_b))
    return table


def _pair(a: float | None, b: float | None) -> tuple[str, str, str]:
    changed = a is not None and b is not None and abs(b - a) >= SAME
    return percent(a), percent(b), points_text((b or 0.0) - (a or 0.0)) if changed else ""
