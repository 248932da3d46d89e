"""Small starts: a query for which much waits begins with a small batch, and then with larger ones.

Else its first batch takes all that came while nothing ran, on cold code, and everybody waits for the slots that it has.
"""

from collections.abc import Callable
from dataclasses import replace

from penstock.engines.first_batches import FIRST_FILES, FIRST_ROWS, FirstBatches
from penstock.engines.spark.jobs.query import Query
from penstock.engines.spark.levers.batch_bound import BatchBoundLever
from penstock.engines.spark.state.shared import Shared
from penstock.engines.spark.watch.instructions import Loosen
from penstock.errors import told


class SmallStarts:
    """Of the jobs that the settings name; what a policy sets meanwhile is left alone from then on."""

    def __init__(self, shared: Shared, bounds: BatchBoundLever, slots: Callable[[], int]) -> None:
        self._shared = shared
        self._bounds = bounds
        self._slots = slots

    def begins(self, query: Query) -> None:
        """On the query's own thread, before its first batch."""
        name, state = query.name, self._shared.state
        if name is None or name not in self._shared.settings.small_first or name not in state.fleet.tracks:
            return
        try:
            slots = max(1, self._slots())
            small = self._bounds.begin(query, FIRST_ROWS * slots, FIRST_FILES * slots)
            if small is not None:
                state.change(name, first=FirstBatches.of(query.runId, small, self._shared.clocks.even(), slots))
        except Exception as error:  # no reason for a query not to begin
            self._shared.deeds.note(name, "began with all that waited for it", "it could not be bounded", told(error))

    def loosen(self, found: Loosen) -> None:
        """Give the next batches more room, or all that its options leave."""
        state, deeds, then = self._shared.state, self._shared.deeds, found.to.first
        track = state.named(found.job)
        before = track.first
        if before is None:
            return
        if then is None or then.rows != before.rows:
            within_from = self._bounds.loosen(track, None if then is None else then.rows)
            then = None if then is None else replace(then, within_from=within_from)
        state.change(found.job, first=then)
        if then is None and before.grew:
            deeds.note(found.job, "batches as its options say", found.to.why)
        elif then is not None and then.grew and not before.grew:
            deeds.note(found.job, "began with a small batch; each is larger than the one before", found.to.why)
