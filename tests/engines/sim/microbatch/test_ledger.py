"""The juice of a window: from commit to commit, so that the batch in flight is no loss."""

import pytest

from penstock.engines.sim.microbatch.ledger import BatchEnd, Ledger, Totals

KEEP_S = 70.0


def ledger(*commits: tuple[float, int, int]) -> Ledger:
    """A job that started at 0 with these commits: (time, arrived by then, processed by then)."""
    result = Ledger(0.0)
    for at_s, arrived, processed in commits:
        result.commit(BatchEnd(at_s, 10, at_s - 2.0, at_s - 1.0, 0.5, arrived, processed), KEEP_S)
    return result


def juice(commits: Ledger, at_s: float, arrived: int, processed: int) -> float | None:
    flow = commits.flow(Totals(at_s, arrived, processed), window_s=60.0)
    return None if flow is None else flow.juice


def test_juice_is_processed_over_arrived_between_the_first_and_the_last_commit() -> None:
    commits = ledger((10.0, 1000, 900), (20.0, 2000, 1700))
    assert juice(commits, 25.0, 2500, 1700) == 0.8  # (1700 - 900) / (2000 - 1000)


def test_the_window_forgets_what_is_older_than_it() -> None:
    commits = ledger((5.0, 500, 100), (11.0, 1100, 200), (20.0, 2000, 1000), (65.0, 6500, 5500))
    assert juice(commits, 69.0, 6900, 5500) == pytest.approx((5500 - 100) / (6500 - 500))  # from 65 - 60 s on
    later = ledger((11.0, 1100, 200), (20.0, 2000, 1100), (71.0, 7100, 5600))
    assert juice(later, 72.0, 7200, 5600) == pytest.approx((5600 - 200) / (7100 - 1100))
    assert juice(later, 74.0, 7400, 5600) == pytest.approx((5600 - 200) / (7100 - 1100))


def test_a_window_that_begins_within_a_batch_has_a_part_of_its_rows() -> None:
    commits = ledger((0.0, 0, 0), (20.0, 2000, 1000), (70.0, 7000, 4000))
    # From 70 - 60 s on: by then half of the 1,000 rows that were committed at 20 s.
    assert juice(commits, 70.0, 7000, 4000) == pytest.approx((4000 - 500) / (7000 - 1000))


def test_a_backlog_worked_off_is_no_more_than_all() -> None:
    assert juice(ledger((10.0, 1000, 100), (20.0, 1100, 1100)), 20.0, 1100, 1100) == 1.0


def test_without_arrivals_nothing_is_lost() -> None:
    assert juice(ledger((10.0, 100, 100), (11.0, 100, 100)), 12.0, 100, 100) == 1.0


def test_a_batch_that_overstays_counts_against_the_job() -> None:
    commits = ledger((10.0, 1000, 1000), (20.0, 2000, 2000))
    assert juice(commits, 35.0, 3500, 2000) == 1.0  # one and a half times the ten seconds between the others
    assert juice(commits, 35.1, 3510, 2000) == pytest.approx(1000 / 2510)


@pytest.mark.parametrize("commits", [ledger(), ledger((5.0, 500, 400))])
def test_juice_is_unknown_until_two_commits_span_a_time(commits: Ledger) -> None:
    assert juice(commits, 90.0, 9000, 400) is None


def test_totals_are_those_of_the_newest_sample_by_then() -> None:
    samples = Ledger(0.0)
    for second in range(1, 200):
        samples.sample(Totals(float(second), 10 * second, 0), KEEP_S)
    assert samples.totals_at(150.5).arrived == 1500
    assert samples.totals_at(0.0).at_s == 129.0  # 199 - 70: what is older was let go
