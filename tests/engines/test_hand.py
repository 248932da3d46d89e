"""Whoever asks something of a hand gets an answer or an error in time, whatever becomes of what was asked."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from operator import add
from threading import Event, Thread

import pytest

from penstock.engines.hand import Hand
from penstock.errors import EngineError, LeaseLostError, NothingDoneError
from tests.patience import patience_s


@dataclass(slots=True)
class Time:
    """Passes while somebody waits for what does not come; the JVM is silent from `silent_from_s` on."""

    now_s: float = 0.0
    silent_from_s: float = float("inf")

    def silent_s(self) -> float:
        return max(0.0, self.now_s - self.silent_from_s)

    def pause(self, over: Event, seconds: float) -> bool:
        self.now_s += seconds
        return over.wait(0.01)

    def hand(self) -> Hand:
        return Hand(self.silent_s, lambda: self.now_s, self.pause)


@pytest.fixture
def hung() -> Iterator[Event]:
    """What hangs until the test is over."""
    over = Event()
    yield over
    over.set()


def hangs(hung: Event) -> None:
    assert hung.wait(patience_s())


def test_what_was_asked_is_done_one_thing_after_the_other_and_its_result_is_returned() -> None:
    hand = Hand()
    assert [hand.do("adding", partial(add, 1, n), 60.0) for n in range(3)] == [1, 2, 3]
    hand.close()
    assert hand.do("adding", lambda: 4, 60.0) == 4
    hand.close()


def test_where_no_thread_can_begin_any_more_it_is_done_by_whoever_asks(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(thread: Thread) -> None:
        raise RuntimeError("can't create new thread at interpreter shutdown")  # as Python says from 3.12 on

    monkeypatch.setattr(Thread, "start", refuse)
    assert Hand().do("letting go", lambda: 4, 60.0) == 4


def test_a_jvm_that_stands_still_is_told_after_ten_seconds_and_then_at_once(hung: Event) -> None:
    time = Time(silent_from_s=0.0)
    hand = time.hand()
    for _ in range(2):
        with pytest.raises(EngineError, match="Spark's JVM has not answered for 10 s"):
            hand.do("observing", lambda: hangs(hung), 30.0)
        assert 10.0 < time.now_s <= 11.0


def test_what_takes_too_long_while_the_jvm_answers_is_told_by_its_name(hung: Event) -> None:
    time = Time()
    with pytest.raises(EngineError, match="observing has not come to an end within 30 s"):
        time.hand().do("observing", lambda: hangs(hung), 30.0)
    assert 30.0 < time.now_s <= 31.0


def test_what_nobody_waits_for_any_more_is_not_begun(hung: Event) -> None:
    hand, done = Time().hand(), list[str]()
    for call in (lambda: hangs(hung), lambda: done.append("second")):
        with pytest.raises(EngineError, match="acting has not come to an end"):
            hand.do("acting", call, 5.0)
    hung.set()
    hand.do("acting", lambda: done.append("third"), 1e9)
    assert done == ["third"]


def test_who_asks_is_told_that_nothing_was_begun_only_where_nothing_was(hung: Event) -> None:
    time = Time()
    hand, inner = time.hand(), time.hand()
    with pytest.raises(EngineError) as begun:
        inner.do("acting", lambda: hangs(hung), 5.0)
    for behind_s in (0.0, 2.0, 9.0):  # refused before it waits, while it waits, and when its own time is over
        with pytest.raises(NothingDoneError):
            inner.do("acting", lambda: None, 5.0, behind_s=behind_s)
    with pytest.raises(EngineError) as in_turn:  # what asks another hand has begun, whatever that one says
        hand.do("a round", lambda: inner.do("acting", lambda: None, 5.0, behind_s=0.0), 5.0)
    time.silent_from_s = 0.0
    with pytest.raises(NothingDoneError, match="Spark's JVM has not answered"):
        hand.do("acting", lambda: None, 5.0)
    assert [type(caught.value) for caught in (begun, in_turn)] == [EngineError, EngineError]


def test_what_a_call_comes_to_that_nobody_waits_for_any_more_is_told_before_anything_else_is_done(hung: Event) -> None:
    def slow() -> str:
        hangs(hung)
        return "late"

    hand, told = Time().hand(), list[object]()
    assert hand.do("acting", lambda: "soon", 5.0, late=lambda late: told.append(late.result())) == "soon"
    with pytest.raises(EngineError, match="acting has not come to an end"):
        hand.do("acting", slow, 5.0, late=lambda late: told.append(late.result()))
    hung.set()
    hand.do("observing", lambda: told.append("observed"), 1e9)
    assert told == ["late", "observed"]


def test_who_cannot_tell_what_came_late_keeps_the_hand_from_nothing(hung: Event) -> None:
    def raises() -> None:
        hangs(hung)
        raise ValueError("no such pool")

    hand = Time().hand()
    with pytest.raises(EngineError, match="acting has not come to an end"):
        hand.do("acting", raises, 5.0, late=lambda late: late.result())
    hung.set()
    assert hand.do("observing", lambda: "all", 1e9) == "all"


def test_who_asks_behind_what_nobody_waits_for_any_more_is_told_what_that_is(hung: Event) -> None:
    time = Time()
    hand = time.hand()
    with pytest.raises(EngineError, match="tending the jobs has not come to an end within 10 s"):
        hand.do("tending the jobs", lambda: hangs(hung), 10.0)
    with pytest.raises(EngineError, match="observing waits for tending the jobs, which has gone on for 19 s"):
        hand.do("observing", lambda: None, 30.0, behind_s=9.0)
    assert 19.0 < time.now_s < 20.0
    with pytest.raises(EngineError, match="tending the jobs waits for tending the jobs"):
        hand.do("tending the jobs", lambda: None, 10.0, behind_s=0.0)
    assert time.now_s < 20.0
    hung.set()
    assert hand.do("observing", lambda: "all", 1e9) == "all"


class FromJavaError(Exception):
    """Its words are asked of the JVM, which does not answer."""

    def __str__(self) -> str:
        raise ConnectionError("no answer")


@pytest.mark.parametrize("error", [FromJavaError(), SystemExit(0), KeyError("ads")])
def test_an_error_comes_in_words_that_nobody_needs_to_be_asked_for(error: BaseException) -> None:
    def raises() -> None:
        raise error

    with pytest.raises(EngineError, match=type(error).__name__):
        Hand().do("observing", raises, 60.0)


class WorstError(Exception):
    """Whoever asks for its words is interrupted."""

    def __str__(self) -> str:
        raise KeyboardInterrupt


def test_an_error_whose_words_are_another_end_of_all_is_told_by_its_kind_and_the_hand_goes_on() -> None:
    def raises() -> None:
        raise WorstError

    hand = Hand()
    with pytest.raises(EngineError, match=r"^WorstError$"):
        hand.do("observing", raises, 60.0)
    assert hand.do("observing", lambda: "all", 60.0) == "all"


def test_a_lease_that_is_lost_is_told_as_such() -> None:
    def lost() -> None:
        raise LeaseLostError("another controller")

    with pytest.raises(LeaseLostError):
        Hand().do("acting", lost, 60.0)
