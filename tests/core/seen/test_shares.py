"""Weight, share and cores are told apart."""

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from penstock.core.seen.figures import OperatorFigures
from penstock.core.seen.shares import Pool, pool_of, shares_of, slot_share
from penstock.core.seen.view import JobView, View
from tests.recorded import a_job, a_view


def pooled(name: str, weight: int, **more: float) -> JobView:
    """A job whose operators share a pool of slots."""
    plain = a_job(name)
    unit = OperatorFigures("*", weight, **more)  # type: ignore[arg-type]
    return replace(plain, figures=replace(plain.figures, operators=(unit,)))


def on_eight_slots(*jobs: JobView) -> View:
    return replace(a_view(0.0, jobs), max_threads=8)


def test_weights_beyond_the_slots_stand_for_their_part_of_them() -> None:
    shares = shares_of(on_eight_slots(pooled("ads", 5), pooled("fraud", 6)))
    assert [round(share.slots or 0.0, 2) for share in shares.values()] == [3.64, 4.36]  # 8 * 5/11 and 8 * 6/11
    assert shares["ads"].pool == Pool(8, {"ads": 5, "fraud": 6})


def test_weights_within_the_slots_stand_for_themselves() -> None:
    shares = shares_of(on_eight_slots(pooled("ads", 2), pooled("fraud", 3)))
    assert [share.slots for share in shares.values()] == [2.0, 3.0]


def test_slots_that_operators_hold_for_themselves_are_not_shared() -> None:
    shares = shares_of(on_eight_slots(pooled("ads", 5), a_job("live", threads=4)))
    assert (shares["ads"].slots, shares["live"].slots, shares["live"].threads) == (4.0, None, 4)


def test_how_busy_a_share_is_and_the_cores_used_are_figures_of_their_own() -> None:
    # 2 of 8 slots, busy 2.5 times that: 5 slots were used; its tasks were on 1.9 cores.
    (ads, _) = shares_of(on_eight_slots(pooled("ads", 2, capacity=2.5, cores=1.9), pooled("fraud", 6))).values()
    assert (ads.slots, ads.busy, ads.used_slots, ads.cores) == (2.0, 2.5, 5.0, 1.9)


def test_cores_are_derived_from_the_share_of_time_where_nobody_counted_them() -> None:
    (ads, _) = shares_of(on_eight_slots(pooled("ads", 2, cpu_share=0.5), pooled("fraud", 6))).values()
    assert (ads.busy, ads.cores) == (None, 1.0)  # half of the time of 2 slots


@given(st.lists(st.integers(1, 50), min_size=1, max_size=8), st.integers(1, 64))
def test_shares_are_no_more_than_the_slots(weights: list[int], slots: int) -> None:
    assert sum(slot_share(weight, sum(weights), slots) for weight in weights) <= slots + 1e-9


def test_where_nobody_tells_how_many_slots_there_are_a_weight_stays_a_weight() -> None:
    blind = replace(a_view(0.0, [pooled("ads", 5)]), max_threads=None, machines=())
    assert pool_of(blind) == Pool(None, {"ads": 5})
    assert shares_of(blind)["ads"].slots is None
