"""What happens in a run that somebody may want to hear of: each once, when it begins or is over. Pure.

decision    levers were turned                       verdict     what came of that
missing     a tenant has lacked something a while    fine        it has had all again for as long
            (again where another kind of trouble came to it)
shortfall   no shares meet all intents               failing     something goes wrong in governing
budget      a tenant has spent its error budget      ended       governing ended by itself
"""

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field, replace
from enum import StrEnum
from typing import Any

from penstock.core.cycle import GOVERNING_ENDED, Cycle
from penstock.core.documents import decision_document
from penstock.core.run import asked_latency_s, records_of
from penstock.core.seen.states import BAD, State, states_of
from penstock.core.seen.trouble import TroubleKind
from penstock.core.seen.view import JobView
from penstock.core.units import text_of_seconds

HOLD_S = 60.0  # a tenant that lacks something for less is not told of, nor one that is well for less


class HappeningKind(StrEnum):
    """What kind of thing it is."""

    DECISION = "decision"
    VERDICT = "verdict"
    MISSING = "missing"
    FINE = "fine"
    SHORTFALL = "shortfall"
    BUDGET = "budget"
    FAILING = "failing"
    ENDED = "ended"


ALL = frozenset(HappeningKind)
URGENT = ALL - {HappeningKind.DECISION, HappeningKind.VERDICT}  # what people are told of


@dataclass(frozen=True, slots=True)
class Happening:
    """One event, `at_s` on the run's clock. `place` tells events of one kind, instant and tenant apart."""

    kind: HappeningKind
    at_s: float
    text: str
    job: str | None = None
    place: int = 0
    data: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Since:
    """How a tenant stands, since when, and whether it was said last that it lacks something, with which troubles."""

    bad: bool
    at_s: float
    told_bad: bool = False
    told_at_s: float = 0.0
    trouble: TroubleKind | None = None
    trouble_s: float = 0.0  # since when it has had that one
    told: frozenset[TroubleKind] = frozenset()  # since it was well


@dataclass(frozen=True, slots=True)
class Told:
    """What was seen and said so far."""

    jobs: Mapping[str, Since] = field(default_factory=dict)
    short: bool = False
    failing: bool = False
    spent: frozenset[str] = frozenset()  # who has nothing left of its error budget


def happened(told: Told, cycle: Cycle) -> tuple[Told, tuple[Happening, ...]]:
    """What is new in a cycle, and what has been said by then."""
    found = [*_decisions(cycle), *_verdicts(cycle)]
    ends = (cycle.error or "").startswith(GOVERNING_ENDED)
    if ends:
        found.append(Happening(HappeningKind.ENDED, cycle.at_s, str(cycle.error)))
        return told, tuple(found)
    jobs, of_jobs = _jobs(told.jobs, cycle)
    found += of_jobs
    spent, of_budgets = _budgets(told.spent, cycle)
    found += of_budgets
    short = bool(cycle.plan.shortfall)
    if short and not told.short:
        found.append(Happening(HappeningKind.SHORTFALL, cycle.at_s, cycle.plan.shortfall))
    failing = cycle.error is not None
    if failing and not told.failing:
        found.append(Happening(HappeningKind.FAILING, cycle.at_s, str(cycle.error)))
    return Told(jobs, short, failing, spent), tuple(found)


def _decisions(cycle: Cycle) -> Iterator[Happening]:
    for place, record in enumerate(records_of(cycle)):
        jobs = record.decision.jobs
        job = jobs[0] if len(jobs) == 1 else None
        yield Happening(HappeningKind.DECISION, cycle.at_s, record.text(), job, place, decision_document(record))


def _verdicts(cycle: Cycle) -> Iterator[Happening]:
    for place, verdict in enumerate(cycle.plan.verdicts):
        text = f"of what was decided at {verdict.decided_at_s:.0f} s: {verdict.text}"
        data = {**asdict(verdict), "effect": None if verdict.effect is None else str(verdict.effect)}
        yield Happening(HappeningKind.VERDICT, cycle.at_s, text, None, place, data)


def _jobs(before: Mapping[str, Since], cycle: Cycle) -> tuple[dict[str, Since], list[Happening]]:
    states, now = states_of(cycle.view), {}
    found: list[Happening] = []
    for job in cycle.view.jobs:
        state = states[job.name]
        now[job.name], news = _stood(before.get(job.name), job, state, cycle.at_s)
        found += news
    return now, found


def _budgets(before: frozenset[str], cycle: Cycle) -> tuple[frozenset[str], list[Happening]]:
    """Who has none left now, and who had some until now."""
    spent = {job.name: job.spent for job in cycle.view.jobs if job.spent is not None and job.spent.left <= 0}
    new = [(name, found) for name, found in spent.items() if name not in before]
    return frozenset(spent), [
        Happening(HappeningKind.BUDGET, cycle.at_s, f"{name} has a {found.text()}", name, data={"left": found.left})
        for name, found in new
    ]


def _stood(before: Since | None, job: JobView, state: State, at_s: float) -> tuple[Since, list[Happening]]:
    """One that starts stands as it did: it has lost nothing yet, and is not well yet. So does one that rests."""
    if state is State.RESTING:
        return before or Since(False, at_s), []
    bad = state in BAD if state is not State.STARTING else before is not None and before.bad
    since = _since(before or Since(bad, at_s), bad, job, at_s)
    if at_s - since.at_s < HOLD_S or (bad == since.told_bad and not _worse(since, at_s)):
        return since, []
    length = text_of_seconds(round(at_s - (since.at_s if bad else since.told_at_s)))
    text = f"{job.name} has been {state} for {length}: {_why(job)}" if bad else f"{job.name} has all it asks for, again"
    trouble = None if since.trouble is None else str(since.trouble)
    data = {"state": str(state), "intent": job.intent.text(), "latency_s": asked_latency_s(job), "trouble": trouble}
    told = frozenset() if not bad else since.told if since.trouble is None else since.told | {since.trouble}
    said = replace(since, told_bad=bad, told_at_s=at_s, told=told)
    return said, [Happening(HappeningKind.MISSING if bad else HappeningKind.FINE, at_s, text, job.name, data=data)]


def _since(since: Since, bad: bool, job: JobView, at_s: float) -> Since:
    """The same, counted anew where it changed."""
    if since.bad != bad:
        since = replace(since, bad=bad, at_s=at_s)
    which = job.figures.which_trouble
    kind = None if which is None else which.kind
    return since if since.trouble is kind else replace(since, trouble=kind, trouble_s=at_s)


def _worse(since: Since, at_s: float) -> bool:
    """Another kind of trouble has come to who is known to lack something, and stayed a while: each is told once."""
    fresh = since.trouble is not None and since.trouble not in since.told
    return since.bad and fresh and at_s - since.trouble_s >= HOLD_S


def _why(job: JobView) -> str:
    """What is wrong with it, else what it asks for and what it has."""
    if job.figures.trouble is not None:
        return job.figures.trouble
    has = asked_latency_s(job)
    return f"it asks for {job.intent.text()}" + ("" if has is None else f" and has {text_of_seconds(round(has, 2))}")
