"""Starts of jobs: each in a thread of its own, for a tenant's function takes as long as it takes."""

import logging

from penstock.engines.spark.application.ours import while_ours
from penstock.engines.spark.jobs.job import Job
from penstock.engines.spark.jobs.query import Query
from penstock.engines.spark.jobs.starting import StartEnded, Starts
from penstock.engines.spark.levers.planned import PlannedRestarts
from penstock.engines.spark.levers.restarting import Restarting
from penstock.engines.spark.levers.slots import SlotsLever
from penstock.engines.spark.port import Pools
from penstock.engines.spark.state.shared import Shared
from penstock.engines.spark.state.state import EngineState
from penstock.engines.spark.told.apart import Apart
from penstock.engines.spark.watch.events import Failed, Running
from penstock.errors import EngineError

_log = logging.getLogger("penstock.spark")


class Runs:
    """Told of every query that the engine started."""

    def __init__(self, state: EngineState, pools: Pools, shares: SlotsLever) -> None:
        self._state = state
        self._pools = pools
        self._shares = shares

    def __call__(self, job: str, query: Query) -> None:
        self._state.take(Running(job, query))
        if self._state.named(job).tasks:
            self._pools.set(self._shares.wanted())


class JobStarts:
    """Begins them, and takes up what came of those that ended."""

    def __init__(
        self, shared: Shared, starts: Starts[Query], planned: PlannedRestarts, restarting: Restarting, runs: Runs
    ) -> None:
        self._shared = shared
        self._state = shared.state
        self._planned = planned
        self._runs = runs
        self._restarting = restarting
        self._starts = starts

    def begin(self, name: str) -> None:
        """Begin to start the job's query."""
        job = while_ours(self._shared.lease, self._state.named(name).job)
        self._starts.begin(name, lambda: self._started(job))

    def ask(self, name: str) -> None:
        """Have it begun between rounds, whatever its restart policy says; an EngineError says why that cannot be."""
        track = next((one for one in self._state if one.job.name == name), None)
        if track is None:
            raise EngineError(f"{name}: no job of this application has that name")
        if track.job.function is None:
            raise EngineError(f"{name}: penstock did not start its query; start it where it was started")
        if track.runs:
            raise EngineError(f"{name} runs: there is nothing to start")
        self._state.change(name, attempts=track.attempts.asked(self._shared.clocks.even()))

    def begin_all(self) -> None:
        """All that have a function and do not run yet."""
        for track in self._state:
            if track.run_id is None and track.job.function is not None:
                self.begin(track.job.name)

    def wait(self) -> None:
        """Until all that were begun have ended, and were taken up."""
        self._starts.wait()
        self.taken().tell()

    def look(self) -> None:
        """Note for how long each start has been under way, and what it waits for."""
        for track in self._state:
            name = track.job.name
            under_way_s, awaits = self._starts.under_way_s(name), self._shared.spark.start_awaits(name)
            if (under_way_s, track.starting_s) != (None, None):
                self._state.change(name, starting_s=under_way_s, start_awaits=awaits)

    def taken(self) -> Apart:
        """What came of those that have ended, taken up; and what went wrong with that."""
        apart = Apart()
        for ended in self._starts.take():
            with apart.trying(ended.name):
                if not self._restarting.taken(ended):
                    self._take(ended)
        return apart

    def _take(self, ended: StartEnded[Query]) -> None:
        self._state.change(ended.name, starting_s=None)
        self._state.promise(ended.name, 0)
        again = self._state.named(ended.name).attempts
        if ended.made is None:  # a tenant's own code may raise anything; the other tenants go on
            self._fails(ended.name, ended.why or "nothing was started")
        else:
            self._runs(ended.name, ended.made)
        if again.error is not None and again.due_s is not None:
            came = self._state.named(ended.name).attempts.of_job(ended.name, self._shared.clocks.even())
            stands = None if came is None else came.text
            self._shared.deeds.note(ended.name, "its query was started again", f"it failed: {again.error}", stands)

    def _fails(self, name: str, why: str) -> None:
        known = self._state.named(name).attempts.error == why  # it is tried for ever: what is known is no news
        _log.log(logging.DEBUG if known else logging.WARNING, "%s could not start: %s", name, why)
        self._state.take(Failed(name, why))

    def _started(self, job: Job) -> Query:
        tasks = self._planned.room_for(job)
        self._state.change(job.name, tasks=tasks)
        self._state.promise(job.name, sum(operator.tasks for operator in tasks))
        return self._shared.spark.start(job, within_s=None)
