"""What an incident report needs, read from a store: for the page, and for `penstock report --incident`."""

from collections.abc import Mapping, Sequence

from penstock.core.documents import mean
from penstock.core.run import DecisionRecord
from penstock.core.seen.shares import Pool, pool_of
from penstock.errors import ConfigError
from penstock.store.gallery import Gallery
from penstock.store.thinning import Columns, Stretch
from penstock.telling.binding import binding
from penstock.telling.incident import Facts, Incident, incident
from penstock.telling.words import clock
from penstock.web.present import finite
from penstock.web.shapes_reports import IncidentChapterOut, IncidentEventOut, IncidentOut

POINTS = 3000  # of the tenant: an hour of a second each, and a little less than that of a day
OTHERS = 300  # of all tenants together


def incident_of(gallery: Gallery, tenant: str, from_s: float | None, to_s: float | None) -> Incident:
    """The report on one tenant; without an end it is the whole run. Mistakes have the names of the API's parameters."""
    first_s, last_s = _between(gallery, from_s, to_s)
    stretch = Stretch(first_s, last_s, POINTS)
    own = gallery.job(stretch, tenant)
    if own is None and gallery.job(Stretch(), tenant) is None:
        known = ", ".join(sorted(gallery.jobs(Stretch(points=1)))) or "none has been seen"
        raise ConfigError("job", tenant, f"name one of {known}")
    return incident(_facts(gallery, tenant, stretch, own or Columns((), {})))


def _between(gallery: Gallery, from_s: float | None, to_s: float | None) -> tuple[float, float]:
    length = gallery.length()
    first_s = length.first_s or 0.0 if from_s is None else from_s
    last_s = length.last_s or first_s if to_s is None else to_s
    if last_s <= first_s and length.cycles:
        raise ConfigError("until", clock(last_s), f"give a time after the beginning, {clock(first_s)}")
    return first_s, last_s


def _facts(gallery: Gallery, tenant: str, stretch: Stretch, own: Columns) -> Facts:
    from_s, to_s = stretch.from_s or 0.0, stretch.to_s or 0.0
    every = gallery.jobs(Stretch(from_s, to_s, OTHERS))
    worst_s = _worst(own)
    newest = gallery.newest(to_s if worst_s is None else worst_s)
    view = None if newest is None else newest.view
    job = None if view is None else next((one for one in view.jobs if one.name == tenant), None)
    intents = [intent.text() for at_s, intent in gallery.asked(tenant) if at_s <= to_s]
    since = [at_s for at_s, _ in gallery.asked(tenant) if at_s <= from_s]
    asked = intents[max(0, len(since) - 1) :]
    return Facts(
        run=gallery.info,
        tenant=tenant,
        intent=", then ".join(dict.fromkeys(asked)) or "nothing",
        from_s=from_s,
        to_s=to_s,
        at_s=own.at_s,
        **{name: _column(own, name) for name in ("latency_s", "met", "utility", "max_utility", "backlog_rows")},
        unseen=_held(every.get(tenant), "unseen", own.at_s),
        slots=_slots(tenant, own, every, None if view is None else pool_of(view)),
        others={name: _missed(columns) for name, columns in every.items() if name != tenant},
        decisions=tuple(_decisions(gallery.decisions(), tenant, from_s, to_s)),
        acts=tuple(act for act in gallery.acts() if from_s <= act.at_s <= to_s and act.job in (None, tenant)),
        worst_s=worst_s,
        trouble=None if job is None else job.figures.trouble,
        binds=() if job is None or view is None else binding(job, view),
        shortfall="" if newest is None or worst_s is None else newest.shortfall,
    )


def _decisions(
    found: Sequence[DecisionRecord], tenant: str, from_s: float, to_s: float
) -> list[tuple[int, DecisionRecord]]:
    numbered = enumerate(found, start=1)
    return [(n, r) for n, r in numbered if from_s <= r.decision.at_s <= to_s and tenant in r.decision.jobs]


def _column(columns: Columns, name: str) -> Sequence[float | None]:
    return tuple(columns.values.get(name, (None,) * len(columns.at_s)))


def _worst(own: Columns) -> float | None:
    """When it had least of its utility; of several such times that with the longest latency."""
    missed = [
        (utility, -(latency or 0.0), at_s)
        for at_s, utility, latency, met in zip(
            own.at_s, _column(own, "utility"), _column(own, "latency_s"), _column(own, "met"), strict=True
        )
        if utility is not None and met is not None and met < 1.0
    ]
    return min(missed)[2] if missed else None


def _missed(columns: Columns) -> float:
    """The share of time in which it was seen to miss."""
    pairs = zip(columns.values["met"], columns.values["unseen"], strict=True)
    return mean(None if met is None else (1.0 - met) * (1.0 - (unseen or 0.0)) for met, unseen in pairs) or 0.0


def _held(columns: Columns | None, name: str, at_s: Sequence[float]) -> Sequence[float | None]:
    """A column that is known at other instants: what held then."""
    if columns is None:
        return (None,) * len(at_s)
    held: list[float | None] = []
    place = -1
    for now in at_s:
        while place + 1 < len(columns.at_s) and columns.at_s[place + 1] <= now:
            place += 1
        held.append(columns.values[name][max(0, place)])
    return held


def _slots(tenant: str, own: Columns, every: Mapping[str, Columns], pool: Pool | None) -> Sequence[float | None]:
    """The slots that it held: threads of its own, or what its weight stood for beside those of the others."""
    held = _column(own, "slots")
    if pool is None or pool.slots is None or tenant not in pool.weights:
        return held
    others = [_held(columns, "slots", own.at_s) for name, columns in every.items() if name != tenant]
    found: list[float | None] = []
    for place, weight in enumerate(held):
        all_weights = (weight or 0.0) + sum(column[place] or 0.0 for column in others)
        found.append(None if weight is None else weight * min(1.0, pool.slots / all_weights) if all_weights else 0.0)
    return found


def incident_out(found: Incident) -> IncidentOut:
    """The report in the API's shape."""
    facts, cost = found.facts, found.cost
    worst_s, worst_at_s = (None, None) if found.worst_latency is None else found.worst_latency
    return IncidentOut(
        run=facts.run.id,
        name=facts.run.name,
        policy=facts.run.policy,
        tenant=facts.tenant,
        intent=facts.intent,
        from_s=facts.from_s,
        to_s=facts.to_s,
        missed_s=cost.missed_s,
        unseen_s=cost.unseen_s,
        worst_latency_s=finite(worst_s),
        worst_latency_at_s=worst_at_s,
        most_rows=found.most_rows,
        utility_lost=cost.utility_lost,
        slot_h=cost.slot_h,
        missed_slot_h=cost.missed_slot_h,
        chapters=tuple(IncidentChapterOut(name, sentences) for name, sentences in found.chapters.items() if sentences),
        events=tuple(IncidentEventOut(at_s, text) for at_s, text in found.events),
    )
