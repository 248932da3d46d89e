"""Tasks that live as long as their query, in Spark's real-time mode; and whether there are slots for them."""

from dataclasses import dataclass

from penstock.errors import EngineError


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
