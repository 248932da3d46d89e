"""A decision whose effect is not known yet: when it is looked at, and what happened to it meanwhile."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import inf

from penstock.analysis.concerned import Concerned, concerned_by
from penstock.analysis.cycle_figures import CycleFigures, arrivals_rps, mean_utility
from penstock.core.known.prediction import NAMED, Foretold, most_changed
from penstock.core.known.settling import LOOKS, SETTLES_S
from penstock.core.naming import named
from penstock.core.plan import Decision, Effect, Verdict
from penstock.core.seen.view import View

_TOLD = 3  # decisions that came meanwhile; more are only said to be
_ENOUGH = 5  # batches of each: the first of them began before, and the next ones take what waited
_SOONEST_S = 20.0  # a backlog that a bound leaves to grow shows later than five short batches end


@dataclass(frozen=True, slots=True)
class OpenDecision:
    """A decision whose effect is not known yet; `meanwhile` says which later ones concern the same tenants.

    `place` is its place among those of its instant, `last` what it was judged to be so far, `arrivals_rps` are the
    rows that arrived at those concerned when it was made, and `batches` the last batch of each by then.
    """

    decision: Decision
    concerned: tuple[Concerned, ...]
    settles_s: float
    place: int = 0
    meanwhile: tuple[str, ...] = ()
    taken_back_s: float | None = None
    looks: int = 0
    last: Verdict | None = None
    arrivals_rps: float | None = None
    batches: Mapping[str, int] = field(default_factory=dict)

    @classmethod
    def of(
        cls, decision: Decision, place: int, view: View, cycles: Sequence[CycleFigures], needed_s: float
    ) -> "OpenDecision":
        """As it is taken; it needs so long to settle, and is compared with as much time before."""
        made = cls(decision, concerned_by(decision, view, cycles, needed_s), needed_s, place)
        return replace(made, arrivals_rps=arrivals_rps(made.names, cycles[-1:]), batches=_last_batches(view))

    def settled(self, view: View, cycles: Sequence[CycleFigures], window_s: float | None) -> "OpenDecision":
        """To be judged now, where enough was seen since of all whom it concerns; else as it is.

        Figures look back for `window_s`: half of the time since must tell of nothing before it. It is compared with as
        much time before as after, which must have been seen. What starts a query again has its whole settle time, for
        much gathers meanwhile.
        """
        since_s = view.at_s - self.decision.at_s
        if self.looks or window_s is None or self.settles_s > SETTLES_S or since_s >= self.settles_s:
            return self
        if since_s < max(_SOONEST_S, 2.0 * window_s) or not self._enough(_last_batches(view)):
            return self
        if not self._known_since(self.decision.at_s - since_s, cycles):
            return self
        before = [seen for seen in cycles if -since_s < seen.at_s - self.decision.at_s <= 0.0]
        concerned = (replace(one, before=mean_utility(one.name, one.intent, before)) for one in self.concerned)
        return replace(self, settles_s=since_s, concerned=tuple(concerned))

    def _enough(self, now: Mapping[str, int]) -> bool:
        """Whether so many batches of each have ended; another checkpoint counts from zero, and tells nothing."""
        counts = [now.get(name, 0) - self.batches.get(name, inf) for name in self.names]
        return bool(counts) and min(counts) >= _ENOUGH

    def _known_since(self, then_s: float, cycles: Sequence[CycleFigures]) -> bool:
        """Whether all had figures by then: whoever has just begun has lost nothing yet, and looks better for it."""
        past = [seen for seen in cycles if seen.at_s <= then_s]
        return bool(past) and all(name in past[-1].utilities for name in self.names)

    @property
    def names(self) -> tuple[str, ...]:
        """Of those whom it concerns."""
        return tuple(tenant.name for tenant in self.concerned)

    @property
    def foretold(self) -> Sequence[Foretold]:
        """What is compared with what came, by name."""
        return most_changed(self.decision.foretold)[:NAMED]

    @property
    def due_s(self) -> float:
        """When it is to be judged next."""
        return self.decision.at_s + LOOKS[self.looks] * self.settles_s

    @property
    def until_s(self) -> float:
        """How long the figures of its next look go on coming."""
        return self._look_ends_s(LOOKS[self.looks])

    @property
    def open_until_s(self) -> float:
        """How long those of its last look do."""
        return self._look_ends_s(LOOKS[-1])

    def _look_ends_s(self, times: float) -> float:
        return self.decision.at_s + (times + 1.0) * self.settles_s

    def going_on(self, now_s: float) -> "OpenDecision | None":
        """As whoever begins anew then can still look at it; None where it is too late for any look."""
        if now_s > self.until_s:
            return None if self.last_look else replace(self, looks=self.looks + 1).going_on(now_s)
        return replace(self, meanwhile=(f"governing restarted at {now_s:.0f} s", *self.meanwhile)[: _TOLD + 1])

    @property
    def last_look(self) -> bool:
        """Whether it is not looked at again, whatever is found."""
        return self.looks == len(LOOKS) - 1

    def overtaken(self, others: Iterable["OpenDecision"]) -> "OpenDecision":
        """As it stands once others were taken, too."""
        known = frozenset(self.names)
        told = []
        for other in others:
            shared = [name for name in other.names if name in known]
            if shared:
                told.append(f"another decision on {named(shared)} at {other.decision.at_s:.0f} s")
        undone = [other.decision.at_s for other in others if _takes_back(other.decision, self.decision)]
        found = replace(self, meanwhile=(*self.meanwhile, *told)[: _TOLD + 1]) if told else self
        return replace(found, taken_back_s=undone[0]) if undone and self.taken_back_s is None else found

    def judged(self, verdict: Verdict) -> "OpenDecision | None":
        """To be looked at again, where that was no good news and may change; None where all is said."""
        if not verdict.again:
            return None
        known = self.last is None or verdict.effect is not Effect.UNKNOWN  # what was seen is not forgotten for it
        return replace(self, looks=self.looks + 1, last=verdict if known else self.last)

    @property
    def meanwhile_text(self) -> str:
        """What happened since, in a verdict's words."""
        if not self.meanwhile:
            return ""
        more = " and more" if len(self.meanwhile) > _TOLD else ""
        return f"; meanwhile: {', '.join(self.meanwhile[:_TOLD])}{more}"

    def again_after(self, effect: Effect) -> bool:
        """Whether it is looked at once more where this was found."""
        good = effect in (Effect.BETTER, Effect.SAME)
        return not good and not self.last_look and self.taken_back_s is None


def _last_batches(view: View) -> dict[str, int]:
    """The number of each job's last batch, where any is known."""
    return {job.name: job.figures.batches[-1].number for job in view.jobs if job.figures.batches}


def _takes_back(later: Decision, decision: Decision) -> bool:
    """Whether a later decision undoes what this one turned."""
    undoing = [move.undo for move in decision.moves if move.undo != move]  # a first table stays
    return any(move in undoing for move in later.moves)
