"""An incident on one page: what happened to one tenant in a part of a run, whom else it hit, why, and what it cost."""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from penstock.core.asked.acts import HeardAct
from penstock.core.known.prediction import seconds_text
from penstock.core.run import DecisionRecord, RunInfo
from penstock.telling.binding import Bind
from penstock.telling.words import clock, count, moves_text, number, percent, span, started, what_came

NAMED = 4  # others; the rest are counted
USUAL = 5.0  # so many usual intervals without a figure are an outage, which counts as nobody knowing


@dataclass(frozen=True, slots=True)
class Facts:
    """What is recorded of the tenant from `from_s` to `to_s`; figure i holds from `at_s[i]` to the next.

    `met` and `unseen` are shares of a figure's time, `slots` those that it held. `others` are the shares of time in
    which other tenants missed theirs. `worst_s` is when it was worst; `trouble` and `binds` are of then.
    """

    run: RunInfo
    tenant: str
    intent: str
    from_s: float
    to_s: float
    at_s: Sequence[float]
    latency_s: Sequence[float | None]
    met: Sequence[float | None]
    unseen: Sequence[float | None]
    utility: Sequence[float | None]
    max_utility: Sequence[float | None]
    backlog_rows: Sequence[float | None]
    slots: Sequence[float | None]
    others: Mapping[str, float]
    decisions: Sequence[tuple[int, DecisionRecord]]
    acts: Sequence[HeardAct]
    worst_s: float | None = None
    trouble: str | None = None
    binds: Sequence[Bind] = ()
    shortfall: str = ""


@dataclass(frozen=True, slots=True)
class Cost:
    """What it lost and what was spent on it; a miss is what was seen to miss, `unseen_s` when nobody knew."""

    length_s: float
    missed_s: float
    unseen_s: float
    utility_lost: float | None  # of its maximum, as a share
    slot_h: float
    missed_slot_h: float


@dataclass(frozen=True, slots=True)
class Incident:
    """The report: chapters of sentences, events in their order, and the figures that they tell."""

    facts: Facts
    cost: Cost
    worst_latency: tuple[float, float] | None  # seconds, and when
    most_rows: float | None
    chapters: Mapping[str, tuple[str, ...]]
    events: tuple[tuple[float, str], ...]


def incident(facts: Facts) -> Incident:
    """The report of what the facts hold."""
    lengths = lengths_of(facts)
    cost = _cost(facts, lengths)
    latencies = [(found, at_s) for found, at_s in zip(facts.latency_s, facts.at_s, strict=True) if found is not None]
    worst = max(latencies, default=None)
    most = max((rows for rows in facts.backlog_rows if rows is not None), default=None)
    longest = _longest(facts, lengths)
    chapters = {
        "What happened": tuple(_what(facts, cost, longest, worst, most)),
        "To whom": tuple(_whom(facts, cost)),
        "Why": tuple(_why(facts, cost)),
        "What was done": tuple(_done(facts)),
        "What it cost": tuple(_costs(facts, cost)),
    }
    return Incident(facts, cost, worst, most, chapters, tuple(sorted(_events(facts))))


