"""Thinned figures: kept slices tell the same as the store does, however the run grew."""

from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from penstock.store import slices
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


def up_to(end: list[int], asked: list[int]) -> Callable[[int], list[Slice]]:
    """Slices of a run that has come so far."""

    def fetch(first: int) -> list[Slice]:
        asked.append(first)
        return [Slice(number, "ads", 10.0 * number, (1.0,)) for number in range(first, end[0])]

    return fetch


def test_of_a_stretch_that_moves_on_with_its_run_no_more_is_kept_than_may(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(slices, "MOST", 100)
    kept, end = Slices(), [20]
    for end[0] in range(20, 2_000):
        found = kept.since("a", end[0] - 15, up_to(end, []))
        assert [one.number for one in found] == list(range(end[0] - 15, end[0]))
        kept.since("b", end[0] - 5, up_to(end, []))
    assert sum(len(known.slices) for known in kept._known.values()) <= 100


def test_one_answer_that_is_larger_is_kept_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(slices, "MOST", 100)
    kept, asked = Slices(), list[int]()
    kept.since("a", 0, up_to([20], []))
    for _ in range(2):
        assert len(kept.since("b", 0, up_to([500], asked))) == 500
    assert (asked, list(kept._known)) == ([0, 499], ["b"])


def test_what_lies_between_two_stretches_that_were_asked_for_is_not_read() -> None:
    kept, asked, end = Slices(), list[int](), [5]
    for end[0], first in ((5, 0), (1_000, 990), (1_001, 990)):
        assert [one.number for one in kept.since("a", first, up_to(end, asked))] == list(range(first, end[0]))
    assert asked == [0, 990, 999]


def test_a_run_in_the_place_of_one_that_is_gone_has_no_figures_of_that(tmp_path: Path) -> None:
    kept, path = Slices(), tmp_path / "runs.sqlite"
    for number, utility in enumerate((3.0, 30.0)):
        with closing(open_store(path)) as store:
            run = store.begin(replace(RUN, id=f"demo-{number}"))
            for at_s in range(40):
                store.append(a_cycle(float(at_s), a_view(float(at_s), (a_job("ads", utility),))))
            totals = Gallery(store.database, run.id, kept).totals(Stretch(points=7))
        assert set(totals.values["utility"]) == {utility}
        path.unlink()
