"""What a sink of metrics takes, and what it is: for sinks that ship, and for those of packages."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol


@dataclass(frozen=True, slots=True)
class MetricSample:
    """One figure, under its name in docs/reference/metrics.md. `counter`: it only grows, until a run begins anew."""

    name: str
    value: float
    labels: Mapping[str, str] = field(default_factory=dict)
    about: str = ""
    counter: bool = False


class MetricSink(Protocol):
    """Takes all figures of a look at once; what it raises is said once, and the next look comes all the same."""

    def send(self, samples: Sequence[MetricSample], at_epoch_s: float) -> None:
        """Within seconds: the next look waits for it."""
