"""Executors between applications: all that the cluster has room for, given where it is worth most.

    each application's agent says what so many executors would be worth -> the best division
          gain > what claims may be wrong by?   yes: executors move, and those concerned rest until that has shown;
                                                what came of it tells how far off their claims are
                                                no:  all is left as it is; what nobody uses goes to first batches
                                                     that do not end
          more is held than there is?           executors go in any case: a quota was lowered, a node is gone

Inside an application nothing is decided here: shares, bounds and routes are its own agent's.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from penstock.core.levers import Executors
from penstock.core.naming import named
from penstock.core.plan import Decision, Plan, Reason
from penstock.core.prediction import Foretold
from penstock.core.run import target_latency_s
from penstock.core.view import JobView, View
from penstock.planning.executors.claims import Claim, as_claimed, claims_of, tenants_of
from penstock.planning.executors.coming_back import job_back_s
from penstock.planning.executors.division import divided
from penstock.planning.executors.errors import ClaimError, ExpectedUtility, compared, expected, reckoned_with
from penstock.planning.executors.first_batches import to_first_batches
from penstock.planning.executors.settings import ExecutorsSettings
from penstock.planning.executors.words import why, why_first
from penstock.planning.starts import ExecutorStarts


@dataclass(frozen=True, slots=True)
class ExecutorsMemory:
    """When each application was last given or taken executors, as long as that matters; what was foretold of it then,
    how far off its claims were before, and how long executors take to come.
    """

    moved_s: Mapping[str, float] = field(default_factory=dict)
    foretold: Mapping[str, ExpectedUtility] = field(default_factory=dict)
    errors: Mapping[str, ClaimError] = field(default_factory=dict)
    starts: ExecutorStarts = ExecutorStarts()


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
        memory = self._compared(view, told, memory)
        claims = self._claims(view, told, memory)
        if not view.slots:
            return Plan(note="the cluster does not say how many cores it has"), memory
        target = divided(claims, view.slots, self._move_costs(claims))
        moved = [claim for claim in claims if target[claim.name] != claim.now]
        if not moved:
            return self._to_first_batches(view, claims, memory)
        short = sum(claim.now * claim.cores for claim in claims) > view.slots
        decision = self._decision(view, moved, target, short, memory.starts.mean_s)
        return Plan((decision,)), replace(
            _moved(view, memory, decision),
            foretold={**memory.foretold, **expected(view, moved, target, _back_s(decision))},
        )

    def _to_first_batches(
        self, view: View, claims: Sequence[Claim], memory: ExecutorsMemory
    ) -> tuple[Plan, ExecutorsMemory]:
        """Where nothing is to be gained by what is known: what nobody uses to those of whom nothing is."""
        target = to_first_batches(view, claims, memory.moved_s.keys())
        moved = [claim for claim in claims if claim.name in target]
        if not moved:
            return Plan(note=_resting(view, claims, memory.moved_s)), memory
        moves = tuple(_move(view, claim.name, target) for claim in moved)
        why_so = why_first(moved, target)
        decision = Decision(Reason.RESCALED, moves, why_so, view.at_s, view.utility, view.utility)
        return Plan((decision,)), _moved(view, memory, decision)

    def _compared(self, view: View, claims: Sequence[Claim], memory: ExecutorsMemory) -> ExecutorsMemory:
        """With what came of the moves that are due by now."""
        errors = memory.errors
        if errors or memory.foretold:
            errors = compared(view, claims, memory.foretold, errors)
        return ExecutorsMemory(
            {name: at for name, at in memory.moved_s.items() if view.at_s < at + self.settings.settle_s},
            {name: one for name, one in memory.foretold.items() if not one.due(view.at_s)},
            errors,
            memory.starts.seen({dial.job: dial for dial in view.levers if dial.kind == "executors"}, view.at_s),
        )

    def _claims(self, view: View, claims: Sequence[Claim], memory: ExecutorsMemory) -> tuple[Claim, ...]:
        """With how far off each may be, most of all those whose last move has not shown yet."""
        tenants = tenants_of(view, [one.name for one in claims])
        return tuple(
            replace(
                one,
                unsure=one.most_utility * self._unsure(one.name, memory),
                awaited=_awaited(one, tenants[one.name]),
            )
            for one in claims
        )

    def _unsure(self, application: str, memory: ExecutorsMemory) -> float:
        share = reckoned_with(memory.errors.get(application), self.settings.least_gain)
        return share + (self.settings.unsettled if application in memory.moved_s else 0.0)

    def _move_costs(self, claims: Sequence[Claim]) -> float:
        known = [claim.most_utility for claim in claims if claim.worth]
        return self.settings.move_costs * sum(known) / len(known) if known else 0.0

    def _decision(
        self, view: View, moved: Sequence[Claim], target: Mapping[str, int], short: bool, start_s: float
    ) -> Decision:
        jobs = {job.name: job for job in view.jobs}
        expected = view.utility + _gain(moved, target)
        return Decision(
            Reason.RESCALED,
            tuple(_move(view, claim.name, target) for claim in moved),
            why(moved, target, short),
            view.at_s,
            view.utility,
            min(view.max_utility, max(0.0, expected)),
            tuple(
                _foretold(claim, jobs[claim.name], target[claim.name], start_s)
                for claim in moved
                if claim.name in jobs and claim.worth
            ),
        )


def _awaited(claim: Claim, tenants: Sequence[JobView]) -> float:
    """How much better than it is it says that it will be with what it holds."""
    now = sum(as_claimed(job) or 0.0 for job in tenants)
    return max(0.0, claim.utility(claim.now) - now) if claim.worth else 0.0


def _move(view: View, application: str, target: Mapping[str, int]) -> Executors:
    held = next(dial.now for dial in view.levers if dial.job == application)
    return Executors(int(held or 0), target[application], application)


def _moved(view: View, memory: ExecutorsMemory, decision: Decision) -> ExecutorsMemory:
    """Those concerned rest until it has shown."""
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
        return f"nobody knows yet what executors are worth to {named(silent)}: they keep theirs"
    if resting:
        return "waiting until the last moves have shown"
    missing = [job.name for job in view.jobs if job.utility is not None and not job.met]
    if not missing:
        return "everyone has what they asked for"
    return f"{named(missing)} below target; no other division of executors would give more"
