"""A simulated fleet that begins cold, lived through with its slots divided: by a coordinator, or once for good.

Each application has a loop, an agent and claims of its own, and all have one coordinator: these are the real ones,
on one clock that nobody waits for.
"""

from collections.abc import Callable, Mapping

from cold_fleet import INTERVAL_S, ColdApplication, ColdFleet
from cold_life import FleetRecord, Life

from penstock.core.run import RunInfo
from penstock.engines.applications.agent import Agent
from penstock.engines.applications.book import Bounds
from penstock.engines.applications.cluster import Room, Worker
from penstock.engines.applications.engine import FleetEngine
from penstock.engines.applications.settings import FleetSettings
from penstock.engines.applications.wire import (
    Order,
    SaidExecutors,
    SaidState,
    SaidTenant,
    encode_answer,
    read_report,
)
from penstock.governing.coordinated import Coordinated, OnSpark
from penstock.governing.state_need import ExecutorSize
from penstock.loop import LoopSettings, drive
from penstock.planning.executors.claims import Claim
from penstock.planning.executors.division import divided
from penstock.planning.registry import policy_named
from penstock.running.session import Session
from penstock.store.memory import MemoryStore

REPORTS_S = 2
_AS_GOOD = 0.995  # of all that it could have: more executors are not tried out


def coordinated(fleet: ColdFleet, listed: bool = False) -> FleetRecord:
    """The fleet under a coordinator with the default policy; each begins with one executor.

    `listed` is where its file names all of them, and what each counts for.
    """
    lives: dict[str, Life] = {}
    agents: dict[str, Agent] = {}
    begun: dict[str, Begun] = {}
    machine = fleet.machine
    now = [0.0]
    known = FleetSettings(bounds=_bounds(fleet), lists_all=True) if listed else FleetSettings()
    engine = FleetEngine(_SimulatedCluster(fleet.slots, lives), known, even=lambda: now[0])
    store = MemoryStore(RunInfo("fleet", "fleet", "penstock", "fleet"))
    settings = LoopSettings(float(INTERVAL_S), stale_after_s=engine.silent_s, go_on=False, govern_from_s=10.0)
    loop = Session(engine.intents, policy_named("penstock"), store, settings).loop(engine)
    record = FleetRecord()

    def goes_on(at_s: int) -> None:
        now[0] = float(at_s)
        for one in fleet.applications:
            if at_s >= one.joins_s and one.name not in agents:
                begun[one.name] = Begun(one, fleet.most)
                agents[one.name] = Agent(one.name, begun[one.name], _Wire(engine), lambda: now[0])
            if at_s >= one.joins_s and one.name not in lives and _has_room(fleet, lives, one, at_s):
                life = lives[one.name] = Life(one.kept_waiting(at_s - one.joins_s), 1, "penstock", machine)
                begun[one.name].lives(life)
        _live_on(at_s, lives, record)
        _grant(fleet.slots, lives)
        for one in fleet.applications:
            up_s, agent = at_s - one.joins_s, agents.get(one.name)
            if agent is not None and up_s and up_s % REPORTS_S == 0:
                agent.once()
                agent.carry_out()
        if at_s % REPORTS_S == 0:
            engine.tend()
        _check_law(fleet, lives, at_s)

    clock = _FleetClock(goes_on, lambda: engine.hurries and now[0] >= settings.govern_from_s)
    drive(loop, clock, float(fleet.ends_s))
    record.decided = [(decision.decision.at_s, decision.decision.why) for decision in store.read_run("fleet").decisions]
    return record


def divided_by(fleet: ColdFleet, executors: Mapping[str, int]) -> FleetRecord:
    """The fleet with so many executors each, from the start to the end."""
    lives: dict[str, Life] = {}
    record, machine = FleetRecord(), fleet.machine
    for at_s in range(fleet.ends_s + 1):
        for one in fleet.applications:
            if one.joins_s == at_s:
                life = lives[one.name] = Life(one, executors[one.name], "static", machine)
                life.grant(fleet.slots)
        _live_on(at_s, lives, record)
    return record


def equal(fleet: ColdFleet) -> dict[str, int]:
    """As many to each."""
    each, left = divmod(fleet.slots, len(fleet.applications))
    return {one.name: each + (place < left) for place, one in enumerate(fleet.applications)}


def of_a_person(fleet: ColdFleet) -> dict[str, int]:
    """The best division for good, of someone who knows all that will come: each was tried out with every number."""
    return dict(divided([_tried_out(fleet, one) for one in fleet.applications], fleet.slots))


def _bounds(fleet: ColdFleet) -> dict[str, Bounds]:
    return {one.name: Bounds(utility=one.intent.max_utility) for one in fleet.applications}


