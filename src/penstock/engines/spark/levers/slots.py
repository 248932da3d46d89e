"""Slots: a tenant's FAIR pool gets the share that its threads stand for, with the next task that starts."""

from collections.abc import Callable, Mapping
from contextlib import suppress

from penstock.core.levers import Kind, Slots
from penstock.engines.spark.application.shares import PoolShare, Sharing, check_threads, pool_shares
from penstock.engines.spark.levers.lever import Lever
from penstock.engines.spark.port import Pools
from penstock.engines.spark.state.state import EngineState
from penstock.engines.spark.watch.track import Track
from penstock.errors import EngineError


class SlotsLever(Lever[Slots]):
    """The pools of all jobs; `slots` says how many there are to share."""

    kind: Kind = "slots"

    def __init__(self, state: EngineState, pools: Pools, sharing: Sharing, slots: Callable[[], int]) -> None:
        self._state = state
        self._pools = pools
        self._sharing = sharing
        self._slots = slots

    def turn(self, move: Slots, wall_s: float) -> None:
        track = self._state.named(move.job)
        if track.tasks:
            units = ", ".join(operator.operator for operator in track.tasks)
            raise EngineError(f"{track.job.name} runs in real-time mode; its units are its operators: {units}")
        refusal = check_threads(track.job.name, move.after, track.job.limits, self._slots(), len(self._state.fleet))
        if refusal is not None:
            raise EngineError(refusal)
        if not track.pooled:
            wrong = track.trouble(wall_s)
            raise EngineError(f"{track.job.name}: {'' if wrong is None else wrong.text}")
        self._state.change(move.job, threads=move.after)
        try:
            self._pools.set(self.wanted())
        except EngineError:
            self._state.change(move.job, threads=track.threads)
            self._restore()
            raise

    def _restore(self) -> None:
        """The shares of before, as far as Spark takes them: which it refused is said by whoever asked."""
        with suppress(EngineError):
            self._pools.set(self.wanted())

    def observed(self, track: Track) -> int:
        """The threads that the job's pool stands for now: its weight. What was asked, where there is no pool yet."""
        if self._sharing is not Sharing.GOVERNED or track.tasks or not track.pooled:
            return track.threads
        found = self._pools.share(track.job.name)
        return track.threads if found is None else found.weight

    def wanted(self) -> Mapping[str, PoolShare]:
        """The share that each job's threads stand for, for its pool; none where they are not ours to set."""
        if self._sharing is not Sharing.GOVERNED:
            fair = self._sharing is Sharing.FAIR
            return {track.job.name: PoolShare(weight=1, min_share=0) for track in self._state if fair}
        kept = self._state.fleet.kept_slots()
        threads = {track.job.name: track.threads for track in self._state if track.pooled and not track.tasks}
        limits = {track.job.name: track.job.limits for track in self._state}
        shares = pool_shares(threads, limits, max(1, self._slots() - sum(kept.values())))
        # All tasks of a real-time job start together or not at all: their slots are its own, before all others.
        return shares | {name: PoolShare(weight=self._slots(), min_share=tasks) for name, tasks in kept.items()}
