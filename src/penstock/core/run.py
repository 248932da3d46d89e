"""A run as it is told afterwards: who was governed how, cycle by cycle; a store or a simulation makes one.

The timelines are columns: number i of each belongs to the cycle at `Run.at_s[i]`.
"""

from bisect import bisect_left
from collections import Counter, deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from operator import itemgetter
from typing import Final

from penstock.core.asked.acts import HeardAct
from penstock.core.asked.budget import SpentBudget
from penstock.core.asked.intents import Latency
from penstock.core.asked.price import Price
from penstock.core.cycle import Cycle
from penstock.core.known.prediction import PredictionError, foretold_text
from penstock.core.known.settling import LOOKS, settles_s
from penstock.core.plan import Decision, Reason, StepOutcome, Verdict, never_judged
from penstock.core.seen.deeds import Deed
from penstock.core.seen.life import ControllerLife
from penstock.core.seen.shares import Pool
from penstock.core.seen.states import StateChange
from penstock.core.seen.view import JobView, View


@dataclass(frozen=True, slots=True)
class RunInfo:
    """Which run it is. `started_at_s` is the epoch second at which its clock began, None in simulated time."""

    id: str
    name: str
    policy: str
    engine: str
    master: str = ""
    started_at_s: float | None = None
    price: Price | None = None  # of its slots, where the tenants file gives one


@dataclass(frozen=True, slots=True)
class Note:
    """What is said from this cycle on; empty when it is over."""

    at_s: float
    text: str


@dataclass(frozen=True, slots=True)
class MostUtility:
    """The utility that a job could have at most from this cycle on."""

    at_s: float
    max_utility: float


@dataclass(frozen=True, slots=True)
class JobTimeline:
    """One job over the run. `intent` and `max_utility` are the last ones stated; a cycle without the job has Nones.

    `met` is None where nobody knows: while there are no figures, or they are too old. `states` say how the job stood,
    where that changes, and `worths` what the job could have at most; without them that was always `max_utility`.
    """

    name: str
    intent: str
    max_utility: float
    utility: Sequence[float | None]
    met: Sequence[bool | None]
    threads: Sequence[int | None]
    latency_s: Sequence[float | None]  # the figure that the intent asks for, see asked_latency_s
    juice: Sequence[float | None]
    troubles: tuple[Note, ...] = ()  # what was wrong with it in words, such as the error that ended its query
    recovery_s: Sequence[float | None] = ()  # estimates; empty where nobody worked any out
    states: tuple[StateChange, ...] = ()
    intents: tuple[Note, ...] = ()  # what it asked for, from when on, in words
    worths: tuple[MostUtility, ...] = ()
    spent: SpentBudget | None = None  # how its error budget stood in the end, where it has one

    def shares(self, at_s: Sequence[float]) -> list[float | None]:
        """For each of the run's cycles the share that it had of what it could have had then."""
        shares: list[float | None] = []
        for first, end, most in self._worth_at(at_s):
            shares += [None if utility is None else utility / most for utility in self.utility[first:end]]
        return shares

    def _worth_at(self, at_s: Sequence[float]) -> Iterator[tuple[int, int, float]]:
        """From which cycle up to which it could have so much at most; before it said any, what it said last."""
        first, most = 0, self.max_utility
        for worth in self.worths:
            end = max(first, bisect_left(at_s, worth.at_s))
            yield first, end, most
            first, most = end, worth.max_utility
        yield first, len(at_s), most


@dataclass(frozen=True, slots=True)
class MachineTimeline:
    """One machine over the run."""

    name: str
    cores: int
    load: Sequence[float | None]


