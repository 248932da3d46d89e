"""Executors between applications: all that the cluster has room for, given where it is worth most.

    each application's agent says what so many executors would be worth -> the best division
          gain > what claims may be wrong by?   yes: executors move, and those concerned are moved again for more
                                                     only, until that has shown or another load comes; what came of
                                                     it tells how far off their claims are
                                                no:  all is left as it is
          more is held than there is?           executors go in any case: a quota was lowered, a node is gone

Inside an application nothing is decided here: shares, bounds and routes are its own agent's.
"""

from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace

from penstock.core.known.prediction import Foretold
from penstock.core.levers import Executors
from penstock.core.naming import named
from penstock.core.plan import Decision, Plan, Reason
from penstock.core.run import target_latency_s
from penstock.core.seen.view import JobView, View
from penstock.planning.executors.awaited import awaited
from penstock.planning.executors.claims import Claim, TenantsOf, claims_of, tenants_of
from penstock.planning.executors.coming_back import job_back_s
from penstock.planning.executors.division import divided
from penstock.planning.executors.errors import (
    ClaimError,
    ExpectedUtility,
    compared,
    expected,
    of_another_load,
    reckoned_with,
)
from penstock.planning.executors.first_batches import KeptHalf, guessed, kept_for_new, lent, of_spare
from penstock.planning.executors.rises import UsualLoad, loads_after
from penstock.planning.executors.settings import ExecutorsSettings
from penstock.planning.executors.standing_by import in_calm
from penstock.planning.executors.starting import starting_after, with_own
from penstock.planning.executors.to_come import kept_for_listed
from penstock.planning.executors.trial import AGAIN_AFTER_S, ExecutorsTrial, gain_of, trial_of
from penstock.planning.executors.tried import ExecutorsTried, waits_for_s
from penstock.planning.executors.words import why, why_tried
from penstock.planning.starts import ExecutorStarts
from penstock.planning.words import none_missed

# A claim falls to a sixth from one round to the next while a batch drags on (33.9 to 6.0 of 40, simulated), and what
# was given for it would be taken away before it has come. Claims look so far ahead.
_REMEMBERED_S = 120.0


@dataclass(frozen=True, slots=True)
class ExecutorsMemory:
    """When each application was last given or taken executors, as long as that matters; what was foretold of it then,
    how far off its claims were before, and how long executors take to come. `most` is the most that each claimed
    lately, and when; `half` is what was kept lately for those who are to begin yet. `stood_by_s` is when executors were
    last moved for a rise that may come: they are left there for a while, but nobody's claims are less sure for that.
    `loads` are what comes to each as usual, and the rises that were seen. `starting` are those that work off what
    waited when they began. `tried` are those that were given executors to try them.
    """

    moved_s: Mapping[str, float] = field(default_factory=dict)
    foretold: Mapping[str, ExpectedUtility] = field(default_factory=dict)
    errors: Mapping[str, ClaimError] = field(default_factory=dict)
    starts: ExecutorStarts = ExecutorStarts()
    most: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    half: KeptHalf | None = None
    stood_by_s: float | None = None
    loads: Mapping[str, UsualLoad] = field(default_factory=dict)
    starting: frozenset[str] = frozenset()
    tried: Mapping[str, ExecutorsTried] = field(default_factory=dict)

    def claimed(self, claims: Iterable[Claim], at_s: float) -> "ExecutorsMemory":
        """With what is claimed now, where nothing larger was claimed lately."""
        most = {name: one for name, one in self.most.items() if at_s <= one[1] + _REMEMBERED_S}
        for claim in claims:
            if claim.worth and claim.most_utility >= most.get(claim.name, (0.0, 0.0))[0]:
                most[claim.name] = (claim.most_utility, at_s)
        return replace(self, most=most)


