"""What the simulator has answered, kept as long as it holds: the past does not change, and remedies do in a minute."""

import threading
import time
from collections import OrderedDict
from collections.abc import Callable

from pydantic import TypeAdapter

from penstock.core.known.counterfactual import Counterfactual, Untold, Without, worth_of
from penstock.core.run import DecisionRecord
from penstock.store.gallery import Gallery
from penstock.telling.counterfactuals import worth_text
from penstock.web.aside import Aside, Asked, FullError
from penstock.web.counterfactuals import WithoutIn, settled, untold_of
from penstock.web.remedying import RemediesIn, nothing
from penstock.web.shapes_simulated import RemediesOut, WithoutOut, WorthOut
from penstock.whatif.counterfactual import span_of

KEPT = 2_000  # answers
HELD_S = 30.0  # a remedy: the present goes on
STEP_S = 60.0  # a decision is tried again when so much more of what followed it is known
AT_A_TIME_S = 10.0  # spent on one decision, so that who asks what-if need not wait for long

_WITHOUTS = TypeAdapter(tuple[WithoutOut, ...])
_REMEDIES = TypeAdapter(RemediesOut)


class Simulated:
    """Asks aside, and does not ask twice."""

    def __init__(self, aside: Aside, within_s: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._aside = aside
        self._within_s = within_s
        self._clock = clock
        self._kept: OrderedDict[tuple[object, ...], tuple[float, str]] = OrderedDict()
        self._guard = threading.Lock()

    def remedies(self, gallery: Gallery, job: str, nine: bool = False) -> str:
        """What would help a tenant, as JSON; the same for some seconds, whoever asks. A page asks it by itself.

        With `nine`: what would be enough for its target at the next nine.
        """
        key, asked = ("remedies", gallery.info.id, job, nine), RemediesIn(job=job, nine=nine)
        try:
            return self._found(key, HELD_S) or self._ask(key, gallery, asked, self._within_s)
        except FullError as error:
            return _REMEDIES.dump_json(
                nothing(job, gallery.length().last_s or 0.0, f"Not known yet: {error}.")
            ).decode()

    def without(self, gallery: Gallery, number: int) -> WithoutOut:
        """How it would have gone without a decision."""
        records = gallery.decisions()
        untold = untold_of(number, records, gallery)
        if untold is not None:
            return untold
        key = _key(gallery, number, records)
        found = self._found(key) or self._ask(key, gallery, WithoutIn(decisions=(number,)), self._within_s)
        return _WITHOUTS.validate_json(found)[0]

    def worth(self, gallery: Gallery) -> WorthOut:
        """What the newest decisions brought, of those that are known; one more is tried each time it is asked."""
        records = gallery.decisions()
        known: list[WithoutOut] = []
        waits = 0
        asked = False
        for number in settled(records):
            found = untold_of(number, records, gallery) or self._known(gallery, number, records)
            if found is None and not asked:
                asked = True
                found = self._try(gallery, number, records)
            waits += found is None
            known += [] if found is None else [found]
        return _worth(known, waits)

    def _known(self, gallery: Gallery, number: int, records: tuple[DecisionRecord, ...]) -> WithoutOut | None:
        found = self._found(_key(gallery, number, records))
        return None if found is None else _WITHOUTS.validate_json(found)[0]

    def _try(self, gallery: Gallery, number: int, records: tuple[DecisionRecord, ...]) -> WithoutOut | None:
        key = _key(gallery, number, records)
        try:
            found = self._ask(key, gallery, WithoutIn(decisions=(number,)), min(AT_A_TIME_S, self._within_s))
        except FullError:  # somebody else's turn
            return None
        return _WITHOUTS.validate_json(found)[0]

    def _ask(self, key: tuple[object, ...], gallery: Gallery, asked: Asked, within_s: float) -> str:
        found = self._aside.answer(gallery.info.id, asked, within_s)
        with self._guard:
            self._kept[key] = (self._clock(), found)
            while len(self._kept) > KEPT:
                self._kept.popitem(last=False)
        return found

    def _found(self, key: tuple[object, ...], for_s: float = float("inf")) -> str | None:
        with self._guard:
            at_s, found = self._kept.get(key, (float("-inf"), None))
        return found if self._clock() - at_s < for_s else None


def _key(gallery: Gallery, number: int, records: tuple[DecisionRecord, ...]) -> tuple[object, ...]:
    span_s = span_of(number, records, gallery.length().last_s or 0.0)
    # By its instant, too: where the oldest decisions are pruned the others move up.
    return "without", gallery.info.id, number, records[number - 1].decision.at_s, int(span_s // STEP_S)


def _worth(known: list[WithoutOut], waits: int) -> WorthOut:
    worth = worth_of(_value(one) for one in known)
    return WorthOut(
        text=worth_text(worth),
        decisions=worth.decisions,
        span_s=worth.span_s,
        gain=worth.gain,
        off=worth.off,
        slot_h_saved=worth.slot_h_saved,
        untold=worth.untold,
        misled=worth.misled,
        waits=waits,
        each=tuple(known),
    )


def _value(one: WithoutOut) -> Counterfactual:
    """The figures that a sum is made of."""
    if one.span_s is None or one.with_it is None or one.without is None or one.off is None:
        return Untold(one.number, one.why or "")
    return Without(
        one.number, one.span_s, one.really or 0.0, one.with_it, one.without, one.off, one.slot_s_saved or 0.0
    )
