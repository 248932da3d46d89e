"""What every lever of the engine is."""

from typing import Generic, TypeVar

from penstock.core.levers import Dial, Kind, Move
from penstock.engines.spark.jobs.query import Query
from penstock.engines.spark.watch.track import Track

M = TypeVar("M", bound=Move)


class Lever(Generic[M]):
    """Turning twice leaves the world as after the first time; what cannot be turned is an EngineError that says why."""

    kind: Kind

    def of_job(self, track: Track, wall_s: float) -> Dial | None:
        """How it stands for a job; None where the job has no such lever, or has it with its operators' figures."""
        return None

    def of_all(self, wall_s: float) -> Dial | None:
        """How it stands for the whole application; None where it is a job's."""
        return None

    def turn(self, move: M, wall_s: float) -> None:
        """Carry the move out."""
        raise NotImplementedError


def with_sources(track: Track) -> tuple[Query, str] | None:
    """Its query and that one's run, where it runs in micro-batches and its sources can be asked and told."""
    query, run_id = track.query, track.run_id
    # Before its first batch a query has no sources yet to ask.
    told = any(batch.run_id == run_id for batch in track.batches)
    if query is None or run_id is None or not told or not track.runs or track.tasks:
        return None
    return query, run_id


def can_restart(track: Track) -> bool:
    """Whether it runs in micro-batches and penstock can start it again."""
    return track.runs and not track.tasks and track.job.function is not None
