"""A run as one self-contained HTML page: no script, nothing fetched, light and dark, narrow and wide."""

import math
from collections.abc import Sequence
from importlib.resources import files

from penstock.core.known.counterfactual import Counterfactual
from penstock.core.run import DecisionRecord, Run
from penstock.core.seen.shares import Pool
from penstock.telling.charts import satisfaction_strips, threads_chart, utility_chart
from penstock.telling.counterfactuals import without_text
from penstock.telling.held_back import held_news
from penstock.telling.job_summary import JobSummary
from penstock.telling.markup import Markup, joined, tag
from penstock.telling.money import spent
from penstock.telling.summary import Summary, came_to, most_utility, summarise
from penstock.telling.thin import slices
from penstock.telling.words import (
    clock,
    count,
    expectation,
    moves_text,
    number,
    percent,
    span,
    started,
    tenths,
    what_came,
)

SHOWN = 500  # rows of a table: the page stays quick to open, and the newest count most


def page(run: Run, tried: Sequence[Counterfactual] = ()) -> str:
    """The whole page; with how it would have gone without decisions, of those that were `tried`."""
    summary = summarise(run, tried)
    title = f"{run.info.name}: {run.info.policy}"
    tables = (_jobs(run, summary), _held(run), _troubles(run), _decisions(run, tried), _acts(run), _deeds(run))
    body = tag("main", _header(run), _summary(run, summary), *_charts(run, summary), *tables)
    return "<!doctype html>\n" + tag("html", head(title), tag("body", body), lang="en")


def head(title: str) -> Markup:
    """What stands before a page's body: its style is in it, and a browser may fetch nothing."""
    style = Markup(files("penstock.telling").joinpath("page.css").read_text(encoding="utf-8"))
    policy = "default-src 'none'; style-src 'unsafe-inline'"  # a browser then refuses to fetch anything at all
    return tag(
        "head",
        tag("meta", charset="utf-8"),
        tag("meta", http_equiv="Content-Security-Policy", content=policy),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("title", title),
        tag("style", style),
    )


def _header(run: Run) -> Markup:
    info = run.info
    where = f"{info.engine} {info.master}".strip()
    facts = f"{info.policy} on {where}, {started(info)}, run {info.id}"
    return tag("header", tag("h1", info.name), tag("p", facts, class_="facts"))


def _summary(run: Run, summary: Summary) -> Markup:
    tiles = [
        (percent(summary.met_share), "of the time intents were met, mean over jobs"),
        (percent(summary.utility_share), "of the utility that could be had"),
        (number(float(len(run.decisions))), "decision" if len(run.decisions) == 1 else "decisions"),
        (span(summary.length_s), f"in {count(len(run.at_s), 'cycle')}"),
    ]
    told = [tag("p", typeset(sentence)) for sentence in summary.sentences]
    shown = [tag("div", tag("b", value), tag("span", words), class_="tile") for value, words in tiles]
    return tag("section", tag("h2", "Summary"), tag("div", *shown, class_="tiles"), *told)


def _charts(run: Run, summary: Summary) -> Sequence[Markup]:
    if not len(run.at_s):
        return ()
    cut = slices(run.at_s)
    charts = (satisfaction_strips(run, cut, summary.jobs), utility_chart(run, cut), threads_chart(run, cut))
    return [tag("section", chart) for chart in charts]


def _jobs(run: Run, summary: Summary) -> Markup:
    heads = ["Job", "Intent", "Worth", "Met", "Utility", "Share", "Decisions"]
    cells = [list(_job_cells(job, run)) for job in summary.jobs]
    if any(job.last_recovery_s is not None for job in summary.jobs):
        heads.append("Would recover in")
        cells = [[*found, _recovery(job)] for found, job in zip(cells, summary.jobs, strict=True)]
    if any(job.spent is not None for job in summary.jobs):
        heads.append("Error budget left")
        cells = [[*found, _budget(job)] for found, job in zip(cells, summary.jobs, strict=True)]
    if run.prediction_errors:
        off = {error.job: f"{tenths(error.share)} over {error.of}" for error in run.prediction_errors if error.of}
        heads.append("Foretold utility off by")
        cells = [[*found, off.get(job.name, "–")] for found, job in zip(cells, summary.jobs, strict=True)]
    costs = {one.name: one for one in spent(run)}
    if costs:
        heads += ["Cost", "of it while it missed"]
        told = [costs[job.name] for job in summary.jobs]
        pairs = [(one.price.text(one.cost), one.price.text(one.missed_cost)) for one in told]
        cells = [[*found, *pair] for found, pair in zip(cells, pairs, strict=True)]
    rows = [row(heads, found) for found in cells]
    return tag("section", tag("h2", "Jobs"), table(heads, rows))


def _job_cells(job: JobSummary, run: Run) -> Sequence[str]:
    shares = (percent(job.met_share), percent(job.utility_share))
    return job.name, job.intent, number(job.max_utility), *shares, _share(job, run.pool), str(job.decisions)


