"""What was learnt, and of whom too little."""

import pytest

from penstock.planning.arbiter.costs import JobCosts
from penstock.planning.arbiter.learning import untold
from tests.planning.arbiter.fleets import fleet, job


@pytest.mark.parametrize(
    ("batches", "ended_s", "took_s", "awaited"),
    [
        (2, 9.0, 3.0, True),  # its next batch ends at 12 s or so
        (1, 9.0, 3.0, True),
        (3, 9.0, 3.0, False),
        (2, 4.0, 3.0, False),  # it should have ended at 7 s: it is slow now
        (2, 9.0, 9.0, False),  # it ends at 18 s at the earliest
    ],
)
def test_a_next_batch_is_awaited_of_whom_one_batch_tells_and_for_seconds_only(
    batches: int, ended_s: float, took_s: float, awaited: bool
) -> None:
    known = {"a": JobCosts(batches, ended_s=ended_s, took_s=took_s), "b": JobCosts(10, ended_s=9.5, took_s=0.5)}
    both = fleet(job("a", 40.0), job("b", 40.0))
    assert untold(both, known, 10.0).tolist() == [awaited, False]
    assert untold(both.of_shares_alone, known, 10.0).tolist() == [False, False]
