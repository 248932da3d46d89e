"""A coordinator: the loop over many applications, as long as it leads.

    following -- the lease is free --> leading: a new epoch, the run in the store gone on with, agents heard
        ^                                 |
        +------ the lease was lost <------+        or the store says that another writes the run

Whoever leads renews its lease in a thread of its own, and believes in it for no longer than it was taken for: one that
was frozen meanwhile finds its lease over before it does anything else. One whose door for agents stays shut lets its
lease go, and asks for it again once the door is open.
"""

import logging
import threading
import time
import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

from penstock.config.coordination import CoordinationFile
from penstock.core.run import RunInfo
from penstock.core.seen.leader import Leader, Lease
from penstock.core.seen.view import View
from penstock.engines.applications.cluster import Cluster
from penstock.engines.applications.engine import FleetEngine, NotLeadingError
from penstock.engines.applications.settings import FleetSettings
from penstock.engines.applications.wire import Report, encode_answer
from penstock.engines.applications.wishes import Wishes
from penstock.engines.hand import Hand, Within
from penstock.engines.hands import KEEPS_WITHIN_S, Hands
from penstock.errors import ConfigError, GoverningEndsError, OutageError, PenstockError, told
from penstock.governing.clock import RealClock
from penstock.governing.fleet_parts import bounds_of, cluster_of, lease_of
from penstock.governing.recorder import Recorder
from penstock.governing.remembering import DEFAULT_STORE, Remembering, check_age, remembered
from penstock.loop import LoopSettings, drive
from penstock.planning.registry import DEFAULT
from penstock.running.session import BesideCycles, Session, decider
from penstock.running.tending import Tending
from penstock.spoken import spoken
from penstock.store.archive import StoreError
from penstock.store.cells import MOST, number_within
from penstock.store.database import Database
from penstock.store.gallery import Gallery
from penstock.store.leadership import Leadership, lease_at
from penstock.store.open import default_path, open_store
from penstock.store.sql import SqlStore

_LOOK_EVERY_S = 1.0  # whether the lease is free
UNHEARD_S = 10.0  # the door is shut; a coordinator that none can reach leads no better than none
_HEARD_WITHIN = 5.0  # times the time between two reports, all agents are heard that can be
_ASKS_WITHIN = 1.5  # intervals, the cluster manager is waited for: rounds are three apart at the most
_STALE_ROUNDS = 4.0  # after so many intervals without a round something is wrong; after failures they are 3 apart

_log = logging.getLogger("penstock.fleet")


@dataclass(frozen=True, slots=True)
class Coordination:
    """How a fleet is governed; `place` is where agents find this coordinator.

    `troubles` are what else a round is to tell of, in words, each once; `shut_s` says for how long no agent could be
    heard, 0 while they can.
    """

    store: str = DEFAULT_STORE
    policy: str | None = None
    advise: bool = False
    place: str = ""
    troubles: Callable[[], Sequence[str]] = tuple
    shut_s: Callable[[], float] = float


