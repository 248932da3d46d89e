"""How many executors an application's state needs: of those that it has had and was not told to give up.

    an executor dies             the need is what it was: another is to come in its place
    it is to have fewer          the need falls with that: somebody decided to give them up
    a query starts again         until it tells how much state it has, it has as much as before
    the state itself shrinks     the need falls with it

It bounds what can be taken, and asks for nothing: what an application never had it does not need by this.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import ceil
from typing import Self

_STATE_SHARE = 0.5  # of an executor's memory


@dataclass(frozen=True, slots=True)
class ExecutorSize:
    """What each of an application has; RocksDB keeps state on disk, of which any number of executors has enough."""

    cores: int
    memory_mib: int
    state_in_heap: bool = False

    def least_for(self, state_bytes: int) -> int:
        """The fewest that hold that much state in half of their memory; the rest is for the batches themselves.

        >>> [ExecutorSize(1, 1024, state_in_heap=True).least_for(gib * 2**30) for gib in (0, 1, 3)]
        [1, 2, 6]
        """
        return max(1, ceil(state_bytes / (_STATE_SHARE * self.memory_mib * 2**20))) if self.state_in_heap else 1


@dataclass(frozen=True, slots=True)
class StateNeed:
    """What is remembered for it: the executors that it had and is still to have, and each job's state as told last."""

    kept: int = 0
    bytes_of: Mapping[str, int] = field(default_factory=dict)

    def after(self, now: int, wanted: int, told: Mapping[str, int | None]) -> Self:
        """It has `now` executors and is to have `wanted`; `told` is the state of each of its jobs, None: not known."""
        known = {name: self.bytes_of.get(name, 0) if size is None else size for name, size in told.items()}
        return type(self)(min(wanted, max(self.kept, now)), known)

    def executors(self, each: ExecutorSize) -> int:
        """So many."""
        return min(self.kept, each.least_for(sum(self.bytes_of.values())))
