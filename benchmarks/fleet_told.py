"""What came of a way of `fleet_of_eight`, as its records and the cluster manager tell it."""

from collections.abc import Mapping, Sequence
from contextlib import closing
from math import ceil, inf
from statistics import mean
from typing import Any

from fleet_rows import kept, told_of
from fleet_site import INTERVAL_S, URGENT, Site, curve, views

from penstock.core.known.prediction import foretold_text
from penstock.core.levers import Executors
from penstock.core.seen.view import View
from penstock.store.open import open_store

_TOLD_WITHIN_S = 5.0  # the coordinator asks every 2 s, and is answered within 3


def came_of(site: Site, began_s: float) -> dict[str, Any]:
    """Of a way where the rows of the last driver began then."""
    shares = _shares(site, began_s + site.length.warm)
    moved_s = _moved_s(site, began_s + site.length.spike[0])
    orders = _orders(site, began_s)
    return {
        "utility_share": _of_all(shares),
        "after_spike": _of_all(_shares(site, began_s + site.length.spike[1])),
        "shares": {name: None if share is None else round(share, 3) for name, share in shares.items()},
        "executors_moved_s": moved_s,
        "rounds_until_decided": _decided(orders, site.length.spike[0]),
        "rounds_until_moved": None if moved_s is None else ceil(moved_s / INTERVAL_S),
        "held_at_most": max((sum(held.values()) for _, held in site.held), default=None),
        "told_as_held": _told_as_held(site),
        "orders": orders,
        "rows": _rows(site),
    }


def _decided(orders: Sequence[Mapping[str, Any]], spike_s: float) -> int | None:
    """The coordinator's rounds from the spike until it gives executors to the application that has it."""
    later = (order["at_s"] - spike_s for order in orders if order["at_s"] >= spike_s and "fraud" in order["gives"])
    return next((max(1, ceil(seconds / INTERVAL_S)) for seconds in later), None)


def _rows(site: Site) -> dict[str, int]:
    """Of all applications together: those that came through, that were lost, that came more than once."""
    found = [told_of(curve(name, site.length), kept(site.place / f"{name}.rows")) for name in site.names]
    return {what: sum(one[what] for one in found) for what in found[0]}


def _shares(site: Site, from_s: float) -> dict[str, float | None]:
    return {name: _share(views(site, name), from_s) for name in site.names}


def _of_all(shares: Mapping[str, float | None]) -> float:
    """Of the utility that there could be."""
    weights = {name: 40.0 if name in URGENT else 10.0 for name in shares}
    had = sum((shares[name] or 0.0) * weights[name] for name in shares)
    return round(had / sum(weights.values()), 4)


def _share(views: Sequence[tuple[float, View]], from_s: float) -> float | None:
    counted = [view.utility / view.max_utility for at_s, view in views if at_s >= from_s and view.max_utility > 0]
    return mean(counted) if counted else None


def _moved_s(site: Site, spike_s: float) -> float | None:
    """How long after the spike began the application with it held more executors than then."""
    ours = _id(site, "fraud")
    then = next((held.get(ours, 0) for at_s, held in site.held if at_s >= spike_s), 0)
    later = (at_s - spike_s for at_s, held in site.held if at_s >= spike_s and held.get(ours, 0) > then)
    return next((round(seconds, 1) for seconds in later), None)


def _orders(site: Site, began_s: float) -> list[dict[str, Any]]:
    """What the coordinator decided, as its own store tells, and how soon the cluster manager told the same.

    Seconds since the rows of the last driver began; `came_s` those until each application held what was decided, None
    where it did not before the next decision on it, or at all.
    """
    if site.way != "penstock":
        return []
    ids = {name: _id(site, name) for name in site.names}
    with closing(open_store(site.store("fleet"), create=False)) as store:
        run = store.read_run("fleet-eight")
    decided = [(run.info.started_at_s or 0.0) + one.decision.at_s for one in run.decisions]
    told = []
    for place, (at_s, record) in enumerate(zip(decided, run.decisions, strict=True)):
        came: dict[str, float | None] = {}
        for move in (move for move in record.decision.moves if isinstance(move, Executors)):
            later = zip(decided[place + 1 :], run.decisions[place + 1 :], strict=True)
            until_s = next((then_s for then_s, other in later if move.job in other.decision.jobs), inf)
            came[move.job] = _came_s(site, ids[move.job], move.after, at_s, until_s)
        decision = record.decision
        said = {"at_s": round(at_s - began_s, 1), "why": decision.why, "foretold": foretold_text(decision.foretold)}
        more = [move.job for move in decision.moves if isinstance(move, Executors) and move.after > move.before]
        verdict = None if record.verdict is None else record.verdict.text
        told.append({**said, "gives": more, "came_s": came, "verdict": verdict})
    return told


def _came_s(site: Site, application: str, executors: int, from_s: float, until_s: float) -> float | None:
    """How long after that the application held so many."""
    seen = ((at_s, held.get(application, 0)) for at_s, held in site.held if from_s <= at_s < until_s)
    return next((round(at_s - from_s, 1) for at_s, count in seen if count == executors), None)


def _told_as_held(site: Site) -> float | None:
    if site.way != "penstock":
        return None
    ids = {_id(site, name): name for name in site.names}
    agreed = []
    for at_s, view in views(site, "fleet"):
        lately = [held for held_s, held in site.held if at_s - _TOLD_WITHIN_S <= held_s <= at_s]
        seen = {job.name: job.figures.threads for job in view.jobs}
        for one, name in ids.items() if lately else ():
            if name in seen:
                agreed.append(any(held.get(one, 0) == seen[name] for held in lately))
    return round(mean(agreed), 3) if agreed else None


def _id(site: Site, name: str) -> str:
    with closing(open_store(site.store(name), create=False)) as store:
        (info,) = store.runs()
    return info.id