@dataclass(frozen=True, slots=True)
class DecisionRecord:
    """A decision, what the engine made of it, and what came of it once that was known.

    No outcomes means that nothing was done: a dry run, or a controller that died before it could say so.
    """

    decision: Decision
    outcomes: tuple[StepOutcome, ...] = ()
    verdict: Verdict | None = None

    @property
    def errors(self) -> tuple[str, ...]:
        """Why steps of it were not done, in words."""
        return tuple(f"{o.step.job}: {_why_not(o)}" for o in self.outcomes if o.error is not None)

    @property
    def carried_out(self) -> bool:
        """Whether anything was tried."""
        return bool(self.outcomes)

    @property
    def judged(self) -> bool:
        """Whether it is known what came of it, so far."""
        return self.verdict is not None and self.verdict.utility_came is not None

    @property
    def waits_for_verdict(self) -> bool:
        """Whether one is to come: not where nothing was done, and more than a first one where it was no good news."""
        if self.verdict is not None:
            return self.verdict.again
        return self.carried_out and not self.errors and self.decision.reason is not Reason.ADVISED

    def text(self) -> str:
        """One line for people."""
        moves = ", ".join(f"{move.job} {move.text}" for move in self.decision.moves)
        did = "would do" if not self.carried_out else "failed" if self.errors else "did"
        did = f"{did} {moves}" if moves else did  # advice moves nothing
        foretold = foretold_text(self.decision.foretold)
        why = "; ".join((self.decision.why, *([f"predicted: {foretold}"] if foretold else []), *self.errors))
        came = "" if self.verdict is None else f" | {self.verdict.text}"
        return f"{self.decision.at_s:.0f} s {self.decision.reason} {did} | {why}{came}"


@dataclass(frozen=True, slots=True)
class HeldBack:
    """What kept a job below its intent in a cycle, and what would have helped."""

    at_s: float
    job: str
    what: str
    helps: str


@dataclass(frozen=True, slots=True)
class Run:
    """A whole run. `notes` holds what was said of its cycles where the words changed: what went wrong in the loop, then
    why the policy did nothing, or nothing more. `errors` holds only the former. `deeds` are what the
    engine did by itself. `shortfalls` say that no shares meet all intents, where the words change; `prediction_errors`
    are how far off the policy's predictions were in the end. `pool` is what jobs shared by weight in the end.
    `acts` are those of people, in the order in which they were heard; `began_dry` where nothing was to be carried out.
    `possible_utility` is the maximum of those jobs of which figures could be expected: who starts has lost nothing yet.
    `held` says what kept jobs below their intents, in those cycles in which somebody looked for it.
    `decisions` begin with `EARLIER` for each of those that were not read, where there are too many.
    `life` is what is known of its controller, and `last_sign_epoch_s` when that gave its last sign of life.
    """

    info: RunInfo
    at_s: Sequence[float]
    utility: Sequence[float]
    max_utility: Sequence[float]
    jobs: tuple[JobTimeline, ...]
    machines: tuple[MachineTimeline, ...] = ()
    decisions: tuple[DecisionRecord, ...] = ()
    notes: tuple[Note, ...] = ()
    errors: tuple[Note, ...] = ()
    deeds: tuple[Deed, ...] = ()
    shortfalls: tuple[Note, ...] = ()
    prediction_errors: tuple[PredictionError, ...] = ()
    pool: Pool = Pool()
    possible_utility: Sequence[float] = ()
    acts: tuple[HeardAct, ...] = ()
    began_dry: bool = False
    held: tuple[HeldBack, ...] = ()
    life: ControllerLife = ControllerLife.ENDED
    last_sign_epoch_s: float | None = None

    @property
    def told(self) -> Sequence[tuple[int, DecisionRecord]]:
        """The decisions that were read, under their numbers: of too many the newest."""
        numbered = enumerate(self.decisions, start=1)
        return [(number, record) for number, record in numbered if record is not EARLIER]

    @property
    def could_have(self) -> Sequence[float]:
        """The utility that could be had in each cycle, by those who were not starting."""
        return self.possible_utility if len(self.possible_utility) else self.max_utility

    def job(self, name: str) -> JobTimeline:
        """The job of that name."""
        return next(job for job in self.jobs if job.name == name)


# In the place of a decision that is not read, for there are too many: those after it keep their numbers.
EARLIER: Final = DecisionRecord(Decision(Reason.ADVISED, (), "", 0.0, 0.0))


def as_of(records: Sequence[DecisionRecord], last_s: float, goes_on: bool) -> tuple[DecisionRecord, ...]:
    """Decisions as a record tells them that ends then: none waits for a verdict that nobody is there to give."""
    return tuple(_as_of(record, last_s, goes_on) for record in records)


