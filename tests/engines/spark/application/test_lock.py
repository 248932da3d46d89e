"""The lease: one controller at a time, and no deed outlives the lease that it is done under."""

import gc
from dataclasses import dataclass, field
from queue import Queue
from threading import Event, Thread
from threading import enumerate as enumerate_threads

import pytest

from penstock.engines.spark.application.lock import KEY, ControllerLease
from penstock.errors import EngineError, LeaseLostError

LEASE_S = 45.0
WAIT_S = 30.0  # for another thread, which answers at once or never


class Properties(dict[str, str]):
    """As the JVM's do; `answers` is whether the JVM does."""

    answers = True

    def putIfAbsent(self, key: str, value: str) -> str | None:  # noqa: N802
        held = self.get(key)
        self.setdefault(key, value)
        return held

    def replace(self, key: str, old: str, new: str) -> bool:
        if not self.answers:
            raise ConnectionError("the JVM does not answer")
        same = self.get(key) == old
        self[key] = new if same else self[key]
        return same

    def remove(self, key: str, value: str) -> bool:
        same = self.get(key) == value
        if same:
            del self[key]
        return same


@dataclass(slots=True)
class Beats:
    """Time as the heart sees it: a beat comes when the test says so."""

    asked: "Queue[float]" = field(default_factory=Queue)
    answers: "Queue[bool]" = field(default_factory=Queue)

    def pause(self, over: Event, seconds: float) -> bool:
        self.asked.put(seconds)
        return self.answers.get(timeout=WAIT_S)

    def next(self) -> float:
        """Wait until the heart rests; it is told how long it rests."""
        return self.asked.get(timeout=WAIT_S)


@dataclass(slots=True)
class World:
    """A JVM with a clock on the wall."""

    now_s: float = 0.0
    properties: Properties = field(default_factory=Properties)
    beats: Beats = field(default_factory=Beats)

    def lease(self) -> ControllerLease:
        return ControllerLease(self.properties, "app", LEASE_S, lambda: self.now_s, self.beats.pause)

    @property
    def ends_s(self) -> float:
        return float(self.properties[f"{KEY}.app"].split("@")[1])


@pytest.fixture
def world() -> World:
    return World()


def test_a_second_controller_is_refused_until_the_lease_of_the_first_has_run_out(world: World) -> None:
    first, second = world.lease(), world.lease()
    first.take()
    world.now_s = 30.0
    with pytest.raises(EngineError, match="wait 15 s"):
        second.take()
    world.now_s = 45.0
    second.take()
    assert second.ours


def test_who_was_taken_over_is_told_and_told_again(world: World) -> None:
    first, second = world.lease(), world.lease()
    first.take()
    world.now_s = 45.0
    second.take()
    for _ in range(2):
        with pytest.raises(LeaseLostError, match="another controller took this application over"):
            first.renew()
    assert (first.ours, second.ours) == (False, True)
    first.release()
    second.renew()


def test_a_deed_of_150_seconds_keeps_its_lease_of_45(world: World) -> None:
    lease, other = world.lease(), world.lease()
    lease.take()
    with lease.held():
        assert world.beats.next() == 15.0
        for _ in range(10):
            world.now_s += 15.0
            world.beats.answers.put(False)
            world.beats.next()  # it rests again: the beat is over
        assert (world.now_s, world.ends_s) == (150.0, 195.0)
        with pytest.raises(EngineError, match="another controller governs this application"):
            other.take()
        world.beats.answers.put(True)
    lease.renew()


def test_a_lease_that_is_lost_while_a_deed_is_done_is_not_taken_back_by_the_heart(world: World) -> None:
    lease, other = world.lease(), world.lease()
    lease.take()
    with lease.held():
        world.beats.next()
        world.now_s = 45.0  # the whole process was held up
        other.take()
        world.beats.answers.put(False)
        world.beats.next()  # it rests again: the beat is over
        assert not lease.ours
        world.beats.answers.put(True)
    other.renew()


def test_a_jvm_that_does_not_answer_one_beat_is_asked_at_the_next(world: World) -> None:
    lease = world.lease()
    lease.take()
    with lease.held():
        for answers in (False, True):
            world.beats.next()
            world.properties.answers = answers
            world.now_s += 15.0
            world.beats.answers.put(False)
        world.beats.next()
        assert world.ends_s == 30.0 + LEASE_S
        world.beats.answers.put(True)


def test_once_a_deed_has_raised_the_heart_renews_nothing_more(world: World) -> None:
    lease = world.lease()
    lease.take()
    with pytest.raises(ZeroDivisionError), lease.held():
        1 / 0  # noqa: B018
    world.beats.next()
    world.now_s = 15.0
    world.beats.answers.put(False)
    world.beats.next()
    assert world.ends_s == LEASE_S
    world.beats.answers.put(True)


def hearts() -> set[Thread]:
    return {thread for thread in enumerate_threads() if thread.name == "penstock-lease"}


def test_deeds_one_after_the_other_share_a_heart_which_ends_with_the_lease() -> None:
    others = hearts()
    lease = ControllerLease(Properties(), "app", LEASE_S)  # with a real pause of 15 s, which nobody awaits
    lease.take()
    found = set()
    for _ in range(3):
        with lease.held():
            found |= hearts() - others
    (heart,) = found
    lease.release()
    heart.join(WAIT_S)
    assert not heart.is_alive()


def test_the_heart_of_a_lease_that_nobody_released_ends_when_nobody_has_it_any_more() -> None:
    others = hearts()
    lease = ControllerLease(Properties(), "app", LEASE_S)
    lease.take()
    with lease.held():
        (heart,) = hearts() - others
    del lease
    gc.collect()
    heart.join(WAIT_S)
    assert not heart.is_alive()


def test_a_lease_that_is_taken_again_has_a_heart_again(world: World) -> None:
    lease = ControllerLease(world.properties, "app", LEASE_S)
    others = hearts()
    for _ in range(2):
        lease.take()
        with lease.held():
            assert hearts() - others
        lease.release()


def test_a_deed_for_whose_heart_there_is_no_thread_leaves_none_that_beats_for_ever(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(thread: Thread) -> None:
        raise RuntimeError("can't start new thread")

    lease = world.lease()
    lease.take()
    with monkeypatch.context() as no_room:
        no_room.setattr(Thread, "start", refuse)
        with pytest.raises(RuntimeError), lease.held():
            pass
    with lease.held():
        world.beats.next()
    world.now_s = 15.0
    world.beats.answers.put(False)
    world.beats.next()
    assert world.ends_s == LEASE_S  # nothing is done, so nothing is renewed
    world.beats.answers.put(True)
