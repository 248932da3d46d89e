"""What would help a tenant: the cheapest change that was enough in the simulator, with how it is asked for."""

import time
from dataclasses import replace
from typing import Annotated, ClassVar

from pydantic import BaseModel, ConfigDict, Field

from penstock.core.asked.intents import Intent
from penstock.core.asked.nines import with_next_nine
from penstock.core.asked.orders import Wish
from penstock.core.levers import ALL_OPERATORS, WHOLE
from penstock.core.seen.view import View
from penstock.errors import ConfigError
from penstock.planning.asked import check
from penstock.store.gallery import Gallery
from penstock.store.thinning import Stretch
from penstock.telling.words import count, percent, span
from penstock.web.recorded import past_of, trial_of
from penstock.web.shapes_simulated import RemediesOut, RemedyOut, TurnOut
from penstock.whatif.answer import without_trouble
from penstock.whatif.question import SimulatorTrial
from penstock.whatif.remedies import Remedies, Tried, priced, remedies

IN_TROUBLE = "No lever can fix this problem. Fix it first; see the driver's log."
SPAN_S = 120.0  # of arrivals that each change is tried on
_FOR_THE_TRIAL = 0.2  # of the time to answer
NO_NINE = (
    "It asks for no latency whose next nine could be told: a mean has none, and latencies are simulated up to p99. "
    "Give a percentile below 99 to know what the next one would cost."
)


class RemediesIn(BaseModel):
    """Whom to help."""

    model_config: ClassVar[ConfigDict] = ConfigDict(extra="forbid", frozen=True)
    kind: ClassVar[str] = "remedies"

    job: Annotated[str, Field(max_length=300)]
    nine: bool = False  # what its target would cost at the next nine


def answer(gallery: Gallery, asked: RemediesIn, within_s: float) -> RemediesOut:
    """Changes tried on the last minutes' arrivals from the newest cycle on, until one is enough."""
    began_s = time.monotonic()
    newest = gallery.newest()
    if newest is None:
        raise ConfigError("run", gallery.info.id, "it has no recorded cycle yet; ask again later")
    view, policy = without_trouble(newest.view), gallery.info.policy
    if asked.job not in {job.name for job in newest.view.jobs}:
        names = ", ".join(job.name for job in newest.view.jobs) or "none has been seen"
        raise ConfigError("job", asked.job, f"name one of {names}")
    if asked.job not in {job.name for job in view.jobs}:
        return nothing(asked.job, view.at_s, "It has no figures to start from: see what is wrong with it first.")
    if view.job(asked.job).figures.trouble is not None:
        return nothing(asked.job, view.at_s, IN_TROUBLE)
    if asked.nine:
        raised = with_next_nine(view.job(asked.job).intent)
        if raised is None:
            return nothing(asked.job, view.at_s, NO_NINE)
        view = _asking(view, asked.job, raised)
    stretch = Stretch(view.at_s - SPAN_S, view.at_s, points=600)
    past = past_of(gallery, view, stretch, learnt_in=stretch)
    trial = trial_of(gallery, Stretch(view.at_s - 2 * SPAN_S, view.at_s, points=600), policy, _FOR_THE_TRIAL * within_s)
    left_s = within_s - (time.monotonic() - began_s)
    found = priced(remedies(view, past, policy, asked.job, left_s), view.slots, gallery.info.price)
    answered = _told(view, found, trial, time.monotonic() - began_s)
    return nine_of(answered, view.job(asked.job).intent) if asked.nine else answered


def nine_of(found: RemediesOut, raised: Intent) -> RemediesOut:
    """The answer as what the next nine would cost, which begins with what that is."""
    return replace(found, text=f"The next nine, {raised.text()}: {found.text[:1].lower()}{found.text[1:]}")


def _asking(view: View, name: str, intent: Intent) -> View:
    """The same present, with that tenant asking for this."""
    return replace(view, jobs=tuple(replace(job, intent=intent) if job.name == name else job for job in view.jobs))