def lengths_of(facts: Facts) -> list[float]:
    """How long each figure holds: until the next, but not over an outage."""
    ends = [*facts.at_s[1:], facts.to_s]
    lengths = [max(0.0, end - at) for at, end in zip(facts.at_s, ends, strict=False)]
    usual = sorted(lengths)[len(lengths) // 2] if lengths else 0.0
    return [length if length <= USUAL * usual else usual for length in lengths]


def _cost(facts: Facts, lengths: Sequence[float]) -> Cost:
    missed = [_missed(met, unseen) for met, unseen in zip(facts.met, facts.unseen, strict=True)]
    slots = [held or 0.0 for held in facts.slots]
    lost = [
        ((most - had) * length, most * length)
        for had, most, length in zip(facts.utility, facts.max_utility, lengths, strict=True)
        if had is not None and most is not None
    ]
    possible = sum(most for _, most in lost)
    return Cost(
        length_s=facts.to_s - facts.from_s,
        missed_s=sum(share * length for share, length in zip(missed, lengths, strict=True)),
        unseen_s=sum((unseen or 0.0) * length for unseen, length in zip(facts.unseen, lengths, strict=True)),
        utility_lost=sum(gap for gap, _ in lost) / possible if possible else None,
        slot_h=sum(held * length for held, length in zip(slots, lengths, strict=True)) / 3600,
        missed_slot_h=sum(h * m * length for h, m, length in zip(slots, missed, lengths, strict=True)) / 3600,
    )


def _missed(met: float | None, unseen: float | None) -> float:
    """The share of time in which it was seen to miss."""
    return 0.0 if met is None else (1.0 - met) * (1.0 - (unseen or 0.0))


def _longest(facts: Facts, lengths: Sequence[float]) -> tuple[float, float] | None:
    """The longest time without a break in which it missed, or nobody could say that it did not."""
    found: tuple[float, float] | None = None
    since: float | None = None
    for at_s, length, met, unseen in zip(facts.at_s, lengths, facts.met, facts.unseen, strict=True):
        if _missed(met, unseen) < 0.5 and (unseen or 0.0) < 0.5:
            since = None
            continue
        since = at_s if since is None else since
        if found is None or at_s + length - since > found[1] - found[0]:
            found = since, at_s + length
    return found


def _what(
    facts: Facts,
    cost: Cost,
    longest: tuple[float, float] | None,
    worst: tuple[float, float] | None,
    most: float | None,
) -> Iterator[str]:
    if not facts.at_s:
        yield f"Nothing is recorded of {facts.tenant} in this time."
        return
    asked = f"{facts.tenant} asked for {facts.intent}"
    if cost.missed_s <= 0 and cost.unseen_s <= 0:
        yield f"{asked} and had it all the time."
    elif cost.missed_s > 0:
        when = "" if longest is None else f", longest from {clock(longest[0])} to {clock(longest[1])}"
        yield f"{asked} and missed it for {span(cost.missed_s)} of {span(cost.length_s)}{when}."
    else:
        yield f"{asked}; whenever it was measured, it met that."
    if cost.unseen_s > 0:
        yield f"For {span(cost.unseen_s)} it had no current metrics."
    if worst is not None:
        yield f"Its latency was {seconds_text(worst[0])} at worst, at {clock(worst[1])}."
    if most:
        yield f"At most {number(float(round(most)))} rows waited."


def _whom(facts: Facts, cost: Cost) -> Iterator[str]:
    hit = sorted(((share, name) for name, share in facts.others.items() if share >= 0.005), reverse=True)
    alone = f"{facts.tenant} alone" if cost.missed_s > 0 or cost.unseen_s > 0 else "Nobody"
    if not hit:
        yield f"{alone}: every other tenant met its intent whenever it was measured."
        return
    told = ", ".join(f"{name} {percent(share)}" for share, name in hit[:NAMED])
    more = f" and {count(len(hit) - NAMED, 'more tenant')}" if len(hit) > NAMED else ""
    yield f"Others missed their intents in that time, too: {told} of it{more}."


def _why(facts: Facts, cost: Cost) -> Iterator[str]:
    at = "" if facts.worst_s is None else f"At {clock(facts.worst_s)}, when it was worst, "
    if facts.trouble:
        yield f"{at}something was wrong with it: {facts.trouble.rstrip('. ')}."
    for bind in facts.binds[:2]:
        yield f"{at}{bind.what.rstrip('. ')}; what would have helped: {bind.helps.rstrip('. ')}."
    if facts.shortfall:
        yield f"All together: {facts.shortfall.rstrip('. ')}."
    if cost.missed_s > 0 and not (facts.trouble or facts.binds or facts.shortfall):
        said = dict.fromkeys(record.decision.why.rstrip(". ") for _, record in facts.decisions)
        told = list(said)[:2]
        if told:
            yield f"Decisions said: {'; '.join(told)}."
        else:
            yield "The figures of that time name no single cause."


def _done(facts: Facts) -> Iterator[str]:
    if not facts.decisions and not facts.acts:
        yield "There were no decisions about it, and no requests."
    for place, record in facts.decisions[:NAMED]:
        decision = record.decision
        what = moves_text(decision.moves) or decision.reason.value
        yield f"Decision {place} at {clock(decision.at_s)}: {what}; {what_came(record).rstrip('. ')}."
    if len(facts.decisions) > NAMED:
        yield f"{count(len(facts.decisions) - NAMED, 'more decision')} below."
    if facts.acts:
        yield f"By people: {'; '.join(f'{act.line} at {clock(act.at_s)}' for act in facts.acts[:NAMED])}."


def _costs(facts: Facts, cost: Cost) -> Iterator[str]:
    if not facts.at_s:
        return
    if cost.utility_lost is not None:
        yield f"{percent(cost.utility_lost)} of its utility was lost."
    if cost.slot_h > 0:
        vain = f", {_hours(cost.missed_slot_h)} of them while it missed" if cost.missed_s > 0 else ""
        yield f"It held {_hours(cost.slot_h)} slot-hours{vain}."
    price = facts.run.price
    if price is not None and cost.slot_h > 0:
        missed = price.text(cost.missed_slot_h * price.slot_hour)
        vain = f", {missed} of it while it missed" if cost.missed_s > 0 else ""
        each = f"at {price.text(price.slot_hour)} an hour of a slot"
        yield f"That is {price.text(cost.slot_h * price.slot_hour)}{vain}, {each}."


def _hours(value: float) -> str:
    """Hours with as many digits as say something, also of a demo of some seconds.

    >>> _hours(12.04), _hours(0.0123), _hours(0.0)
    ('12.0', '0.012', '0')
    """
    return number(value) if value >= 0.1 or value == 0 else f"{value:.{1 - math.floor(math.log10(value))}f}"


def _events(facts: Facts) -> Iterator[tuple[float, str]]:
    for place, record in facts.decisions:
        decision = record.decision
        what = moves_text(decision.moves) or decision.reason.value
        yield decision.at_s, f"decision {place}: {what}; {decision.why}; {what_came(record)}"
    for act in facts.acts:
        yield act.at_s, act.line
    yield from _changes(facts)


def _changes(facts: Facts) -> Iterator[tuple[float, str]]:
    """When it began to miss, to be unseen, and to have what it asked for again."""
    before = ""
    for at_s, met, unseen in zip(facts.at_s, facts.met, facts.unseen, strict=True):
        now = "is not seen any more" if (unseen or 0.0) >= 0.5 else ""
        if not now and met is not None:
            now = "has what it asked for" if met >= 0.5 else "misses what it asked for"
        if now and now != before and (before or met != 1.0):
            yield at_s, f"{facts.tenant} {now}"
        before = now or before


def lines(found: Incident) -> Iterable[str]:
    """The report for a terminal."""
    facts = found.facts
    yield f"{facts.tenant}, {clock(facts.from_s)} to {clock(facts.to_s)} of {facts.run.name} ({facts.run.id})"
    yield f"{facts.run.policy} on {facts.run.engine} {facts.run.master}".rstrip() + f", {started(facts.run)}"
    for heading, sentences in found.chapters.items():
        if sentences:
            yield f"\n{heading}"
            yield from (f"  {sentence}" for sentence in sentences)
    if found.events:
        yield "\nIn its order"
        yield from (f"  {clock(at_s):>8}  {text}" for at_s, text in found.events)
