"""A simulated fleet that begins cold: applications that begin one after the other, and whose first minute is dear.

What is simulated is Spark and its cluster manager. Each application has a governor, an agent and claims of its own, and
all have one coordinator: these are the real ones, on one clock that nobody waits for. Each draws its own day by a seed:
how many there are, what comes to them, what rows cost, what they ask for, and how long cold code makes all that dear.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np
from slow_executors import GOES_WITHIN_S, Holding, Machine

from penstock.analysis.assess import assess
from penstock.core.figures import Snapshot
from penstock.core.intents import Intent, Latency
from penstock.core.levers import Executors
from penstock.core.orders import NoControl, Orders
from penstock.core.plan import Step
from penstock.core.run import RunInfo
from penstock.core.view import View
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
from penstock.engines.sim.microbatch import MicroBatchCluster, MicroBatchEngine, MicroBatchJob, MicroBatchStage
from penstock.engines.sim.microbatch.spec import Slowness
from penstock.governing.coordinated import Coordinated, ExecutorSize, OnSpark
from penstock.loop import Governor, LoopSettings, drive
from penstock.planning.executors.claims import Claim
from penstock.planning.executors.division import divided
from penstock.planning.registry import policy_named
from penstock.store.memory import MemoryStore

INTERVAL_S = 10  # of all rounds
REPORTS_S = 2
WARM_S = 60  # after the last has begun, until utility counts
COUNTED_S = 120  # the spike is the middle third of it
_WINDOW_S = 20.0
_WAITS_S = INTERVAL_S  # for so long what who begins takes may be awaited, or promised to others by then
_WAITS_SLOWLY_S = 600  # where who gives takes long
_CORES = 2.0  # of a slow fleet's machine
_OVER_S = 60.0  # its applications begin
_AS_GOOD = 0.995  # of all that it could have: more executors are not tried out


class Spike(NamedTuple):
    """So many times the rows, between two seconds of an application's own clock."""

    from_s: int
    to_s: int
    times: float


@dataclass(frozen=True, slots=True)
class ColdApplication:
    """One of the fleet; its own clock is at 0 when the fleet's is at `joins_s`."""

    joins_s: int
    job: MicroBatchJob
    intent: Intent
    cluster: MicroBatchCluster

    @property
    def name(self) -> str:
        return self.job.name

    def kept_waiting(self, for_s: int) -> "ColdApplication":
        """As it begins when its first executor has come so much later: with all rows that came meanwhile."""
        rows = self.job.arrivals
        arrivals = np.concatenate((rows[: for_s + 1].sum(keepdims=True), rows[for_s + 1 :]))
        return replace(self, joins_s=self.joins_s + for_s, job=replace(self.job, arrivals=arrivals))


@dataclass(frozen=True, slots=True)
class ColdFleet:
    """What one seed drew."""

    seed: int
    slots: int
    applications: tuple[ColdApplication, ...]
    slow: bool = False  # begins on a machine whose cores all drivers and executors want while they start

    @property
    def machine(self) -> Machine:
        """Where its executors start."""
        return Machine(_CORES, GOES_WITHIN_S) if self.slow else Machine()

    @property
    def waits_s(self) -> int:
        return _WAITS_SLOWLY_S if self.slow else _WAITS_S

    @property
    def counts_from_s(self) -> int:
        return max(one.joins_s for one in self.applications) + WARM_S

    @property
    def spike_s(self) -> tuple[int, int]:
        return self.counts_from_s + COUNTED_S // 3, self.counts_from_s + 2 * COUNTED_S // 3

    @property
    def ends_s(self) -> int:
        return self.counts_from_s + COUNTED_S

    @property
    def most(self) -> int:
        """Executors that one may come to: one is left to each other."""
        return self.slots - len(self.applications) + 1


