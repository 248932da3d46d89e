"""Runs of a few cycles of 10 s, of which a test states who met what."""

from penstock.core.columns import Column
from penstock.core.run import DecisionRecord, JobTimeline, Run
from tests.recorded import RUN


def a_line(name: str, met: list[bool | None], threads: int = 4) -> JobTimeline:
    utility = [None if m is None else 10.0 if m else 5.0 for m in met]
    length = len(met)
    none: Column[float] = Column(float, [None] * length)
    return JobTimeline(name, "juice >= 0.9", 10.0, utility, met, [threads] * length, none, none)


def a_run(*jobs: JobTimeline, decisions: tuple[DecisionRecord, ...] = ()) -> Run:
    length = len(jobs[0].met)
    utility = [sum(job.utility[i] or 0.0 for job in jobs) for i in range(length)]
    at_s = [10.0 * number for number in range(length)]
    return Run(RUN, at_s, utility, [10.0 * len(jobs)] * length, jobs, decisions=decisions)