@dataclass(frozen=True, slots=True)
class ExecutorsPolicy:
    """One budget over many applications."""

    settings: ExecutorsSettings = ExecutorsSettings()
    name: str = "executors"

    def start(self) -> ExecutorsMemory:
        """Nobody was moved yet."""
        return ExecutorsMemory()

    def decide(self, view: View, memory: ExecutorsMemory) -> tuple[Plan, ExecutorsMemory]:
        """One round."""
        told = claims_of(view)
        memory = self._compared(view, told, memory).claimed(told, view.at_s)
        tenants = tenants_of(view, [claim.name for claim in told])
        starting = starting_after(memory.starting, told, tenants)
        memory = _judged(view, tenants, memory)
        memory = replace(memory, loads=loads_after(memory.loads, tenants, view.at_s), starting=starting)
        claims = self._claims(told, tenants, memory)
        if not view.slots:
            return Plan(note="the number of cores of the cluster is unknown"), memory
        keeps = kept_for_listed(view.to_come, tenants, claims, view.slots)
        slots = view.slots - keeps.cores
        claims = with_own(claims, tenants, starting, slots)
        others = view.to_come.others  # else nothing is kept for those whom nobody listed
        half = KeptHalf.of(_spare(slots, claims), view.at_s, memory.half) if others else KeptHalf(view.at_s, 0)
        target, firsts = self._divided(slots, claims, tenants, memory.moved_s.keys(), half)
        memory = replace(memory, half=half if firsts and others else memory.half)
        stays = not _changed(claims, target)
        trial = self._trial(slots, claims, tenants, memory) if stays else None
        if trial is not None:
            return _trying(view, claims, tenants, trial, memory)
        calm = stays and not firsts
        if calm and (memory.stood_by_s is None or view.at_s >= memory.stood_by_s + self.settings.settle_s):
            claims, target = self._standing_by(claims, tenants, memory)
        moved = _changed(claims, target)
        if not moved:
            return Plan(note=_and(_resting(view, claims, memory.moved_s), keeps.text)), memory
        short = sum(claim.now * claim.cores for claim in claims) > view.slots
        why_so = _and(why(moved, target, firsts, short), keeps.text)
        decision = _decision(view, moved, target, why_so, memory.starts.mean_s)
        return Plan((decision,)), replace(
            replace(memory, stood_by_s=view.at_s) if calm else _moved(view, memory, decision),
            foretold={**memory.foretold, **expected(view, moved, target, _back_s(decision))},
        )

    def _divided(
        self, slots: int, claims: Sequence[Claim], tenants: TenantsOf, resting: Set[str], half: KeptHalf
    ) -> tuple[Mapping[str, int], Set[str]]:
        """What each is to hold, and those of them of whom nothing is known: they get what is spare, or lend theirs."""
        spare = _spare(slots, claims)
        lend = lent(tenants, claims, resting, slots, half.left(spare))
        left = [replace(claim, now=claim.now - lend.get(claim.name, 0)) for claim in claims]
        borrowed = sum(lend.get(claim.name, 0) * claim.cores for claim in claims)
        new = [claim for claim in left if claim.name not in lend]
        firsts = guessed(tenants, new, resting, slots, half.left(spare), borrowed)
        if not firsts:
            lend, left, borrowed = {}, list(claims), 0
        target = self._target(slots, spare + borrowed, left, firsts, tenants)
        return _given_back(target, claims, lend, slots - half.kept(spare)), firsts.keys() | lend.keys()

    def _target(
        self, slots: int, spare: int, claims: Sequence[Claim], firsts: Mapping[str, Claim], tenants: TenantsOf
    ) -> Mapping[str, int]:
        """What each is to hold; `firsts` get what nobody holds now, and no more, where it is worth most there."""
        costs = self._move_costs(claims)
        if firsts and spare > 0:
            wanted = divided([firsts.get(claim.name, claim) for claim in claims], slots, costs)
            get = of_spare(firsts, wanted, spare)
            claims = [replace(claim, now=get.get(claim.name, claim.now)) for claim in claims]
            spare -= sum((get[name] - claim.now) * claim.cores for name, claim in firsts.items())
        spare -= sum(max(0, claim.least - claim.now) * claim.cores for claim in claims)  # that they need to live at all
        kept = min(spare, kept_for_new(tenants, claims, slots)) if spare > 0 else 0
        return divided(claims, slots - kept, costs)

    def _standing_by(
        self, claims: tuple[Claim, ...], tenants: TenantsOf, memory: ExecutorsMemory
    ) -> tuple[tuple[Claim, ...], Mapping[str, int]]:
        """What each claims and is to hold where nobody gains now by any other division: a rise may come.

        Of what is held alone: executors cost something, and a cluster that follows what is wanted must not grow by it.
        """
        calm = in_calm(claims, tenants, memory.moved_s.keys(), memory.loads, memory.starts.mean_s)
        target = divided(calm, sum(claim.now * claim.cores for claim in claims), self._move_costs(claims))
        if not _changed(calm, target):
            return claims, {claim.name: claim.now for claim in claims}
        reserves = {one.name: one.reserve for one in calm}
        return tuple(replace(one, reserve=reserves[one.name]) for one in claims), target

    def _compared(self, view: View, claims: Sequence[Claim], memory: ExecutorsMemory) -> ExecutorsMemory:
        """With what came of the moves that are due by now."""
        errors = memory.errors
        if errors or memory.foretold:
            errors = compared(view, claims, memory.foretold, errors)
        return replace(
            memory,
            moved_s={name: at for name, at in memory.moved_s.items() if view.at_s < at + self.settings.settle_s},
            foretold={name: one for name, one in memory.foretold.items() if not one.due(view.at_s)},
            tried={name: one for name, one in memory.tried.items() if view.at_s < one.at_s + AGAIN_AFTER_S},
            errors=errors,
            starts=memory.starts.seen({dial.job: dial for dial in view.levers if dial.kind == "executors"}, view.at_s),
        )

    def _claims(self, claims: Sequence[Claim], tenants: TenantsOf, memory: ExecutorsMemory) -> tuple[Claim, ...]:
        """With how far off each may be, most of all those whose last move has not shown yet."""
        return tuple(
            replace(
                one,
                unsure=one.most_utility * self._unsure(one.name, tenants[one.name], memory),
                awaited=max(
                    awaited(one, tenants[one.name], memory.most.get(one.name, (0.0, 0.0))[0]),
                    _tries(tenants[one.name], memory.tried.get(one.name)),
                ),
            )
            for one in claims
        )

    def _trial(
        self, slots: int, claims: Sequence[Claim], tenants: TenantsOf, memory: ExecutorsMemory
    ) -> ExecutorsTrial | None:
        told = {claim.name for claim in claims if claim.worth}
        recent = {name for name, one in memory.tried.items() if not one.first or name not in told}
        return trial_of(claims, tenants, memory.moved_s.keys(), recent, slots, self._move_costs(claims))

    def _unsure(self, application: str, tenants: Sequence[JobView], memory: ExecutorsMemory) -> float:
        share = reckoned_with(memory.errors.get(application), self.settings.least_gain)
        shows = application not in memory.moved_s or of_another_load(memory.foretold.get(application), tenants)
        return share + (0.0 if shows else self.settings.unsettled)

    def _move_costs(self, claims: Sequence[Claim]) -> float:
        known = [claim.most_utility for claim in claims if claim.worth]
        return self.settings.move_costs * sum(known) / len(known) if known else 0.0