def _share(job: JobSummary, pool: Pool) -> str:
    """Its weight at first and at last, with the slots that the last stands for; or its threads."""
    if job.first_threads is None or job.last_threads is None:
        return "–"
    moved = f"{job.first_threads} → {job.last_threads}"
    if job.name not in pool.weights:
        return f"{moved} threads"
    slots = pool.share(job.last_threads)
    return f"weight {moved}" + ("" if slots is None else f": {number(slots)} of {pool.slots} slots")


def _budget(job: JobSummary) -> str:
    """What is left of it, and how fast it goes over the last hour or so."""
    spent = job.spent
    if spent is None:
        return "–"
    burns = "" if not spent.pressing else f", burns {spent.pressing:.1f} times as fast as it may"
    return f"{percent(spent.left)} of {spent.asked.text()}{burns}"


def _recovery(job: JobSummary) -> str:
    """The estimates: the last, and the worst where that is another."""
    last, worst = (_until_recovered(seconds) for seconds in (job.last_recovery_s, job.worst_recovery_s))
    return last if last == worst else f"{last}, at worst {worst}"


def _until_recovered(seconds: float | None) -> str:
    if seconds is None:
        return "–"
    return "never" if math.isinf(seconds) else span(seconds)


def _held(run: Run) -> Markup | None:
    """What kept jobs below their intents where their policy found nothing better; nothing where nobody was."""
    heads = ("When", "Job", "What held it back", "What would help")
    rows = [row(heads, (clock(one.at_s), one.job, one.what, one.helps)) for one in list(held_news(run))[-SHOWN:]]
    return tag("section", tag("h2", "Held back"), table(heads, rows, "numbered")) if rows else None


def _troubles(run: Run) -> Markup | None:
    """What was wrong with jobs, such as a query that died, and with governing itself; nothing when nothing was."""
    told = [(job.name, trouble) for job in run.jobs for trouble in job.troubles]
    told += [("(governing)", error) for error in run.errors]
    found = sorted((trouble.at_s, name, trouble.text or "over") for name, trouble in told)
    heads = ("When", "Job", "Trouble")
    rows = [row(heads, (clock(at_s), name, text)) for at_s, name, text in found[-SHOWN:]]
    return tag("section", tag("h2", "Troubles"), table(heads, rows, "numbered")) if rows else None


def _decisions(run: Run, tried: Sequence[Counterfactual]) -> Markup:
    known = {one.number: without_text(one).removeprefix("without it").lstrip(": ") for one in tried}
    heads = ("No.", "When", "What", "Whom", "Why", "Expected", "What came", *(["Without it"] if known else []))
    numbered, most = run.told[-SHOWN:], most_utility(run)
    rows = [
        row(
            heads,
            (*_decision_cells(index, record), *([known.get(index, "–")] if known else [])),
            f"d{index}",
            came_to(record, most).name.lower(),
        )
        for index, record in numbered
    ]
    left_out = len(run.decisions) - len(numbered)
    note = tag("p", f"The first {count(left_out, 'decision')} are left out here.") if left_out else None
    shown = table(heads, rows, "numbered") if rows else tag("p", "No decision was taken.")
    return tag("section", tag("h2", "Decisions"), note, shown)


def _acts(run: Run) -> Markup | None:
    """What people asked of the controller; nothing where nobody asked anything."""
    heads = ("When", "Who", "What")
    rows = [row(heads, (clock(act.at_s), act.who, act.line)) for act in run.acts[-SHOWN:]]
    return tag("section", tag("h2", "By people"), table(heads, rows, "numbered")) if rows else None


def _deeds(run: Run) -> Markup | None:
    """What the engine did by itself; nothing when it did nothing."""
    heads = ("When", "What")
    rows = [row(heads, (clock(deed.at_s), deed.line)) for deed in run.deeds[-SHOWN:]]
    return tag("section", tag("h2", "By itself"), table(heads, rows, "numbered")) if rows else None


def _decision_cells(index: int, record: DecisionRecord) -> Sequence[str]:
    decision = record.decision
    whom, expected, came = moves_text(decision.moves), expectation(record), what_came(record)
    return str(index), clock(decision.at_s), decision.reason.value, whom, decision.why, expected, came


def row(heads: Sequence[str], cells: Sequence[str], anchor: str | None = None, kind: str | None = None) -> Markup:
    """Cells, each with its heading, which a narrow page shows beside it."""
    shown = [tag("td", typeset(cell), data_label=head) for head, cell in zip(heads, cells, strict=True)]
    return tag("tr", *shown, id=anchor, class_=kind)


def typeset(text: str) -> str:
    """The signs that a page has and a terminal may not."""
    return text.replace("->", "→").replace("<=", "≤").replace(">=", "≥")


def table(heads: Sequence[str], rows: Sequence[Markup], kind: str | None = None) -> Markup:
    """Rows below their headings."""
    head = tag("thead", tag("tr", *(tag("th", name, scope="col") for name in heads)))
    return tag("div", tag("table", head, tag("tbody", joined(*rows)), class_=kind), class_="table")
