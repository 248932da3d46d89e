"""The Spark engine: translates one application to core values, and steps to deeds in it.

What happens comes into the state (`rounds/hearing`), which becomes a snapshot (`rounds/look`) and says what is to be
done between rounds (`rounds/upkeep`), by pure functions (`watch`). Steps turn levers (`rounds/steps`, `levers`).
"""

from collections.abc import Callable, Sequence

from penstock.core.plan import Outcome, Step
from penstock.core.seen.figures import Snapshot
from penstock.engines.spark.clocks import Clocks
from penstock.engines.spark.jobs.job import Job
from penstock.engines.spark.parts import parts_of
from penstock.engines.spark.port import Spark
from penstock.engines.spark.settings import SparkSettings
from penstock.engines.spark.state.capacity import Capacity
from penstock.engines.spark.told.apart import Apart


class SparkEngine:
    """Governs the named queries of one Spark application. `open` it before use and `close` it after."""

    def __init__(
        self,
        spark: Spark,
        jobs: Sequence[Job],
        settings: SparkSettings = SparkSettings(),
        clocks: Clocks = Clocks(),
        ask_memory: Callable[[int], None] | None = None,
    ) -> None:
        """`ask_memory` is told of how many MiB executors shall have, by whoever can start the application again."""
        self._parts = parts_of(spark, jobs, settings, clocks, ask_memory)
        self._shared = self._parts.shared
        self.capacity: Capacity = self._parts.capacity
        self.limits, self.start_again = self._parts.limits, self._parts.starts.ask

    def open(self) -> None:
        """Become the controller of the application, put every pool in place and see what runs already."""
        self._shared.lease.take()
        self._parts.opening.open()

    @property
    def jobs(self) -> tuple[Job, ...]:
        """The jobs as they would have to be started to go on as they stand, in another application for instance."""
        return self._shared.state.jobs(self._parts.bounds.wanted)

    def note(self, text: str, why: str, job: str | None = None, error: str | None = None) -> None:
        """Have it in the record that this was done to the application, or to a job, by whoever started it."""
        self._shared.deeds.note(job, text, why, error)

    def start(self, wait: bool = False) -> None:
        """Begin to start every job that has a function and does not run yet; `tend` takes up what comes of it."""
        self._parts.starts.begin_all()
        if wait:  # until each was started or could not be
            self._parts.starts.wait()

    def close(self, stop_jobs: bool = False) -> None:
        """Stop governing; queries run on unless told otherwise. An EngineError tells of what could not be let go of."""
        apart = Apart()
        with apart.trying("events"):
            self._parts.events.detach()
        if stop_jobs:
            self._shared.state.stop_started(apart)
        with apart.trying("lease"):
            self._shared.lease.release()
        apart.tell()

    def ping(self) -> None:
        """Return as soon as the JVM has answered."""
        self._shared.spark.ping()

    def tend(self) -> None:
        """Between rounds: keep the lease, start again what died; an EngineError tells of jobs where that went wrong."""
        apart = self._refreshed()
        self._parts.hearing.look_after(self._shared.state.take_heard(self._parts.events, apart), apart)
        self._parts.restarting.between_rounds()
        self._parts.upkeep.tend(apart)
        apart.tell()

    def observe(self, now: float) -> Snapshot:
        """All jobs and machines at this instant; what could not be read is left out, and told as a deed."""
        return self._parts.look.snapshot(now, self._refreshed())

    def apply(self, steps: Sequence[Step]) -> Outcome:
        """Carry the steps out in order, and executors after them; a step that fails half-way is taken back whole."""
        self._parts.restarting.in_a_round()
        with self._shared.lease.held():
            outcome = Outcome(tuple(map(self._parts.steps.carry_out, steps)))
            if self._shared.lease.ours:
                self.capacity.follow_plan()
        return outcome

    def _refreshed(self) -> Apart:
        """The lease held on to, and starts that have ended taken up."""
        self._shared.spark.check_alive()
        self._shared.lease.renew()
        return self._parts.starts.taken()
