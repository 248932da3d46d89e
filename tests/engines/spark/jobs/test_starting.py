"""Tenants' functions run in threads of their own: whatever they do, nobody waits for them."""

from collections.abc import Callable, Iterator
from functools import partial
from threading import Event, Thread, current_thread

import pytest

from penstock.engines.spark.jobs.starting import FUNCTION_AT_MOST_S, CallError, Patience, StartEnded, Starts, called
from penstock.errors import ConfigError, EngineError
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
    assert eventually(starts.take) == [StartEnded("quick", "started")]
    now_s[0] = 60.0
    assert (starts.under_way_s("slow"), starts.under_way_s("quick")) == (60.0, None)
    hung.set()
    assert eventually(starts.take) == [StartEnded("slow", "late")]


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


def test_a_start_for_which_there_is_no_thread_just_now_has_failed_and_is_begun_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def refuse(thread: Thread) -> None:
        raise RuntimeError("can't start new thread")

    starts = Starts[str]()
    with monkeypatch.context() as no_room:
        no_room.setattr(Thread, "start", refuse)
        starts.begin("ads", lambda: "started")
    starts.wait()
    assert starts.take() == [StartEnded("ads", None, "can't start new thread")]
    starts.begin("ads", lambda: "started")
    assert eventually(starts.take) == [StartEnded("ads", "started")]


class SpeechlessError(Exception):
    """Ends the interpreter when it is asked for its words, and knows who asked."""

    def __init__(self) -> None:
        self.asked = list[str]()

    def __str__(self) -> str:
        self.asked.append(current_thread().name)
        raise SystemExit(0)


class SpeechlessExit(SystemExit):
    def __repr__(self) -> str:
        raise SystemExit(0)


@pytest.mark.parametrize(
    ("error", "why"),
    [
        (ValueError("no such topic"), "no such topic"),
        (SystemExit(1), "its function ended the interpreter: SystemExit(1)"),
        (SpeechlessError(), "SpeechlessError"),
        (SpeechlessExit(), "its function ended the interpreter: SpeechlessExit"),
    ],
)
def test_what_a_function_raises_is_that_jobs_affair(error: BaseException, why: str) -> None:
    def raises() -> str:
        raise error

    starts = Starts[str]()
    starts.begin("ads", raises)
    starts.wait()
    assert [(ended.name, ended.why) for ended in starts.take()] == [("ads", why)]


def test_an_error_of_a_tenants_comes_to_its_words_in_the_tenants_thread() -> None:
    error, starts = SpeechlessError(), Starts[str]()

    def raises() -> str:
        raise error

    starts.begin("ads", raises)
    starts.wait()
    starts.take()
    assert set(error.asked) == {"penstock-start-ads"}


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


def test_where_a_round_waits_for_a_function_its_error_is_in_words_by_then_and_ours_is_as_it_was() -> None:
    error, ours = SpeechlessError(), ConfigError("topic", "ads", "name one that is there")

    def raises(error: Exception) -> None:
        raise error

    with pytest.raises(CallError, match=r"^SpeechlessError$"):
        called("ads", partial(raises, error), patience_s())
    assert set(error.asked) == {"penstock-call-ads"}
    with pytest.raises(CallError, match=r"^division by zero$"):
        called("ads", lambda: 1 / 0, patience_s())
    with pytest.raises(ConfigError) as raised:
        called("ads", partial(raises, ours), patience_s())
    assert raised.value is ours


class Slow:
    """A function on a machine that takes so long for it, by a clock of its own."""

    def __init__(self, *takes_s: float) -> None:
        self.now_s = 0.0
        self._takes_s = list(takes_s)

    def __call__(self) -> str:
        self.now_s += self._takes_s.pop(0)
        return "made"


def test_a_round_waits_longer_for_a_function_that_took_long_before() -> None:
    slow = Slow(12.0, 3.0)
    patience = Patience(lambda: slow.now_s)
    assert patience.timed("ads", slow)() == "made"
    assert (patience.of("ads", 20.0), patience.of("cars", 20.0)) == (60.0, 20.0)
    patience.timed("ads", slow)()
    assert patience.of("ads", 20.0) == 60.0  # the longest counts: load comes and goes
    assert patience.of_any(20.0) == 60.0


def test_a_round_waits_for_no_function_for_ever() -> None:
    slow = Slow(300.0, 0.1)
    patience = Patience(lambda: slow.now_s)
    patience.timed("ads", slow)()
    patience.timed("cars", slow)()
    assert (patience.of("ads", 20.0), patience.of("cars", 20.0)) == (FUNCTION_AT_MOST_S, 20.0)
