"""A simulated fleet: applications whose executors process so many rows a second, on a cluster that has so many cores.

For benchmarks and tests of agents and coordinator: what is simulated is Spark and its cluster manager, nothing else.
"""

import threading
from collections.abc import Mapping
from dataclasses import dataclass, field

from penstock.core.asked.intents import Intent, Juice
from penstock.engines.applications.cluster import Room, Worker
from penstock.engines.applications.wire import Order, SaidExecutors, SaidState, SaidTenant

ROWS_PER_EXECUTOR = 100.0  # a second


class SimulatedCluster:
    """Gives executors to whoever asks first, as long as there are cores, as a cluster manager does."""

    def __init__(self, cores: int) -> None:
        self.cores = cores
        self.lock = threading.Lock()
        self.applications: dict[str, SimulatedApplication] = {}
        self.most_held = 0
        self.most_wanted = 0  # asked of it at once, by all together
        self.name = "simulated"

    def room(self) -> Room:
        """What there is, and who holds it."""
        with self.lock:
            held = {name: one.held for name, one in self.applications.items()}
        return Room((Worker("all", self.cores, self.cores - sum(held.values())),), held)

    def settle(self) -> None:
        """Who is to hold fewer lets go; who waits gets what is free. Called with the lock held."""
        for one in self.applications.values():
            one.held = min(one.held, one.wanted)
        free = self.cores - sum(one.held for one in self.applications.values())
        for one in self.applications.values():
            more = min(free, one.wanted - one.held)
            one.held += more
            free -= more
        self.most_held = max(self.most_held, sum(one.held for one in self.applications.values()))
        self.most_wanted = max(self.most_wanted, sum(one.wanted for one in self.applications.values()))


@dataclass
class SimulatedApplication:
    """What an agent governs. `rates` are the rows that arrive each second, by tenant; all share its executors."""

    name: str
    cluster: SimulatedCluster
    rates: dict[str, float]
    utility: float = 10.0  # of each tenant
    held: int = 0
    wanted: int = 1
    least: int = 1
    most: int = 64
    given: list[Order] = field(default_factory=list)
    fails: str | None = None
    seen: int = 0

    def __post_init__(self) -> None:
        with self.cluster.lock:
            self.cluster.applications[self.name] = self
            self.cluster.settle()

    def give(self, order: Order) -> None:
        """The number of executors that it is to hold."""
        if self.fails is not None:
            raise OSError(self.fails)
        with self.cluster.lock:
            self.given.append(order)
            self.wanted = order.executors
            self.cluster.settle()

    def state(self) -> SaidState:
        """As its engine would observe it."""
        self.seen += 1
        needed = sum(self.rates.values()) / ROWS_PER_EXECUTOR
        done = min(1.0, self.held / max(needed, 1e-9))
        return SaidState(
            executors=SaidExecutors(now=self.held, wanted=self.wanted, least=self.least, most=self.most),
            tenants={name: self._tenant(rate, done) for name, rate in self.rates.items()},
            worth=[(count, self._worth(count, needed)) for count in _counts(self.least, self.most)],
            cluster_id=self.name,
            seen=self.seen,
        )

    def end(self) -> None:
        """It is gone, as far as the cluster knows."""
        with self.cluster.lock:
            self.cluster.applications.pop(self.name, None)
            self.cluster.settle()

    def _tenant(self, rate: float, done: float) -> SaidTenant:
        return SaidTenant(
            intent=Intent(Juice(0.98, utility=self.utility)),
            juice=round(done, 4),
            arrival_rps=rate,
            processed_rps=round(rate * done, 2),
            busy=round(min(1.0, sum(self.rates.values()) / ROWS_PER_EXECUTOR / max(self.held, 1e-9)), 4),
            up_s=600.0,
        )

    def _worth(self, count: int, needed: float) -> float:
        share = Intent(Juice(0.98, utility=self.utility)).score(None, min(1.0, count / max(needed, 1e-9)))
        return 0.0 if share is None else round(len(self.rates) * share.utility, 4)


def _counts(least: int, most: int) -> tuple[int, ...]:
    return tuple(
        sorted({count for count in (least, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, most) if least <= count <= most})
    )


def of_one(name: str, cluster: SimulatedCluster, rate: float, wanted: int = 1, **more: object) -> SimulatedApplication:
    """An application with one tenant of its name."""
    return SimulatedApplication(name, cluster, {name: rate}, wanted=wanted, **more)  # type: ignore[arg-type]


def held(cluster: SimulatedCluster) -> Mapping[str, int]:
    """Executors by application."""
    return dict(cluster.room().held)
