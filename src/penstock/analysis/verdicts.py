"""What came of each decision: for the tenants that it touched and those that it took from, once it had time to show.

    decided - settle time        decided        half of it later        judged: decided + settle time
           |------- before ---------|                    |------- after -------|

Means are compared, not instants: one round tells more of its noise than of the decision. Each decision is judged at
its own time, whatever is decided meanwhile; a verdict names what was, so that a reader may doubt it.

What looks worse, or is not known, is looked at again after twice and five times that time: what waited may have been
worked off by then. A step that stays worse was taken back, or is kept for a reason, and the last verdict says which.

A controller that takes a run up goes on with what the record leaves open (`resumed`), where it is not too late for it.

Utilities are compared under one intent only: whoever asks for more at noon has less of it at once, whatever is decided.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from statistics import fmean

from penstock.core.cycle import PastRound
from penstock.core.intents import Intent
from penstock.core.naming import named
from penstock.core.plan import AGAIN, Decision, Effect, Reason, Verdict
from penstock.core.prediction import NAMED, Foretold, most_changed, seconds_text
from penstock.core.run import asked_latency_s
from penstock.core.settling import LONGEST_SETTLE_S, LOOKS, settles_s
from penstock.core.shares import slot_share
from penstock.core.view import View

TAKEN_FROM = 0.05  # of a tenant's share of the slots; who loses less cannot tell it from noise
MORE_ARRIVES = 1.2  # times as many rows as when it was decided: what is worse then need not be its doing
NO_CHANGE = 0.005  # of the utility that those concerned could have: less is noise, too
_NAMED = 3  # tenants, or other decisions; the rest are counted


def judged_later(decisions: Iterable[Decision]) -> tuple[Decision, ...]:
    """Those of which something comes: advice is not judged, for nothing was done."""
    return tuple(decision for decision in decisions if decision.reason is not Reason.ADVISED)


@dataclass(frozen=True, slots=True)
class Round:
    """The utilities of one round, of those jobs whose figures were recent, and more of those that are watched.

    `asked` is what each job asked for then, which its utility is of.
    """

    at_s: float
    utilities: Mapping[str, float]
    asked: Mapping[str, Intent]
    latencies_s: Mapping[str, float] = field(default_factory=dict)
    juices: Mapping[str, float] = field(default_factory=dict)
    arrivals_rps: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Concerned:
    """A tenant that a decision touched, or took slots from; `before` is None where it had no figures."""

    name: str
    touched: bool
    intent: Intent
    before: float | None

    @property
    def max_utility(self) -> float:
        """What it could have at most."""
        return self.intent.max_utility


@dataclass(frozen=True, slots=True)
class OpenDecision:
    """A decision whose effect is not known yet; `meanwhile` says which later ones concern the same tenants.

    `place` is its place among those of its instant, `last` what it was judged to be so far, and `arrivals_rps` are
    the rows that arrived at those concerned when it was made.
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
        return replace(self, meanwhile=(f"governing began anew at {now_s:.0f} s", *self.meanwhile)[: _NAMED + 1])

    @property
    def last_look(self) -> bool:
        """Whether it is not looked at again, whatever is found."""
        return self.looks == len(LOOKS) - 1

    def overtaken(self, others: Iterable["OpenDecision"]) -> "OpenDecision":
        """As it stands once others were taken, too."""
        known = {tenant.name for tenant in self.concerned}
        told = []
        for other in others:
            shared = [tenant.name for tenant in other.concerned if tenant.name in known]
            if shared:
                told.append(f"another decision on {_names(shared)} at {other.decision.at_s:.0f} s")
        undone = [other.decision.at_s for other in others if _takes_back(other.decision, self.decision)]
        found = replace(self, meanwhile=(*self.meanwhile, *told)[: _NAMED + 1]) if told else self
        return replace(found, taken_back_s=undone[0]) if undone and self.taken_back_s is None else found

    def judged(self, verdict: Verdict) -> "OpenDecision | None":
        """To be looked at again, where that was no good news and may change; None where all is said."""
        if not verdict.again:
            return None
        known = self.last is None or verdict.effect is not Effect.UNKNOWN  # what was seen is not forgotten for it
        return replace(self, looks=self.looks + 1, last=verdict if known else self.last)

    def again_after(self, effect: Effect) -> bool:
        """Whether it is looked at once more where this was found."""
        good = effect in (Effect.BETTER, Effect.SAME)
        return not good and not self.last_look and self.taken_back_s is None


