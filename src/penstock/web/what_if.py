"""The what-if page: its question read, its answer beside the real past."""

import time
from typing import Annotated, ClassVar

from pydantic import BaseModel, ConfigDict, Field, JsonValue

from penstock.config.fields import ShortText
from penstock.config.intents import IntentPart, intent_of
from penstock.core.asked.orders import Wish
from penstock.core.documents import mean
from penstock.core.levers import ALL_OPERATORS, WHOLE, Kind
from penstock.core.seen.view import View
from penstock.errors import ConfigError
from penstock.planning.asked import check
from penstock.store.gallery import Gallery
from penstock.store.thinning import Columns, Stretch
from penstock.web.present import series
from penstock.web.recorded import past_of, shares_of, trial_of
from penstock.web.shapes import SeriesOut
from penstock.web.shapes_simulated import FutureOut, TrialOut, WhatIfJobOut, WhatIfOut
from penstock.whatif.answer import play, without_trouble
from penstock.whatif.question import Changes, Future, SimulatorTrial, Turn

IntentParts = Annotated[tuple[IntentPart, ...], Field(max_length=8)]
EXAMPLES: list[JsonValue] = [
    {"minutes": 10, "slots": 16},
    {"minutes": 5, "turns": [{"kind": "bound", "job": "clicks", "value": 500}], "max_slots": {"fraud": 6}},
    {"minutes": 5, "policy": "ds2", "rates": {"clicks": 2.0}, "intents": {"fraud": [{"latency": "1s", "utility": 40}]}},
]
_SHORTEST_S, _LONGEST_S = 60.0, 3600.0


class TurnIn(BaseModel):
    """A lever to be turned at the start; without a `job` one of the application. A `value` of null: no bound."""

    model_config: ClassVar[ConfigDict] = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)

    kind: Kind
    job: ShortText | None = None
    operator: ShortText = ALL_OPERATORS
    value: Annotated[float, Field(ge=0, le=2**53)] | None

    @property
    def wish(self) -> Wish:
        """As a controller would be asked for it."""
        return Wish(self.kind, self.job or WHOLE, self.value, self.operator)


class WhatIfIn(BaseModel):
    """What is to be different, and over how many minutes of arrivals it is to be tried."""

    model_config: ClassVar[ConfigDict] = ConfigDict(
        extra="forbid", frozen=True, allow_inf_nan=False, json_schema_extra={"examples": EXAMPLES}
    )
    kind: ClassVar[str] = "what-if"

    minutes: Annotated[float, Field(ge=1, le=60)] = 10.0
    policy: Annotated[str, Field(max_length=40)] | None = None
    slots: Annotated[int, Field(ge=1, le=10_000)] | None = None
    intents: Annotated[dict[ShortText, IntentParts], Field(max_length=50)] = {}
    rates: Annotated[dict[ShortText, Annotated[float, Field(ge=0, le=100)]], Field(max_length=200)] = {}
    turns: Annotated[tuple[TurnIn, ...], Field(max_length=50)] = ()
    max_slots: Annotated[dict[ShortText, Annotated[int, Field(ge=1, le=10_000)]], Field(max_length=200)] = {}

    def changes(self, now: View) -> Changes:
        """As the simulator takes them."""
        wanted = {job.name: job.intent for job in now.jobs}
        intents = {n: intent_of(parts, f"intents.{n}", wanted.get(n)) for n, parts in self.intents.items()}
        for turn in self.turns:
            check(turn.wish, now)
        turns = tuple(Turn(0.0, turn.wish) for turn in self.turns)
        return Changes(self.policy, self.slots, intents, self.rates, turns, self.max_slots)


def answer(gallery: Gallery, asked: WhatIfIn, within_s: float) -> WhatIfOut:
    """The present played on twice, as it is and with the changes, beside what really happened before.

    A third of the time goes into finding out how near the simulator comes to that.
    """
    began_s = time.monotonic()
    newest = gallery.newest()
    if newest is None:
        raise ConfigError("run", gallery.info.id, "it has no recorded cycle yet; ask again later")
    view = without_trouble(newest.view)
    span_s = min(_LONGEST_S, max(_SHORTEST_S, 60.0 * asked.minutes))
    stretch = Stretch(view.at_s - span_s, view.at_s, points=600)
    past = past_of(gallery, view, stretch, learnt_in=stretch)
    policy = gallery.info.policy
    changed = play(view, past, policy, asked.changes(view), within_s / 3)
    as_is = play(view, past, policy, Changes(), within_s / 3)
    trial = trial_of(gallery, stretch, policy, within_s / 3)
    real = gallery.totals(stretch)
    return WhatIfOut(
        present_s=view.at_s,
        span_s=span_s,
        past=SeriesOut(tuple(at - view.at_s for at in real.at_s), {"share": shares_of(real)}),
        past_share=mean(shares_of(real)),
        as_is=_future(as_is),
        changed=_future(changed),
        trial=None if trial is None else _trial(trial),
        jobs=_jobs(gallery, view, stretch, (as_is, changed), trial),
        slots=view.slots,
        took_s=time.monotonic() - began_s,
    )


def _jobs(
    gallery: Gallery, view: View, stretch: Stretch, futures: tuple[Future, Future], trial: SimulatorTrial | None
) -> tuple[WhatIfJobOut, ...]:
    real, (as_is, changed) = gallery.jobs(stretch), futures
    return tuple(
        WhatIfJobOut(
            name=job.name,
            past_share=mean(_of(real.get(job.name), "share")),
            past_met=mean(_of(real.get(job.name), "met")),
            as_is_share=as_is.job_share(job.name),
            as_is_met=as_is.job_met(job.name),
            changed_share=changed.job_share(job.name),
            changed_met=changed.job_met(job.name),
            slots_now=job.figures.threads,
            slots_then=_slots_then(changed, job.name),
            off=None if trial is None else trial.jobs_off.get(job.name),
        )
        for job in view.jobs
    )


def _future(future: Future) -> FutureOut:
    found = series(Columns(future.at_s, {"share": future.share}))
    return FutureOut(future.policy, found, future.mean_share, len(future.decisions), future.whole)


def _trial(trial: SimulatorTrial) -> TrialOut:
    at_s = tuple(at - trial.span_s for at in trial.future.at_s)
    found = series(Columns(at_s, {"share": trial.future.share}))
    return TrialOut(trial.span_s, found, trial.future.mean_share, trial.real_share, trial.off)


def _slots_then(future: Future, name: str) -> int | None:
    seen = [job.figures.threads for view in future.views[-1:] for job in view.jobs if job.name == name]
    return seen[0] if seen else None


def _of(columns: Columns | None, name: str) -> tuple[float | None, ...]:
    return () if columns is None else columns.values[name]
