"""The same tenants under one policy after another, in one application: for the demo and for the benchmark."""

import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

from pyspark.sql import SparkSession

from penstock.core.asked.intents import Intent
from penstock.core.cycle import Cycle
from penstock.core.known.job_models import JobModels
from penstock.core.run import DecisionRecord, Run, RunInfo
from penstock.core.seen.states import State, possible_utility, state_of
from penstock.core.seen.view import JobView, View
from penstock.engines.spark.application.shares import Sharing
from penstock.engines.spark.engine import SparkEngine
from penstock.engines.spark.jobs.job import Job
from penstock.engines.spark.jvm.live import LiveSpark
from penstock.engines.spark.settings import SparkSettings
from penstock.governing.controller import Controller
from penstock.governing.ending import end_queries
from penstock.governing.governed import Governed
from penstock.governing.remembering import Remembering
from penstock.governing.small_first import begin_small
from penstock.loop import LoopSettings
from penstock.running.session import decider
from penstock.store.archive import Archive
from penstock.store.memory import MemoryStore


@dataclass(frozen=True, slots=True)
class Tenants:
    """Jobs as they are under a directory of checkpoints, and what is wanted of them."""

    jobs: Callable[[Path], Sequence[Job]]
    intents: Mapping[str, Intent]
    models: Mapping[str, JobModels] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class PolicyTurn:
    """One policy's turn. Views before `measure_from_s` do not count."""

    policy: str
    seconds: float
    measure_from_s: float = 0.0
    interval_s: float = 1.0
    window_s: float = 6.0
    govern_from_s: float = 0.0
    settings: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class TrialResult:
    """What came of a trial."""

    trial: PolicyTurn
    views: tuple[View, ...]
    decisions: tuple[DecisionRecord, ...]
    run: Run  # all of it, for a report
    cycles: tuple[Cycle, ...] = ()  # the same, for a store

    @property
    def utility_share(self) -> float:
        """The mean share of the utility that those could have who were not starting."""
        possible = ((view.utility, possible_utility(view)) for view in self.views)
        return _mean([utility / most for utility, most in possible if most > 0])

    def job_utility_share(self, name: str) -> float:
        """The mean share of one job's maximum utility, once it had started."""
        return _mean([(job.utility or 0.0) / job.max_utility for job in self._seen(name)])

    def met(self, name: str) -> float:
        """The share of time that a job had what it asked for, once it had started."""
        states = [state for job in self._seen(name) if (state := state_of(job)) is not State.RESTING]
        return _mean([float(state is State.FINE) for state in states])

    def _seen(self, name: str) -> list[JobView]:
        every = [view.job(name) for view in self.views]
        return [job for job in every if state_of(job) is not State.STARTING]


def run_trial(
    spark: SparkSession,
    tenants: Tenants,
    trial: PolicyTurn,
    on_view: Callable[[View], None] = lambda view: None,
    on_decision: Callable[[DecisionRecord], None] = lambda decision: None,
) -> TrialResult:
    """Start the tenants afresh, govern them for a while, stop them; what is seen and decided is told meanwhile."""
    with tempfile.TemporaryDirectory(prefix="penstock-", ignore_cleanup_errors=True) as place:
        small_first = begin_small(trial.policy, tenants.intents, (), dry_run=False)
        loop = LoopSettings(trial.interval_s, trial.govern_from_s, window_s=trial.window_s)
        settings = SparkSettings(trial.window_s, Sharing.of_policy(trial.policy), small_first=small_first)
        engine = SparkEngine(LiveSpark(spark), tenants.jobs(Path(place)), settings)
        info = RunInfo(trial.policy, trial.policy, trial.policy, "spark", str(spark.sparkContext.master), time.time())
        kept = MemoryStore(info)
        governed = Governed(
            intents=tenants.intents,
            policy=decider(trial.policy, trial.settings),
            remembering=Remembering(kept, "memory", info, already_s=0.0),
            settings=loop,
            until_s=trial.seconds,
            models=tenants.models,
        )
        told = 0

        def tell(view: View) -> None:
            nonlocal told
            on_view(view)
            for decision in controller.decisions[told:]:
                on_decision(decision)
                told += 1

        controller = Controller(engine, governed, tell)
        controller.run_jobs(partial(end_queries, spark))
        if controller.error is not None:
            raise controller.error
    views = tuple(view for view in controller.views if view.at_s >= trial.measure_from_s)
    return TrialResult(trial, views, controller.decisions, kept.read_run(info.id), kept.cycles(info.id))


def record_trials(results: Sequence[TrialResult], name: str, store: Archive) -> tuple[RunInfo, ...]:
    """Each trial as a recorded run: its name says of which policy, its id when as well."""
    return tuple(_recorded(result, name, store) for result in results)


def _recorded(result: TrialResult, name: str, store: Archive) -> RunInfo:
    info = result.run.info
    when = time.strftime("%Y%m%d-%H%M%S", time.localtime(info.started_at_s))
    named = f"{name}-{result.trial.policy}"
    begun = store.begin(replace(info, id=f"{named}-{when}", name=named))
    for cycle in result.cycles:
        store.append(cycle)
    return begun


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else 0.0