def drawn_fleet(seed: int, slow: bool = False) -> ColdFleet:
    """The fleet of that seed: 4 to 6 applications that want half to nine tenths of the slots before the spike.

    A slow one begins over a minute, with minutes of rows in first batches: 5 to 8 applications.
    """
    random = np.random.default_rng([seed, 24, 60] if slow else [seed, 24])
    many = int(random.integers(5, 9) if slow else random.integers(4, 7))
    slots = int(many * random.uniform(1.8, 3.0))
    load = float(random.uniform(0.5, 0.85))
    parts = random.dirichlet(np.full(many, 3.0)) * load * slots
    joins = sorted(int(at_s) for at_s in random.uniform(0.0, _OVER_S if slow else 5.0 * many, many))
    urgent = random.random(many) < 0.3
    spiked = int(random.integers(many))
    urgent[spiked] = urgent[spiked] or random.random() < 0.5
    applications = []
    for place, (joins_s, part) in enumerate(zip(joins, parts, strict=True)):
        times = float(random.uniform(1.5, 4.5)) if place == spiked else 1.0
        from_s = joins[-1] + WARM_S + COUNTED_S // 3 - joins_s
        spike = Spike(from_s, from_s + COUNTED_S // 3, times)
        one = _drawn(random, f"a{place:02}", joins_s, max(0.2, float(part)), bool(urgent[place]), spike)
        applications.append(_slowly(random, one) if slow else one)
    most = slots - many + 1
    return ColdFleet(seed, slots, tuple(_on(one, most, seed) for one in applications), slow)


def _slowly(random: np.random.Generator, one: ColdApplication) -> ColdApplication:
    """On a machine that eight drivers want at once: code is cold for twice as long, and more rows came before."""
    rows = one.job.arrivals.copy()
    rows[0] += rows[1] * float(random.uniform(0.0, 40.0))
    slowness = tuple(
        Slowness(2.0 * cold.from_s, cold.tasks, 1.0 + 2.0 * (cold.driver - 1.0)) for cold in one.cluster.slowness
    )
    return replace(one, job=replace(one.job, arrivals=rows), cluster=replace(one.cluster, slowness=slowness))


def _on(one: ColdApplication, most: int, seed: int) -> ColdApplication:
    """With as many executors to be had, of a slot and a core each."""
    return replace(one, cluster=replace(one.cluster, slots=most, cores=most, machines=most, seed=seed))


def _drawn(
    random: np.random.Generator, name: str, joins_s: int, slots: float, urgent: bool, spike: Spike
) -> ColdApplication:
    """One whose rows keep so many slots busy before the spike, once code is warm."""
    row_s, trigger_s = float(10 ** random.uniform(-2.5, -1.5)), float(random.choice([0.0, 2.0, 4.0, 10.0]))
    rate = slots / row_s
    rates = np.full(joins_s + 600, rate)
    rates[spike.from_s : spike.to_s] *= spike.times
    rates[0] += rate * float(random.uniform(0.0, 20.0))  # what came while its driver started
    burns = bool(random.random() < 0.5)
    costs = (row_s, 0.0) if burns else (0.0, row_s)
    stage = MicroBatchStage("work", int(random.choice([4, 8, 12, 32])), *costs, task_overhead_s=0.02)
    job = MicroBatchJob(
        name,
        (stage,),
        np.round(rates),
        trigger_s=trigger_s,
        source_step_s=1.0,
        batch_overhead_s=float(random.uniform(0.2, 0.6)),
        commit_s=float(random.uniform(0.05, 0.2)),
    )
    target_s = round((2.0 + trigger_s) * float(random.uniform(*((2.0, 3.0) if urgent else (6.0, 10.0)))), 1)
    intent = Intent(Latency(f"{target_s}s", utility=40.0 if urgent else 10.0))
    cold = float(random.uniform(1.5, 4.0) if burns else random.uniform(1.0, 1.3))  # what waits is hardly slower
    slowness = (
        Slowness(0.0, tasks=cold, driver=float(random.uniform(10.0, 40.0))),
        Slowness(15.0, tasks=1.0 + 0.5 * (cold - 1.0), driver=4.0),
        Slowness(30.0, tasks=1.0 + 0.2 * (cold - 1.0), driver=1.5),
        Slowness(60.0),
    )
    cluster = MicroBatchCluster(
        noise=0.1, driver_noise=0.3, slowness=slowness, window_s=_WINDOW_S, executor_start_s=0.0
    )
    return ColdApplication(joins_s, job, intent, cluster)


@dataclass(frozen=True, slots=True)
class Seen:
    """The newest round of an application."""

    at_s: float
    view: View
    memory: Any


@dataclass(frozen=True, slots=True)
class _Held(NoControl):
    """Inside an application of one tenant nothing is to be divided; its governor sees and learns alone."""

    held: frozenset[str]

    def orders(self, now: float) -> Orders:
        """The tenant is left as it is."""
        return replace(NoControl.orders(self, now), held=self.held)


class Life:
    """An application that lives: what its controller would tell an agent, and do for it."""

    def __init__(self, drawn: ColdApplication, executors: int, policy: str, machine: Machine) -> None:
        self.drawn = drawn
        self._holding = Holding(machine)
        self._engine = MicroBatchEngine(drawn.cluster, [drawn.job])
        self._policy = policy_named(policy)
        store = MemoryStore(RunInfo(drawn.name, drawn.name, policy, "simulator"))
        self._settings = LoopSettings(float(INTERVAL_S), go_on=False)
        self._governor = Governor(
            self,
            self._policy,
            store,
            self._settings,
            _Held(frozenset({drawn.name})),
            intents=lambda: {drawn.name: drawn.intent},
        )
        self._carried = self._governor.start()
        self._now_s, self._due_s = 0.0, float(INTERVAL_S)
        self.newest: Seen | None = None
        self._engine.apply([Step(drawn.name, (Executors(drawn.cluster.machines, 1),))])
        self.hold(executors)

    def at(self, fleet_s: float) -> None:
        """Its own time goes on to the fleet's."""
        self._now_s = fleet_s - self.drawn.joins_s
        self._engine.advance_to(self._now_s)
        there = self._holding.there
        self._holding.at(fleet_s, self._engine.rows(self.drawn.name).in_batch > 0)
        self._work_with(there)

    @property
    def held(self) -> int:
        """As its cluster manager tells."""
        return self._holding.held

    def grant(self, free: int) -> int:
        """How many it takes of those that are free."""
        before = self.held
        self._holding.grant(free, self._now_s + self.drawn.joins_s)
        return self.held - before

    def _work_with(self, before: int) -> None:
        if self._holding.there != before:
            self._engine.apply([Step(self.drawn.name, (Executors(before, self._holding.there),))])

    def round(self) -> None:
        """See, and remember, if that is due: as soon as its policy asks for it."""
        if self._now_s < self._due_s:
            return
        self._carried = self._governor.run_cycle(self._carried, self._now_s)
        self._due_s += self._settings.wait_s(self._carried.failures, self._carried.again_s)
        assert self._carried.view is not None
        self.newest = Seen(self._now_s, self._carried.view, self._carried.memory)

    def look(self) -> View:
        """As a controller looks between rounds."""
        return assess(self.observe(self._now_s), {self.drawn.name: self.drawn.intent})

    def observe(self, now: float) -> Snapshot:
        """As the engine tells, of levers only shares: neither Spark's rate source nor a coordinator leaves others."""
        found = self._engine.observe(now)
        jobs = tuple(
            replace(job, levers=tuple(replace(dial, most=dial.least) for dial in job.levers if dial.kind == "trigger"))
            for job in found.jobs
        )
        return replace(found, jobs=jobs, levers=())

    def apply(self, steps: Sequence[Step]) -> Any:
        """What an agent's own governor does."""
        return self._engine.apply(steps)

    def worth(self, slots: Sequence[int]) -> tuple[float, ...]:
        """As a controller tells it."""
        by_slots = getattr(self._policy, "by_slots", None)
        if by_slots is None or self.newest is None:
            return ()
        return tuple(by_slots(self.newest.view, self.newest.memory, slots))

    def executors(self) -> tuple[int, int]:
        """Those that live, and those that are wanted."""
        self._engine.advance_to(self._now_s)
        return self._engine.slots, self._holding.wanted

    def hold(self, executors: int) -> None:
        """So many from now on."""
        self._engine.advance_to(self._now_s)
        there = self._holding.there
        self._holding.hold(executors, self._now_s + self.drawn.joins_s)
        self._work_with(there)


@dataclass
class FleetRecord:
    """What came: of each time and application its utility and the most it could be, and what was decided."""

    utility: list[tuple[float, str, float, float]] = field(default_factory=list)
    decided: list[tuple[float, str]] = field(default_factory=list)

    def note(self, at_s: float, name: str, view: View) -> None:
        self.utility.append((at_s, name, view.utility, view.max_utility))

    def share(self, from_s: float, to_s: float = float("inf")) -> float:
        """Of all utility within that time."""
        had = [(has, most) for at_s, _, has, most in self.utility if from_s < at_s <= to_s]
        return sum(has for has, _ in had) / sum(most for _, most in had)


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
    governor = Governor(engine, policy_named("penstock"), store, settings, intents=engine.intents)
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
    drive(governor, clock, float(fleet.ends_s))
    record.decided = [(decision.decision.at_s, decision.decision.why) for decision in store.read_run("fleet").decisions]
    return record


def _bounds(fleet: ColdFleet) -> dict[str, Bounds]:
    return {one.name: Bounds(utility=one.intent.max_utility) for one in fleet.applications}


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


def _live_on(at_s: int, lives: Mapping[str, Life], record: FleetRecord) -> None:
    for name, life in lives.items():
        life.at(at_s)
        up_s = at_s - life.drawn.joins_s
        if up_s:
            life.round()
        if up_s and up_s % INTERVAL_S == 0:
            record.note(float(at_s), name, life.look())


def equal(fleet: ColdFleet) -> dict[str, int]:
    """As many to each."""
    each, left = divmod(fleet.slots, len(fleet.applications))
    return {one.name: each + (place < left) for place, one in enumerate(fleet.applications)}


def of_a_person(fleet: ColdFleet) -> dict[str, int]:
    """The best division for good, of someone who knows all that will come: each was tried out with every number."""
    return dict(divided([_tried_out(fleet, one) for one in fleet.applications], fleet.slots))


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
