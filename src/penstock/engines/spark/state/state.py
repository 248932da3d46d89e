"""The state of the engine: the fleet as it stands, in one place. Starts in threads of their own change it, too."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from threading import RLock
from typing import Any

from penstock.engines.spark.clocks import Clocks
from penstock.engines.spark.jobs.job import Job
from penstock.engines.spark.port import Events
from penstock.engines.spark.told.apart import Apart
from penstock.engines.spark.watch.events import Progressed, Stimulus
from penstock.engines.spark.watch.fleet import TrackedFleet
from penstock.engines.spark.watch.progress import Batch, parse_batch
from penstock.engines.spark.watch.take import taken
from penstock.engines.spark.watch.track import Track


class EngineState:
    """Whoever changes something puts another fleet in the place of the one that was."""

    def __init__(self, fleet: TrackedFleet, clocks: Clocks = Clocks()) -> None:
        self._fleet = fleet
        self._clocks = clocks
        self._lock = RLock()

    @property
    def fleet(self) -> TrackedFleet:
        """As it stands."""
        return self._fleet

    def __iter__(self) -> Iterator[Track]:
        return iter(self._fleet)

    def named(self, name: str) -> Track:
        """The track of that job as it stands."""
        return self._fleet.named(name)

    def jobs(self, bound: Callable[[str], int | None]) -> tuple[Job, ...]:
        """As they would have to be started to go on as they stand; `bound` says of how many rows batches are."""
        return tuple(replace(one.job, slots=one.threads, bound=bound(one.job.name)) for one in self)

    def stop_started(self, apart: Apart) -> None:
        """Stop the queries of those jobs that penstock starts; one that cannot be stopped keeps no other running."""
        for track in self:
            if track.query is not None and track.job.function is not None:
                with apart.trying(track.job.name):
                    track.query.stop()

    def take(self, *stimuli: Stimulus) -> None:
        """These happened."""
        with self._lock:
            for one in stimuli:
                self._fleet = taken(one, self._fleet, self._clocks.now())

    def take_heard(self, events: Events, apart: Apart) -> list[Batch]:
        """So did what a listener heard since, and these batches are part of it; what cannot be read is left out."""
        events.fetch()
        batches: list[Batch] = []
        with self._lock:
            for _ in range(len(events.heard)):
                with apart.trying("events"):
                    event = events.heard.popleft()
                    stimulus = parse_batch(event.json)[1] if isinstance(event, Progressed) else event
                    self._fleet = taken(stimulus, self._fleet, self._clocks.now())
                    batches += [stimulus] if isinstance(stimulus, Batch) else []
        return batches

    def change(self, name: str, **fields: Any) -> Track:
        """The job's track with these fields, from now on."""
        with self._lock:
            self._fleet = self._fleet.changed(name, **fields)
            return self._fleet.named(name)

    def clock_set(self, by_s: float) -> None:
        """See `TrackedFleet.clock_set`."""
        with self._lock:
            self._fleet = self._fleet.clock_set(by_s)

    def promise(self, name: str, slots: int) -> None:
        """See `TrackedFleet.promise`."""
        with self._lock:
            self._fleet = self._fleet.promise(name, slots)

    def fit(self, slots: int) -> dict[str, tuple[int, int]]:
        """The jobs' threads within so many slots; of who gave, those before and after: see `TrackedFleet.fitted`."""
        with self._lock:
            before, self._fleet = self._fleet, self._fleet.fitted(slots)
            both = ((track.job.name, before.named(track.job.name).threads, track.threads) for track in self._fleet)
            return {name: (had, has) for name, had, has in both if had != has}
