"""Who was held back in a run, by what, and what would have helped: looked at where its policy came to rest."""

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace

from penstock.core.naming import named
from penstock.core.run import HeldBack, Run
from penstock.core.seen.view import View
from penstock.telling.binding import binding
from penstock.telling.words import at_rest

LOOKS = 20  # cycles that are looked at, the newest: each is read whole

ViewAt = Callable[[float], View | None]


def with_held(run: Run, look: ViewAt) -> Run:
    """The run with what held tenants below their intents; `look` gives what was seen in a cycle, as far as it is kept.

    Looked at is the end, and whenever the policy had come to rest the first cycle in which somebody missed.
    """
    seen = (look(at_s) for at_s in _instants(run))
    return replace(run, held=tuple(found for view in seen if view is not None for found in held_in(view)))


def held_in(view: View) -> Iterator[HeldBack]:
    """What holds each of those back that are below their intents, as far as any figure tells."""
    for job in view.jobs:
        for bind in binding(job, view)[:1]:
            yield HeldBack(view.at_s, job.name, bind.what, bind.helps)


def among(views: Sequence[View]) -> ViewAt:
    """Looks at views that are at hand."""
    known = {view.at_s: view for view in views}
    return known.get


def held_news(run: Run) -> Iterator[HeldBack]:
    """Each time that somebody began to be held back by something else than before; figures alone make no news."""
    said: dict[str, str] = {}
    for found in run.held:
        kind = re.sub(r"[\d.,]+", "#", found.what)
        if said.get(found.job) != kind:
            said[found.job] = kind
            yield found


def held_text(run: Run) -> Iterable[str]:
    """Who was held back at the end, in a sentence."""
    last = [found for found in run.held if len(run.at_s) and found.at_s == run.at_s[-1]]
    if last:
        told = [f"{one.job}: {one.what} (what would help: {one.helps})" for one in last]
        yield f"Held back at the end: {named(told, between='; ')}."


def _instants(run: Run) -> list[float]:
    """The newest of the cycles that are worth a look, in order."""
    found: set[float] = {*run.at_s[-1:]}
    end_s = float("inf")
    for note in reversed(run.notes):  # stretches come one after the other: those before have nothing newer
        if len(found) > LOOKS:
            break
        if at_rest(note.text):
            found.update(_first_misses(run, note.at_s, end_s))
        end_s = note.at_s
    return sorted(found)[-LOOKS:]


def _first_misses(run: Run, from_s: float, end_s: float) -> Iterator[float]:
    """Of each job the first cycle of the stretch in which it missed what it asked for."""
    first, end = (bisect_right(run.at_s, instant - 1e-9) for instant in (from_s, end_s))
    for job in run.jobs:
        missed = next((index for index, met in enumerate(job.met[first:end], first) if met is False), None)
        if missed is not None:
            yield run.at_s[missed]