@dataclass(frozen=True, slots=True)
class OpenDecisions:
    """Decisions whose effect is not known yet, oldest first, and the last rounds to know it from."""

    decisions: tuple[OpenDecision, ...] = ()
    rounds: tuple[Round, ...] = ()

    def judge(
        self,
        view: View,
        taken: Sequence[Decision],
        settles: Callable[[Decision], float] = settles_s,
        note: str = "",
        idle: bool = False,
    ) -> tuple["OpenDecisions", tuple[Verdict, ...]]:
        """Judge what is due, then open what was taken. Decisions of one instant are judged together, in order.

        `note` is what the policy says of this round, or why it was not asked where `idle`.
        """
        rounds = (*(past for past in self.rounds if view.at_s - past.at_s < 2 * LONGEST_SETTLE_S), self._round(view))
        due = tuple(found for found in self.decisions if view.at_s >= found.due_s)
        needed_s = min(LONGEST_SETTLE_S, max((settles(decision) for decision in taken), default=0.0))
        opened = tuple(_opened(found, place, view, rounds, needed_s) for place, found in enumerate(taken))
        verdicts = tuple(_verdict(one, view, rounds, _Said(note, idle)) for one in due)
        again = [more for one, verdict in zip(due, verdicts, strict=True) if (more := one.judged(verdict)) is not None]
        waiting = sorted((*again, *(one for one in self.decisions if view.at_s < one.due_s)), key=_in_order)
        still_open = (one.overtaken(opened) for one in waiting)
        return OpenDecisions((*still_open, *opened), rounds), verdicts

    def _round(self, view: View) -> Round:
        watched = {one.job for found in self.decisions for one in found.foretold}
        fresh = [job for job in view.jobs if job.fresh]
        seen = [job for job in fresh if job.name in watched]
        return Round(
            view.at_s,
            utilities={job.name: job.utility / job.urgency for job in fresh if job.utility is not None},
            asked={job.name: job.stated for job in view.jobs},
            latencies_s={job.name: found for job in seen if (found := asked_latency_s(job)) is not None},
            juices={job.name: job.figures.juice for job in seen if job.figures.juice is not None},
            arrivals_rps={job.name: rps for job in fresh if (rps := job.figures.arrival_rps) is not None},
        )


def resumed(past: Iterable[PastRound], now_s: float) -> OpenDecisions:
    """What the rounds of a run leave open to a controller that goes on with it then."""
    found = OpenDecisions()
    for one in past:
        found, _ = found.judge(one.view, judged_later(one.decisions))
    still = tuple(more for one in found.decisions if (more := one.going_on(now_s)) is not None)
    return replace(found, decisions=still)


def _in_order(found: OpenDecision) -> tuple[float, int]:
    return found.decision.at_s, found.place


# Whom a decision concerns


def _opened(decision: Decision, place: int, view: View, rounds: Sequence[Round], needed_s: float) -> OpenDecision:
    concerned = _concerned(decision, view, rounds, needed_s)
    return OpenDecision(decision, concerned, needed_s, place, arrivals_rps=_arrivals(concerned, rounds[-1:]))


def _concerned(decision: Decision, view: View, rounds: Sequence[Round], needed_s: float) -> tuple[Concerned, ...]:
    asked = {job.name: job.stated for job in view.jobs}
    touched = [name for name in decision.jobs if name in asked]
    # What is done to the whole cluster, or to nobody by name, concerns everybody.
    whole = not touched or len(touched) < len(decision.jobs)
    others = sorted(asked.keys() - {*touched}) if whole else _taken_from(decision, view)
    past = [found for found in rounds if decision.at_s - needed_s < found.at_s <= decision.at_s]
    named = frozenset(touched)
    names = (*touched, *others)
    return tuple(Concerned(name, name in named, asked[name], _mean(name, asked[name], past)) for name in names)


def _taken_from(decision: Decision, view: View) -> list[str]:
    """The tenants that lose a good part of their share of the slots, when there are fewer than all want together."""
    slots = view.slots
    if slots is None:
        return []
    before = {job.name: job.figures.threads for job in view.jobs}
    after = _threads_after(decision, view)
    had, have = _shares(before, slots), _shares(after, slots)
    least = 1 - TAKEN_FROM + 1e-9
    return sorted(
        name for name in before if name not in decision.jobs and have[name] <= least * had[name] and had[name]
    )


def _threads_after(decision: Decision, view: View) -> dict[str, int]:
    threads = {job.name: {op.name: op.threads for op in job.figures.operators} for job in view.jobs}
    for move in decision.thread_moves:
        if move.operator in threads.get(move.job, {}):
            threads[move.job][move.operator] = move.after
    return {name: sum(operators.values()) for name, operators in threads.items()}


