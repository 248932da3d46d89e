"""Which tasks there are, who sends to whom, and on which slot their threads are: what an exchange serves."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from penstock.core.seen.topology import Topology

Roles = Mapping[str, Mapping[str, int]]  # role, as threads say it -> operator -> threads; role "" is anybody


@dataclass(frozen=True, slots=True)
class TupleFlow:
    """Sources and sinks are the exchange's own; all operators between have threads.

    Threads of an operator get tuples in proportion to their weights; without any they get as many.
    """

    topology: Topology
    roles: Roles
    weights: Mapping[str, Mapping[str, float]] = field(default_factory=dict)  # by role and operator, of each thread
    threads: Mapping[str, int] = field(init=False)

    def __post_init__(self) -> None:
        counts: dict[str, int] = {}
        for roles in self.roles.values():
            for operator, number in roles.items():
                counts[operator] = counts.get(operator, 0) + number
        object.__setattr__(self, "threads", counts)

    @classmethod
    def of_one(cls, operator: str, threads: int) -> "TupleFlow":
        """A generator, one task, a sink: the flow of a trial."""
        return cls(Topology({"generator": [operator], operator: ["sink"]}), {"": {operator: threads}})
