"""What a driver's rounds leave behind in its Python, over the real engine's own code and a fake application.

What its JVM leaves behind only a soak tells: benchmarks/soak.py.
"""

import gc
import pickle
import tracemalloc
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from itertools import count, islice
from pathlib import Path
from typing import TypeVar

import pytest

from penstock.core.seen.view import View
from penstock.engines.spark.fake import FakeSpark
from penstock.engines.spark.jobs.job import Job
from penstock.engines.spark.settings import SparkSettings
from penstock.governing import recorder
from penstock.governing.recorder import Recorder
from penstock.loop import LoopSettings
from penstock.planning.registry import DEFAULT, policy_named
from penstock.running.session import Session
from penstock.store.open import open_store
from tests.engines.spark.rigs import FakeRig, Opened
from tests.recorded import RUN, URGENT

T = TypeVar("T")

ROUND_S = 5.0
ROUNDS_OF_A_DAY = 24 * 3600 / ROUND_S
IN_A_DAY_MIB, VIEWS_MIB = 64.0, 10.0
VIEWS_OF_JOBS = recorder._KEPT_JOBS
WARM_ROUNDS, ROUNDS = 40, 80
NAMES = ("ads", "clicks", "fraud", "orders")
# In a batch of each, ten rounds long; then the next.
ROWS = (200, 400, 900, 300)


@dataclass(frozen=True, slots=True)
class Driver:
    """Its record, and how to let so many rounds pass in it."""

    kept: Recorder
    pass_rounds: Callable[[int], None]


@pytest.fixture
def driver(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Driver]:
    """One that governs by the default policy, and records in a database."""
    monkeypatch.setattr(recorder, "_KEPT_JOBS", 100)  # full before anything is measured
    fake = FakeSpark(slots=8)
    rig = FakeRig(fake)
    opened = Opened(rig)
    engine = opened.engine(*(Job(name, rig.counting) for name in NAMES), settings=SparkSettings(30.0, lease_s=1e6))
    with closing(open_store(tmp_path / "runs.sqlite")) as store:
        store.begin(RUN)
        kept = Recorder(store)
        intents = dict.fromkeys(NAMES, URGENT)
        session = Session(lambda: intents, policy_named(DEFAULT), kept, LoopSettings(ROUND_S, go_on=False))
        loop, began_s = session.loop(engine), fake.now_s
        carried, numbers = loop.start(), count()

        def pass_rounds(many: int) -> None:
            nonlocal carried
            for number in islice(numbers, many):
                rows, waits = ROWS[number // 10 % len(ROWS)], number % 3 * 50
                for name in NAMES:  # each takes a second
                    fake.commit(name, rows, waits, took_s=0.5, busy_s=1.0)
                fake.pass_time(ROUND_S - len(NAMES))
                engine.tend()
                carried = loop.run_cycle(carried, fake.now_s - began_s)
                fake.stages.names.clear()  # which only the fake keeps

        yield Driver(kept, pass_rounds)
    opened.close()


def test_what_rounds_leave_behind_comes_to_less_than_64_mib_in_a_day(driver: Driver) -> None:
    driver.pass_rounds(WARM_ROUNDS)
    pass_more = partial(driver.pass_rounds, ROUNDS)
    before, after = traced(lambda: (held_after(pass_more), held_after(pass_more)))
    assert (after - before) / ROUNDS * ROUNDS_OF_A_DAY < IN_A_DAY_MIB * 2**20


def test_views_that_a_driver_keeps_for_notebooks_take_less_than_10_mib(driver: Driver) -> None:
    driver.pass_rounds(WARM_ROUNDS)
    view = pickle.dumps(driver.kept.views[-1])
    copies = list[View]()  # which share nothing
    of_a_view = traced(lambda: held_after(lambda: copies.extend(pickle.loads(view) for _ in range(10)))) / 10
    assert VIEWS_OF_JOBS / len(NAMES) * of_a_view < VIEWS_MIB * 2**20


def traced(found: Callable[[], T]) -> T:
    """What it finds while Python's memory is traced."""
    tracemalloc.start()
    try:
        return found()
    finally:
        tracemalloc.stop()


def held_after(done: Callable[[], object]) -> int:
    """Bytes that Python holds once it is done, of what it took since it is traced."""
    done()
    gc.collect()
    return tracemalloc.get_traced_memory()[0]
