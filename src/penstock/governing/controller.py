"""A controller of one application: the engine, the loop in its thread, and what it can be asked."""

import atexit
import logging
import os
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from threading import Event
from typing import TYPE_CHECKING, Any

from penstock.analysis.assess import assess
from penstock.core.asked.intent_hours import asked_at
from penstock.core.asked.orders import NoControl
from penstock.core.cycle import Cycle
from penstock.core.run import DecisionRecord, RunInfo, as_of
from penstock.core.seen.figures import Snapshot
from penstock.core.seen.view import View
from penstock.engines.hand import ANSWERS_WITHIN_S, Hand
from penstock.engines.hands import SEES_WITHIN_S, TENDS_WITHIN_S, Hands
from penstock.errors import ApplicationGoneError, EngineError, GoverningEndsError, LeaseLostError, told
from penstock.governing import notebook
from penstock.governing.clock import RealClock
from penstock.governing.displays import Displays
from penstock.governing.governable import Governable
from penstock.governing.governed import Governed
from penstock.governing.pulse import MOVES_WITHIN_S, Motion, Pulse
from penstock.governing.recorder import Recorder
from penstock.governing.remembering import Remembering, RunIsOlderError, check_age
from penstock.governing.wanted_anew import WantedAnew
from penstock.loop import Carried, Loop, drive
from penstock.running.session import BesideCycles
from penstock.running.tending import Tending
from penstock.threads import BesideThread

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from pyspark.sql import SparkSession

    from penstock.engines.applications.agent import Agent  # types alone: neither a coordinator nor a file is watched
    from penstock.governing.watching import Renewal  # in most drivers, and what they need takes 5 MiB

_log = logging.getLogger("penstock")
_STOPS_WITHIN_S = 60.0
_DONE_WITHIN_S = 240.0  # what is no round's: the first starts, executors for a coordinator
_OVERDUE_AT_MOST_S = 300.0  # a deed that goes on for longer keeps all tenants from being seen
_ENDS_WITHIN_S = 120.0
_LOOK_EVERY_S = 1.0
_FAILING_FROM = 3  # rounds in a row
_FIRST_AFTER_S = 2.0  # what waits grows from the first second on; how soon to look again says the policy


