"""A job for which much waits begins with small batches, as on Spark."""

from typing import Any

import numpy as np
import pytest

from penstock.core.levers import BatchBound
from penstock.core.plan import Step
from penstock.engines.sim.microbatch import MicroBatchEngine, MicroBatchFault, MicroBatchJob
from tests.engines.sim.microbatch.builders import a_job, an_engine, seen, waiting_stage

WAITING, SMALL = 100_000, 4_000  # rows at second 0; a thousand for each slot


def behind(**changed: Any) -> MicroBatchJob:
    """Its first batch opens when all of them are there."""
    arrivals = np.full(3600, 100.0)
    arrivals[0] = WAITING
    return a_job(stages=(waiting_stage(4, 0.001),), arrivals=arrivals, **changed)


def sizes(engine: MicroBatchEngine, until_s: float) -> list[int]:
    """Of its batches from the beginning on; an engine tells of the last few."""
    found: dict[int, int] = {}
    for at_s in range(round(until_s) + 1):
        found.update({batch.number: round(batch.rows) for batch in seen(engine, float(at_s)).batches})
    return [found[number] for number in sorted(found)]


def test_batches_grow_until_nothing_waits() -> None:
    engine = an_engine(behind(), small_first=True)
    first, second, third, *_ = found = sizes(engine, 60.0)
    assert (first, second) == (SMALL, SMALL)  # what the first one says comes into force after the second has opened
    assert 2 * SMALL < third <= 16 * SMALL
    assert sum(found) >= WAITING
    assert engine.rows("job").queued < SMALL


@pytest.mark.parametrize(
    ("job", "small_first"),
    [
        pytest.param(behind(), False, id="nobody asked"),
        pytest.param(behind(max_rows_per_batch=90_000), True, id="its own bound"),
    ],
)
def test_others_take_what_their_options_say(job: MicroBatchJob, small_first: bool) -> None:
    first, *_ = sizes(an_engine(job, small_first=small_first), 60.0)
    assert first >= 90_000


def test_what_a_policy_sets_meanwhile_stays() -> None:
    engine = an_engine(behind(), small_first=True)
    before = sizes(engine, 4.0)
    engine.apply([Step("job", (BatchBound("job", None, 500),))])
    after = sizes(engine, 20.0)
    assert set(after[len(before) + 1 :]) == {500}


def test_after_a_failure_batches_are_small_again() -> None:
    engine = an_engine(behind(restart_s=60.0), small_first=True, faults=(MicroBatchFault("job", 120.0, target="job"),))
    assert max(sizes(engine, 119.0)) > SMALL
    later = {batch.number: round(batch.rows) for batch in seen(engine, 185.0).batches if batch.ended_s > 180.0}
    assert max(later.values()) <= SMALL


def test_a_bound_that_is_given_back_is_loosened_batch_by_batch() -> None:
    engine = an_engine(behind(), small_first=True)
    engine.apply([Step("job", (BatchBound("job", None, 500),))])
    bounded = sizes(engine, 10.0)
    engine.apply([Step("job", (BatchBound("job", 500, None),))])
    found = sizes(engine, 60.0)[len(bounded) :]
    assert found[:2] == [500, 500]
    assert 500 < next(rows for rows in found if rows != 500) <= 16 * 500
