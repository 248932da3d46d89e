"""How a job's query runs: in micro-batches, or in Spark's real-time mode."""

from dataclasses import dataclass

from penstock.errors import EngineError


@dataclass(frozen=True, slots=True)
class RealTime:
    """A job that asks for real-time mode: how long its batches are, and the tasks behind each of its shuffles.

    Between two batches offsets and state are kept: after a failure a query goes on from there.
    """

    batch_s: float = 300.0
    tasks: int | None = None  # None: the session's shuffle partitions


@dataclass(frozen=True, slots=True)
class LongLived:
    """One operator's tasks, there for as long as the query runs. A source has as many as its topics partitions."""

    operator: str
    tasks: int
    is_source: bool = False


def check_slots(name: str, tasks: tuple[LongLived, ...], taken: int, slots: int) -> None:
    """An EngineError when these tasks do not fit beside those that are there for good."""
    wanted = sum(operator.tasks for operator in tasks)
    if wanted + taken > slots:
        listed = ", ".join(f"{operator.operator} {operator.tasks}" for operator in tasks)
        raise EngineError(
            f"{name}: real-time mode needs {wanted} slots at once ({listed}) and {max(0, slots - taken)} of {slots} "
            f"are free; give the application more cores, set real_time_tasks lower, or leave real_time out"
        )
