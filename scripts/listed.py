"""Pages of docs/reference made from what runs: the metrics that are exported, the levers that penstock knows."""

import inspect
from collections.abc import Iterable, Sequence
from dataclasses import fields
from typing import get_args

from described import HOW
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric

from penstock.cli.lever_commands import LEVER_COMMANDS, LeverCommand
from penstock.core.levers import WORDS, Disturbs, Kind, Move, Shows, unit_of
from penstock.core.seen.view import View
from penstock.store.gallery import Newest
from penstock.web.metrics import Seen, families
from penstock.web.shapes import RunOut
from penstock.web.shapes_control import ControlOut

_MOST_LABELS = 9


def metrics() -> str:
    """Every metric of `GET /metrics`."""
    rows = map(_metric, families(_nothing()))
    parts = [
        "# Metrics\n",
        HOW,
        "`GET /metrics` of `penstock serve` has these figures of the newest run. `--otlp` and `--sink` send the\n"
        "same. [Scrape metrics, raise alerts](../metrics.md) says how to use them. Names, labels and units are\n"
        "stable.\n",
        "A figure that could not be measured has no sample; it is never zero.\n",
        _table(("metric", "type", "labels", "meaning"), rows),
    ]
    return "\n".join(parts)


def _nothing() -> Seen:
    """A run without jobs: its metrics have names, but no samples."""
    run = RunOut("none", "none", "", "", "", None, False)
    nobody = ControlOut(False, False, None, False, None, None)
    return Seen(run, Newest(0, View(0.0, (), (), 0.0, 0.0), ""), (), nobody)


def _metric(family: Metric) -> Sequence[str]:
    assert isinstance(family, GaugeMetricFamily | CounterMetricFamily), family.name
    name = f"{family.name}_total" if family.type == "counter" else family.name
    # A family does not tell its labels; a sample that has a value for each of them does.
    family.add_metric([""] * _MOST_LABELS, 0.0)
    return f"`{name}`", family.type, ", ".join(family.samples[-1].labels), family.documentation


def levers() -> str:
    """Every kind of lever, and how people change it."""
    kinds = {_kind(move): move for move in get_args(Move)}
    parts = [
        "# Levers\n",
        HOW,
        "A lever is something that penstock can change. Its kind is its name in `penstock control`, in the API and\n"
        "in the record. [Levers](../levers.md) explains what each one does on Spark, [what a lever\n"
        "costs](../lever-costs.md) compares them.\n",
        _table(("kind", "belongs to", "figure", "in texts", "a move of it", "what it is"), map(_lever, kinds.items())),
        "## By hand\n",
        "`--run` chooses the run, by default the newest ([options](commands.md#penstock-control-slots)).\n",
        _table(("command", "what it does", "example"), map(_by_hand, LEVER_COMMANDS)),
        "`table` has no command, because no figure describes a routing table: routing changes it.\n",
        "## What `penstock control levers` says of each\n",
        _table(
            ("column", "one of"),
            [("a change disturbs", ", ".join(Disturbs)), ("effect shows", ", ".join(Shows))],
        ),
    ]
    return "\n".join(parts)


def _kind(move: type[Move]) -> Kind:
    return next(field.default for field in fields(move) if field.name == "kind")


def _lever(one: tuple[Kind, type[Move]]) -> Sequence[str]:
    kind, move = one
    words = WORDS.get(kind)
    owner = "the application" if words is not None and words.of_all else "a job"
    of_operator = any(field.name == "operator" for field in fields(move))
    figure = "keys" if words is None else unit_of(kind) or "number"
    name = "route" if words is None else words.name
    about = " ".join(inspect.cleandoc(move.__doc__ or "").split())
    return f"`{kind}`", "an operator of a job" if of_operator else owner, figure, name, f"`ps.{move.__name__}`", about


def _by_hand(command: LeverCommand) -> Sequence[str]:
    words = " ".join(one.upper() for one in command.takes)
    return f"`penstock control {command.kind} {words}`", command.about, f"`{command.example}`"


def _table(heading: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    return "\n".join((_row(heading), "|---" * len(heading) + "|", *map(_row, rows))) + "\n"


def _row(cells: Sequence[str]) -> str:
    plain = (" ".join(cell.split()).replace("|", "\\|") for cell in cells)
    return f"| {' | '.join(plain)} |"
