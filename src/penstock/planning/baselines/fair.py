"""`fair`: the same number of threads for every job, whatever it needs."""

from dataclasses import dataclass

from penstock.core.levers import ThreadMove, thread_move
from penstock.core.plan import Decision, Plan, Reason
from penstock.core.seen.view import JobView, View


@dataclass(frozen=True, slots=True)
class FairMemory:
    """The jobs among which the threads were shared last."""

    jobs: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Fair:
    """Equal shares of the threads that there are, when the set of jobs changes."""

    name: str = "fair"

    def start(self) -> FairMemory:
        """Nothing was shared yet."""
        return FairMemory()

    def decide(self, view: View, memory: FairMemory) -> tuple[Plan, FairMemory]:
        """Share anew when jobs came or went."""
        names = tuple(job.name for job in view.jobs)
        if names == memory.jobs or not names:
            return Plan(note="shares are equal"), memory
        each = sum(job.figures.threads for job in view.jobs) // len(names)
        moves = tuple(move for job in view.jobs for move in _spread(job, each))
        if not moves:
            return Plan(note="shares are equal"), FairMemory(names)
        why = f"every one of {len(names)} jobs gets the same {each} threads"
        return Plan((Decision(Reason.RESCALED, moves, why, view.at_s, view.utility),)), FairMemory(names)


def _spread(job: JobView, threads: int) -> list[ThreadMove]:
    operators = job.figures.operators
    share, rest = divmod(max(threads, len(operators)), len(operators))
    wanted = [share + (place < rest) for place in range(len(operators))]
    return [
        thread_move(job.name, operator.name, operator.threads, after)
        for operator, after in zip(operators, wanted, strict=True)
        if operator.threads != after
    ]
