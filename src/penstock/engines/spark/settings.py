"""How an application is watched and governed."""

from dataclasses import dataclass

from penstock.engines.spark.application.shares import Sharing

_SHORTEST_LEASE_S = 10.0


def lease_for(interval_s: float) -> float:
    """How long a controller with a round so often may be silent before it may be replaced: four rounds and a bit.

    >>> lease_for(10.0), lease_for(1.0)
    (45.0, 10.0)
    """
    return max(_SHORTEST_LEASE_S, 4.5 * interval_s)


@dataclass(frozen=True, slots=True)
class SparkSettings:
    """How an application is watched."""

    window_s: float = 60.0  # figures are over so much time; juice's window in Henge, section 5
    sharing: Sharing = Sharing.GOVERNED
    route_window_s: float = 600.0  # key pairs are told of in windows of so much time
    route_memory_s: float = 86_400.0  # and count half after so long
    pin_routes: bool = True  # keep the partitions of jobs with a route in their places; not in a dry run
    executors: int | None = None  # at most so many, as many as the jobs have slots for; None leaves their number alone
    holds_executors: bool = False  # all of them, whatever slots the jobs have: a coordinator says how many there are
    down_since_s: float | None = None  # when the driver before this one died, in seconds since the epoch
    small_first: frozenset[str] = frozenset()  # jobs that begin with small batches where much waits for them
    lease_s: float = 45.0  # a controller that is silent for so long may be replaced; see lease_for

    @property
    def own_pools(self) -> bool:
        """Whether each job has a pool of its own."""
        return self.sharing is not Sharing.FIFO
