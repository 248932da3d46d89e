"""A look at the application: what is new comes into the state, and the state becomes a snapshot."""

import logging
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from penstock.core.levers import Dial
from penstock.core.seen.figures import JobFigures, Snapshot
from penstock.core.seen.key_placement import KeyPlacement
from penstock.engines.spark.levers.lever import Lever
from penstock.engines.spark.levers.slots import SlotsLever
from penstock.engines.spark.rounds.hearing import Hearing
from penstock.engines.spark.state.capacity import Capacity
from penstock.engines.spark.state.routes import Routes
from penstock.engines.spark.state.shared import Shared
from penstock.engines.spark.told.apart import Apart
from penstock.engines.spark.watch.events import ExecutorsSeen, Now
from penstock.engines.spark.watch.garbage import GarbageWatch
from penstock.engines.spark.watch.machines import Executor, machines
from penstock.engines.spark.watch.snapshot import SeenAt, standing_of, unknown_figures
from penstock.engines.spark.watch.track import Track, Yardstick
from penstock.errors import GoverningEndsError, told

_log = logging.getLogger("penstock.spark")


class Look:
    """What could not be read is left out, and told as a deed."""

    def __init__(
        self, shared: Shared, hearing: Hearing, capacity: Capacity, routes: Routes, levers: Mapping[str, Lever[Any]]
    ) -> None:
        self._shared = shared
        self._hearing = hearing
        self._capacity = capacity
        self._routes = routes
        self._levers = levers
        self._shares: SlotsLever = levers["slots"]  # type: ignore[assignment]
        self._garbage = GarbageWatch(shared.settings.window_s)

    def snapshot(self, at_s: float, apart: Apart) -> Snapshot:
        """All jobs and machines at this instant; `apart` has what went wrong already."""
        shared, jobs, now = self._shared, list[JobFigures](), self._shared.clocks.now()
        self._hearing.look_about(apart)
        executors, seen = shared.spark.executor_list(), self._seen(at_s, now)
        with apart.trying("executors"):
            shared.state.take(self._executors_seen(executors))
        for track in shared.state:
            try:
                jobs.append(track.figures(*self._standing(track, seen)))
            except GoverningEndsError:
                raise
            except Exception as error:
                _log.warning("%s: it cannot be read: %s", track.job.name, told(error))
                jobs.append(unknown_figures(track, seen, told(error)))
        dials = self._dials(apart, now.wall_s)
        for part, why in apart.errors:
            shared.deeds.note(None, f"{part} could not be read", "the round continues without it", why)
        garbage = self._garbage.shares(executors, shared.clocks.even())
        return Snapshot(
            at_s=at_s,
            jobs=tuple(jobs),
            machines=machines(executors, shared.spark.driver_host, garbage, shared.spark.here()),
            max_threads=self._capacity.limit(),
            routes=self._routes.told(),
            levers=dials,
            deeds=shared.deeds.told(at_s),
        )

    def _executors_seen(self, executors: Sequence[Executor]) -> ExecutorsSeen:
        """Why one is gone is asked for only when one is."""
        living = {one.id: one.since_s for one in executors}
        departed = self._shared.spark.departed() if self._shared.state.fleet.crew.lacks(living) else ()
        return ExecutorsSeen(living, departed, self._capacity.wanted())

    def _seen(self, at_s: float, now: Now) -> SeenAt:
        """What the figures of all jobs are measured at."""
        window_s = self._shared.settings.window_s
        settles, python_shares = self._capacity.settles(window_s), self._hearing.python_shares
        return SeenAt(at_s, now, self._capacity.slots(), window_s, settles, python_shares)

    def _standing(self, track: Track, seen: SeenAt) -> tuple[Yardstick, tuple[Dial, ...], tuple[KeyPlacement, ...]]:
        """What is asked of Spark for a job's figures."""
        dials = _known(lever.of_job(track, seen.now.wall_s) for lever in self._levers.values())
        standing = standing_of(self._shared.state.fleet, track, seen, self._shares.observed(track))
        return standing, dials, self._routes.keys(track.job.name)

    def _dials(self, apart: Apart, wall_s: float) -> tuple[Dial, ...]:
        """Those of the whole application."""
        dials: list[Dial | None] = []
        for kind, lever in self._levers.items():
            with apart.trying(f"lever {kind}"):
                dials.append(lever.of_all(wall_s))
        return _known(dials)


def _known(dials: Iterable[Dial | None]) -> tuple[Dial, ...]:
    return tuple(dial for dial in dials if dial is not None)
