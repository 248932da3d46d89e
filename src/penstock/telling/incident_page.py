"""An incident report as one self-contained HTML page, to print or to pass on: no script, nothing fetched."""

from penstock.telling.incident import Incident
from penstock.telling.markup import Markup, tag
from penstock.telling.report import head, row, table, typeset
from penstock.telling.words import clock, number, percent, span, started


def page(found: Incident) -> str:
    """The whole page."""
    facts = found.facts
    title = f"Incident: {facts.tenant}, {clock(facts.from_s)} to {clock(facts.to_s)}"
    body = tag("main", _header(found, title), _figures(found), *_chapters(found), _events(found))
    return "<!doctype html>\n" + tag("html", head(title), tag("body", body), lang="en")


def _header(found: Incident, title: str) -> Markup:
    run = found.facts.run
    facts = f"{run.name} under {run.policy} on {f'{run.engine} {run.master}'.strip()}, {started(run)}, run {run.id}"
    return tag("header", tag("h1", title), tag("p", facts, class_="facts"))


def _figures(found: Incident) -> Markup:
    cost = found.cost
    tiles = [
        (span(cost.missed_s), f"missed, of {span(cost.length_s)}"),
        (percent(cost.utility_lost), "of its utility lost"),
        (number(found.most_rows and float(round(found.most_rows))), "rows waited at most"),
        (str(len(found.facts.decisions)), "decisions about it"),
    ]
    return tag(
        "div",
        *(tag("div", tag("b", value), tag("span", words), class_="tile") for value, words in tiles),
        class_="tiles",
    )


def _chapters(found: Incident) -> list[Markup]:
    told = [(name, sentences) for name, sentences in found.chapters.items() if sentences]
    return [tag("section", tag("h2", name), *(tag("p", typeset(one)) for one in sentences)) for name, sentences in told]


def _events(found: Incident) -> Markup | None:
    heads = ("When", "What")
    rows = [row(heads, (clock(at_s), text)) for at_s, text in found.events]
    return tag("section", tag("h2", "In its order"), table(heads, rows)) if rows else None
