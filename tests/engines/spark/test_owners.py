"""Drivers of different runs on one checkpoint in an object store: one of them writes there."""

import logging
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from itertools import permutations
from threading import Condition, Event, Thread

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.engines.spark.jobs.checkpoint_owner import BEAT_S, DEAD_AFTER_S, OWNER_FILE, Owner, owner_in
from penstock.engines.spark.jvm.checkpoint_files import Files
from penstock.engines.spark.jvm.owners import LOOK_EVERY_S, Owners, WatchedError
from penstock.errors import EngineError
from tests.engines.spark.routing.object_store import StoredFiles
from tests.patience import eventually, patience_s


class Time:
    """It passes where somebody pauses; meanwhile others do something."""

    def __init__(self) -> None:
        self.now_s = 0.0
        self.meanwhile: Callable[[], object] = lambda: None

    def clock(self) -> float:
        return self.now_s

    def pause(self, for_s: float) -> None:
        self.now_s += for_s
        self.meanwhile()


class Query:
    def __init__(self, run_id: str = "q1") -> None:
        self.runId, self.name, self.isActive = run_id, None, True
        self.stopped = Event()

    def stop(self) -> None:
        self.stopped.set()


def driver(time: Time) -> Owners:
    return Owners(time.clock, time.pause)


def store() -> StoredFiles:
    return StoredFiles("s3a://bucket/ads")


def began(owners: Owners, files: Files, run: str) -> bool:
    """Whether the start of a query there went on."""
    try:
        try:
            owners.take("ads", files, run)
        except WatchedError as watched:
            owners.wait(watched)
    except EngineError:
        return False
    return True


def owner_of(files: Files) -> Owner | None:
    return owner_in(files.read(OWNER_FILE)) if files.exists(OWNER_FILE) else None


def beats(files: Files) -> int:
    owner = owner_of(files)
    return -1 if owner is None else owner.beat


def beats_reach(files: Files, beat: int) -> bool:
    return beats(files) >= beat


def test_a_driver_whose_start_finds_nothing_or_its_own_name_waits_for_nothing() -> None:
    time, files = Time(), store()
    ours = driver(time)
    assert [began(ours, files, "r1") for _ in range(2)] == [True, True]
    assert (owner_of(files) or Owner("", "", "")).run == "r1"
    assert time.now_s == 0.0


def test_a_checkpoint_of_another_run_whose_driver_beats_is_refused_with_its_run_and_host() -> None:
    time, files = Time(), store()
    ours, other = driver(time), driver(time)
    other.take("ads", files, "r1")
    time.meanwhile = other.beat
    with pytest.raises(WatchedError, match="is that of the driver of run r1 on ") as watched:
        ours.take("ads", files, "r2")
    with pytest.raises(EngineError, match=r"run r1 on .* is alive; end that driver, or name another checkpoint"):
        ours.wait(watched.value)
    assert (owner_of(files) or Owner("", "", "")).run == "r1"
    assert time.now_s <= BEAT_S


def test_a_checkpoint_whose_driver_is_dead_is_taken_after_three_beats(caplog: pytest.LogCaptureFixture) -> None:
    time, files = Time(), store()
    driver(time).take("ads", files, "r1")
    ours, said = driver(time), list[str | None]()
    time.meanwhile = lambda: said.append(ours.watches_for("ads"))
    assert began(ours, files, "r2")
    assert (owner_of(files) or Owner("", "", "")).run == "r2"
    assert (said[0] or "").startswith("its checkpoint s3a://bucket/ads is that of the driver of run r1 on ")
    assert ours.watches_for("ads") is None
    assert DEAD_AFTER_S <= time.now_s <= DEAD_AFTER_S + 2 * LOOK_EVERY_S
    assert "the driver of run r1 on" in caplog.text
    assert "gave no sign for a minute" in caplog.text


def test_the_next_driver_of_a_run_waits_for_nothing() -> None:
    time, files = Time(), store()
    driver(time).take("ads", files, "r1")
    assert began(driver(time), files, "r1")
    assert time.now_s == 0.0


def test_who_ends_in_order_leaves_nothing_that_the_next_one_waits_for() -> None:
    time, files = Time(), store()
    first, second = driver(time), driver(time)
    first.take("ads", files, "r1")
    first.let_go()
    assert not files.exists(OWNER_FILE)
    first.beat()
    assert not files.exists(OWNER_FILE)
    assert began(second, files, "r2")
    first.let_go()
    assert (owner_of(files) or Owner("", "", "")).run == "r2"
    assert time.now_s == 0.0


def test_who_ends_while_it_is_watched_leaves_the_checkpoint_at_once() -> None:
    time, files = Time(), store()
    first = driver(time)
    first.take("ads", files, "r1")
    time.meanwhile = first.let_go
    assert began(driver(time), files, "r2")
    assert time.now_s < DEAD_AFTER_S


