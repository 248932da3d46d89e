"""The ordinary, so that a test states only what matters."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from penstock.core.asked.intents import Intent, Juice, Latency
from penstock.core.cycle import Cycle
from penstock.core.known.forecast import Forecast
from penstock.core.known.prediction import Foretold, PredictionError
from penstock.core.levers import Tasks
from penstock.core.plan import Decision, Outcome, Plan, Reason, Step, StepOutcome, Verdict
from penstock.core.run import RunInfo
from penstock.core.seen.figures import JobFigures, LatencyFigures, MachineFigures, OperatorFigures
from penstock.core.seen.pairs import PairCounts
from penstock.core.seen.routes import PastMove, RouteFigures
from penstock.core.seen.topology import Topology
from penstock.core.seen.view import JobView, View

URGENT = Intent(Latency("2s", percentile=95, utility=35), Juice(1.0, utility=35), recovery="60s")
FORECAST = Forecast(60.0, (100.0, 120.0), (90.0, 100.0), (110.0, 140.0), 0.8, "waves", error=0.7)
RUN = RunInfo("demo-1", "demo", policy="henge", engine="sim", master="", started_at_s=1_000_000.0)


@dataclass(frozen=True, slots=True)
class Noted:
    """A policy's memory."""

    rounds: int = 0
    threads: Mapping[tuple[str, str], int] = field(default_factory=dict)


def a_job(name: str, utility: float | None = 20.0, threads: int = 4, intent: Intent = URGENT) -> JobView:
    operators = (
        OperatorFigures("source", 1, 0.1, 100.0, 100.0, is_source=True),
        OperatorFigures("map", threads - 1, 0.45, 100.0, 50.0, backlog_rows=12.0),
    )
    figures = JobFigures(
        name,
        operators,
        latency=LatencyFigures(1.5, ((50.0, 1.0), (95.0, 3.0), (99.0, 4.0))),
        juice=0.9,
        arrival_rps=100.0,
        topology=Topology({"source": ["map"]}),
        phases_s={"addBatch": 0.4},
    )
    return JobView(figures, intent, utility, met=utility is not None and utility >= intent.max_utility, fresh=True)


def a_view(at_s: float, jobs: Sequence[JobView] = ()) -> View:
    jobs = tuple(jobs or (a_job("ads"), a_job("fraud", utility=35.0)))
    machines = (MachineFigures("m1", 8, load=6.5), MachineFigures("m2", 8, load=None, alive=False))
    utility = sum(job.utility or 0.0 for job in jobs)
    return View(at_s, jobs, machines, utility, sum(job.max_utility for job in jobs), max_threads=40)


def a_pooled_view(at_s: float, weights: Mapping[str, int], slots: int, **figures: float) -> View:
    """Jobs that share slots by weight; `figures` are those of each job's one unit."""
    jobs = []
    for name, weight in weights.items():
        plain = a_job(name)
        unit = OperatorFigures("*", weight, **figures)  # type: ignore[arg-type]
        jobs.append(replace(plain, figures=replace(plain.figures, operators=(unit,))))
    return replace(a_view(at_s, jobs), max_threads=slots)


def a_route(window: int = 1, **more: object) -> RouteFigures:
    """A route of the job ads over two servers, hashed so far."""
    links = {("left", "right"): PairCounts({("Asia", "#java"): 3.5, (("x", 2), 7): 1.0}, 5.0, 0.5)}
    found = RouteFigures("ads", "tags", 2, 600.0, links, links, 10.0, past=(PastMove(3, 120.0, 2.5),), window=window)
    return replace(found, **more)  # type: ignore[arg-type]


def a_decision(at_s: float, job: str = "ads", why: str = "ads misses its latency") -> Decision:
    return Decision(Reason.RECONFIGURED, (Tasks(job, "map", 3, 6),), why, at_s, 55.0, expected_utility=65.0)


def a_cycle(at_s: float, view: View | None = None, plan: Plan | None = None, memory: object = None) -> Cycle:
    memory = Noted(int(at_s), {("ads", "map"): 3}) if memory is None else memory
    return Cycle(at_s, "henge", view or a_view(at_s), plan or Plan(note="all is quiet"), Outcome(), memory)


def an_acting_cycle(at_s: float, error: str | None = None) -> Cycle:
    decision = a_decision(at_s)
    outcome = Outcome((StepOutcome(Step("ads", decision.moves), error),))
    return Cycle(at_s, "henge", a_view(at_s), Plan((decision,)), outcome, Noted(int(at_s)))


FORETOLD = (
    Foretold("ads", 2.1, None, 35.0, was_latency_s=6.4, was_juice=None, was_utility=20.0),
    Foretold("fraud", None, 0.72, 32.0, was_latency_s=None, was_juice=1.0, was_utility=35.0),
)
ERRORS = (PredictionError("ads", 0.031, 12), PredictionError("fraud", 0.0, 3))
SHORTFALL = (
    "no shares meet all: ads 2 s and fraud 0.9 need 9.4 slots of 8; best is ads first; one more executor would do"
)


def a_foretelling_cycle(at_s: float, shortfall: str = SHORTFALL, errors: tuple[PredictionError, ...] = ERRORS) -> Cycle:
    """It acts on a prediction, tells how far off earlier ones were, and that not all intents can be met."""
    acting = an_acting_cycle(at_s)
    decision = replace(a_decision(at_s), foretold=FORETOLD)
    return replace(acting, plan=Plan((decision,), errors=errors, shortfall=shortfall))


def a_judging_cycle(at_s: float, decided_at_s: float) -> Cycle:
    verdict = Verdict(decided_at_s, at_s, 64.0, "better: utility 55.0 -> 64.0 (expected 65.0)")
    return a_cycle(at_s, plan=Plan(note="waiting", verdicts=(verdict,)))
