"""Thinned figures: kept slices tell the same as the store does, however the run grew."""

from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from penstock.store.gallery import Gallery
from penstock.store.open import open_store
from penstock.store.slices import Slice, Slices
from penstock.store.sql import SqlStore
from penstock.store.thinning import Stretch
from tests.recorded import RUN, a_cycle, a_job, a_view

STRETCHES = (Stretch(points=7), Stretch(from_s=40.0, points=7), Stretch(to_s=90.0, points=7), Stretch(points=3))


def grown(store: SqlStore, at_s: float) -> None:
    job = a_job("ads", utility=at_s % 35.0, threads=1 + int(at_s) % 4)
    store.append(a_cycle(at_s, a_view(at_s, (job,))))


def told(store: SqlStore, stretch: Stretch, kept: Slices | None = None) -> tuple[object, object]:
    gallery = Gallery(store.database, RUN.id, kept)
    return gallery.totals(stretch), gallery.jobs(stretch)


STEPS = st.lists(st.tuples(st.floats(0.1, 30.0), st.none() | st.sampled_from(STRETCHES)), min_size=12, max_size=40)


@settings(max_examples=8, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(STEPS)
def test_what_was_kept_while_a_run_grew_is_what_the_store_tells_afterwards(
    tmp_path_factory: pytest.TempPathFactory, steps: list[tuple[float, Stretch | None]]
) -> None:
    tells_the_same(tmp_path_factory, steps)


@pytest.mark.long
@settings(max_examples=100, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(STEPS)
def test_so_it_is_in_many_runs(
    tmp_path_factory: pytest.TempPathFactory, steps: list[tuple[float, Stretch | None]]
) -> None:
    tells_the_same(tmp_path_factory, steps)


def tells_the_same(tmp_path_factory: pytest.TempPathFactory, steps: list[tuple[float, Stretch | None]]) -> None:
    kept, at_s = Slices(), 0.0
    with closing(open_store(tmp_path_factory.mktemp("runs") / "runs.sqlite")) as store:
        store.begin(RUN)
        for step_s, looked_at in steps:
            at_s += step_s
            grown(store, at_s)
            # Somebody looks at one stretch now and then; looking at all of them every time hid what grows in between.
            if looked_at is not None:
                assert told(store, looked_at, kept) == told(store, looked_at)
        assert [told(store, stretch, kept) for stretch in STRETCHES] == [told(store, stretch) for stretch in STRETCHES]


def test_an_announced_cycle_is_replaced_by_the_one_that_was_carried_out(tmp_path: Path) -> None:
    kept = Slices()
    with closing(open_store(tmp_path / "runs.sqlite")) as store:
        store.begin(RUN)
        for number in range(20):
            store.announce(a_cycle(10.0 * number, a_view(10.0 * number, (a_job("ads", utility=1.0),))))
            Gallery(store.database, RUN.id, kept).jobs(Stretch(points=5))
            grown(store, 10.0 * number)
        assert told(store, Stretch(points=5), kept) == told(store, Stretch(points=5))


def test_the_slice_that_is_not_over_is_fetched_again() -> None:
    kept, world = Slices(), [Slice(0, "ads", 0.0, (1.0,)), Slice(1, "ads", 10.0, (1.0,))]
    asked: list[int] = []

    def fetch(number: int) -> list[Slice]:
        asked.append(number)
        return [found for found in world if found.number >= number]

    kept.since("totals", 0, fetch)
    world[1:] = [Slice(1, "ads", 10.0, (0.5,)), Slice(2, "ads", 20.0, (1.0,))]
    assert kept.since("totals", 0, fetch) == world
    assert asked == [0, 1]