class Coordinator:
    """Leads, or follows until it may."""

    def __init__(
        self,
        file: CoordinationFile,
        how: Coordination = Coordination(),
        on_view: Callable[[View], None] = lambda view: None,
        say: Callable[[str], None] = lambda text: None,
        even: Callable[[], float] = time.monotonic,
        cluster: Cluster | None = None,
    ) -> None:
        """`cluster` is for one that no file names."""
        self._file = file
        self._how = how
        self._on_view = on_view
        self._say = spoken(say)
        self._even = even
        self._cluster = cluster or cluster_of(file.cluster)
        self._lease = _lease(file, how)
        self._opening = Hand()  # of all terms: what still opens the store keeps the next one from trying beside it
        self._stop = threading.Event()
        self._term_over = threading.Event()
        self._until_s = 0.0  # the lease is ours
        self._epoch = 0
        self._engine: FleetEngine | None = None
        self._leader: Leader | None = None
        self._decided_s: float | None = None  # the last round of this term that could decide
        self._unknown = ""  # why nobody knows who leads

    def hear(self, report: Report) -> bytes:
        """The answer to an agent's report; a NotLeadingError where somebody else leads."""
        return encode_answer(self._leading.hear(report))

    def wishes(self) -> Wishes:
        """What every application is to have; an OutageError where nobody may say so."""
        engine, decided_s = self._leading, self._decided_s
        if decided_s is None:
            raise OutageError("this coordinator has just begun to lead: it decides once agents have reported")
        stale_s = max(_STALE_ROUNDS * self._file.interval, self._file.lease)
        return Wishes(self._file.name, engine.wishes(), self._even() - decided_s, stale_s, engine.silent_s)

    @property
    def leads(self) -> bool:
        """Whether it may still act."""
        return self._even() < self._until_s

    @property
    def _unheard(self) -> bool:
        return self._how.shut_s() > UNHEARD_S

    @property
    def _leading(self) -> FleetEngine:
        engine = self._engine
        if engine is None:
            known = self._leader
            where = f"; {known.place} does" if known is not None and known.place and not known.ours else ""
            raise NotLeadingError(f"this coordinator does not lead{where}")
        return engine

    def run(self) -> None:
        """Follow and lead, until it is stopped."""
        try:
            while not self._stop.is_set():
                if not self._unheard and self._took():
                    self._lead()
                # After a term too: what made governing stumble is likely to be there still.
                self._stop.wait(min(_LOOK_EVERY_S, self._file.lease / 3.0))
        finally:
            self._opening.close()
            self._lease.close()

    def stop(self) -> None:
        """End it; another may lead at once."""
        self._stop.set()
        self._term_over.set()

    def _took(self) -> bool:
        """Whether the lease is ours; whatever is wrong with asking for it, it is asked for again."""
        try:
            return self._take()
        except Exception as error:
            self._note_unknown(told(error))
            return False

    def _take(self) -> bool:
        """Ask for the lease, for the first time or again; whether it is ours, in the epoch that we know."""
        asked_s = self._even()
        try:
            engine = self._engine
            leader = self._lease.take(self._file.lease, 0 if engine is None else engine.obeyed)
        except OutageError as error:
            self._note_unknown(str(error))
            return self.leads
        self._note_unknown("")
        self._leader = leader
        if not leader.ours:
            self._until_s = 0.0
            return False
        if engine is None:
            self._epoch = leader.epoch
            self._say_lapsed(leader)
        elif leader.rose:
            self._rise(engine, leader.epoch)
        ours = leader.epoch == self._epoch
        self._until_s = asked_s + self._file.lease if ours else 0.0
        return ours

    def _note_unknown(self, why: str) -> None:
        """Told once, until it is another thing or over: it is asked for every second."""
        if why != self._unknown:
            _log.warning("%s", f"the leader is unknown: {why}" if why else "the leader is known again")
        self._unknown = why

    def _rise(self, engine: FleetEngine, epoch: int) -> None:
        """Go on in a later epoch: agents obeyed one of which our store does not know, and refused all orders."""
        engine.rise(epoch)
        self._epoch = epoch
        self._say(
            f"leads {self._file.name} in epoch {epoch} from now on, for agents obey one that this store does not know: "
            f"it is new or was restored, its clock was behind, or a coordinator with another store leads them too"
        )

    def _say_lapsed(self, leader: Leader) -> None:
        """Nobody else can tell of a coordinator that was killed: its own log has not a word of it."""
        if leader.lapsed is not None:
            where = f" at {leader.lapsed}" if leader.lapsed else ""
            self._say(f"the coordinator before{where} was killed, cut off or stood still: its lease ran out")

    def _lead(self) -> None:
        """One term: from the lease to its loss."""
        over = self._term_over = threading.Event()
        if self._stop.is_set():
            return
        self._say(f"leads {self._file.name} in epoch {self._epoch}")
        asking = Hand()
        within = Within(asking, _ASKS_WITHIN * self._file.interval, behind_s=0.0)
        self._engine = FleetEngine(self._cluster, self._settings(), self._epoch, lambda: self.leads, self._even, within)
        renewing = threading.Thread(target=self._renew, args=(over,), name="penstock-lease", daemon=True)
        renewing.start()
        try:
            self._govern(self._engine, over)
        except GoverningEndsError as error:
            _log.warning("this coordinator no longer leads: %s", error)
        except PenstockError as error:  # a store that is away is so every second: a line each
            _log.warning("governing failed and restarts: %s", error)
        except Exception as error:
            _log.exception("governing failed and restarts: %s", told(error))
        finally:
            self._engine, self._until_s, self._decided_s = None, 0.0, None
            over.set()
            renewing.join()
            asking.close()
            self._let_go()
            self._say(f"no longer leads {self._file.name}")

    def _renew(self, over: threading.Event) -> None:
        try:
            while not over.wait(self._file.lease / 3.0):
                if self._unheard:
                    self._say(f"lets its lease go, for no agent has been heard for {self._how.shut_s():.0f} s")
                    break
                if not self._take() or not self.leads:
                    break
        except Exception as error:
            _log.exception("the lease cannot be renewed: %s", told(error))
        finally:
            over.set()  # whatever ended it: who does not renew leads no more

    def _let_go(self) -> None:
        try:
            self._lease.release()
        except Exception as error:
            _log.warning("the lease was not let go, and runs out by itself: %s", told(error))

    def _govern(self, engine: FleetEngine, over: threading.Event) -> None:
        file = self._file
        policy = decider(self._policy, file.settings.get(self._policy))
        settings = LoopSettings(file.interval, stale_after_s=engine.silent_s, dry_run=self._how.advise)
        kept, hands = self._begun(engine, policy.name, settings), Hands()
        # Whoever is not heard of yet may hold executors all the same: agents come first.
        settings = replace(settings, govern_from_s=kept.already_s + min(file.lease, _HEARD_WITHIN * file.report))
        try:
            recorder, tending = Recorder(hands.store(kept.store)), Tending(engine.tend)

            def troubles() -> tuple[str, ...]:
                return (*tending.troubles(), *self._how.troubles())

            session = Session(engine.intents, policy, recorder, settings, hands.control(kept.control))
            loop = session.loop(engine, BesideCycles(troubles, limits=hands.limits()))

            def tick() -> None:
                hands.round.begin()
                check_age(kept, clock.now())  # or this term ends, and another goes on from what is recorded
                tending()

            clock: RealClock = RealClock(
                over, tick, kept.already_s, lambda: engine.hurries and clock.now() >= settings.govern_from_s
            )

            def after(now: float) -> None:
                view = recorder.views[-1]
                if view.at_s >= settings.govern_from_s:
                    self._decided_s = self._even()
                hands.tell(partial(self._on_view, view))

            drive(loop, clock, float("inf"), after)
        finally:
            hands.let_go(partial(self._leave_record, kept))

    def _leave_record(self, kept: Remembering) -> None:
        """Who was told to end says so, and is not taken for killed. After a lost lease the run is another's."""
        if self._stop.is_set():
            kept.control.leave()
        kept.store.close()

    def _begun(self, engine: FleetEngine, policy: str, settings: LoopSettings) -> Remembering:
        """A store that stands still ends the term: another coordinator may reach it, and this lease is renewed else."""
        begin = partial(self._remembering, engine, policy, settings)
        return self._opening.do("opening the store", begin, KEEPS_WITHIN_S, behind_s=0.0)

    def _remembering(self, engine: FleetEngine, policy: str, settings: LoopSettings) -> Remembering:
        """The fleet's run, which goes on whoever leads: the one before is told so when it writes next."""
        name = self._file.name
        run = RunInfo(f"fleet-{name}", name, policy, "fleet", self._cluster.name, time.time())
        target = open_store(None if self._how.store == DEFAULT_STORE else self._how.store)
        if engine is not self._engine:  # nobody waits for it any more, and another may lead
            target.close()
            raise NotLeadingError("the term was over before the store had answered")
        kept = remembered(target, run, settings)
        engine.remember(_wanted_lately(target, run.id, kept.already_s - engine.forgotten_s))
        return kept

    @property
    def _policy(self) -> str:
        return self._how.policy or self._file.policy or DEFAULT

    def _settings(self) -> FleetSettings:
        file = self._file
        return FleetSettings(
            every_s=file.report,
            lease_s=file.lease,
            cluster_every_s=file.report,
            silent_s=3.0 * file.lease,
            advises=self._how.advise,
            bounds={name: bounds_of(part) for name, part in file.applications.items()},
            others=bounds_of(file.others),
            awaits_s=file.awaits,
            lists_all=file.lists_all,
        )


def _wanted_lately(store: SqlStore, run_id: str, since_s: float) -> dict[str, int]:
    """The executors that applications were to have when somebody last governed, if that was since then."""
    try:
        newest = Gallery(store.database, run_id).newest()
    except (StoreError, ConfigError):  # it is away
        return {}
    if newest is None or newest.view.at_s < since_s:
        return {}
    dials = (dial for dial in newest.view.levers if dial.kind == "executors")
    told = {dial.job: dial.now if dial.asked is None else dial.asked for dial in dials}
    known = {name: number_within(executors, 0.0, MOST) for name, executors in told.items()}
    return {name: round(executors) for name, executors in known.items() if executors is not None}


def _lease(file: CoordinationFile, how: Coordination) -> Lease:
    """Where it is decided who leads: the object that the file names, else beside the store."""
    holder = uuid.uuid4().hex
    named = lease_of(file.leadership, holder, how.place)
    if named is not None:
        return named
    store = how.store if how.store != DEFAULT_STORE else str(default_path())
    return Leadership(Database(lease_at(store)), file.name, holder, how.place)
