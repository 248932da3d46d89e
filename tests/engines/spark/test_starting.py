"""Tenants' functions run in threads of their own: whatever they do, nobody waits for them."""

from collections.abc import Callable, Iterator
from functools import partial
from threading import Event

import pytest

from penstock.engines.spark.starting import StartEnded, Starts, called
from penstock.errors import EngineError
from tests.patience import eventually, patience_s


@pytest.fixture
def hung() -> Iterator[Event]:
    """What hangs until the test is over."""
    over = Event()
    yield over
    over.set()


def hangs(hung: Event) -> Callable[[], str]:
    def start() -> str:
        assert hung.wait(patience_s())
        return "late"

    return start


def test_one_that_hangs_loses_its_turn_and_the_others_start(hung: Event) -> None:
    now_s, starts = [0.0], Starts[str](turn_s=0.05, clock=lambda: now_s[0])
    starts.begin("slow", hangs(hung))
    starts.begin("quick", lambda: "started")
    assert eventually(starts.take) == [StartEnded("quick", "started", None)]
    now_s[0] = 60.0
    assert (starts.under_way_s("slow"), starts.under_way_s("quick")) == (60.0, None)
    hung.set()
    assert eventually(starts.take) == [StartEnded("slow", "late", None)]


def test_one_after_the_other_starts_while_none_takes_long() -> None:
    starts, order = Starts[None](turn_s=patience_s()), list[int]()
    for number in range(5):
        starts.begin(str(number), partial(order.append, number))
    starts.wait()
    assert order == [0, 1, 2, 3, 4]


def test_a_start_that_is_under_way_is_not_begun_again(hung: Event) -> None:
    starts = Starts[str]()
    starts.begin("ads", hangs(hung))
    starts.begin("ads", lambda: "again")
    hung.set()
    starts.wait()
    assert [ended.made for ended in starts.take()] == ["late"]


@pytest.mark.parametrize("error", [ValueError("no such topic"), SystemExit(1)])
def test_what_a_function_raises_is_that_jobs_affair(error: BaseException) -> None:
    def raises() -> str:
        raise error

    starts = Starts[str]()
    starts.begin("ads", raises)
    starts.wait()
    assert [(ended.name, ended.error) for ended in starts.take()] == [("ads", error)]


def test_where_a_round_waits_for_a_function_it_waits_no_longer_than_it_says(hung: Event) -> None:
    late = list[str]()
    with pytest.raises(EngineError, match=r"ads: its function has not returned within 0.05 s"):
        called("ads: its function", hangs(hung), 0.05, late.append)
    hung.set()
    assert eventually(lambda: late) == ["late"]


def test_a_function_that_calls_exit_where_a_round_waits_for_it_ends_nothing() -> None:
    def leaves() -> None:
        raise SystemExit(0)

    with pytest.raises(EngineError, match="ended the interpreter"):
        called("ads", leaves, patience_s())
    with pytest.raises(ZeroDivisionError):
        called("ads", lambda: 1 / 0, patience_s())
