"""A driver's pulse: whether its JVM answers, and a file whose age says whether all of it is alive."""

import os
import shutil
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from queue import Queue
from threading import Event, Thread

import pytest

from penstock.engines.hand import Hand
from penstock.errors import ConfigError
from penstock.governing.pulse import Heart, Motion, Pulse, check_heartbeat
from tests.patience import patience_s


@dataclass(slots=True)
class Jvm:
    """Answers when the test says so; `asked` tells that it was asked."""

    asked: "Queue[None]" = field(default_factory=Queue)
    answers: "Queue[Exception | None]" = field(default_factory=Queue)
    now_s: float = 0.0

    def ping(self) -> None:
        self.asked.put(None)
        error = self.answers.get(timeout=patience_s())
        if error is not None:
            raise error

    def pause(self, over: Event, seconds: float) -> bool:
        return over.is_set()


@pytest.fixture
def jvm() -> Jvm:
    return Jvm()


@pytest.fixture
def pulse(jvm: Jvm) -> Iterator[Pulse]:
    made = Pulse(jvm.ping, lambda: jvm.now_s, jvm.pause)
    made.start()
    yield made
    made.stop()
    jvm.answers.put(None)


@pytest.mark.parametrize("answer", [None, ConnectionError("it is gone")])
def test_an_answer_is_owed_from_the_question_until_it_comes_whatever_it_is(
    jvm: Jvm, pulse: Pulse, answer: Exception | None
) -> None:
    jvm.asked.get(timeout=patience_s())
    jvm.now_s = 12.0
    assert pulse.silent_s() == 12.0
    jvm.answers.put(answer)
    jvm.asked.get(timeout=patience_s())  # it is asked again: the answer has come
    assert pulse.silent_s() == 0.0


@dataclass(slots=True)
class Driver:
    """A driver with a heart, and its clock."""

    file: Path
    now_s: float = 0.0

    def heart(self) -> Heart:
        return Heart(self.file, 300.0, lambda: self.now_s)

    def says(self, heart: Heart) -> str | None:
        """What the next beat writes."""
        self.file.unlink(missing_ok=True)
        heart.beat()
        return self.file.read_text().strip() if self.file.exists() else None


@pytest.fixture
def driver(tmp_path: Path) -> Driver:
    return Driver(tmp_path / "heartbeat")


def test_it_beats_while_it_starts_for_five_minutes_and_then_while_it_is_well(driver: Driver) -> None:
    heart, well = driver.heart(), [True]
    assert driver.says(heart) == "starting"
    driver.now_s = 301.0
    assert driver.says(heart) is None
    heart.governed_by(lambda: well[0])
    assert driver.says(heart) == "governing"
    well[0] = False
    assert driver.says(heart) is None
    heart.governed_by(None)  # another application is started
    assert driver.says(heart) == "starting"


def test_a_driver_that_is_well_shows_it_also_where_nothing_can_be_written(driver: Driver) -> None:
    # Its supervisor would end all its tenants after 40 s of a full disk, or of no descriptor left.
    heart = driver.heart()
    heart.beat()
    os.utime(driver.file, ns=(1, 1))
    driver.file.with_name("heartbeat.new").mkdir()  # in its way
    heart.beat()
    assert driver.file.stat().st_mtime_ns > 1


def test_a_driver_that_is_well_shows_it_also_where_somebody_clears_the_folder_of_its_file(tmp_path: Path) -> None:
    # As with /tmp: a file that is gone counts as silence, and a driver's last one would be its last sign of life.
    place = tmp_path / "penstock-1"
    place.mkdir()
    heart = Driver(place / "heartbeat").heart()
    heart.beat()
    shutil.rmtree(place)
    heart.beat()
    assert (place / "heartbeat").read_text() == "starting\n"


def test_a_heartbeat_takes_the_place_of_no_device(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(ConfigError, match="--heartbeat"):
        check_heartbeat(tmp_path / "pipe", "--heartbeat")
    check_heartbeat(tmp_path / "heartbeat", "--heartbeat")


def test_a_driver_that_ends_leaves_no_file_that_grows_old(driver: Driver) -> None:
    heart = driver.heart()
    heart.beat()
    heart.stop()
    assert not driver.file.exists()


def test_a_loop_that_waits_for_a_hand_moves_on_and_one_that_hangs_elsewhere_does_not(jvm: Jvm) -> None:
    def takes_long() -> None:
        jvm.now_s += 30.0

    motion = Motion(lambda: jvm.now_s)
    motion.begins()
    takes_long()
    assert motion.still_s() == 30.0
    motion.goes_on()
    assert motion.still_s() == 0.0
    takes_long()
    Hand(pause=motion.awaits).do("acting", lambda: None, 60.0)
    assert motion.still_s() == 0.0


def test_what_other_threads_wait_for_says_nothing_of_the_loop(jvm: Jvm) -> None:
    motion = Motion(lambda: jvm.now_s)
    loop = Thread(target=motion.begins)
    loop.start()
    loop.join()
    jvm.now_s = 30.0
    Hand(pause=motion.awaits).do("a user's look at the jobs", lambda: None, 60.0)
    assert motion.still_s() == 30.0
