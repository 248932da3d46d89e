"""A fleet that begins cold, drawn by a seed: applications that begin one after the other, whose first minute is dear.

Each draws its own day: how many there are, what comes to them, what rows cost, what they ask for, and how long cold
code makes all that dear. `cold_life` lives through one of them, `cold_divided` through the fleet.
"""

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from slow_executors import GOES_WITHIN_S, Machine

from penstock.core.asked.intents import Intent, Latency
from penstock.engines.sim.microbatch import MicroBatchCluster, MicroBatchJob, MicroBatchStage
from penstock.engines.sim.microbatch.spec import Slowness

INTERVAL_S = 10  # of all rounds
WARM_S = 60  # after the last has begun, until utility counts
COUNTED_S = 120  # the spike is the middle third of it
_WINDOW_S = 20.0
_WAITS_S = INTERVAL_S  # for so long what who begins takes may be awaited, or promised to others by then
_WAITS_SLOWLY_S = 600  # where who gives takes long
_CORES = 2.0  # of a slow fleet's machine
_OVER_S = 60.0  # its applications begin


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
    counted_s: int = COUNTED_S

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
        return self.counts_from_s + self.counted_s // 3, self.counts_from_s + 2 * self.counted_s // 3

    @property
    def ends_s(self) -> int:
        return self.counts_from_s + self.counted_s

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
