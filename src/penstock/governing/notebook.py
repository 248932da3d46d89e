"""A governed application as a notebook shows it: a table, a frame of figures, a picture. Pure but for what draws."""

from collections.abc import Iterator, Sequence
from html import escape
from typing import TYPE_CHECKING, Any

from penstock.core.documents import mean
from penstock.core.run import DecisionRecord, asked_latency_s
from penstock.core.states import State, state_of
from penstock.core.units import text_of_seconds
from penstock.core.view import JobView, View
from penstock.errors import PenstockError
from penstock.extras import check_extra

if TYPE_CHECKING:
    from matplotlib.figure import Figure

LAST = 5  # decisions that are shown
COLUMNS = (
    *("at_s", "job", "state", "met", "utility_share", "latency_s", "juice"),
    *("arrival_rps", "processed_rps", "backlog_rows", "weight"),
)
_TITLES = ("tenant", "asks for", "state", "latency", "juice", "weight", "met so far")
_NONE = "–"


def html(views: Sequence[View], decisions: Sequence[DecisionRecord], error: Exception | None) -> str:
    """Tenants, what they ask for and have now, and the last decisions; whatever is in names is text."""
    ended = "" if error is None else f"<p><b>governing ended:</b> {escape(str(error))}</p>"
    if not views:
        return f"<div><p>No figures yet: the first come with the first round.</p>{ended}</div>"
    last = views[-1]
    head = "".join(f"<th>{title}</th>" for title in _TITLES)
    rows = "".join(_row(job, views) for job in last.jobs)
    told = "".join(f"<li>{escape(record.text())}</li>" for record in decisions[-LAST:])
    share = "" if not last.max_utility else f", {last.utility / last.max_utility:.0%} of the utility"
    return (
        f"<div><p>{last.at_s:.0f} s governed{share}</p>{ended}"
        f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"
        + (f"<p>Last decisions</p><ul>{told}</ul>" if told else "")
        + "</div>"
    )


def rows(views: Sequence[View]) -> Iterator[dict[str, Any]]:
    """A row for each tenant of each round; what could not be measured is None."""
    for view in views:
        for job in view.jobs:
            figures = job.figures
            share = None if job.utility is None or not job.max_utility else job.utility / job.max_utility
            values = (
                *(
                    view.at_s,
                    job.name,
                    str(state_of(job)),
                    state_of(job) is State.FINE,
                    share,
                    asked_latency_s(job),
                    figures.juice,
                ),
                *(figures.arrival_rps, figures.processed_rps, figures.backlog_rows, figures.threads),
            )
            yield dict(zip(COLUMNS, values, strict=True))


def frame(views: Sequence[View]) -> Any:
    """The rows as a pandas DataFrame, the last round last."""
    try:
        import pandas
    except ModuleNotFoundError:
        raise PenstockError("a frame needs pandas, which is not installed: pip install pandas") from None
    return pandas.DataFrame(list(rows(views)), columns=list(COLUMNS))


def plot(views: Sequence[View]) -> "Figure":
    """Each tenant's share of its utility and its weight over time; a line that breaks was not measured."""
    check_extra("plots")
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9.0, 5.0), layout="constrained")
    above, below = figure.subplots(2, 1, sharex=True)
    found = list(rows(views))
    for name in dict.fromkeys(row["job"] for row in found):
        mine = [row for row in found if row["job"] == name]
        at_s = [row["at_s"] for row in mine]
        shares = [float("nan") if row["utility_share"] is None else row["utility_share"] for row in mine]
        above.plot(at_s, shares, label=name)
        below.step(at_s, [row["weight"] for row in mine], where="post")
    above.set(ylabel="share of its utility", ylim=(-0.02, 1.02))
    below.set(ylabel="weight", xlabel="seconds", ylim=(0, None))
    if found:
        above.legend()
    return figure


def _row(job: JobView, views: Sequence[View]) -> str:
    has, juice = asked_latency_s(job), job.figures.juice
    met = mean(
        [
            float(state_of(one) is State.FINE)
            for view in views
            for one in view.jobs
            if one.name == job.name and one.utility is not None
        ]
    )
    cells = (
        *(job.name, job.intent.text(), str(state_of(job))),
        _NONE if has is None else text_of_seconds(round(has, 2)),
        _NONE if juice is None else f"{juice:.0%}",
        *(str(job.figures.threads), _NONE if met is None else f"{met:.0%}"),
    )
    return "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in cells) + "</tr>"
