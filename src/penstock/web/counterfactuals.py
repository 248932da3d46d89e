"""Counterfactuals of recorded decisions: each simulated from the cycle that it was made in, on the arrivals since."""

import time
from collections.abc import Sequence
from typing import Annotated, ClassVar

from pydantic import BaseModel, ConfigDict, Field

from penstock.core.known.counterfactual import Counterfactual, Untold
from penstock.core.run import EARLIER, DecisionRecord
from penstock.errors import ConfigError
from penstock.store.gallery import Gallery
from penstock.store.thinning import Stretch
from penstock.telling.counterfactuals import without_text
from penstock.web.recorded import past_of, shares_of
from penstock.web.shapes_simulated import JobWithoutOut, WithoutOut
from penstock.whatif.answer import without_trouble
from penstock.whatif.counterfactual import span_of, untellable, without

MOST = 20  # decisions that are tried for one answer
LEARNT_S = 60.0  # before the decision, from which what batches cost is learnt beside what came after it


class WithoutIn(BaseModel):
    """Which decisions, by their numbers from 1."""

    model_config: ClassVar[ConfigDict] = ConfigDict(extra="forbid", frozen=True)
    kind: ClassVar[str] = "without"

    decisions: Annotated[tuple[Annotated[int, Field(ge=1, le=2**53)], ...], Field(max_length=MOST)]


def answer(gallery: Gallery, asked: WithoutIn, within_s: float) -> tuple[WithoutOut, ...]:
    """As many of them as there is time for, in the order in which they were asked for."""
    return tuple(told(one) for one in tried(gallery, asked.decisions, within_s))


def tried(gallery: Gallery, numbers: Sequence[int], within_s: float) -> tuple[Counterfactual, ...]:
    """How it would have gone without each of these decisions; the last of them are left out when the time is over."""
    until_s = time.monotonic() + within_s
    records = gallery.decisions()
    found: list[Counterfactual] = []
    for number in numbers:
        left_s = until_s - time.monotonic()
        if left_s <= 0 and found:
            break
        found.append(_tried(gallery, _known(number, records), records, left_s))
    return tuple(found)


def settled(records: Sequence[DecisionRecord], most: int = MOST) -> tuple[int, ...]:
    """The newest decisions that were judged, by number, newest first: of others not all that came of them is known."""
    judged = [n for n, record in enumerate(records, start=1) if record.judged and record.carried_out]
    return tuple(reversed(judged[-most:]))


def told(found: Counterfactual) -> WithoutOut:
    """In the shape of the API."""
    if isinstance(found, Untold):
        return WithoutOut(found.number, without_text(found), tells=False, why=found.why)
    return WithoutOut(
        number=found.number,
        text=without_text(found),
        tells=found.tells,
        span_s=found.span_s,
        really=found.really,
        with_it=found.with_it,
        without=found.without,
        gain=found.gain,
        off=found.off,
        slot_s_saved=found.slot_s_saved,
        jobs=tuple(JobWithoutOut(one.job, one.with_it, one.without) for one in found.jobs),
    )


def untold_of(number: int, records: Sequence[DecisionRecord], gallery: Gallery) -> WithoutOut | None:
    """What is said of a decision that cannot be tried: for that no simulator is needed."""
    untold = untellable(_known(number, records), records, _span_s(gallery, number, records))
    return None if untold is None else told(untold)


def _known(number: int, records: Sequence[DecisionRecord]) -> int:
    if not 1 <= number <= len(records):
        raise ConfigError("decision", number, f"write 1 to {len(records)}" if records else "none was taken yet")
    if records[number - 1] is EARLIER:
        first = records.count(EARLIER) + 1
        raise ConfigError("decision", number, f"write {first} to {len(records)}: only the newest are kept")
    return number


def _span_s(gallery: Gallery, number: int, records: Sequence[DecisionRecord]) -> float:
    return span_of(number, records, gallery.length().last_s or 0.0)


def _tried(gallery: Gallery, number: int, records: Sequence[DecisionRecord], within_s: float) -> Counterfactual:
    at_s, span_s = records[number - 1].decision.at_s, _span_s(gallery, number, records)
    untold = untellable(number, records, span_s)
    newest = gallery.newest(at_s) if untold is None else None
    if untold is not None or newest is None or newest.view.at_s < at_s:
        return untold or Untold(number, "its cycle is no longer stored")
    before = without_trouble(newest.view)
    if not before.jobs:
        return Untold(number, "no tenant had figures then")
    after = Stretch(at_s, at_s + span_s, points=600)
    learnt_in = Stretch(max(at_s - LEARNT_S, gallery.length().first_s or 0.0), at_s + span_s)
    past = past_of(gallery, before, after, learnt_in)
    totals = gallery.totals(after)
    pairs = zip(totals.at_s, shares_of(totals), strict=True)
    real = [(then_s - at_s, share) for then_s, share in pairs if share is not None]
    return without(before, past, number, records, real, max(0.0, within_s))
