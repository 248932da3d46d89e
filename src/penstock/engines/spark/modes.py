"""How a job's query runs: in micro-batches, or in Spark's real-time mode."""

from dataclasses import dataclass

SHORTEST_S = 5.0  # Spark's least length of a batch in real-time mode


@dataclass(frozen=True, slots=True)
class RealTime:
    """A job that asks for real-time mode: how long its batches are, and the tasks behind each of its shuffles.

    Between two batches offsets and state are kept: after a failure a query goes on from there.
    """

    batch_s: float = 300.0
    tasks: int | None = None  # None: the session's shuffle partitions
