"""Advice on a run without penstock, in words and as a document."""

import math
from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from rich import box
from rich.console import RenderableType

from penstock.cli.terminal import Lines
from penstock.core.units import text_of_seconds
from penstock.engines.spark.history.replay import History
from penstock.telling.words import count, percent, span, tenths
from penstock.whatif.from_log import Advice, TenantAdvice

HINT_FROM = 0.1  # an error as large as what shares commonly bring


def told(history: History, found: Advice) -> Iterator[RenderableType]:
    """What was found, the most certain first."""
    yield _run(history, found)
    yield _table(found)
    yield _twin(found)
    simulated, governed = percent(found.as_is), percent(found.governed)
    yield f"All tenants together: {percent(found.really)} of their utility; simulated {simulated}, governed {governed}."
    yield from (f"- {one.name}: {_levers(one)}" for one in found.tenants if one.weight is not None)
    yield from (line for one in found.tenants if (line := _by_hand(one)) is not None)
    yield _slots(history, found)
    if not found.whole:
        yield "The time limit ended before everything was tried: raise it with --within."


def document(history: History, found: Advice) -> dict[str, Any]:
    """The same for programs."""
    tenants = [
        {**asdict(one), "by_hand": None if one.by_hand is None else one.by_hand.remedy.what} for one in found.tenants
    ]
    application = history.application
    given = {name: value for name, value in asdict(found).items() if name != "slots"}
    return {
        "application": {"id": application.id, "name": application.name, "spark": application.spark},
        "queries": list(history.queries),
        "slots": history.slots,
        "executors": history.executors,
        "scheduling": history.scheduling,
        **{**given, "tenants": tenants},
        "slots_tried": [asdict(one) for one in found.slots],
        "enough_slots": found.enough_slots,
    }


def _run(history: History, found: Advice) -> str:
    has = f"{count(history.slots, 'slot')} on {count(history.executors, 'executor')}"
    shared = "pools of their own" if history.scheduling == "fair" else "one queue for all (FIFO)"
    others = [name for name in history.queries if name not in {one.name for one in found.tenants}]
    beside = f"; without an intent: {', '.join(others)}" if others else ""
    application = history.application
    return (
        f"{application.name} on Spark {application.spark}, {has}, {shared}: "
        f"the last {span(found.judged_s)} of {span(history.span_s)}{beside}"
    )


def _table(found: Advice) -> Lines:
    lines = Lines(box=box.SIMPLE)
    for title in ("tenant", "asks for", "had (mean)", "met", "met, simulated", "met, governed"):
        lines.add_column(title)
    for one in found.tenants:
        had = "–" if one.latency_s is None else text_of_seconds(round(one.latency_s, 2))
        met = (percent(one.really.met), percent(one.as_is.met), percent(one.governed.met))
        lines.add_row(one.name, one.intent, had, *met)
    return lines


def _twin(found: Advice) -> str:
    if found.off is None or found.off_span_s is None:
        return "The simulator's error is unknown: the run is too short, or the time limit ended."
    worst = max((one for one in found.tenants if one.off is not None), key=lambda one: one.off or 0.0, default=None)
    of_one = "" if worst is None else f"; largest of one tenant's: {tenths(worst.off)}, {worst.name}"
    return (
        f"The simulator's error is {tenths(found.off)} of all utility on the last {span(found.off_span_s)}, "
        f"of which it knew only the arrivals{of_one}."
        + (" So take what follows only as a hint." if found.off > HINT_FROM else "")
    )


def _levers(one: TenantAdvice) -> str:
    bound = "all rows that wait" if one.bound is None else f"up to {count(one.bound, 'row')} a batch"
    return f"governed, it ends with weight {one.weight} and reads {bound}"


def _by_hand(one: TenantAdvice) -> str | None:
    if one.by_hand is None:
        return None
    best = one.by_hand
    instead = f"{percent(best.met)} instead of {percent(one.as_is.met)}"
    return f"- {one.name} without penstock: {best.remedy.what} ({best.remedy.price}), {instead}"


def _slots(history: History, found: Advice) -> str:
    enough = found.enough_slots
    if enough is None:
        tried = ", ".join(str(one.slots) for one in found.slots) or "none could be tried in time"
        return f"Slots: with penstock, none of {tried} meets all intents."
    executors = math.ceil(enough / history.executor_slots)
    many = f"{count(enough, 'slot')} ({count(executors, 'executor')} of the same size{_priced(found, enough)})"
    return f"Slots: with penstock, {many} meet all intents; the run had {history.slots}{_priced(found, history.slots)}."


def _priced(found: Advice, slots: int) -> str:
    price = found.slot_price
    return "" if price is None else f", {price.text(price.of(slots))} an hour"