class Controller:
    """Starts when it is entered, unless it was started; stops when it is left, or its process ends. Queries run on."""

    def __init__(
        self,
        engine: Governable,
        governed: Governed,
        on_view: Callable[[View], None] = lambda view: None,
        earlier: "Controller | None" = None,
    ) -> None:
        """It goes on where an `earlier` one ended: its clock, its record, and all that its loop carried."""
        self._engine = engine
        self._pulse = Pulse(engine.ping)
        self._motion = Motion()
        self._hand = Hand(self._pulse.silent_s, pause=self._motion.awaits)
        self._other_hand = Hand(self._pulse.silent_s)  # to count and to let go with, also while a long deed is done
        self._hands = Hands.awaited_by(self._motion.awaits)  # for what the JVM does not concern
        self._limits = self._hands.limits(self._hand, engine.note)
        self._governed = governed
        self._on_view = on_view
        remembering = governed.remembering
        store = None if remembering is None else self._hands.store(remembering.store)
        self._recorder: Recorder = Recorder(store, None if earlier is None else earlier._recorder, self._tell)
        self._carried: Carried | None = None if earlier is None else earlier._carried
        self._stop = Event()
        self._gently = False
        already_s = 0.0 if remembering is None else remembering.already_s
        already_s = already_s if earlier is None else earlier._clock.now()
        self._began_epoch_s = time.time() - already_s if remembering is None else remembering.began_epoch_s
        self._tending = Tending(self._tend)
        self._clock: RealClock = RealClock(self._stop, self._tick, already_s)
        self._thread = BesideThread(self._run, "penstock")
        self._error: Exception | None = None
        self._fault: BaseException | None = None  # by which governing begins anew; None once a round is over
        self._agent: Agent | None = None if governed.agent is None else governed.agent(self)
        self._process: int | None = None  # that it was started in
        self._stopped = False
        self._ended: notebook.Ending | None = None
        self._displays = Displays()
        self._wanted_anew = WantedAnew()

    def __enter__(self) -> "Controller":
        return self.start()

    def start(self) -> "Controller":
        """Begin to govern, unless it does. What interrupts that, as Ctrl-C in a notebook may, leaves nothing behind."""
        if self._stopped:
            raise EngineError("this governing has ended: call ps.govern again")
        if self._process is not None:
            return self
        self._process = os.getpid()
        try:
            self._engine.open()
            self._pulse.start()
            self._motion.goes_on()
            if self._governed.heart is not None:
                self._governed.heart.governed_by(self._well)
            self._thread.start()
            if self._agent is not None:
                self._agent.start()
            atexit.register(self._end_with_process)
        except BaseException:
            with suppress(Exception):
                self.stop()  # or its lease would keep the next one waiting
            raise
        return self

    def __exit__(self, *raised: object) -> None:
        self.stop()

    def stop(self, stop_queries: bool = False) -> None:
        """End the loop, then let go of the application, whatever interrupts the wait for it; once is enough."""
        if self._stopped:
            return
        self._ends(
            "it was stopped, and its queries with it" if stop_queries else "it was stopped, and the queries run on"
        )
        self._stop.set()  # before anything that takes a while: whatever interrupts that, no further round begins
        try:
            self._stopped = True
            atexit.unregister(self._end_with_process)
            if self._agent is not None:
                self._agent.stop()
            self._thread.join(_STOPS_WITHIN_S)
        finally:
            self._let_go(stop_queries)
        if self._thread.is_alive():
            raise EngineError(f"the loop did not end within {_STOPS_WITHIN_S:.0f} s; a step of it still runs")

    def _let_go(self, stop_queries: bool) -> None:
        try:
            if not isinstance(self._error, ApplicationGoneError):
                close = partial(self._engine.close, stop_queries)
                self._other_hand.do("letting go of the application", close, SEES_WITHIN_S)
        finally:
            self._hand.close()
            self._other_hand.close()
            self._pulse.stop()
            if self._governed.heart is not None:
                self._governed.heart.governed_by(None)
            self._hands.let_go(self._leave_record)
            self._governed.at_end()
            self._show()

    def _leave_record(self) -> None:
        remembering = self._governed.remembering
        if remembering is None:
            return
        if self._ends_for_good:
            remembering.control.leave()
        remembering.store.close()

    def _end_with_process(self) -> None:
        """Nobody stopped it, and the interpreter ends. Not so in a child that was forked: it has its parent's JVM."""
        if os.getpid() != self._process:
            return
        try:
            self.stop()
        except Exception as error:  # Spark may have been ended a moment ago, and the lease with it
            _log.debug("not all was let go of at the end of the process: %s", told(error))

    @property
    def _ends_for_good(self) -> bool:
        """Whether it ends in order: no fault ended it, and no other life of the application goes on with the run."""
        return self._error is None and not self._gently and not self._thread.is_alive()

    def run_jobs(self, end_jobs: Callable[[bool], None]) -> None:
        """Start the engine's jobs, govern them until the run is over, and end them: gently, where that is asked.

        Where another controller took them over they are its own: they run on until this run would have been over.
        """
        with self:
            try:
                self._hand.do("starting the jobs", self._engine.start, _DONE_WITHIN_S)
                self.wait()
                taken_over = isinstance(self._error, LeaseLostError)
                while taken_over and self.left_s > 0 and not self._stop.wait(_LOOK_EVERY_S):
                    pass
            finally:
                if not isinstance(self._error, LeaseLostError | ApplicationGoneError):
                    self._other_hand.do("ending the jobs", partial(end_jobs, self._gently), _ENDS_WITHIN_S)

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
        return self._hand.do("observing", lambda: self._engine.observe(self._clock.now()), SEES_WITHIN_S)

    def look(self) -> View:
        """All jobs as they are now, by what is asked of them: for who cannot wait for the first round."""
        intents, at_epoch_s = self._governed.intents, time.time()
        return assess(self.snapshot(), {name: asked_at(one, at_epoch_s) for name, one in intents.items()})

    @property
    def newest(self) -> Cycle | None:
        """The last round; None before there is one."""
        return self._recorder.newest

    def worth(self, slots: Sequence[int]) -> tuple[float, ...]:
        """What all jobs would have together with so many slots each; empty while the policy cannot say."""
        by_slots, newest = getattr(self._governed.policy, "by_slots", None), self._recorder.newest
        return () if by_slots is None or newest is None else tuple(by_slots(newest.view, newest.memory, slots))

    def executors(self) -> tuple[int, int]:
        """How many executors live, and how many are wanted."""
        return self._other_hand.do("counting executors", self._engine.capacity.executors, SEES_WITHIN_S)

    def hold(self, executors: int) -> None:
        """Have so many executors from now on."""
        self._hand.do("asking for executors", lambda: self._engine.capacity.hold(executors), _DONE_WITHIN_S)

    @property
    def decisions(self) -> tuple[DecisionRecord, ...]:
        """Each decision: what, why, and what came of it."""
        records, newest = self._recorder.decisions, self._recorder.newest
        return records if newest is None else as_of(records, newest.at_s, goes_on=self._ended is None)

    @property
    def views(self) -> tuple[View, ...]:
        """What was seen, round by round; of a long run fewer rounds of what is longer ago."""
        return self._recorder.views

    def frame(self, spark: "SparkSession | None" = None) -> Any:
        """What was seen, a row for each tenant of each round: in pandas, or as a DataFrame of the session given."""
        return notebook.frame(self.views) if spark is None else notebook.spark_frame(self.views, spark)

    def plot(self) -> "Figure":
        """A picture of it: each tenant's share of its utility, and its weight, over time."""
        return notebook.plot(self.views)

    def _repr_html_(self) -> str:
        """As a notebook shows it: tenants, what they ask for and have, the last decisions."""
        return notebook.html(self.views, self.decisions, self._ended)

    def _ipython_display_(self) -> None:
        """The same, and new after each round, for as long as it governs."""
        self._displays.add(self._bundle())

    def _bundle(self) -> dict[str, str]:
        return {"text/html": self._repr_html_(), "text/plain": notebook.text(self.views, self._ended)}

    def _show(self) -> None:
        self._displays.show(self._bundle)

    def _ends(self, why: str) -> None:
        """It governs no more; what came first is why."""
        if self._ended is None:
            self._ended = notebook.Ending(time.time(), self._clock.now(), why)

    @property
    def governed(self) -> Governed:
        """What it serves, and how, as it stands."""
        return self._governed

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

    @property
    def failing(self) -> str | None:
        """What went wrong in its last rounds, three or all that there were; None where one of them went well."""
        if self._fault is not None:
            return told(self._fault)
        rounds, carried = len(self._recorder.views), self._carried
        return carried.error if carried is not None and carried.failures >= min(_FAILING_FROM, rounds) else None

    def _tell(self, cycle: Cycle) -> None:
        if self._governed.post is not None:
            kept = self._governed.remembering
            name = self._governed.policy.name
            self._governed.post.take(RunInfo("run", "run", name, "spark") if kept is None else kept.run, cycle)

    def _run(self) -> None:
        """Govern until the run is over. What no stage of a round answers for is told, and governing begins anew."""
        self._motion.begins()
        while True:
            try:
                loop = self._loop()
                self._hands.round.begin()
                begin = self._carried or replace(loop.start(self._clock.now()), again_s=_FIRST_AFTER_S)
                self._carried = drive(loop, self._clock, self._governed.until_s, self._after, begin, self._loop)
                if not self._stop.is_set():
                    self._ends("the time that it was to last was over")
                    self._show()
            except RunIsOlderError as error:
                self._go_on_with(error)
                continue
            except GoverningEndsError as error:
                self._error = error
                _log.error("governing ended: %s", error)
                with suppress(Exception):  # the store may be another's by now
                    self._recorder.ended(self._clock.now(), str(error))
                self._ends(told(error))
                self._show()
            except BaseException as error:
                self._fault = error
                _log.exception("governing failed and restarts; the queries continue with their last shares")
                self._tending.also(f"governing failed and restarted: {told(error)}", "governing")
                if not self._stop.wait(self._governed.settings.interval_s) and self.left_s > 0:
                    continue
            return

    def _go_on_with(self, found: RunIsOlderError) -> None:
        """From what is recorded, by the clock of the run."""
        self._tending.also(str(found))
        self._governed, self._carried = replace(self._governed, remembering=found.kept), None
        self._began_epoch_s = found.kept.began_epoch_s
        self._clock = RealClock(self._stop, self._tick, found.kept.already_s)

    def _loop(self) -> Loop:
        """Who decides as things stand."""
        kept = self._governed.remembering
        control = self._hands.control(NoControl() if kept is None else kept.control)
        session = self._governed.session(self._recorder, control)
        return session.loop(self._engine, BesideCycles(self._troubles, self._began_epoch_s, self._limits))

    def _troubles(self) -> tuple[str, ...]:
        return (*self._tending.troubles(), *self._governed.troubles())

    def _tend(self) -> None:
        self._hand.do("tending the jobs", self._engine.tend, TENDS_WITHIN_S, behind_s=0.0)

    def _tick(self) -> None:
        self._motion.goes_on()
        self._hands.round.begin()
        check_age(self._governed.remembering, self._clock.now())
        self._tending()
        try:
            self._hands.look(self._look)
            for renewal in self._wanted_anew.taken():
                self._renew(renewal)
            self._wanted_anew.limit(self._hand, self._engine.limits.take_over)
        except GoverningEndsError:
            raise
        except Exception as error:
            self._tending.also(f"not all that is wanted anew could be taken over: {told(error)}", "wanted anew")

    def _look(self) -> None:
        self._wanted_anew.find(self._governed.look())

    def _renew(self, renewal: "Renewal") -> None:
        """From the next round on."""
        self._governed = replace(self._governed, intents=renewal.intents, policy=renewal.policy)
        for text in renewal.said:
            self._engine.note(text, "the file of tenants changed")
        if renewal.priced_anew:
            self._governed = replace(self._governed, slot_price=renewal.price)
            if self._governed.remembering is not None:
                self._governed.remembering.reprice(renewal.price)

    def _well(self) -> bool:
        """Whether the JVM answers, the loop moves on, and no deed stands in the way of every look at the jobs."""
        answers, moves = self._pulse.silent_s() <= ANSWERS_WITHIN_S, self._motion.still_s() < MOVES_WITHIN_S
        return answers and moves and self._hand.overdue_s() < _OVERDUE_AT_MOST_S

    def _after(self, now: float) -> None:
        self._fault, view = None, self._recorder.views[-1]
        _log.info("%.0f s: utility %.1f of %.1f", now, view.utility, view.max_utility)
        self._hands.tell(partial(self._let_see, view))

    def _let_see(self, view: View) -> None:
        self._show()
        self._on_view(view)
