"""A PostgreSQL that is killed and started again under all who use it: each says so, none is green, nothing is lost."""

import os
import re
import signal
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from penstock.cli.screen import Screen
from penstock.core.asked.intents import Intent, Latency
from penstock.core.run import RunInfo
from penstock.governing.recorder import Recorder
from penstock.governing.remembering import Remembering, remembered
from penstock.local.postgres import PostgresFiles, postgres_files
from penstock.loop import Carried, Loop, LoopSettings
from penstock.store.open import open_store
from penstock.web.reading import Reader
from penstock.web.server import Site
from penstock.web.settings import WebSettings
from tests.cli.calling import penstock
from tests.faulty import Faults, FaultyEngine, FaultyPolicy
from tests.patience import eventually, patience_s
from tests.web import asking
from tests.web.browsing import PATIENCE_MS, OpenPage
from tests.web.screens import is_green, paths_of, text_of

expect.set_options(timeout=PATIENCE_MS)

pytestmark = [pytest.mark.server, pytest.mark.sockets]

PASSWORD = "s3cret-Wort"
RUN_ID = "application-7"
FEED = "api/live"  # goes on for as long as all is well
WELL = {name: Intent(Latency("5s", percentile=95, utility=35)) for name in ("ads", "fraud")}  # they have 3 s
# In the run's time, which is not ours: a sign of life counts for longer than the test lasts.
INTERVAL_S = patience_s()


@dataclass
class Governing:
    """A controller of whom the test says when its rounds are."""

    kept: Remembering
    now: float = 0.0
    carried: Carried | None = None
    loop: Loop = field(init=False)

    def __post_init__(self) -> None:
        parts = FaultyEngine(Faults()), FaultyPolicy(Faults(), jobs=()), Recorder(self.kept.store)
        self.loop = Loop(*parts, LoopSettings(INTERVAL_S), self.kept.control, intents=lambda: WELL)
        self.carried = self.loop.start()

    def remembers_in_memory(self) -> bool:
        """Whether its store has failed."""
        return self.kept.lost

    def rounds(self, count: int) -> None:
        for _ in range(count):
            assert self.carried is not None
            self.now += INTERVAL_S
            self.carried = self.loop.run_cycle(self.carried, self.now)


@contextmanager
def governing(url: str) -> Iterator[Governing]:
    with closing(open_store(url)) as store:
        run = RunInfo(RUN_ID, "shop", "faulty", "spark", started_at_s=time.time())
        yield Governing(remembered(store, run, LoopSettings(INTERVAL_S)))


def kill(files: PostgresFiles) -> None:
    """At once and with all that it started, as when a machine loses its power; until all of them are gone."""
    first = int((files.home / "data" / "postmaster.pid").read_text().split()[0])
    children = [int(child) for child in Path(f"/proc/{first}/task/{first}/children").read_text().split()]
    for process in (first, *children):
        os.kill(process, signal.SIGKILL)
    eventually(lambda: not any(runs(process) for process in (first, *children)))


