"""A run is recorded, and a controller started again goes on from it."""

import time
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import penstock as ps
from penstock.core.plan import Plan
from penstock.core.seen.view import View
from penstock.engines.spark.fake import FakeSpark
from penstock.governing.remembering import Remembering, remember
from penstock.loop import LoopSettings
from penstock.store.open import open_store
from tests.patience import eventually
from tests.recorded import RUN, a_cycle

INTENT = ps.Intent(ps.Juice(0.9))


class Counting:
    """Does nothing but count its rounds, in its memory."""

    name = "counting"

    def __init__(self) -> None:
        self.remembered: list[int] = []
        self.at_s: list[float] = []

    def start(self) -> int:
        return 0

    def decide(self, view: View, memory: int) -> tuple[Plan, int]:
        self.remembered.append(memory)
        self.at_s.append(view.at_s)
        return Plan(note=f"round {memory}"), memory + 1


def three_rounds(policy: Counting) -> None:
    eventually(lambda: len(policy.remembered) > 2 or None)


def test_a_controller_started_again_goes_on_with_memory_and_clock(tmp_path: Path) -> None:
    place = tmp_path / "runs.sqlite"
    before, after = Counting(), Counting()
    for policy in (before, after):
        with ps.govern(FakeSpark(), {"ads": INTENT}, policy, store=place, interval=0.2):
            three_rounds(policy)
    assert after.remembered[0] == before.remembered[-1] + 1
    assert after.at_s[0] > before.at_s[-1]


def test_what_was_seen_and_said_can_be_read_back(tmp_path: Path) -> None:
    place = tmp_path / "runs.sqlite"
    policy = Counting()
    with ps.govern(FakeSpark(), {"ads": INTENT}, policy, store=place, interval=0.2) as g:
        three_rounds(policy)
        assert g.remembering is not None
        assert g.remembering.place == str(place)
    store = open_store(place, create=False)
    run = store.read_run("fake")
    store.close()
    assert len(run.at_s) == len(policy.remembered)
    assert [job.name for job in run.jobs] == ["ads"]


def test_a_store_that_cannot_be_written_does_not_stop_governing(tmp_path: Path) -> None:
    policy = Counting()
    (tmp_path / "file").write_text("not a directory")
    with ps.govern(FakeSpark(), {"ads": INTENT}, policy, store=tmp_path / "file" / "runs.sqlite", interval=0.2) as g:
        three_rounds(policy)
    assert g.error is None


def test_none_remembers_nothing_beyond_the_process() -> None:
    with ps.govern(FakeSpark(), {"ads": INTENT}, Counting(), store=None, interval=0.2) as g:
        assert g.remembering is None


def test_a_run_goes_on_after_its_newest_cycle_also_when_the_clock_was_set_back(tmp_path: Path) -> None:
    place, in_an_hour = tmp_path / "runs.sqlite", time.time() + 3600.0
    with closing(open_store(place)) as store:
        store.begin(replace(RUN, started_at_s=in_an_hour))
        store.append(a_cycle(500.0))
    assert remembered(place).already_s == 500.0


def test_a_run_whose_store_is_away_is_as_old_as_whoever_watches_over_it_knows(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("not a directory")
    before_s = time.time() - 700.0
    away = remembered(tmp_path / "file" / "runs.sqlite", age_s=700.0)
    assert before_s <= away.began_epoch_s <= time.time() - away.already_s + 1e-3
    assert away.already_s >= 700.0
    assert remembered(tmp_path / "runs.sqlite", age_s=700.0).already_s < 100.0  # this one can say


def remembered(place: Path, age_s: float = 0.0) -> Remembering:
    """What a driver finds that goes on with the run."""
    spark = FakeSpark(application=RUN.id)
    found = remember(place, spark, "shop", "henge", LoopSettings(), RUN.id, age_s)
    assert found is not None
    found.store.close()
    return found