def _as_of(record: DecisionRecord, last_s: float, goes_on: bool) -> DecisionRecord:
    if record.verdict is not None:
        return replace(record, verdict=record.verdict.as_of(last_s, goes_on)) if record.verdict.again else record
    if not record.waits_for_verdict:
        return record
    at_s = record.decision.at_s
    missed = last_s > at_s + (LOOKS[-1] + 1.0) * settles_s(record.decision)
    return record if goes_on and not missed else replace(record, verdict=never_judged(at_s, last_s, missed))


def with_budgets(jobs: Iterable[JobTimeline], newest: View | None) -> tuple[JobTimeline, ...]:
    """The jobs, each with how its error budget stood in the newest cycle."""
    spent = {} if newest is None else {job.name: job.spent for job in newest.jobs}
    return tuple(replace(job, spent=spent[job.name]) if spent.get(job.name) else job for job in jobs)


def _why_not(outcome: StepOutcome) -> str:
    left = "; what had been done of it was not taken back" if outcome.undone is False else ""
    return f"{outcome.error}{left}"


def asked_latency_s(job: JobView) -> float | None:
    """The latency that the job has, at the percentile that its intent asks for; the mean where it asks for none."""
    latency = job.figures.latency
    asked = next((o.percentile for o in job.intent.objectives if isinstance(o, Latency)), None)
    return None if latency is None else latency.at(asked)


def target_latency_s(job: JobView) -> float | None:
    """The latency that the job's intent asks for; None of one that asks for none."""
    return next((one.target_s for one in job.intent.objectives if isinstance(one, Latency)), None)


def late_for_s(job: JobView) -> float | None:
    """The latency that it asks for, where it has a higher one."""
    target_s = target_latency_s(job)
    latency_s = None if target_s is None else asked_latency_s(job)
    return None if latency_s is None or target_s is None or latency_s <= target_s else target_s


def records_of(cycle: Cycle) -> tuple[DecisionRecord, ...]:
    """The cycle's decisions, each with the steps that were taken for its jobs; verdicts come in later cycles."""
    taken = StepsTaken.of(cycle.outcome.steps)
    return tuple(DecisionRecord(decision, taken.concerning(decision)) for decision in cycle.plan.decisions)


@dataclass(frozen=True, slots=True)
class StepsTaken:
    """A cycle's steps with what came of them, by job: a cycle may have thousands of decisions, and as many steps."""

    by_job: Mapping[str, Sequence[tuple[int, StepOutcome]]]  # each with its place among all

    @classmethod
    def of(cls, outcomes: Iterable[StepOutcome]) -> "StepsTaken":
        """All of a cycle."""
        by_job: dict[str, list[tuple[int, StepOutcome]]] = {}
        for place, outcome in enumerate(outcomes):
            by_job.setdefault(outcome.step.job, []).append((place, outcome))
        return cls(by_job)

    def concerning(self, decision: Decision) -> tuple[StepOutcome, ...]:
        """Those for the decision's jobs, in their order."""
        found = [placed for job in decision.jobs for placed in self.by_job.get(job, ())]
        return tuple(outcome for _, outcome in sorted(found, key=itemgetter(0)))


def with_verdicts(records: Sequence[DecisionRecord], verdicts: Sequence[Verdict]) -> tuple[DecisionRecord, ...]:
    """Each decision with the last verdict on it: one without a place belongs to the next decision of its instant.

    Advice is not judged: nothing was done.
    """
    in_order: dict[float, deque[Verdict]] = {}
    last: dict[tuple[float, int], Verdict] = {}
    for verdict in verdicts:
        if verdict.place is None:
            in_order.setdefault(verdict.decided_at_s, deque()).append(verdict)
        else:
            last[verdict.decided_at_s, verdict.place] = verdict
    places: Counter[float] = Counter()
    told: list[DecisionRecord] = []
    for record in records:
        found: Verdict | None = None
        if record.decision.reason is not Reason.ADVISED:
            at_s = record.decision.at_s
            waiting = in_order.get(at_s)
            found = last.get((at_s, places[at_s])) or (waiting.popleft() if waiting else None)
            places[at_s] += 1
        told.append(DecisionRecord(record.decision, record.outcomes, found))
    return tuple(told)
