"""A run to tell: a fleet with a spike in the middle, and a policy that gives threads to whoever is worst off."""

from dataclasses import dataclass, replace
from functools import cache

from penstock.core.asked.intents import Intent, Juice, Latency
from penstock.core.cycle import Cycle
from penstock.core.levers import Slots
from penstock.core.plan import Decision, Outcome, Plan, Reason, Step, StepOutcome, Verdict
from penstock.core.run import Run, RunInfo
from penstock.core.seen.figures import JobFigures, LatencyFigures, MachineFigures, OperatorFigures
from penstock.core.seen.view import JobView, View
from penstock.store.memory import MemoryStore

INFO = RunInfo(
    "spike-20251121", "spike", policy="henge", engine="spark", master="local[16]", started_at_s=1_763_683_200.0
)
NAMES = ("ads", "fraud", "clicks", "billing", "search", "feeds", "alerts", "audit", "geo", "metrics-and-dashboards")


@dataclass(frozen=True, slots=True)
class Fleet:
    """Threads by job, and how many each of them needs now."""

    threads: dict[str, int]
    at_s: float

    def needs(self, name: str) -> float:
        rank = NAMES.index(name)
        spike = 3.0 if name in ("ads", "clicks") and 1500 <= self.at_s < 3600 else 1.0
        return (3 + rank % 4) * spike + 0.4 * ((self.at_s / 10 + rank) % 3)


@cache  # of values that nobody changes
def sample_run(cycles: int = 540, jobs: int = len(NAMES), outage: bool = True) -> Run:
    """`cycles` rounds of 10 s; with an outage of ten minutes, and one step that fails."""
    store = MemoryStore(INFO)
    threads = dict.fromkeys(NAMES[:jobs], 4)
    waiting: Decision | None = None
    for number in range(cycles):
        at_s = number * 10.0 + (600.0 if outage and number > cycles * 3 // 4 else 0.0)
        view = _view(Fleet(threads, at_s))
        verdicts = _verdicts(waiting, view) if number % 6 == 0 else ()
        waiting = None if verdicts else waiting
        decision = _decision(view) if number % 12 == 7 and waiting is None else None
        waiting = decision or waiting
        error = "no free slot; taken back" if decision and number % 96 == 19 else None
        if decision and error is None:
            threads = {**threads, decision.thread_moves[0].job: decision.thread_moves[0].after}
        store.append(_cycle(view, decision, error, verdicts))
    return store.read_run(INFO.id)


def _view(fleet: Fleet) -> View:
    jobs = tuple(_job(fleet, name) for name in fleet.threads)
    load = float(sum(fleet.needs(name) for name in fleet.threads))
    machines = (MachineFigures("worker-1", 32, load=load / 2), MachineFigures("worker-2", 32, load=load / 2))
    return View(fleet.at_s, jobs, machines, sum(j.utility or 0.0 for j in jobs), sum(j.max_utility for j in jobs))


def _job(fleet: Fleet, name: str) -> JobView:
    rank = NAMES.index(name)
    target_s = 1.0 + rank % 3
    intent = Intent(Latency(target_s, percentile=95, utility=35 - 3 * rank), Juice(0.95, utility=35 - 3 * rank))
    ratio = fleet.needs(name) / fleet.threads[name]
    latency = LatencyFigures(target_s * 0.5 * ratio, ((95.0, target_s * max(0.4, ratio**2)),))
    figures = JobFigures(
        name,
        (OperatorFigures("*", fleet.threads[name], capacity=ratio),),
        latency=latency,
        juice=min(1.0, 1.0 / ratio),
        trouble="its query died: Connection refused" if name == "geo" and 800 <= fleet.at_s < 1000 else None,
    )
    absent = name == "alerts" and fleet.at_s < 300
    score = None if absent else intent.score(latency, figures.juice)
    utility = None if score is None else score.utility
    return JobView(figures, intent, utility, met=score is not None and score.met, fresh=not absent)


def _decision(view: View) -> Decision | None:
    missing = [job for job in view.jobs if job.utility is not None and not job.met]
    if not missing:
        return None
    job = min(missing, key=lambda found: (-found.max_utility, found.utility or 0.0))
    before = job.figures.threads
    change = Slots(job.name, before, before + max(1, before // 2))
    why = f"{job.name} misses {job.intent.text()}: its utility is {job.utility:.1f} of {job.max_utility:g}"
    return Decision(
        Reason.RECONFIGURED, (change,), why, view.at_s, view.utility, min(view.utility + 4.0, view.max_utility)
    )


def _verdicts(waiting: Decision | None, view: View) -> tuple[Verdict, ...]:
    if waiting is None:
        return ()
    gain = "better" if view.utility > waiting.utility_before else "worse"
    text = (
        f"{gain}: utility {waiting.utility_before:.1f} -> {view.utility:.1f} (expected {waiting.expected_utility:.1f})"
    )
    return (Verdict(waiting.at_s, view.at_s, view.utility, text),)


def _cycle(view: View, decision: Decision | None, error: str | None, verdicts: tuple[Verdict, ...]) -> Cycle:
    taken = () if decision is None else (decision,)
    steps = tuple(StepOutcome(Step(d.moves[0].job, d.moves), error) for d in taken)
    quiet = "all meet their intents" if all(job.met for job in view.jobs) else "waiting until utilities are stable"
    plan = Plan(taken, "" if taken else quiet, verdicts)
    return Cycle(view.at_s, "henge", view, plan, Outcome(steps), None)


def renamed(run: Run, name: str) -> Run:
    """The same run, by another name."""
    return replace(run, info=replace(run.info, name=name))
