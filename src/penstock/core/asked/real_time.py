"""Real-time mode, as a job asks for it: tasks that live as long as its query, which keeps what it did now and then."""

from dataclasses import dataclass

from penstock.errors import ConfigError

SHORTEST_BATCH_S = 5.0  # Spark's own least, unless its session is told otherwise


@dataclass(frozen=True, slots=True)
class RealTime:
    """How long batches are, and the tasks behind each shuffle.

    Between two batches offsets and state are kept: after a failure a query goes on from there.
    """

    batch_s: float = 300.0
    tasks: int | None = None  # None: the session's shuffle partitions

    @classmethod
    def asked(cls, batch_s: float, tasks: int | None) -> "RealTime":
        """What a user asks for; a ConfigError where no Spark would start that.

        >>> RealTime.asked(300.0, None) == RealTime()
        True
        """
        if batch_s < SHORTEST_BATCH_S:
            raise ConfigError("real_time", batch_s, f"write {SHORTEST_BATCH_S:g}s or more: Spark's least")
        return cls(batch_s, tasks)
