"""The parts of an engine, put together."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from penstock.core.levers import KINDS
from penstock.engines.deed_log import DeedLog
from penstock.engines.spark.clocks import Clocks
from penstock.engines.spark.jobs.job import Job
from penstock.engines.spark.jobs.query import Query
from penstock.engines.spark.jobs.starting import Starts
from penstock.engines.spark.levers.batch_bound import BatchBoundLever
from penstock.engines.spark.levers.found import LeverTools, found_levers
from penstock.engines.spark.levers.lever import Lever
from penstock.engines.spark.levers.planned import PlannedRestarts
from penstock.engines.spark.levers.restarting import Restarting
from penstock.engines.spark.levers.slots import SlotsLever
from penstock.engines.spark.port import Events, Spark
from penstock.engines.spark.rounds.hearing import Hearing
from penstock.engines.spark.rounds.limiting import Limiting
from penstock.engines.spark.rounds.look import Look
from penstock.engines.spark.rounds.opening import Opening
from penstock.engines.spark.rounds.steps import Steps
from penstock.engines.spark.rounds.upkeep import Upkeep
from penstock.engines.spark.settings import SparkSettings
from penstock.engines.spark.starts.job_starts import JobStarts, Runs
from penstock.engines.spark.starts.small_starts import SmallStarts
from penstock.engines.spark.state.capacity import Capacity
from penstock.engines.spark.state.keeping_places import KeepingPlaces
from penstock.engines.spark.state.routes import Routes
from penstock.engines.spark.state.shared import Shared
from penstock.engines.spark.state.state import EngineState
from penstock.engines.spark.watch.fleet import TrackedFleet


@dataclass(frozen=True, slots=True)
class Parts:
    """What an engine calls by name."""

    shared: Shared
    events: Events
    opening: Opening
    starts: JobStarts
    hearing: Hearing
    look: Look
    upkeep: Upkeep
    restarting: Restarting
    steps: Steps
    capacity: Capacity
    bounds: BatchBoundLever
    limits: Limiting


def parts_of(
    spark: Spark,
    jobs: Sequence[Job],
    settings: SparkSettings,
    clocks: Clocks,
    ask_memory: Callable[[int], None] | None = None,
) -> Parts:
    """Of an engine for these jobs."""
    fleet = TrackedFleet.of([replace(job, own_pool=settings.own_pools) for job in jobs], keep_s=2 * settings.window_s)
    state = EngineState(fleet, clocks)
    shared = Shared(spark, state, spark.lease(settings.lease_s), settings, clocks, DeedLog(clocks.even))
    capacity, routes, events = Capacity(shared), Routes(state), spark.events(settings.own_pools)
    places = KeepingPlaces(spark, state, routes)
    shares = SlotsLever(state, spark.pools, settings.sharing, capacity.slots)
    runs = Runs(state, spark.pools, shares)
    under_way: Starts[Query] = Starts(clock=clocks.even)
    restarting = Restarting(shared, under_way, runs)
    planned = PlannedRestarts(shared, capacity.slots, restarting)
    starts = JobStarts(shared, under_way, planned, restarting, runs)
    bounds = BatchBoundLever(state, spark.bounds, planned, capacity.slots, clocks)
    tools = LeverTools(spark, state, planned, capacity, routes, clocks, ask_memory)
    levers = _by_kind(shares, bounds, *found_levers(tools))
    hearing, small = Hearing(shared, events, routes, places), SmallStarts(shared, bounds, capacity.slots)
    return Parts(
        shared,
        events,
        Opening(shared, events, capacity, routes, shares, small),
        starts,
        hearing,
        Look(shared, hearing, capacity, routes, levers),
        Upkeep(shared, capacity, routes, places, starts, planned, shares, bounds, small),
        restarting,
        Steps(shared, levers),
        capacity,
        bounds,
        Limiting(shared, capacity, shares),
    )


def _by_kind(*levers: Lever[Any]) -> Mapping[str, Lever[Any]]:
    """In the order of the kinds, in which they are told."""
    return {lever.kind: lever for lever in sorted(levers, key=lambda lever: KINDS.index(lever.kind))}
