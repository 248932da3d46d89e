"""Shares: what was asked, what Spark was told and what stands are three things."""

from dataclasses import dataclass, field, replace

import pytest

from penstock.core.asked.slot_limits import SlotLimits
from penstock.core.levers import Slots
from penstock.engines.spark.application.shares import PoolShare, Sharing
from penstock.engines.spark.fake.parts import FakePools
from penstock.engines.spark.jobs.job import Job
from penstock.engines.spark.levers.slots import SlotsLever
from penstock.engines.spark.state.state import EngineState
from penstock.engines.spark.watch.fleet import TrackedFleet
from penstock.engines.spark.watch.track import Track, Yardstick
from penstock.errors import EngineError


@dataclass
class Shared:
    """Two jobs on eight slots."""

    pools: FakePools = field(default_factory=FakePools)
    state: EngineState = field(
        default_factory=lambda: EngineState(TrackedFleet.of([Job("a", limits=SlotLimits(1, 6)), Job("b")], keep_s=60.0))
    )

    @property
    def lever(self) -> SlotsLever:
        return SlotsLever(self.state, self.pools, Sharing.GOVERNED, slots=lambda: 8)

    def track(self, name: str) -> Track:
        return self.state.named(name)

    def told(self, name: str) -> tuple[int, int | None]:
        """What the job's figures say: the threads that stand, and those that were asked and have not come."""
        track = self.track(name)
        standing = Yardstick(2.0, self.lever.observed(track), slots=8, window_s=60.0, wall_s=0.0)
        (operator,) = track.figures(standing).operators
        return operator.threads, operator.asked


def test_a_turn_comes_to_its_pool_and_is_observed_there() -> None:
    shared = Shared()
    shared.lever.turn(Slots("a", 1, 5), 0.0)
    assert shared.pools.shares["a"] == PoolShare(weight=5, min_share=5)
    assert shared.told("a") == (5, None)


def test_a_turn_that_spark_refuses_leaves_all_as_it_was() -> None:
    shared = Shared()
    shared.lever.turn(Slots("a", 1, 3), 0.0)
    before = dict(shared.pools.shares)
    shared.pools.broken = {"b"}  # shares are set together: a's is, b's raises
    with pytest.raises(EngineError, match="'b' could not be set"):
        shared.lever.turn(Slots("a", 3, 6), 0.0)
    assert shared.track("a").threads == 3
    assert shared.pools.shares["a"] == before["a"]
    assert shared.told("a") == (3, None)


def test_a_query_outside_its_pool_is_refused_before_anything_moves() -> None:
    shared = Shared()
    shared.state.change("a", pooled=False, run_id="run", started_s=0.0)
    with pytest.raises(EngineError, match="outside its pool"):
        shared.lever.turn(Slots("a", 1, 5), 0.0)
    assert shared.track("a").threads == 1
    assert shared.pools.shares == {}


def test_a_pool_that_stands_otherwise_than_asked_is_told_as_it_stands() -> None:
    shared = Shared()
    shared.lever.turn(Slots("a", 1, 5), 0.0)
    shared.pools.shares["a"] = replace(shared.pools.shares["a"], weight=2)  # somebody else set it
    assert shared.told("a") == (2, 5)


@pytest.mark.parametrize(
    ("after", "why"),
    [(25, "a weight of 25 is more than 24, which is enough for its max_slots, 6"), (0, "fewer than its min_slots, 1")],
)
def test_a_turn_beyond_the_tenants_limits_says_so(after: int, why: str) -> None:
    with pytest.raises(EngineError, match=why):
        Shared().lever.turn(Slots("a", 1, after), 0.0)