def runs(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


@dataclass
class Watching:
    """All who look at the run: the API, `top`, and `explain` whenever it is called."""

    site: Site
    paths: Sequence[str]
    screen: Screen
    url: str

    def see_all_well(self) -> None:
        assert is_green(text_of(self.screen.drawn()))
        for path in self.paths:
            if path != FEED:
                assert asking.get(f"{self.site.url}{path}").status_code < 500, path
        assert penstock("explain", RUN_ID, "--store", self.url).returncode == 0

    def see_the_outage(self) -> None:
        shown = text_of(self.screen.drawn())
        assert "cannot be read since" in shown
        assert "see that PostgreSQL runs" in shown
        assert "\x1b[1;32m" not in shown
        for path in self.paths:
            answer = asking.get(f"{self.site.url}{path}")
            assert (answer.status_code, answer.json()["remedy"][:24]) == (503, "see that PostgreSQL runs"), path
            assert PASSWORD not in answer.text
        assert asking.get(f"{self.site.url}health").status_code == 200
        refused = penstock("explain", RUN_ID, "--store", self.url)
        assert (refused.returncode, len(refused.stderr.splitlines())) == (75, 1)
        assert "see that PostgreSQL runs" in refused.stderr
        assert PASSWORD not in refused.stderr


@contextmanager
def serving(url: str, settings: WebSettings) -> Iterator[Site]:
    with closing(open_store(url, create=False)) as store, Site(store, settings, lambda line: None).beside() as site:
        yield site


@contextmanager
def watching(url: str, settings: WebSettings, tmp_path: Path) -> Iterator[Watching]:
    with closing(open_store(url, create=False)) as store, Site(store, settings, lambda line: None).beside() as site:
        paths = [path.lstrip("/") for path in paths_of(store, settings, tmp_path)]
        screen = Screen(store, Reader(store), RUN_ID)
        yield Watching(site, paths, screen, url)


def test_all_say_that_it_was_killed_and_go_on_with_all_that_was_acknowledged_once_it_runs_again(
    settings: WebSettings, tmp_path: Path
) -> None:
    with postgres_files(PASSWORD) as files, ExitStack() as before:
        before.enter_context(files.running())
        url = files.server.create("runs")
        with governing(url) as controller:
            controller.rounds(3)
            with watching(url, settings, tmp_path) as watchers:
                watchers.screen.drawn()
                controller.rounds(1)
                watchers.see_all_well()
                assert asking.post(f"{watchers.site.url}api/control", json={"act": "pause", "who": "ann"}).is_success
                kill(files)
                controller.rounds(4)
                watchers.see_the_outage()
                assert asking.post(f"{watchers.site.url}api/control", json={"act": "resume"}).status_code == 503
                assert controller.remembers_in_memory()
                before.close()
                with files.running():
                    controller.rounds(3)
                    watchers.see_all_well()
                    assert not controller.remembers_in_memory()
                    check_that_nothing_was_lost(url, rounds=11)


def test_a_page_says_that_it_was_killed_is_not_green_meanwhile_and_goes_on_once_it_runs_again(
    settings: WebSettings, open_page: OpenPage
) -> None:
    with postgres_files(PASSWORD) as files, ExitStack() as before:
        before.enter_context(files.running())
        url = files.server.create("runs")
        with governing(url) as controller, serving(url, settings) as site:
            controller.rounds(3)
            page = open_page(site.url, may_complain=True)
            controller.rounds(1)
            shows_all_well(page)
            kill(files)
            shows_the_outage(page)
            before.close()
            with files.running():
                controller.rounds(2)
                expect(page.get_by_test_id("gone")).to_have_count(0)
                shows_all_well(page)


def shows_all_well(page: Page) -> None:
    expect(page.locator(".headline")).to_have_class("headline good")
    expect(page).to_have_title(re.compile("^✓ 2 fine"))
    expect(page.get_by_role("button", name="Pause governing")).to_be_enabled()


def shows_the_outage(page: Page) -> None:
    told = page.get_by_test_id("gone")
    expect(told).to_contain_text(re.compile(r"The server cannot read the store since [\d:]{8}\."))
    expect(told).to_contain_text("See that PostgreSQL runs")
    expect(told).not_to_contain_text(PASSWORD)
    expect(page.locator(".headline")).to_have_class("headline gone")
    expect(page.locator(".headline h1")).to_contain_text("Last known: ")
    expect(page).to_have_title(re.compile("^✕ not read"))
    expect(page.get_by_role("button", name="Pause governing")).to_be_disabled()


def check_that_nothing_was_lost(url: str, rounds: int) -> None:
    """Every round, those of the outage too, and what a person had asked just before it."""
    with closing(open_store(url, create=False)) as store:
        run = store.read_run(RUN_ID)
    assert list(run.at_s) == [INTERVAL_S * number for number in range(1, rounds + 1)]
    assert [act.line for act in run.acts] == ["ann (127.0.0.1) paused governing"]
    assert run.notes[-1].text.startswith("paused by ann")
