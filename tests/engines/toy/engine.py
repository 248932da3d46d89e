"""A second engine, whole: an application of operators with a parallelism each, as Flink's are, in a hundred lines.

What another engine has to be is here: a `ps.World`, in public names alone, and `toy`, which makes it of the `engine`
section of a tenants file. Nothing else of the project knows it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import penstock as ps

_MOST = 8
_IDLE_S = 0.1


@dataclass
class ToyJob:
    """Rows come at a rate; each task of its one operator does so many a second."""

    name: str
    rate_rps: float
    each_rps: float
    tasks: int = 1
    runs: bool = False


@dataclass
class ToyEngine:
    """What cannot keep up gets no rows through in time: its latency says by how much."""

    jobs: Sequence[ToyJob]
    is_open: bool = False
    tended: int = 0
    turned: list[ps.Move] = field(default_factory=list)

    def open(self) -> None:
        """Only one controller at a time."""
        if self.is_open:
            raise ps.EngineError("another controller governs this application")
        self.is_open = True

    def start(self) -> None:
        for job in self.jobs:
            job.runs = True

    def tend(self) -> None:
        self.tended += 1

    def close(self, stop_jobs: bool = False) -> None:
        self.is_open = False
        for job in self.jobs if stop_jobs else ():
            job.runs = False

    def observe(self, now: float) -> ps.Snapshot:
        jobs = tuple(_figures(job) for job in sorted(self.jobs, key=lambda job: job.name))
        return ps.Snapshot(now, jobs, (ps.MachineFigures("toy", cores=8, load=1.0, executors=1, slots=8),))

    def apply(self, steps: Sequence[ps.Step]) -> ps.Outcome:
        return ps.Outcome(tuple(self._carry_out(step) for step in steps))

    def _carry_out(self, step: ps.Step) -> ps.StepOutcome:
        done: list[ps.Move] = []
        try:
            for move in step.moves:
                self._turn(move)
                done.append(move)
        except ps.EngineError as error:
            for move in reversed(done):
                self._turn(move.undo)
            return ps.StepOutcome(step, str(error), undone=True if done else None)
        return ps.StepOutcome(step)

    def _turn(self, move: ps.Move) -> None:
        job = next((job for job in self.jobs if job.name == move.job), None)
        if job is None or not isinstance(move, ps.Tasks) or move.operator != "map":
            raise ps.EngineError(f"{move.job}: there is no {move.kind} of {move.operator!r} to turn here")
        if not 1 <= move.after <= _MOST:
            raise ps.EngineError(f"{move.job}: {move.after} tasks are not within 1 and {_MOST}")
        job.tasks = move.after
        self.turned.append(move)


def toy(settings: Mapping[str, Any], jobs: Mapping[str, Mapping[str, Any]]) -> ToyEngine:
    """As an entry point in `penstock.engines` leads to it: one task of a job does so many rows a second."""
    each_rps = settings.get("each", 60.0)
    if not isinstance(each_rps, int | float) or each_rps <= 0:
        raise ps.ConfigError("engine.toy.each", each_rps, "write rows a second")
    return ToyEngine([ToyJob(name, params.get("rate", 100.0), each_rps) for name, params in jobs.items()])


def _figures(job: ToyJob) -> ps.JobFigures:
    if not job.runs:
        return ps.JobFigures(job.name, (ps.OperatorFigures("map", job.tasks, min_threads=1, max_threads=_MOST),))
    busy = job.rate_rps / (job.each_rps * job.tasks)
    done_rps = min(job.rate_rps, job.each_rps * job.tasks)
    unit = ps.OperatorFigures(
        "map",
        job.tasks,
        capacity=min(1.0, busy),
        rows_in_rps=done_rps,
        rows_out_rps=done_rps,
        busy_share=min(1.0, busy),
        is_source=True,
        min_threads=1,
        max_threads=_MOST,
    )
    latency_s = _IDLE_S if busy < 1.0 else 100 * _IDLE_S * busy
    return ps.JobFigures(
        job.name,
        (unit,),
        latency=ps.LatencyFigures(latency_s, ((50.0, latency_s), (95.0, latency_s), (99.0, latency_s))),
        juice=min(1.0, 1 / busy),
        arrival_rps=job.rate_rps,
        processed_rps=done_rps,
        topology=ps.Topology({"map": []}),
    )