def _shares(threads: Mapping[str, int], slots: int) -> dict[str, float]:
    """The slots that threads stand for: themselves, scaled down once all together exceed the slots."""
    return {name: slot_share(count, sum(threads.values()), slots) for name, count in threads.items()}


# What came of it


@dataclass(frozen=True, slots=True)
class _Said:
    """What is said of the round, and whether nobody was asked to decide in it."""

    note: str
    idle: bool


def _verdict(found: OpenDecision, view: View, rounds: Sequence[Round], said: _Said) -> Verdict:
    decision, now_s = found.decision, view.at_s
    # Rounds may be further apart than anything needs to settle: then the present one is all there is to know it from.
    since = _since(found, rounds) or rounds[-1:]
    after = {tenant.name: _mean(tenant.name, tenant.intent, since) for tenant in found.concerned}
    told = _beside_what_was_foretold(found, since, rounds) + _meanwhile(found)
    unseen = [tenant for tenant in found.concerned if tenant.before is None or after[tenant.name] is None]
    seen = [tenant for tenant in found.concerned if tenant not in unseen]
    if not seen or any(tenant.touched for tenant in unseen):
        looked_worse = found.last is not None and found.last.effect is Effect.WORSE
        text = f"not known: {_why_unknown(unseen, rounds[-1])}{_before(found) if looked_worse else ''}{told}"
        again = found.again_after(Effect.UNKNOWN) and not any(t.touched for t in _asking_else(unseen, rounds[-1]))
        return Verdict(decision.at_s, now_s, None, text, Effect.UNKNOWN, found.place, again, _until_s(found, again))
    was, came = sum(tenant.before or 0.0 for tenant in seen), sum(after[tenant.name] or 0.0 for tenant in seen)
    effect = _effect(came - was, sum(tenant.max_utility for tenant in seen))
    text = f"{_again(found, effect)}: utility of {_names([tenant.name for tenant in seen])} {was:.1f} -> {came:.1f}"
    if decision.expected_utility is not None:
        text += f" (expected {was + decision.expected_utility - decision.utility_before:.1f})"
    text += f"; {_why_unknown(unseen, rounds[-1])}" if unseen else ""
    text += _before(found) + (_kept(found, view, since, said) if effect is Effect.WORSE else "") + told
    utility = decision.utility_before + came - was
    again = found.again_after(effect)
    return Verdict(decision.at_s, now_s, utility, text, effect, found.place, again, _until_s(found, again))


def _until_s(found: OpenDecision, again: bool) -> float | None:
    return found.open_until_s if again else None


def _why_unknown(unseen: Sequence[Concerned], now: Round) -> str:
    """Why nothing can be said of these: another intent was stated since, or there were no figures."""
    other = [tenant.name for tenant in _asking_else(unseen, now)]
    without = [tenant.name for tenant in unseen if tenant.name not in other]
    asks = "asks" if len(other) == 1 else "ask"
    told = [f"{_names(other)} {asks} for something else since"] if other else []
    return "; ".join([*told, *([f"{_names(without)} had no figures"] if without or not other else [])])


def _asking_else(tenants: Iterable[Concerned], now: Round) -> list[Concerned]:
    """Those whose intent is not the one that they are judged by."""
    return [tenant for tenant in tenants if now.asked.get(tenant.name, tenant.intent) != tenant.intent]


def _since(found: OpenDecision, rounds: Sequence[Round]) -> Sequence[Round]:
    """The rounds that it is judged by: the second half of the settle time at first, as much time later on."""
    at_s, times = found.decision.at_s, LOOKS[found.looks]
    from_s, to_s = at_s + (times - 0.5) * found.settles_s, at_s + (times + 1.0) * found.settles_s
    return [seen for seen in rounds if from_s < seen.at_s <= to_s]


# What is said where the first look was no good news


def _again(found: OpenDecision, effect: Effect) -> str:
    """The effect, beside what it seemed to be."""
    if found.last is None or found.last.effect is not Effect.WORSE:
        return str(effect)
    return f"still {effect}" if effect is Effect.WORSE else f"{effect} after all"


def _before(found: OpenDecision) -> str:
    last = found.last
    if last is None or last.effect is None:
        return ""
    return f"; at {last.judged_at_s:.0f} s it was {last.effect}"


def _kept(found: OpenDecision, view: View, since: Sequence[Round], said: _Said) -> str:
    """That it was taken back, or why it stays in force; nothing at the first look, when what waited may yet count."""
    if found.taken_back_s is not None:
        return f"; taken back at {found.taken_back_s:.0f} s"
    if found.last is None and not found.last_look:
        return f"; {AGAIN}"
    return f"; kept because {_why_kept(found, view, since, said)}"


