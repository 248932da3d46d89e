"""What a sink of metrics takes, and what it is: for sinks that ship, and for those of packages."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import isfinite, isnan
from typing import Protocol


@dataclass(frozen=True, slots=True)
class MetricSample:
    """One figure, under its name in docs/reference/metrics.md. `counter`: it only grows, until a run begins anew."""

    name: str
    value: float
    labels: Mapping[str, str] = field(default_factory=dict)
    about: str = ""
    counter: bool = False

    @property
    def in_json(self) -> float | str:
        """The value as JSON can hold it: what never ends has a word, as protobuf's JSON has it.

        >>> MetricSample("penstock_job_recovery_seconds", float("inf")).in_json
        'Infinity'
        """
        if isfinite(self.value):
            return self.value
        return "NaN" if isnan(self.value) else "Infinity" if self.value > 0 else "-Infinity"


class MetricSink(Protocol):
    """Takes all figures of a look at once; what it raises is said once, and the next look comes all the same."""

    def send(self, samples: Sequence[MetricSample], at_epoch_s: float) -> None:
        """Within seconds: the next look waits for it."""
