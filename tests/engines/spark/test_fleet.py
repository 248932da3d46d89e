"""The fleet when the cluster gives fewer slots than the jobs have."""

from penstock.engines.spark.fleet import Fleet
from penstock.engines.spark.jobs import Job
from penstock.engines.spark.shares import SlotLimits


def fleet(**threads: int) -> Fleet:
    made = Fleet([Job(name, limits=SlotLimits(min_slots=2 if name == "kept" else 1)) for name in threads], 60.0)
    for track in made:
        track.threads = threads[track.job.name]
    return made


def test_who_has_most_gives_first() -> None:
    found = fleet(a=6, b=3, c=1)
    found.fit(6)
    assert {track.job.name: track.threads for track in found} == {"a": 3, "b": 2, "c": 1}


def test_nobody_goes_below_what_was_promised() -> None:
    found = fleet(kept=4, other=1)
    found.fit(1)
    assert {track.job.name: track.threads for track in found} == {"kept": 2, "other": 1}


def test_what_fits_is_left_alone() -> None:
    found = fleet(a=2, b=2)
    found.fit(4)
    assert [track.threads for track in found] == [2, 2]
