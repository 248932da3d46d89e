"""What a driver's rounds leave behind in its Python, over the real engine's own code and a fake application.

What its JVM leaves behind only a soak tells: benchmarks/soak.py.
"""

import gc
import tracemalloc
from collections.abc import Callable, Iterator
from contextlib import closing
from functools import partial
from itertools import count, islice
from pathlib import Path

import pytest

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

ROUND_S = 5.0
ROUNDS_OF_A_DAY = 24 * 3600 / ROUND_S
IN_A_DAY_MIB = 64.0
WARM_ROUNDS, ROUNDS = 40, 80
NAMES = ("ads", "clicks", "fraud", "orders")
# In turns, so that all go from what it can do to what it cannot and back.
ROWS = (200, 400, 900, 300)


@pytest.fixture
def rounds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[int], None]]:
    """Lets so many rounds pass under the default policy, recorded in a database."""
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

        yield pass_rounds
    opened.close()


def test_what_rounds_leave_behind_comes_to_less_than_64_mib_in_a_day(rounds: Callable[[int], None]) -> None:
    rounds(WARM_ROUNDS)
    tracemalloc.start()
    try:
        before, after = (held_after(partial(rounds, ROUNDS)) for _ in range(2))
    finally:
        tracemalloc.stop()
    assert (after - before) / ROUNDS * ROUNDS_OF_A_DAY < IN_A_DAY_MIB * 2**20


def held_after(pass_rounds: Callable[[], None]) -> int:
    """Bytes that Python holds then of what it took since it is traced."""
    pass_rounds()
    gc.collect()
    return tracemalloc.get_traced_memory()[0]
