"""The eight applications of `fleet_of_eight`, simulated: what is lost to a person who knows of fraud's spike?

    python benchmarks/eight_simulated.py --fleets 4 [--first 820] [--ways listed equal hand] [--story]
    python benchmarks/eight_simulated.py --fleets 10 --spikes 3 [--irregular]

As there: six others with 50 rows a second that ask for 40 s (worth 10 each), payments with 90 and fraud with 60 that
ask for 10 s (40 each), rows that wait 18 ms, batches every 4 s, 16 executors; for the middle third of three minutes 270
rows a second come to fraud. With `--spikes` they come again, each two minutes after the one before; `--irregular` draws
that from one to four minutes. Each seed draws when each of them begins, and noise. Ways are those of `fleet_begins`;
shares, too, the last one from the first spike's end on. `--story` prints what was decided. Nobody waits: a fleet takes
some seconds of CPU.
"""

import argparse
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import accumulate
from statistics import mean

import numpy as np
from cold_divided import coordinated, divided_by, equal
from cold_fleet import WARM_S, ColdApplication, ColdFleet
from cold_life import FleetRecord
from fleet_begins import Shares, told
from fleet_jobs import WAIT_S
from fleet_of_eight import UTILITY, by_hand
from fleet_site import BESIDES, NAMES, URGENT

from penstock.core.asked.intents import Intent, Latency
from penstock.engines.sim.microbatch import MicroBatchCluster, MicroBatchJob, MicroBatchStage
from penstock.engines.sim.microbatch.spec import Slowness

_SPIKE_S = 60  # for so long it lasts; as long is counted before the first and after the last, as in its runs on Spark
_BETWEEN_S = 120
_RATES = {"payments": 90.0, "fraud": 60.0}
_TIMES = 4.5  # of fraud's rows in its spike
_SLOTS = 16
_COLD = (
    Slowness(0.0, tasks=1.1, driver=12.0),
    Slowness(15.0, tasks=1.05, driver=3.0),
    Slowness(30.0, tasks=1.02, driver=1.5),
    Slowness(60.0),
)

WAYS: Mapping[str, Callable[[ColdFleet], FleetRecord]] = {
    "listed": lambda fleet: coordinated(fleet, listed=True),
    "equal": lambda fleet: divided_by(fleet, equal(fleet)),
    "hand": lambda fleet: divided_by(fleet, by_hand(NAMES)),
}


@dataclass(frozen=True, slots=True)
class Day:
    """When spikes begin, since utility counts."""

    begins_s: tuple[int, ...]

    @classmethod
    def drawn(cls, seed: int, spikes: int, irregular: bool) -> "Day":
        """So many, that follow one another."""
        random = np.random.default_rng([seed, 9])
        calm = [int(random.uniform(60, 240)) if irregular else _BETWEEN_S for _ in range(spikes - 1)]
        return cls(tuple(accumulate((_SPIKE_S, *(_SPIKE_S + calm_s for calm_s in calm)))))

    @property
    def counted_s(self) -> int:
        """How long all of it takes."""
        return self.begins_s[-1] + 2 * _SPIKE_S

    def shares(self, fleet: ColdFleet, record: FleetRecord) -> Shares:
        """At the beginning, counted, and from the first spike's end on."""
        counts_s = fleet.counts_from_s
        after_s = counts_s + self.begins_s[0] + _SPIKE_S
        return record.share(counts_s - WARM_S, counts_s), record.share(counts_s), record.share(after_s)

    def again(self, fleet: ColdFleet, record: FleetRecord) -> float:
        """From the second spike's beginning on."""
        return record.share(fleet.counts_from_s + self.begins_s[1])


def eight(seed: int, day: Day) -> ColdFleet:
    """The fleet of that seed: fraud begins last."""
    random = np.random.default_rng([seed, 8])
    joins = {name: int(random.uniform(0, 12)) for name in NAMES[:-1]} | {NAMES[-1]: int(random.uniform(25, 32))}
    counts_s = max(joins.values()) + WARM_S
    made = [_application(random, seed, name, joins[name], counts_s, day) for name in NAMES]
    return ColdFleet(seed, _SLOTS, tuple(sorted(made, key=lambda one: one.joins_s)), counted_s=day.counted_s)


def _application(
    random: np.random.Generator, seed: int, name: str, joins_s: int, counts_s: int, day: Day
) -> ColdApplication:
    rate, urgent, most = _RATES.get(name, BESIDES), name in URGENT, _SLOTS - len(NAMES) + 1
    rates = np.full(counts_s + day.counted_s + 600, rate)
    for begins_s in day.begins_s if name == "fraud" else ():
        from_s = counts_s + begins_s - joins_s
        rates[from_s : from_s + _SPIKE_S] *= _TIMES
    rates[0] += rate * float(random.uniform(0, 6))
    stage = MicroBatchStage("work", 12, 0.0, WAIT_S, task_overhead_s=0.02)
    job = MicroBatchJob(
        name, (stage,), np.round(rates), trigger_s=4.0, source_step_s=1.0, batch_overhead_s=0.3, commit_s=0.1
    )
    cluster = MicroBatchCluster(
        most, most, most, noise=0.1, driver_noise=0.3, slowness=_COLD, window_s=20.0, executor_start_s=0.0, seed=seed
    )
    return ColdApplication(
        joins_s, job, Intent(Latency("10s" if urgent else "40s", utility=float(UTILITY[urgent]))), cluster
    )


def main() -> None:
    """Print what came, fleet by fleet, and in all."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--fleets", type=int, default=4)
    parser.add_argument("--first", type=int, default=820)
    parser.add_argument("--ways", nargs="+", choices=list(WAYS), default=list(WAYS))
    parser.add_argument("--spikes", type=int, default=1)
    parser.add_argument("--irregular", action="store_true", help="spikes come after one to four minutes")
    parser.add_argument("--story", action="store_true")
    given = parser.parse_args()
    found: dict[str, list[Shares]] = {way: [] for way in given.ways}
    again: dict[str, list[float]] = {way: [] for way in given.ways if given.spikes > 1}
    for seed in range(given.first, given.first + given.fleets):
        day = Day.drawn(seed, given.spikes, given.irregular)
        fleet = eight(seed, day)
        for way in given.ways:
            record = WAYS[way](fleet)
            found[way].append(day.shares(fleet, record))
            if way in again:
                again[way].append(day.again(fleet, record))
            print(seed, way, *(f"{share:.3f}" for share in found[way][-1]), flush=True)
            for at_s, why in record.decided if given.story else ():
                print(f"  {at_s:.0f} s: {why}")
    for way in given.ways:
        print(f"{way}: beginning, counted, after the first spike: {told(found[way])}")
    for way, shares in again.items():
        print(f"{way}: from the second spike on: {mean(shares):.4f} ({min(shares):.4f} to {max(shares):.4f})")


if __name__ == "__main__":
    main()
