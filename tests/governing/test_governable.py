"""A world as a package brings it, governed like Spark's."""

from typing import cast

from penstock.core.ports import World
from penstock.core.seen.figures import Snapshot
from penstock.core.seen.view import snapshot_of
from penstock.governing.governable import PlainWorld
from tests.recorded import a_view


class Seen:
    """A world that tells of no deeds of its own."""

    def observe(self, now: float) -> Snapshot:
        return snapshot_of(a_view(now))


def test_what_came_of_steps_that_took_too_long_is_told_with_what_is_seen_next() -> None:
    world = PlainWorld(cast(World, Seen()))
    assert world.observe(10.0).deeds == ()
    world.note("weight 2 -> 3", "it took longer than a round waits for it", "ads", error="no such pool")
    first, again = world.observe(20.0).deeds, world.observe(30.0).deeds
    assert [(deed.job, deed.text, deed.error) for deed in first] == [("ads", "weight 2 -> 3", "no such pool")]
    assert first == again  # a round that fails takes nothing away
