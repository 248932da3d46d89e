"""What a controller keeps in its own memory, however many jobs it governs and for how long."""

import itertools
import tracemalloc
from collections.abc import Sequence

import pytest

from penstock.governing import recorder
from penstock.governing.recorder import Recorder
from tests.recorded import a_cycle, a_job, a_view


def kept(recorded: Recorder) -> Sequence[float]:
    return [view.at_s for view in recorded.views]


def test_views_are_kept_for_as_many_jobs_together_as_there_is_room_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recorder, "_KEPT_JOBS", 60)
    recorded = Recorder(None)
    many = [a_job(f"job{number}") for number in range(20)]
    for at_s in range(10):
        recorded.append(a_cycle(float(at_s), a_view(float(at_s), many)))
    assert kept(recorded) == [0.0, 8.0, 9.0]
    going_on = Recorder(None, recorded)
    going_on.append(a_cycle(10.0, a_view(10.0, many)))
    assert kept(going_on) == [0.0, 9.0, 10.0]


def test_of_a_long_run_views_are_the_fewer_the_longer_ago(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recorder, "_KEPT_JOBS", 16)
    recorded = Recorder(None)
    for at_s in range(1000):
        recorded.append(a_cycle(float(at_s), a_view(float(at_s), [a_job("ads")])))
    found = kept(recorded)
    gaps = [later - earlier for earlier, later in itertools.pairwise(found)]
    assert (len(found), found[0], found[-1]) == (16, 0.0, 999.0)
    assert gaps[-7:] == [1.0] * 7
    assert max(gaps) == gaps[0]


def test_the_newest_view_is_kept_whatever_its_size(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recorder, "_KEPT_JOBS", 1)
    recorded = Recorder(None)
    for at_s in (0.0, 10.0):
        recorded.append(a_cycle(at_s))
    assert kept(recorded) == [10.0]


def test_views_of_a_day_of_20_jobs_take_less_than_16_mib() -> None:
    jobs = [a_job(f"job{number}") for number in range(20)]
    recorded = Recorder(None)
    for number in range(24 * 60 * 6):
        recorded.append(a_cycle(10.0 * number, a_view(10.0 * number, jobs)))  # every 10 s
    tracemalloc.start()
    try:
        views = [a_view(0.0, [a_job(f"job{number}") for number in range(20)]) for _ in range(10)]
        of_a_view = tracemalloc.get_traced_memory()[0] / len(views)
    finally:
        tracemalloc.stop()
    assert len(recorded.views) * of_a_view < 16 * 2**20
