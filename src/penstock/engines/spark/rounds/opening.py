"""The opening of an engine: every pool in its place, and what runs already seen."""

from penstock.engines.spark.application.shares import first_threads
from penstock.engines.spark.jobs.restarts import Attempts
from penstock.engines.spark.levers.slots import SlotsLever
from penstock.engines.spark.port import Events
from penstock.engines.spark.starts.small_starts import SmallStarts
from penstock.engines.spark.state.capacity import Capacity
from penstock.engines.spark.state.routes import Routes
from penstock.engines.spark.state.shared import Shared
from penstock.engines.spark.watch.events import Adopted
from penstock.engines.spark.watch.track import Track


class Opening:
    """Done once, by whoever holds the lease."""

    def __init__(
        self,
        shared: Shared,
        events: Events,
        capacity: Capacity,
        routes: Routes,
        shares: SlotsLever,
        small: SmallStarts,
    ) -> None:
        self._shared = shared
        self._events = events
        self._capacity = capacity
        self._routes = routes
        self._shares = shares
        self._small = small

    def open(self) -> None:
        """Begin."""
        shared, now = self._shared, self._shared.clocks.now()
        self._events.attach(self._small.begins if shared.settings.small_first else None)
        running = {query.name for query in shared.spark.queries()}
        for track in shared.state:
            shared.state.change(
                track.job.name,
                threads=self._threads(track, track.job.name in running),
                attempts=Attempts.after_driver(shared.settings.down_since_s),
                awaited_since_s=now.even_s,
                stages=track.stages.opened(now.wall_s),
            )
        self._routes.open(shared, now.wall_s)
        # Whether it is pooled is told for certain by its next stage: an earlier controller may have pooled it.
        shared.state.take(*(Adopted(query) for query in shared.spark.queries()))
        shared.spark.pools.set(self._shares.wanted())
        self._capacity.follow()

    def _threads(self, track: Track, runs: bool) -> int:
        kept = self._shared.spark.pools.share(track.job.name) if runs else None
        slots, jobs = self._capacity.slots(), len(self._shared.state.fleet)
        return first_threads(track.job.slots, kept.weight if kept else None, track.job.limits, slots, jobs)