def _and(text: str, more: str) -> str:
    return f"{text}; {more}" if more else text


def _changed(claims: Iterable[Claim], target: Mapping[str, int]) -> list[Claim]:
    return [claim for claim in claims if target[claim.name] != claim.now]


def _spare(slots: int, claims: Iterable[Claim]) -> int:
    """The cores that nobody holds; below zero where there are fewer than all hold."""
    return slots - sum(claim.now * claim.cores for claim in claims)


def _given_back(
    target: Mapping[str, int], claims: Sequence[Claim], lend: Mapping[str, int], slots: int
) -> Mapping[str, int]:
    """With what was lent and nobody took."""
    found, free = dict(target), slots - sum(target[claim.name] * claim.cores for claim in claims)
    for claim in claims:
        lacks = min(lend.get(claim.name, 0), claim.most - found[claim.name])
        back = max(0, min(lacks, max(0, free) // claim.cores))
        found[claim.name] += back
        free -= back * claim.cores
    return found


def _decision(view: View, moved: Sequence[Claim], target: Mapping[str, int], why_so: str, start_s: float) -> Decision:
    jobs = {job.name: job for job in view.jobs}
    expected = view.utility + _gain(moved, target)
    return Decision(
        Reason.RESCALED,
        tuple(Executors(claim.now, target[claim.name], claim.name) for claim in moved),
        why_so,
        view.at_s,
        view.utility,
        min(view.max_utility, max(0.0, expected)),
        tuple(
            _foretold(claim, jobs[claim.name], target[claim.name], start_s)
            for claim in moved
            if claim.name in jobs and claim.worth
        ),
    )


def _tries(jobs: Sequence[JobView], tried: ExecutorsTried | None) -> float:
    """What its trial is to gain yet; nothing once that is over."""
    return gain_of(jobs) if tried is not None and tried.helps else 0.0


def _judged(view: View, tenants: TenantsOf, memory: ExecutorsMemory) -> ExecutorsMemory:
    """With how the trials go."""
    if not memory.tried:
        return memory
    come = {dial.job for dial in view.levers if dial.kind == "executors" and (dial.asked or 0) > (dial.now or 0)}
    found = {name: one.after(tenants.get(name, ()), view.at_s, name in come) for name, one in memory.tried.items()}
    return replace(memory, tried=found)


def _trying(
    view: View, claims: Sequence[Claim], tenants: TenantsOf, trial: ExecutorsTrial, memory: ExecutorsMemory
) -> tuple[Plan, ExecutorsMemory]:
    """What is foretold of who is tried is not held against it later: it was not believed."""
    moved = _changed(claims, trial.target)
    why_so = why_tried(moved, trial.target, trial.name)
    decision = _decision(view, moved, trial.target, why_so, memory.starts.mean_s)
    givers = [claim for claim in moved if claim.name != trial.name]
    foretold = {name: one for name, one in memory.foretold.items() if name != trial.name}
    return Plan((decision,)), replace(
        _moved(view, memory, decision),
        foretold={**foretold, **expected(view, givers, trial.target, {})},
        tried={**memory.tried, trial.name: _tried(view.at_s, claims, tenants, trial.name)},
    )


def _tried(at_s: float, claims: Sequence[Claim], tenants: TenantsOf, name: str) -> ExecutorsTried:
    first = any(claim.name == name and not claim.worth for claim in claims)
    return ExecutorsTried(at_s, at_s, waits_for_s(tenants[name]), first=first)


def _moved(view: View, memory: ExecutorsMemory, decision: Decision) -> ExecutorsMemory:
    """Claims of those concerned are less sure until it has shown."""
    return replace(memory, moved_s={**memory.moved_s, **dict.fromkeys(decision.jobs, view.at_s)})


def _gain(moved: Sequence[Claim], target: Mapping[str, int]) -> float:
    return sum(claim.utility(target[claim.name]) - claim.utility(claim.now) for claim in moved)


def _foretold(claim: Claim, job: JobView, count: int, start_s: float) -> Foretold:
    then, now = claim.utility(count), claim.utility(claim.now)
    back_s = job_back_s(job, claim.now, count, start_s) if count > claim.now else None
    return Foretold(claim.name, None, None, then, None, None, now, target_latency_s(job), back_s)


def _back_s(decision: Decision) -> Mapping[str, float]:
    return {one.job: one.back_s for one in decision.foretold if one.back_s is not None}


def _resting(view: View, claims: Sequence[Claim], resting: Mapping[str, float]) -> str:
    silent = [claim.name for claim in claims if not claim.worth]
    if silent:
        return f"not known yet how executors would help {named(silent)}: no change for them"
    if resting:
        return "waiting for the effect of the last moves"
    missing = [job.name for job in view.jobs if job.utility is not None and not job.met]
    if not missing:
        return none_missed(view)
    return f"{named(missing)} below target, but no other division of executors would give more utility"