class _SimulatedCluster:
    """Gives what is asked for."""

    name = "simulated"

    def __init__(self, slots: int, lives: Mapping[str, Life]) -> None:
        self._slots = slots
        self._lives = lives

    def room(self) -> Room:
        """Who holds what, and what is left."""
        held = {name: life.held for name, life in self._lives.items()}
        return Room((Worker("all", self._slots, self._slots - sum(held.values())),), held)


class _Wire:
    """An agent's way to the coordinator."""

    def __init__(self, engine: FleetEngine) -> None:
        self._engine = engine

    def say(self, raw: bytes) -> bytes:
        return encode_answer(self._engine.hear(read_report(raw)))

    def close(self) -> None:
        """There is nothing to let go of."""


class _FleetClock:
    """The coordinator's: the fleet goes on second by second while its loop waits, as `RealClock` does."""

    def __init__(self, goes_on: Callable[[int], None], hurries: Callable[[], bool]) -> None:
        self._goes_on = goes_on
        self._hurries = hurries
        self._at_s = 0
        goes_on(0)

    def now(self) -> float:
        return float(self._at_s)

    def wait_until(self, at_s: float) -> bool:
        while self._at_s < at_s and not self._hurries():
            self._at_s += 1
            self._goes_on(self._at_s)
        return True


def _has_room(fleet: ColdFleet, lives: Mapping[str, Life], one: ColdApplication, at_s: int) -> bool:
    """Whether it can have its first executor; it is not heard of before, so that whoever gives has to have begun to."""
    if sum(life.held for life in lives.values()) < fleet.slots:
        return True
    if at_s > one.joins_s + fleet.waits_s:
        raise AssertionError(f"fleet {fleet.seed}: nothing is left for {one.name} to begin with")
    return False


def _check_law(fleet: ColdFleet, lives: Mapping[str, Life], at_s: int) -> None:
    """Nobody below its least, and never more than there is."""
    held = {name: life.held for name, life in lives.items()}
    if sum(held.values()) > fleet.slots or min(held.values(), default=1) < 1:
        raise AssertionError(f"fleet {fleet.seed} at {at_s} s: {held} of {fleet.slots} slots")


class Begun:
    """What an agent sees of an application: without an executor its query runs, and nothing of it is known."""

    def __init__(self, drawn: ColdApplication, most: int) -> None:
        self._drawn = drawn
        self._most = most
        self._wanted = 1
        self._on_spark: OnSpark | None = None

    def lives(self, life: Life) -> None:
        """It has its first executor."""
        name = self._drawn.name
        how = Coordinated("http://simulated", name, most=self._most, token="agent-simulated")
        self._on_spark = OnSpark(life, how, ExecutorSize(1, 1024), name)  # type: ignore[arg-type]
        life.hold(self._wanted)

    def state(self) -> SaidState:
        """As an agent tells it."""
        if self._on_spark is not None:
            return self._on_spark.state()
        name, executors = self._drawn.name, SaidExecutors(now=0, wanted=self._wanted, least=1, most=self._most)
        tenant = SaidTenant(intent=self._drawn.intent, up_s=1.0)
        return SaidState(executors=executors, tenants={name: tenant}, cluster_id=name)

    def give(self, order: Order) -> None:
        """Hold so many executors."""
        self._wanted = order.executors
        if self._on_spark is not None:
            self._on_spark.give(order)


def _grant(slots: int, lives: Mapping[str, Life]) -> None:
    """What nobody holds goes to whoever asked for it, who began first before the others."""
    free = slots - sum(life.held for life in lives.values())
    for life in lives.values():
        free -= life.grant(max(0, free))


def _live_on(at_s: int, lives: Mapping[str, Life], record: FleetRecord) -> None:
    for name, life in lives.items():
        life.at(at_s)
        up_s = at_s - life.drawn.joins_s
        if up_s:
            life.round()
        if up_s and up_s % INTERVAL_S == 0:
            record.note(float(at_s), name, life.look())


def _tried_out(fleet: ColdFleet, one: ColdApplication) -> Claim:
    worth: list[tuple[float, float]] = []
    for executors in range(1, fleet.most + 1):
        share = _alone(fleet, one, executors)
        worth.append((float(executors), share * one.intent.max_utility))
        if share >= _AS_GOOD:
            break
    return Claim(one.name, 1, 1, fleet.most, worth=tuple(worth))


def _alone(fleet: ColdFleet, one: ColdApplication, executors: int) -> float:
    """What it would have in the time that counts."""
    life, record = Life(one, executors, "static", fleet.machine), FleetRecord()
    life.grant(executors)
    for at_s in range(one.joins_s + INTERVAL_S, fleet.ends_s + 1, INTERVAL_S):
        life.at(at_s)
        life.round()
        record.note(float(at_s), one.name, life.look())
    return record.share(fleet.counts_from_s)