def nothing(job: str, at_s: float, text: str) -> RemediesOut:
    """An answer that says why there is none: nobody's mistake, so that a page need not show an error."""
    return RemediesOut(
        job=job,
        at_s=at_s,
        span_s=SPAN_S,
        met=None,
        share=None,
        cheapest=None,
        tried=(),
        keeps=None,
        by_itself=False,
        off=None,
        whole=False,
        text=text,
        took_s=0.0,
    )


def _told(view: View, found: Remedies, trial: SimulatorTrial | None, took_s: float) -> RemediesOut:
    off = None if trial is None else trial.jobs_off.get(found.job)
    cheapest = found.cheapest
    return RemediesOut(
        job=found.job,
        at_s=view.at_s,
        span_s=found.span_s,
        met=found.met,
        share=found.share,
        cheapest=None if cheapest is None else _remedy(view, cheapest),
        tried=tuple(_remedy(view, tried) for tried in found.tried),
        keeps=found.keeps,
        by_itself=found.by_itself,
        off=off,
        whole=found.whole,
        text=told(found),
        took_s=took_s,
    )


def told(found: Remedies) -> str:
    """What was found, in a sentence or two."""
    now = f"it has what it asks for {percent(found.met)} of the next {span(found.span_s)} as it is"
    if found.by_itself:
        return f"Simulated on, {now}: nothing need be changed."
    best = found.cheapest
    if best is not None:
        did = f"with it {percent(best.met)} of the next {span(found.span_s)}, as it is {percent(found.met)}"
        others = (
            "" if best.share is None else f"; of all utility {percent(best.share)} instead of {percent(found.share)}"
        )
        return f"{best.remedy.what} ({best.remedy.price}): it would have what it asks for {did}{others}."
    if not found.whole:
        tried = (
            f"after {count(len(found.tried), 'change')} that were not enough" if found.tried else "before any change"
        )
        return f"The time to answer was over {tried}; ask again when the machine is less busy."
    if not found.tried:
        return f"Simulated on, {now}; there is nothing to try that would be cheaper than to ask for less."
    nearest = max(found.tried, key=lambda tried: tried.met)
    told = f"{nearest.remedy.what} ({nearest.remedy.price})"
    return f"None of {len(found.tried)} changes is enough; the nearest: {told}, {percent(nearest.met)}."


def _remedy(view: View, tried: Tried) -> RemedyOut:
    remedy = tried.remedy
    return RemedyOut(
        kind=remedy.kind,
        what=remedy.what,
        price=remedy.price,
        met=tried.met,
        share=tried.share,
        enough=tried.enough,
        dear=tried.dear,
        turns=tuple(_turn(turn.wish) for turn in remedy.changes.turns),
        slots=remedy.changes.slots,
        max_slots=dict(remedy.changes.max_slots),
        ask=_ask(view, tried),
    )


def _ask(view: View, tried: Tried) -> TurnOut | None:
    """What a controller can be asked for: the lever itself, or executors with as many slots."""
    remedy = tried.remedy
    wish = remedy.wish if remedy.changes.slots is None else _executors(view, remedy.changes.slots)
    if wish is None:
        return None
    try:
        check(wish, view)
    except ConfigError:  # beyond its limits, or there is no such lever
        return None
    return _turn(wish)


def _executors(view: View, slots: int) -> Wish | None:
    dial = next((dial for dial in view.levers if dial.kind == "executors"), None)
    if dial is None or not dial.now or not view.slots:
        return None
    each = view.slots / dial.now
    return Wish("executors", WHOLE, float(-(-slots // each)))


def _turn(wish: Wish) -> TurnOut:
    operator = wish.operator or ALL_OPERATORS
    return TurnOut(wish.kind, None if wish.job == WHOLE else wish.job, operator, wish.value)
