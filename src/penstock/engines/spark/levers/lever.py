"""What every lever of the engine is."""

from typing import Generic, TypeVar

from penstock.core.levers import Dial, Kind, Move
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


def can_restart(track: Track) -> bool:
    """Whether it runs in micro-batches and penstock can start it again."""
    return track.runs and not track.tasks and track.job.function is not None
