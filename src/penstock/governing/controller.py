"""A controller of one Spark application: the engine, the loop in its thread, and what it can be asked."""

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from threading import Event, Lock, Thread

from pyspark.sql import SparkSession

from penstock.core.figures import Snapshot
from penstock.core.intents import Intent
from penstock.core.orders import NoControl
from penstock.core.plan import Outcome, Step
from penstock.core.ports import Policy
from penstock.core.run import DecisionRecord
from penstock.core.view import View
from penstock.engines.spark.engine import SparkEngine
from penstock.engines.spark.replan import end_between_batches
from penstock.errors import EngineError, LeaseLostError, told
from penstock.governing.clock import RealClock
from penstock.governing.recorder import Recorder
from penstock.governing.remembering import Remembering
from penstock.loop import Carried, Governor, LoopSettings, drive
from penstock.planning.provision.advise import JobModels

_log = logging.getLogger("penstock")
_STOPS_WITHIN_S = 60.0


class _OneAtATime:
    """The engine, asked by the loop and by users: one after the other."""

    def __init__(self, engine: SparkEngine) -> None:
        self._engine = engine
        self._lock = Lock()

    def observe(self, now: float) -> Snapshot:
        with self._lock:
            return self._engine.observe(now)

    def apply(self, steps: Sequence[Step]) -> Outcome:
        with self._lock:
            return self._engine.apply(steps)

    def tend(self) -> None:
        with self._lock:
            self._engine.tend()


class Tending:
    """Tends an engine between rounds. An error is told in the next round; only a lost lease ends governing."""

    def __init__(self, tend: Callable[[], None]) -> None:
        self._tend = tend
        self._error: Exception | None = None

    def __call__(self) -> None:
        try:
            self._tend()
        except LeaseLostError:
            raise
        except Exception as error:  # it is tried again half a second later
            self._error = error

    def troubles(self) -> tuple[str, ...]:
        """The last error since it was asked, in words."""
        error, self._error = self._error, None
        return () if error is None else (f"tending the jobs between rounds failed: {told(error)}; it is tried again",)


@dataclass(frozen=True, slots=True)
class Governed:
    """What a controller serves, and how."""

    intents: Mapping[str, Intent]
    policy: Policy
    remembering: Remembering | None = None
    settings: LoopSettings = LoopSettings()
    until_s: float = float("inf")
    models: Mapping[str, JobModels] = field(default_factory=dict)  # of jobs whose operators were profiled


class Controller:
    """Starts when it is entered, stops when it is left; the queries run on."""

    def __init__(
        self,
        engine: SparkEngine,
        governed: Governed,
        on_view: Callable[[View], None] = lambda view: None,
        earlier: "Controller | None" = None,
    ) -> None:
        """It goes on where an `earlier` one ended: its clock, its record, and all that its loop carried."""
        self._engine = engine
        self._asked = _OneAtATime(engine)
        self._governed = governed
        self._on_view = on_view
        remembering = governed.remembering
        store = None if remembering is None else remembering.store
        self._recorder: Recorder = Recorder(store, None if earlier is None else earlier._recorder)
        self._carried: Carried | None = None if earlier is None else earlier._carried
        self._stop = Event()
        self._gently = False
        already_s = 0.0 if remembering is None else remembering.already_s
        already_s = already_s if earlier is None else earlier._clock.now()
        self._tending = Tending(self._asked.tend)
        self._clock: RealClock = RealClock(self._stop, self._tending, already_s)
        self._thread = Thread(target=self._run, name="penstock", daemon=True)
        self._error: Exception | None = None

    def __enter__(self) -> "Controller":
        self._engine.open()
        self._thread.start()
        return self

    def __exit__(self, *raised: object) -> None:
        self.stop()

    def stop(self, stop_queries: bool = False) -> None:
        """End the loop, then let go of the application."""
        self._stop.set()
        self._thread.join(_STOPS_WITHIN_S)
        self._engine.close(stop_queries)
        if self._governed.remembering is not None:
            self._governed.remembering.store.close()
        if self._thread.is_alive():
            raise EngineError(f"the loop did not end within {_STOPS_WITHIN_S:.0f} s; a step of it still runs")

    def run_jobs(self, spark: SparkSession) -> None:
        """Start the engine's jobs, govern them until the run is over, and stop all queries of the application."""
        with self:
            try:
                self._engine.start_jobs()
                self.wait()
            finally:
                if self._gently:
                    end_between_batches(spark.streams.active)
                for query in spark.streams.active:
                    query.stop()

    def end(self) -> None:
        """Let the round that is under way be the last one; queries then end between two batches of their own."""
        self._gently = True
        self._stop.set()

    @property
    def left_s(self) -> float:
        """How long the run is still to last."""
        return self._governed.until_s - self._clock.now()

    def wait(self) -> None:
        """Until the run is over."""
        while self._thread.is_alive():
            self._thread.join(1.0)

    def snapshot(self) -> Snapshot:
        """All jobs and machines as they are now."""
        return self._asked.observe(self._clock.now())

    @property
    def decisions(self) -> tuple[DecisionRecord, ...]:
        """Each decision: what, why, and what came of it."""
        return self._recorder.decisions

    @property
    def views(self) -> tuple[View, ...]:
        """What was seen, round by round."""
        return self._recorder.views

    @property
    def remembering(self) -> Remembering | None:
        """Where the run is recorded."""
        return self._governed.remembering

    @property
    def error(self) -> Exception | None:
        """Why the loop ended by itself, as when another controller took over; None while it governs.

        What goes wrong in a round does not end it: that is recorded with the round.
        """
        return self._error

    def _run(self) -> None:
        control = NoControl() if self._governed.remembering is None else self._governed.remembering.control
        served = self._governed
        governor = Governor(
            self._asked, served.policy, self._recorder, served.settings, control, served.models, self._tending.troubles
        )
        try:
            self._carried = drive(
                governor, lambda: served.intents, self._clock, served.until_s, self._after, self._carried
            )
        except LeaseLostError as error:
            self._error = error
            _log.error("governing ended: %s", error)
        except Exception as error:
            self._error = error
            _log.exception("governing ended; the queries run on with their last shares")

    def _after(self, now: float) -> None:
        view = self._recorder.views[-1]
        _log.info("%.0f s: utility %.1f of %.1f", now, view.utility, view.max_utility)
        self._on_view(view)