def _why_kept(found: OpenDecision, view: View, since: Sequence[Round], said: _Said) -> str:
    decision = found.decision
    if decision.reason is Reason.ASKED:
        return "a person asked for it"
    then, now = found.arrivals_rps, _arrivals(found.concerned, since)
    if then and now and now >= MORE_ARRIVES * then:
        return f"it need not be its doing: {now:.0f} rows/s arrive, {then:.0f} did then"
    if view.utility > decision.utility_before:
        return f"all tenants together have {view.utility:.1f} instead of {decision.utility_before:.1f}"
    if said.idle:
        return f"nobody decides now: {said.note}"
    if not said.note:
        return "its policy has turned something else meanwhile"
    return f"its policy has found nothing better: {said.note}"


def _arrivals(concerned: Iterable[Concerned], rounds: Sequence[Round]) -> float | None:
    """The rows that arrive at them together, as far as that is known of each."""
    means = [_mean_of([one.arrivals_rps[t.name] for one in rounds if t.name in one.arrivals_rps]) for t in concerned]
    known = [mean for mean in means if mean is not None]
    return sum(known) if known and len(known) == len(means) else None


def _takes_back(later: Decision, decision: Decision) -> bool:
    """Whether a later decision undoes what this one turned."""
    undoing = [move.undo for move in decision.moves if move.undo != move]  # a first table stays
    return any(move in undoing for move in later.moves)


def _effect(gain: float, max_utility: float) -> Effect:
    if abs(gain) < NO_CHANGE * max(max_utility, 1e-9):
        return Effect.SAME
    return Effect.BETTER if gain > 0 else Effect.WORSE


def _meanwhile(found: OpenDecision) -> str:
    if not found.meanwhile:
        return ""
    more = " and more" if len(found.meanwhile) > _NAMED else ""
    return f"; meanwhile: {', '.join(found.meanwhile[:_NAMED])}{more}"


def _beside_what_was_foretold(found: OpenDecision, since: Sequence[Round], rounds: Sequence[Round]) -> str:
    """How far off the prediction was, tenant by tenant."""
    told = [f"; {_came(one, since)}{_came_back(one, found.decision.at_s, rounds)}" for one in found.foretold]
    return "".join(told)


def _came_back(foretold: Foretold, decided_s: float, rounds: Sequence[Round]) -> str:
    """When its latency was for good what it asks for, beside what was foretold of that; rounds go back to some time.

    Figures look back for a while, so it is told later than it was.
    """
    seen = [(one.at_s, one.latencies_s[foretold.job]) for one in rounds if foretold.job in one.latencies_s]
    if not foretold.back_text or not seen or rounds[0].at_s > decided_s:
        return ""
    late = [at_s for at_s, latency_s in seen if at_s > decided_s and latency_s > (foretold.target_s or 0.0)]
    if late and late[-1] == seen[-1][0]:
        return f"; it was foretold {foretold.back_text}, and is not yet after {seen[-1][0] - decided_s:.0f} s"
    since_s = late[-1] if late else decided_s
    back = next((at_s for at_s, _ in seen if at_s > since_s), None)
    return "" if back is None else f"; it was foretold {foretold.back_text}, came back in {back - decided_s:.0f} s"


def _came(foretold: Foretold, rounds: Sequence[Round]) -> str:
    name = foretold.job
    pairs: list[tuple[str, str | None]] = []
    if foretold.later:
        came_s = _mean_of([seen.latencies_s[name] for seen in rounds if name in seen.latencies_s])
        pairs.append((seconds_text(foretold.latency_s), None if came_s is None else seconds_text(came_s)))
    if foretold.fuller:
        came = _mean_of([seen.juices[name] for seen in rounds if name in seen.juices])
        pairs.append((f"{foretold.juice:.2f} of its input", None if came is None else f"{came:.2f}"))
    if not pairs:
        utility = _mean_of([seen.utilities[name] for seen in rounds if name in seen.utilities])
        pairs.append((f"{foretold.utility:.1f} of utility", None if utility is None else f"{utility:.1f}"))
    said = " and ".join(text for text, _ in pairs)
    return f"{name} was foretold {said}, came {' and '.join(came or 'unseen' for _, came in pairs)}"


def _mean(name: str, asked: Intent, rounds: Iterable[Round]) -> float | None:
    """Its utility of what was asked then; what it had of another intent is another figure."""
    return _mean_of([seen.utilities[name] for seen in rounds if name in seen.utilities and seen.asked[name] == asked])


def _mean_of(known: Sequence[float]) -> float | None:
    return fmean(known) if known else None


def _names(names: Sequence[str]) -> str:
    return named(names) if names else "nobody"
