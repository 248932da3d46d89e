"""`steady`: one slot more while a job misses its intent, one less once it has met it for a while."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import penstock as ps


@dataclass(frozen=True, slots=True)
class SteadySettings:
    """`well_rounds`: so many rounds in a row a job must have met its intent before it gives a slot back."""

    well_rounds: int = 12

    def __post_init__(self) -> None:
        if self.well_rounds < 1:
            raise ps.ConfigError("well_rounds", self.well_rounds, "write 1 or more")


@dataclass(frozen=True, slots=True)
class SteadyMemory:
    """For how many rounds each job has met its intent. Plain values, so that any store can keep it."""

    well: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Steady:
    """A pure function of what is seen and what it remembers."""

    settings: SteadySettings = SteadySettings()
    name: str = "steady"

    def start(self) -> SteadyMemory:
        """Nothing was seen yet."""
        return SteadyMemory()

    def decide(self, view: ps.View, memory: SteadyMemory) -> tuple[ps.Plan, SteadyMemory]:
        """A slot more for those that miss their intent; one less for those that have been well for long."""
        well = {job.name: memory.well.get(job.name, 0) + 1 if job.met else 0 for job in view.jobs}
        moves = {job.name: tuple(self._moves(job, well[job.name])) for job in view.jobs if _can_be_told(job)}
        rested = {name: 0 if moves.get(name) else rounds for name, rounds in well.items()}
        decisions = tuple(
            ps.Decision(
                ps.Reason.RECONFIGURED if _adds(move) else ps.Reason.REDUCED,
                (move,),
                "it misses its intent" if _adds(move) else f"it was well for {self.settings.well_rounds} rounds",
                view.at_s,
                view.utility,
            )
            for of_job in moves.values()
            for move in of_job
        )
        return ps.Plan(decisions), SteadyMemory(rested)

    def _moves(self, job: ps.JobView, well: int) -> Iterator[ps.Move]:
        for unit in job.figures.operators:
            if not job.met:
                yield ps.thread_move(job.name, unit.name, unit.threads, unit.threads + 1)
            elif well >= self.settings.well_rounds and unit.threads > unit.min_threads:
                yield ps.thread_move(job.name, unit.name, unit.threads, unit.threads - 1)


def _can_be_told(job: ps.JobView) -> bool:
    """Nobody acts on old figures, nor on those of a job that has only just started."""
    return job.fresh and job.utility is not None and not job.figures.settling


def _adds(move: ps.Move) -> bool:
    return isinstance(move.after, int) and isinstance(move.before, int) and move.after > move.before


ENTRY = ps.PolicyEntry("one slot more while a job misses its intent, one less once it is well", Steady, SteadySettings)
