"""Ends of queries of which no event came: once a minute each is asked whether it runs, for events can be lost.

Spark tells of an end once. Who cannot be reached at that moment, or has more events than it keeps, would take a query
that is dead for one that runs.
"""

from math import inf

from penstock.engines.spark.state.shared import Shared
from penstock.engines.spark.told.apart import Apart
from penstock.engines.spark.watch.events import Terminated
from penstock.engines.spark.watch.track import Track

_ASKED_EVERY_S = 60.0


class UnheardEnds:
    """Looks for them."""

    def __init__(self, shared: Shared) -> None:
        self._shared = shared
        self._asked_s = -inf

    def look(self, apart: Apart) -> None:
        """Ask all queries, where that is due; what events told is taken in before."""
        now_s = self._shared.clocks.even()
        if now_s - self._asked_s < _ASKED_EVERY_S:
            return
        self._asked_s = now_s
        for track in self._shared.state:
            with apart.trying(track.job.name):
                self._ask(track)

    def _ask(self, track: Track) -> None:
        query = track.query
        if query is None or not track.runs or query.runId != track.run_id or query.isActive:
            return
        self._shared.state.take(Terminated(query.runId, self._shared.spark.error_of(query)))
        self._shared.deeds.note(track.job.name, "its query is over", "it was asked, for Spark did not tell")
