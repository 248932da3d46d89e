"""The what-if page: its question read, its answer beside the real past."""

import itertools
import time
from typing import Annotated

import numpy as np
from pydantic import BaseModel, ConfigDict, Field

from penstock.config.intents import IntentPart, intent_of
from penstock.core.view import View
from penstock.errors import ConfigError
from penstock.store.gallery import Gallery
from penstock.store.thinning import Columns, Stretch
from penstock.web.present import series, slots
from penstock.web.shapes import FutureOut, SeriesOut, WhatIfJobOut, WhatIfOut
from penstock.whatif.answer import play, without_trouble
from penstock.whatif.question import Changes, Future, Past

Name = Annotated[str, Field(max_length=200)]
_SHORTEST_S, _LONGEST_S = 60.0, 3600.0


class WhatIfIn(BaseModel):
    """What is to be different, and over how many minutes of arrivals it is to be tried."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)

    minutes: Annotated[float, Field(ge=1, le=60)] = 10.0
    policy: Annotated[str, Field(max_length=40)] | None = None
    slots: Annotated[int, Field(ge=1, le=10_000)] | None = None
    intents: Annotated[dict[Name, Annotated[tuple[IntentPart, ...], Field(max_length=8)]], Field(max_length=50)] = {}
    rates: Annotated[dict[Name, Annotated[float, Field(ge=0, le=100)]], Field(max_length=200)] = {}

    def changes(self) -> Changes:
        """As the simulator takes them."""
        intents = {name: intent_of(parts, f"intents.{name}") for name, parts in self.intents.items()}
        return Changes(self.policy, self.slots, intents, self.rates)


def answer(gallery: Gallery, asked: WhatIfIn, within_s: float) -> WhatIfOut:
    """The present played on twice, as it is and with the changes, beside what really happened before."""
    began_s = time.monotonic()
    newest = gallery.newest()
    if newest is None:
        raise ConfigError("run", gallery.info.id, "nothing is recorded of it yet; ask once it has a cycle")
    view = without_trouble(newest.view)
    span_s = min(_LONGEST_S, max(_SHORTEST_S, 60.0 * asked.minutes))
    stretch = Stretch(view.at_s - span_s, view.at_s, points=600)
    past = Past(span_s, _arrivals(gallery, view, stretch), _interval_s(gallery, stretch))
    policy = gallery.info.policy
    changes = asked.changes()
    changed = play(view, past, policy, changes, within_s / 2)
    as_is = play(view, past, policy, Changes(), within_s / 2)
    real = gallery.totals(stretch)
    return WhatIfOut(
        present_s=view.at_s,
        span_s=span_s,
        past=SeriesOut(tuple(at - view.at_s for at in real.at_s), {"share": _shares(real)}),
        past_share=_mean(_shares(real)),
        as_is=_future(as_is),
        changed=_future(changed),
        jobs=_jobs(gallery, view, stretch, as_is, changed),
        slots=slots(view),
        took_s=time.monotonic() - began_s,
    )


def _jobs(gallery: Gallery, view: View, stretch: Stretch, as_is: Future, changed: Future) -> tuple[WhatIfJobOut, ...]:
    real = gallery.jobs(stretch)
    return tuple(
        WhatIfJobOut(
            name=job.name,
            past_share=_mean(_of(real.get(job.name), "share")),
            past_met=_mean(_of(real.get(job.name), "met")),
            as_is_share=as_is.job_share(job.name),
            as_is_met=as_is.job_met(job.name),
            changed_share=changed.job_share(job.name),
            changed_met=changed.job_met(job.name),
            slots_now=job.figures.threads,
            slots_then=_slots_then(changed, job.name),
        )
        for job in view.jobs
    )


def _future(future: Future) -> FutureOut:
    found = series(Columns(future.at_s, {"share": future.share}))
    return FutureOut(future.policy, found, future.mean_share, len(future.decisions), future.whole)


def _slots_then(future: Future, name: str) -> int | None:
    seen = [job.figures.threads for view in future.views[-1:] for job in view.jobs if job.name == name]
    return seen[0] if seen else None


def _arrivals(gallery: Gallery, view: View, stretch: Stretch) -> dict[str, list[float]]:
    """Rows that arrived in each second of the stretch; where a job has no past, what arrives now."""
    found: dict[str, list[float]] = {}
    seconds = np.arange(int((stretch.to_s or 0.0) - (stretch.from_s or 0.0)) + 1)
    for job in view.jobs:
        columns = gallery.job(stretch, job.name)
        known = [] if columns is None else _known(columns, "arrival_rps")
        if known:
            at_s, rates = zip(*known, strict=True)
            found[job.name] = np.interp(seconds + (stretch.from_s or 0.0), at_s, rates).tolist()
        else:
            found[job.name] = [job.figures.arrival_rps or 0.0] * len(seconds)
    return found


def _known(columns: Columns, name: str) -> list[tuple[float, float]]:
    pairs = zip(columns.at_s, columns.values[name], strict=True)
    return [(at_s, value) for at_s, value in pairs if value is not None]


def _interval_s(gallery: Gallery, stretch: Stretch) -> float:
    at_s = gallery.totals(stretch).at_s
    gaps = sorted(later - now for now, later in itertools.pairwise(at_s))
    return max(1.0, round(gaps[len(gaps) // 2], 1)) if gaps else 10.0


def _shares(columns: Columns) -> tuple[float | None, ...]:
    pairs = zip(columns.values["utility"], columns.values["max_utility"], strict=True)
    return tuple(utility / most if utility is not None and most else None for utility, most in pairs)


def _of(columns: Columns | None, name: str) -> tuple[float | None, ...]:
    return () if columns is None else columns.values[name]


def _mean(values: tuple[float | None, ...]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else None
