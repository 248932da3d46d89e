"""A tenants file that is watched: however it changes, what can be is taken over, and what cannot is said once."""

import os
import subprocess
import time
from collections.abc import Callable
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest

from penstock.config.checking import CheckOptions
from penstock.config.tenants import read_tenants
from penstock.core.asked.budget import Budget
from penstock.core.asked.hours import Hours
from penstock.core.asked.price import Price
from penstock.core.seen.states import State, state_of
from penstock.engines.spark.application.shares import PoolShare
from penstock.engines.spark.engine import SparkEngine
from penstock.engines.spark.fake import FakeSpark
from penstock.engines.spark.jobs.job import Job
from penstock.governing.controller import Controller
from penstock.governing.governed import Governed
from penstock.governing.remembering import remember
from penstock.governing.watching import TenantsWatch
from penstock.loop import LoopSettings
from penstock.store.gallery import Gallery
from penstock.store.open import open_store
from tests.governing.to_two import ToTwo
from tests.patience import eventually

FILE = """jobs:
  - name: ads
    job: tests.governing.tenant_jobs:quick
    intent: {latency: 2s}
    max_slots: 4
"""
FASTER = FILE.replace("2s", "1s")


class Watched:
    """A file, what watches it, and what that said."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.said: list[str] = []
        self.watch = TenantsWatch(path, read_tenants(path), CheckOptions(), lambda file: ToTwo(), self.said.append)

    def looks(self) -> list[float]:
        """What mean latency is wanted of ads after each of three looks that took something over."""
        found = [self.watch.look() for _ in range(3)]
        return [renewal.intents["ads"].objectives[0].target_s for renewal in found if renewal is not None]  # type: ignore[union-attr]


@pytest.fixture
def watched(tmp_path: Path) -> Watched:
    path = tmp_path / "tenants.yaml"
    path.write_text(FILE)
    found = Watched(path)
    assert found.looks() == []
    return found


def saved_in_place(path: Path) -> None:
    path.write_text(FASTER)


def renamed(path: Path) -> None:
    new = path.with_suffix(".swp")
    new.write_text(FASTER)
    os.utime(new, (1.0, 1.0))  # a file from a backup is older than what it replaces
    new.rename(path)


@pytest.mark.parametrize("change", [saved_in_place, renamed])
def test_a_file_that_an_editor_saves_is_taken_over_once(watched: Watched, change: Callable[[Path], None]) -> None:
    change(watched.path)
    assert watched.looks() == [1.0]
    assert watched.looks() == []
    assert watched.said == ["tenants.yaml: taken over: ads: intent latency 2 -> latency 1"]


def test_a_budget_hours_and_an_excluded_period_are_taken_over_while_it_runs(watched: Watched) -> None:
    with_all = FILE.replace("{latency: 2s}", "{latency: 2s, hours: {from: 06:00, to: 20:00}}") + (
        "    budget: {keep: 99%}\nexcluded: [{from: 2026-12-24, to: 2026-12-25, why: the move}]\n"
    )
    watched.path.write_text(with_all)
    (renewal,) = [found for found in (watched.watch.look() for _ in range(3)) if found is not None]
    intent = renewal.intents["ads"]
    assert intent.budget == Budget(0.99)
    assert [one.why for one in intent.excluded] == ["the move"]
    assert intent.objectives[0].hours == Hours.of("06:00", "20:00")


def test_a_link_that_is_turned_to_another_folder_is_followed(tmp_path: Path) -> None:
    for name, text in (("..1", FILE), ("..2", FASTER)):  # as a mounted config map has it
        (tmp_path / name).mkdir()
        (tmp_path / name / "tenants.yaml").write_text(text)
    (tmp_path / "..data").symlink_to("..1")
    (tmp_path / "tenants.yaml").symlink_to("..data/tenants.yaml")
    watched = Watched(tmp_path / "tenants.yaml")
    assert watched.looks() == []
    (tmp_path / "..data_tmp").symlink_to("..2")
    (tmp_path / "..data_tmp").rename(tmp_path / "..data")
    assert watched.looks() == [1.0]


def test_a_commit_that_is_checked_out_is_taken_over(tmp_path: Path) -> None:
    def git(*words: str) -> None:
        who = ["-c", "user.name=a", "-c", "user.email=a@b", "-c", "init.defaultBranch=main"]
        subprocess.run(["git", *who, *words], cwd=tmp_path, check=True, capture_output=True)

    path = tmp_path / "tenants.yaml"
    git("init")
    for text in (FILE, FASTER):
        path.write_text(text)
        git("add", "tenants.yaml")
        git("commit", "-m", "intents")
    git("checkout", "HEAD~1")
    watched = Watched(path)
    assert watched.looks() == []
    git("checkout", "main")
    assert watched.looks() == [1.0]


def test_half_of_a_file_is_not_believed(watched: Watched) -> None:
    whole = FASTER.replace("    max_slots: 4\n", "    max_slots: 3\n")
    for end in range(len(whole) - 20, len(whole)):  # cut before its end it is a right file, with other limits
        watched.path.write_text(whole[:end])
        assert watched.watch.look() is None
    assert watched.said == []
    watched.path.write_text(whole)
    assert watched.looks() == [1.0]


def test_a_file_without_an_end_is_read_no_further_than_files_are(watched: Watched) -> None:
    watched.path.unlink()
    watched.path.symlink_to("/dev/zero")
    assert watched.looks() == []
    (said,) = watched.said
    assert "give a file of at most 1,024 KiB" in said


def test_a_wrong_file_is_told_once_with_its_place_and_what_held_holds(watched: Watched) -> None:
    watched.path.write_text(FASTER.replace("max_slots", "max_slot"))
    assert watched.looks() + watched.looks() == []
    (said,) = watched.said
    assert f"not taken over: {watched.path}:5:5: jobs.ads.max_slot: 4 cannot be used" in said
    assert said.endswith("what was wanted before holds")
    watched.path.write_text(FASTER)
    assert watched.looks() == [1.0]


def test_a_file_that_is_gone_is_told_once_and_heard_again_when_it_is_back(watched: Watched) -> None:
    watched.path.unlink()
    assert watched.looks() == []
    assert len(watched.said) == 1
    watched.path.write_text(FASTER)
    assert watched.looks() == [1.0]


def test_what_is_not_taken_over_is_said_again_only_where_it_is_something_else(watched: Watched) -> None:
    watched.path.write_text("master: local[8]\n" + FILE)
    assert watched.looks() == []
    watched.path.write_text("master: local[8]\n" + FASTER)
    assert watched.looks() == [1.0]
    assert [text for text in watched.said if "not taken over" in text] == [
        "tenants.yaml: not taken over: master local[*] -> local[8] takes effect after a restart: this run continues "
        "with local[*]"
    ]


def test_a_run_keeps_its_budget_by_the_calendar_and_rests_once_the_file_excludes_now(
    watched: Watched, tmp_path: Path
) -> None:
    fake, place = FakeSpark(slots=4), tmp_path / "runs.sqlite"
    settings = LoopSettings(interval_s=0.05)
    intent = watched.watch.running.asked()["ads"]
    kept = remember(place, fake, "shop", "to two", settings)
    governed = Governed({"ads": intent}, ToTwo(), kept, settings, look=watched.watch.look)
    with Controller(SparkEngine(fake, [Job("ads")], clocks=fake.clocks), governed) as controller:
        fake.start_foreign("ads")
        now = time.time()
        periods = f"excluded: [{{from: {_instant(now - 3600.0)}, to: {_instant(now + 3600.0)}, why: the move}}]"
        watched.path.write_text(f"{periods}\n{FILE}    budget: {{keep: 99%}}\n")
        eventually(lambda: [state_of(view.job("ads")) for view in controller.views][-1:] == [State.RESTING])
        found = controller.views[-1].job("ads")
    assert found.intent.text() == "nothing now (the move)"
    assert found.window is not None
    assert found.window.idle > 0
    assert abs(found.window.from_s - now) < 900.0
    assert controller.error is None


def _instant(at_epoch_s: float) -> str:
    return datetime.fromtimestamp(at_epoch_s, UTC).isoformat()


def test_a_run_goes_by_its_file_from_the_next_round_on(watched: Watched, tmp_path: Path) -> None:
    fake, place = FakeSpark(slots=4), tmp_path / "runs.sqlite"
    tenants, settings = watched.watch.running, LoopSettings(interval_s=0.05)
    job = Job("ads", limits=tenants.jobs[0].limits(), slots=4)
    governed = Governed(
        tenants.asked(),
        ToTwo(),
        remember(place, fake, "shop", "to two", settings),
        settings,
        look=watched.watch.look,
    )
    with Controller(SparkEngine(fake, [job], clocks=fake.clocks), governed) as controller:
        fake.start_foreign("ads")
        eventually(lambda: fake.pools.share("ads") == PoolShare(2, 2))
        one_slot = FASTER.replace("max_slots: 4", "max_slots: 1")
        watched.path.write_text(f"price: {{slot_hour: 0.05, currency: EUR}}\n{one_slot}")
        eventually(lambda: fake.pools.share("ads") == PoolShare(1, 1))
        eventually(lambda: controller.views[-1].job("ads").intent.text() == "mean latency <= 1s")
        deeds = eventually(lambda: [deed.text for view in controller.views for deed in view.deeds])
        assert "ads: max_slots 4 -> 1" in deeds
        assert controller.views[-1].job("ads").figures.max_threads == 1
        assert controller.views[-1].slot_price == Price(0.05, "EUR")
    with closing(open_store(place, create=False)) as store:
        assert Gallery(store.database, fake.application).info.price == Price(0.05, "EUR")
    assert controller.error is None
