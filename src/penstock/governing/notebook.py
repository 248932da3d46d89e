"""A governed application as a notebook shows it: a table, a frame of figures, a picture."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from html import escape
from typing import TYPE_CHECKING, Any

from penstock.core.documents import mean
from penstock.core.run import DecisionRecord, asked_latency_s
from penstock.core.seen.states import State, known_utility, possible_utility, state_of
from penstock.core.seen.view import JobView, View
from penstock.core.units import text_of_seconds
from penstock.errors import PenstockError
from penstock.extras import check_extra

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from penstock.governing.picture import Picture

LAST = 5  # decisions that are shown
COLUMNS = {  # each with its type in a frame of Spark
    "at_s": "double",
    "job": "string",
    "state": "string",
    "met": "boolean",
    "utility_share": "double",
    "latency_s": "double",
    "juice": "double",
    "arrival_rps": "double",
    "processed_rps": "double",
    "backlog_rows": "double",
    "weight": "int",
}
_TITLES = ("tenant", "asks for", "state", "latency", "juice", "weight", "met so far")
_NONE = "–"
_NOTHING_YET = "No figures yet: the first come with the first round."
_AS_IT_WAS = "What is shown is as it was then."


@dataclass(frozen=True, slots=True)
class Ending:
    """That nobody governs any more: since when, after how long, and why."""

    at_epoch_s: float
    governed_s: float
    why: str

    def text(self) -> str:
        """In words.

        >>> Ending(1_795_406_706.0, 90.0, "it was stopped").text()
        'governing ended at 2026-11-23 04:05:06 UTC, after 90 s: it was stopped'
        """
        when = datetime.fromtimestamp(self.at_epoch_s, UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
        return f"governing ended at {when}, after {self.governed_s:.0f} s: {self.why}"


def html(views: Sequence[View], decisions: Sequence[DecisionRecord], ended: Ending | None) -> str:
    """Tenants, what they ask for and have now, or had at the end, and the last decisions; names are text."""
    end = "" if ended is None else f"<p><b>{escape(_capital(ended.text()))}. {_AS_IT_WAS}</b></p>"
    if not views:
        return f"<div>{end or f'<p>{_NOTHING_YET}</p>'}</div>"
    last, met, over = views[-1], _met(views), ended is not None
    head = "".join(f"<th>{title}</th>" for title in _TITLES)
    cells = ("".join(f"<td>{escape(cell)}</td>" for cell in _cells(job, met[job.name], over)) for job in last.jobs)
    body = "".join(f"<tr>{row}</tr>" for row in cells)
    told = "".join(f"<li>{escape(record.text())}</li>" for record in decisions[-LAST:])
    return (
        f"<div>{end}<p>{_headline(last)}</p>"
        f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
        + (f"<p>Last decisions</p><ul>{told}</ul>" if told else "")
        + "</div>"
    )


def text(views: Sequence[View], ended: Ending | None) -> str:
    """The same in lines, for where there are no pages: a shell, a diff of a notebook."""
    met, over = _met(views), ended is not None
    end = [] if ended is None else [f"{_capital(ended.text())}. {_AS_IT_WAS}"]
    if not views:
        return "\n".join(end or [_NOTHING_YET])
    lines = [_headline(views[-1]), " | ".join(_TITLES)]
    return "\n".join([*end, *lines, *(" | ".join(_cells(job, met[job.name], over)) for job in views[-1].jobs)])


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


def spark_frame(views: Sequence[View], spark: "SparkSession") -> "DataFrame":
    """The rows as a DataFrame of that session, which needs no pandas."""
    schema = ", ".join(f"{name} {kind}" for name, kind in COLUMNS.items())
    return spark.createDataFrame([tuple(_typed(row)) for row in rows(views)], schema)


def plot(views: Sequence[View]) -> "Picture":
    """Each tenant's share of its utility and its weight over time; a line that breaks was not measured."""
    check_extra("plots")
    from penstock.governing.picture import Picture

    figure = Picture(figsize=(9.0, 5.0), layout="constrained")
    above, below = figure.subplots(2, 1, sharex=True)
    found = list(rows(views))
    for name in dict.fromkeys(row["job"] for row in found):
        mine = [row for row in found if row["job"] == name]
        at_s = [row["at_s"] for row in mine]
        shares = [float("nan") if row["utility_share"] is None else row["utility_share"] for row in mine]
        above.plot(at_s, shares, label=_as_text(name))
        below.step(at_s, [row["weight"] for row in mine], where="post")
    above.set(ylabel="share of its utility", ylim=(-0.02, 1.02))
    below.set(ylabel="weight", xlabel="seconds", ylim=(0, None))
    if found:
        above.legend()
    return figure


def _as_text(name: str) -> str:
    """A name as matplotlib shows it: between two $ it reads a formula, and what begins with _ is in no legend."""
    shown = name.replace("$", r"\$")
    return f" {shown}" if shown.startswith("_") else shown


def _typed(row: Mapping[str, Any]) -> Iterator[Any]:
    """Spark takes no whole number for a double."""
    for name, kind in COLUMNS.items():
        value = row[name]
        yield float(value) if kind == "double" and value is not None else value


def _headline(view: View) -> str:
    most = possible_utility(view)
    share = "" if not most else f", {known_utility(view) / most:.0%} of the utility"
    return f"{view.at_s:.0f} s governed{share}"


def _met(views: Sequence[View]) -> Mapping[str, float | None]:
    """The share of its rounds in which each tenant had what it asks for; of those in which that is known."""
    found: dict[str, list[float]] = {}
    for view in views:
        for job in view.jobs:
            of_job = found.setdefault(job.name, [])
            if job.utility is not None:
                of_job.append(float(state_of(job) is State.FINE))
    return {name: mean(rounds) for name, rounds in found.items()}


def _capital(told: str) -> str:
    return told[:1].upper() + told[1:]


def _cells(job: JobView, met: float | None, over: bool) -> tuple[str, ...]:
    has, juice = asked_latency_s(job), job.figures.juice
    return (
        *(job.name, job.intent.text(), f"{'was ' if over else ''}{state_of(job)}"),
        _NONE if has is None else text_of_seconds(round(has, 2)),
        _NONE if juice is None else f"{juice:.0%}",
        *(str(job.figures.threads), _NONE if met is None else f"{met:.0%}"),
    )
