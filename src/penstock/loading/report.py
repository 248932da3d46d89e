"""What a load that is over has sent."""

from collections.abc import Mapping
from dataclasses import dataclass

LATE_AFTER_S = 1.0  # a generator that is so far behind its curve does not keep up


@dataclass(frozen=True, slots=True)
class LoadReport:
    """What was sent: `delivered` rows are in the topic, each once."""

    topic: str
    asked: int
    sent: int
    failed: int
    seconds: float
    cpu_s: float
    late_s: float  # the most that a row was sent after it was due
    start_ms: int
    per_key: Mapping[str, int]  # rows by left key, as far as they were sent
    offsets: Mapping[int, tuple[int, int]]  # of each partition, before and after

    @property
    def delivered(self) -> int:
        """Rows that the broker has confirmed."""
        return self.sent - self.failed

    @property
    def kept_up(self) -> bool:
        """Whether rows went out when they were due."""
        return self.late_s <= LATE_AFTER_S
