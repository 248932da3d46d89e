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
        found = {job.name: tuple(self._decisions(view, job, well[job.name])) for job in view.jobs}
        rested = {name: 0 if found[name] else rounds for name, rounds in well.items()}
        return ps.Plan(tuple(one for of_job in found.values() for one in of_job)), SteadyMemory(rested)

    def _decisions(self, view: ps.View, job: ps.JobView, well: int) -> Iterator[ps.Decision]:
        # Nobody acts on old figures, nor on those of a job that has only just started.
        can_be_told = job.fresh and job.utility is not None and not job.figures.settling
        for unit in job.figures.operators if can_be_told else ():
            if not job.met:
                reason, threads, because = ps.Reason.RECONFIGURED, unit.threads + 1, "it misses its intent"
            elif well >= self.settings.well_rounds and unit.threads > unit.min_threads:
                reason, threads, because = ps.Reason.REDUCED, unit.threads - 1, f"well for {well} rounds"
            else:
                continue
            move = ps.thread_move(job.name, unit.name, unit.threads, threads)
            yield ps.Decision(reason, (move,), because, view.at_s, view.utility)


ENTRY = ps.PolicyEntry("one slot more while a job misses its intent, one less once it is well", Steady, SteadySettings)
