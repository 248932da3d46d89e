"""Upkeep between rounds: what is to be done is worked out of the state, and each instruction carried out for itself."""

from penstock.engines.spark.levers.batch_bound import BatchBoundLever
from penstock.engines.spark.levers.planned import PlannedRestarts
from penstock.engines.spark.levers.slots import SlotsLever
from penstock.engines.spark.rounds.wall import WallWatch
from penstock.engines.spark.starts.job_starts import JobStarts
from penstock.engines.spark.starts.small_starts import SmallStarts
from penstock.engines.spark.state.capacity import Capacity
from penstock.engines.spark.state.keeping_places import KeepingPlaces
from penstock.engines.spark.state.routes import Routes
from penstock.engines.spark.state.shared import Shared
from penstock.engines.spark.told.apart import Apart
from penstock.engines.spark.watch.instructions import (
    ForgetTasks,
    GiveTasks,
    Instruction,
    KeepBound,
    Loosen,
    Start,
    Wake,
    todo,
)
from penstock.errors import EngineError, told

_AGAIN = "its query was started again with the bound of its options"


class Upkeep:
    """Looks after executors, the places of state, and jobs."""

    def __init__(
        self,
        shared: Shared,
        capacity: Capacity,
        routes: Routes,
        places: KeepingPlaces,
        starts: JobStarts,
        planned: PlannedRestarts,
        shares: SlotsLever,
        bounds: BatchBoundLever,
        small: SmallStarts,
    ) -> None:
        self._shared = shared
        self._capacity = capacity
        self._routes = routes
        self._places = places
        self._starts = starts
        self._planned = planned
        self._shares = shares
        self._bounds = bounds
        self._small = small
        self._wall = WallWatch(shared.clocks)

    def tend(self, apart: Apart) -> None:
        """Start again what died and waited long enough, change what awaits its end."""
        shared = self._shared
        with apart.trying("clock"):
            self._take_up_clock()
        with apart.trying("windows of key pairs"):
            self._routes.close_windows(shared.clocks.wall(), shared.deeds)
        with shared.lease.held():
            with apart.trying("executors"):
                if self._capacity.keep():
                    shared.spark.pools.set(self._shares.wanted())
            if shared.settings.pin_routes:
                with apart.trying("places of state"):
                    self._places.keep(shared.deeds)
            with apart.trying("starts"):
                self._starts.look()
            for instruction in todo(shared.state.fleet, shared.clocks.now()):
                with apart.trying(instruction.job):
                    self._do(instruction)

    def _do(self, instruction: Instruction) -> None:
        if isinstance(instruction, Start | GiveTasks | Wake):
            # A long deed for another job may have come between, or a pause of the whole process.
            self._shared.lease.renew()
        if isinstance(instruction, Start):
            self._starts.begin(instruction.job)
        elif isinstance(instruction, GiveTasks):
            self._planned.give_tasks(instruction.job, instruction.late)
        elif isinstance(instruction, ForgetTasks):
            self._shared.state.change(instruction.job, awaited=None)
        elif isinstance(instruction, Wake):
            self._wake(instruction)
        elif isinstance(instruction, KeepBound):
            self._keep_bound(instruction.job)
        elif isinstance(instruction, Loosen):
            self._small.loosen(instruction)

    def _take_up_clock(self) -> None:
        by_s = self._wall.set_by()
        if by_s:
            self._shared.state.clock_set(by_s)
            self._shared.deeds.note(None, "what was is reckoned anew", f"the driver's clock was set by {by_s:+,.0f} s")

    def _wake(self, found: Wake) -> None:
        """Once for each run of a query; one that could not be started again is tried again."""
        state, deeds = self._shared.state, self._shared.deeds
        why = f"its next batch would have waited for up to {found.late_s:,.0f} s: the driver's clock was set back"
        if self._planned.wake(found.job):
            started = state.named(found.job).job.function is not None
            deeds.note(found.job, "its query was started again" if started else "it is left as it is", why)
        state.change(found.job, oversleeps_s=0.0)

    def _keep_bound(self, job: str) -> None:
        try:
            done = self._bounds.keep(self._shared.state.named(job))
        except EngineError as error:  # a query may end meanwhile, and the others are to be looked after
            self._shared.deeds.note(job, "its bound is not set again yet", _AGAIN, told(error))
            return
        if done is not None:
            self._shared.deeds.note(job, done, _AGAIN)