def test_what_is_not_there_for_a_moment_while_it_is_written_anew_is_not_taken() -> None:
    time, files = Time(), store()
    other = driver(time)
    other.take("ads", files, "r1")
    kept, looks = files.read(OWNER_FILE), iter(["removed", "written"])

    def write_anew() -> None:
        if next(looks) == "removed":
            files.remove(OWNER_FILE)
        else:
            files.write(OWNER_FILE, kept)

    time.meanwhile = write_anew
    assert not began(driver(time), files, "r2")
    assert files.read(OWNER_FILE) == kept


def test_a_driver_that_stood_still_finds_the_other_name_and_stops_its_query() -> None:
    time, files, query = Time(), store(), Query()
    first, second = driver(time), driver(time)
    first.take("ads", files, "r1")
    first.runs(files, query)
    assert began(second, files, "r2")
    kept = files.read(OWNER_FILE)
    assert first.why_stopped("q1") is None
    first.beat()
    assert query.stopped.wait(patience_s())
    assert "the driver of run r2 on" in (first.why_stopped("q1") or "")
    first.beat()
    assert files.read(OWNER_FILE) == kept
    with pytest.raises(WatchedError):  # nor does it start there again, as long as that one is there
        first.take("ads", files, "r1")


def test_a_driver_of_before_that_wakes_does_not_take_the_checkpoint_back_from_the_next_one_of_its_run() -> None:
    time, files, query = Time(), store(), Query()
    first, second = driver(time), driver(time)
    first.take("ads", files, "r1")
    second.take("ads", files, "r1")
    time.meanwhile = second.beat
    assert not began(first, files, "r1")
    first.beat()
    with pytest.raises(EngineError, match="another driver took the checkpoint"):  # its query was about to start
        first.runs(files, query)
    assert query.stopped.is_set()


def test_what_stood_still_between_its_reading_and_its_writing_writes_over_nobody() -> None:
    time, files = Time(), store()
    second = driver(time)

    class Frozen(StoredFiles):
        def load(self, name: str) -> bytes:
            found = super().load(name)
            if frozen:
                frozen.pop()
                assert began(second, files, "r2")
            return found

    frozen: list[bool] = []
    first = driver(time)
    first.take("ads", Frozen(files.location, files._objects), "r1")
    frozen.append(True)
    first.beat()
    assert (owner_of(files) or Owner("", "", "")).run == "r2"


def test_an_owner_that_somebody_removed_is_written_anew() -> None:
    files = store()
    ours = driver(Time())
    ours.take("ads", files, "r1")
    files.remove(OWNER_FILE)
    ours.beat()
    assert (owner_of(files) or Owner("", "", "")).run == "r1"


class Stuck(StoredFiles):
    """A store that answers nothing until it is let."""

    def __init__(self, prefix: str) -> None:
        super().__init__(prefix)
        self.answers = Event()
        self.answers.set()

    def load(self, name: str) -> bytes:
        assert self.answers.wait(patience_s())
        return super().load(name)


@pytest.fixture
def stuck() -> Iterator[Stuck]:
    files = Stuck("s3a://stuck/ads")
    yield files
    files.answers.set()


def test_a_store_that_hangs_keeps_no_other_checkpoint_from_its_beats_and_is_told_once(
    stuck: Stuck, caplog: pytest.LogCaptureFixture
) -> None:
    files, ours = store(), Owners(answers_within_s=0.01)
    ours.take("ads", stuck, "r1")
    ours.take("fraud", files, "r1")
    stuck.answers.clear()
    for beat in (1, 2):
        ours.beat()
        eventually(partial(beats_reach, files, beat))
    told = [record.message for record in caplog.records if record.message.startswith("ads")]
    assert told == [
        "ads: that its checkpoint is ours could not be renewed: the store of s3a://stuck/ads has not "
        "returned within 0.01 s"
    ]
    stuck.answers.set()
    eventually(lambda: beats(stuck) == 1)


def test_a_start_where_a_beat_of_ours_hangs_is_refused_in_words(stuck: Stuck) -> None:
    ours = Owners(answers_within_s=0.01)
    ours.take("ads", stuck, "r1")
    stuck.answers.clear()
    ours.beat()
    with pytest.raises(EngineError, match="ads: the store of its checkpoint s3a://stuck/ads does not answer"):
        ours.take("ads", stuck, "r1")


class Halves(StoredFiles):
    """A store of which a reader sees what is half written."""

    def __init__(self, prefix: str) -> None:
        super().__init__(prefix)
        self.writes = Event()
        self.goes_on = Event()
        self.goes_on.set()

    def write(self, name: str, content: str | bytes) -> None:
        if not self.goes_on.is_set():
            super().write(name, "")
            self.writes.set()
            assert self.goes_on.wait(patience_s())
        super().write(name, content)


