"""The most rows that one task of a job reads: turned while the query runs, on queries of anybody's.

A start gives back what the query's options say; whoever wants it otherwise says so again.
"""

from penstock.core.levers import Dial, Kind, Piece, Shows
from penstock.engines.spark.jobs.query import TaskPiece
from penstock.engines.spark.levers.found import LeverTools
from penstock.engines.spark.levers.lever import Lever, with_sources
from penstock.engines.spark.port import Spark
from penstock.engines.spark.state.state import EngineState
from penstock.engines.spark.watch.track import Track
from penstock.errors import EngineError


def lever(tools: LeverTools) -> Lever[Piece]:
    """The pieces of all jobs."""
    return PieceLever(tools.spark, tools.state)


class PieceLever(Lever[Piece]):
    """The pieces of all jobs."""

    kind: Kind = "piece"

    def __init__(self, spark: Spark, state: EngineState) -> None:
        self._spark = spark
        self._state = state
        # By job, and the run of which it was found: only a turn changes it, and to look is a dozen calls of the JVM.
        self._known: dict[str, tuple[str, TaskPiece | None]] = {}

    def of_job(self, track: Track, wall_s: float) -> Dial | None:
        found = self._standing(track)
        if found is None:
            return None
        return Dial("piece", track.job.name, found.rows, 1, shows=Shows.NEXT_BATCH, by_people=found.by_people)

    def turn(self, move: Piece, wall_s: float) -> None:
        track = self._state.named(move.job)
        if track.query is None or self._standing(track) is None:
            raise EngineError(
                f"{move.job}: only tasks of a running query that reads Kafka alone are cut, from Spark 4.0 on"
            )
        if move.after is not None and move.after < 1:
            raise EngineError(f"{move.job}: a task of {move.after} rows does nothing; ask for at least 1")
        self._known.pop(move.job, None)
        self._spark.cut(track.query, move.after)

    def _standing(self, track: Track) -> TaskPiece | None:
        found = with_sources(track)
        if found is None:
            return None
        query, run_id = found
        known = self._known.get(track.job.name)
        if known is None or known[0] != run_id:
            known = self._known[track.job.name] = (run_id, self._spark.piece(query))
        return known[1]