def test_a_start_takes_what_its_own_beat_has_half_written_for_its_own() -> None:
    files, ours = Halves("s3a://bucket/ads"), Owners(answers_within_s=patience_s())
    ours.take("ads", files, "r1")
    files.goes_on.clear()
    beat, start = Thread(target=ours.beat, daemon=True), Thread(target=lambda: started.append(began(ours, files, "r1")))
    started: list[bool] = []
    beat.start()
    assert files.writes.wait(patience_s())
    start.start()
    files.goes_on.set()
    start.join(patience_s())
    beat.join(patience_s())
    assert (started, beats(files)) == ([True], 1)


@pytest.mark.parametrize("half", ["", '{"version": 1, "run"'])
def test_who_is_seen_while_it_writes_is_alive_and_named(half: str) -> None:
    time, files = Time(), store()
    driver(time).take("ads", files, "r1")
    time.meanwhile = partial(files.write, OWNER_FILE, half)
    ours = driver(time)
    with pytest.raises(WatchedError) as watched:
        ours.take("ads", files, "r2")
    with pytest.raises(EngineError, match=r"the driver of run r1 on .* is alive"):
        ours.wait(watched.value)


class Broken(StoredFiles):
    """A store that may be away."""

    away = False

    def exists(self, name: str) -> bool:
        if self.away:
            raise OSError("503 slow down")
        return super().exists(name)


def test_a_store_that_is_away_is_told_once_and_its_query_runs_on(caplog: pytest.LogCaptureFixture) -> None:
    files, query, ours = Broken("s3a://bucket/ads"), Query(), driver(Time())
    ours.take("ads", files, "r1")
    ours.runs(files, query)
    files.away = True
    for _ in range(3):
        ours.beat()
    assert [record.levelno for record in caplog.records] == [logging.WARNING]
    with pytest.raises(EngineError, match=r"s3a://bucket/ads cannot be read or written .*503 slow down"):
        ours.take("ads", files, "r1")
    files.away = False
    ours.beat()
    assert beats(files) == 1
    assert not query.stopped.is_set()


@pytest.mark.parametrize("order", list(permutations(["take r1", "take r2", "beat r1", "beat r2"])))
def test_in_whatever_order_two_drivers_come_and_beat_one_has_the_checkpoint(order: tuple[str, ...]) -> None:
    time, files = Time(), store()
    drivers = {"r1": driver(time), "r2": driver(time)}

    def beat() -> None:
        for one in drivers.values():
            one.beat()

    time.meanwhile = beat
    went = []
    for deed, run in (one.split() for one in order):
        if deed == "take" and began(drivers[run], files, run):
            went.append(run)
        drivers[run].beat()
    first = next(one.split()[1] for one in order if one.startswith("take"))
    assert went == [first]
    assert (owner_of(files) or Owner("", "", "")).run == first


class Turns:
    """Two threads that do one thing each in the order that is given; who is alone goes on as it likes."""

    def __init__(self, order: list[int]) -> None:
        self._order = order
        self._changed = Condition()
        self._ended: set[int] = set()

    def wait(self, who: int) -> None:
        with self._changed:
            assert self._changed.wait_for(lambda: self._may(who), patience_s())
            self._order[:1] = []
            self._changed.notify_all()

    def end(self, who: int) -> None:
        with self._changed:
            self._ended.add(who)
            self._changed.notify_all()

    def _may(self, who: int) -> bool:
        while self._order and self._order[0] in self._ended:
            self._order.pop(0)
        return not self._order or self._order[0] == who


class InTurns(StoredFiles):
    """What one of two takers sees of the store."""

    def __init__(self, files: StoredFiles, turns: Turns, who: int) -> None:
        super().__init__(files.location, files._objects)
        self._turns, self._who = turns, who

    def load(self, name: str) -> bytes:
        self._turns.wait(self._who)
        return super().load(name)

    def write(self, name: str, content: str | bytes) -> None:
        self._turns.wait(self._who)
        super().write(name, content)

    def create(self, name: str, content: str | bytes) -> bool:
        """Of a store that cannot: it looks, and writes."""
        if self.exists(name):
            return False
        self.write(name, content)
        return True


@given(st.lists(st.integers(0, 1), max_size=40), st.booleans(), st.booleans())
def test_two_that_take_at_the_same_time_end_with_one_whatever_comes_between(
    order: list[int], dead: bool, reverse: bool
) -> None:
    files, turns = store(), Turns(order)
    if dead:
        driver(Time()).take("ads", files, "r0")
    drivers = [driver(Time()), driver(Time())]
    queries = [Query("q0"), Query("q1")]

    def start(who: int) -> None:
        mine = InTurns(files, turns, who)
        with suppress(EngineError):
            if began(drivers[who], mine, f"r{who + 1}"):
                drivers[who].runs(mine, queries[who])
                went.append(who)
        turns.end(who)

    went: list[int] = []
    threads = [Thread(target=start, args=(who,), daemon=True) for who in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(patience_s())
    assert went
    for one in reversed(drivers) if reverse else drivers:
        one.beat()
    assert len([who for who in went if drivers[who].why_stopped(f"q{who}") is None]) == 1
