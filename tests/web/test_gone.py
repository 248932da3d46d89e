"""What is not there is said not to be there: a server that is gone, a run that has not begun, a run nobody knows."""

import re
import signal
import sqlite3
import subprocess
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from penstock.config.problems import checked
from penstock.core.run import RunInfo
from penstock.simulation.live import LiveOptions, begin_live
from penstock.simulation.schema import ScenarioFile
from penstock.store.open import open_store
from penstock.store.sql import SqlStore
from penstock.web.reading import NotBegunError, Reader
from penstock.web.server import Site
from penstock.web.settings import WebSettings
from tests.cli import calling
from tests.patience import eventually
from tests.recorded import RUN, a_cycle, a_job, a_view
from tests.web import asking
from tests.web.browsing import PATIENCE_MS, OpenPage
from tests.web.living import SHOP, gives_a_sign

LATER = RunInfo("later-1", "later", policy="henge", engine="sim", started_at_s=2_000_000.0)

expect.set_options(timeout=PATIENCE_MS)


@pytest.fixture
def serving(tmp_path: Path) -> Iterator["subprocess.Popen[bytes]"]:
    """A server of its own, with a run that lives beside it, so that it can be killed."""
    with calling.serving(tmp_path) as process:
        yield process


def url_of(serving: "subprocess.Popen[bytes]", tmp_path: Path) -> str:
    """Where its pages are, once they have something to show."""
    said = tmp_path / "said.log"

    def told() -> str | None:
        assert serving.poll() is None, said.read_text()
        found = re.search(r"dashboard: (http\S+)", said.read_text())
        return found.group(1) if found else None

    url: str = eventually(told)
    eventually(lambda: asking.get(f"{url}api/overview").json().get("present"))
    return url


def test_a_page_whose_server_is_killed_says_so_and_offers_nothing(
    serving: "subprocess.Popen[bytes]", tmp_path: Path, open_page: OpenPage
) -> None:
    page = open_page(url_of(serving, tmp_path), may_complain=True)
    expect(page.locator(".life")).to_have_text("live")
    serving.kill()
    says_that_it_is_gone(page)


def test_a_page_whose_server_is_silent_says_so_offers_nothing_and_goes_on_when_it_comes_back(
    serving: "subprocess.Popen[bytes]", tmp_path: Path, open_page: OpenPage
) -> None:
    page = open_page(url_of(serving, tmp_path), may_complain=True)
    expect(page.locator(".life")).to_have_text("live")
    serving.send_signal(signal.SIGSTOP)
    says_that_it_is_gone(page)
    serving.send_signal(signal.SIGCONT)
    expect(page.get_by_test_id("gone")).to_have_count(0)
    expect(page.locator(".life")).to_have_text("live")
    expect(page.get_by_role("button", name="Pause governing")).to_be_enabled()


def says_that_it_is_gone(page: Page) -> None:
    expect(page.get_by_test_id("gone")).to_contain_text("The server has not answered since")
    expect(page.locator(".life")).to_have_text("gone")
    expect(page.locator(".headline")).to_have_class("headline gone")
    expect(page.locator(".headline h1")).to_contain_text("Last known: ")
    for name in ("Pause governing", "Dry run"):
        expect(page.get_by_role("button", name=name)).to_be_disabled()


def test_a_page_whose_store_cannot_be_read_is_green_no_more_and_goes_on_once_it_can(
    store: SqlStore, site: Site, open_page: OpenPage, tmp_path: Path
) -> None:
    gives_a_sign(store, RUN.id)
    store.append(a_cycle(50.0, a_view(50.0, [a_job("ads", 35.0), a_job("fraud", 35.0)])))
    page = open_page(site.url, may_complain=True)  # what else it was asking for just then is answered by a 503
    gives_a_sign(store, RUN.id)
    expect(page.locator(".headline")).to_have_class("headline good")
    with closing(sqlite3.connect(tmp_path / "runs.sqlite")) as other:
        other.execute("ALTER TABLE penstock_cycles RENAME TO hidden")
        told = page.get_by_test_id("gone")
        expect(told).to_contain_text(re.compile(r"The server cannot read the store since [\d:]{8}\."))
        expect(told).to_contain_text("no such table")
        expect(page.locator(".headline")).to_have_class("headline gone")
        expect(page.locator(".life")).to_have_text("not read")
        expect(page.get_by_role("button", name="Pause governing")).to_be_disabled()
        other.execute("ALTER TABLE hidden RENAME TO penstock_cycles")
    expect(told).to_have_count(0)
    expect(page.locator(".headline")).to_have_class("headline good")


def test_the_last_run_is_not_an_earlier_one_where_another_is_to_begin(store: SqlStore) -> None:
    reader = Reader(store, runs_before=frozenset({RUN.id}))
    with pytest.raises(NotBegunError, match="it has not begun yet"):
        reader.find("last")
    assert reader.find(RUN.id) == RUN.id  # who asks for it by its name may see it
    with closing(open_store(store.place)) as writer:
        writer.begin(LATER)
    assert reader.find("last") == LATER.id


def test_before_a_run_has_begun_the_page_waits_and_tells_of_no_other(
    store: SqlStore, serve: Callable[[WebSettings], Site], settings: WebSettings, open_page: OpenPage
) -> None:
    site = serve(replace(settings, runs_before=frozenset({RUN.id})))
    assert asking.get(f"{site.url}metrics").status_code == 503
    page = open_page(site.url, may_complain=True)
    expect(page.get_by_test_id("headline")).to_have_text("The run is starting: it has not begun yet.")
    assert "ads" not in page.locator("main").inner_text()
    store.begin(LATER)
    expect(page.get_by_test_id("headline")).to_contain_text("This run has no cycle")
    store.append(a_cycle(10.0))
    expect(page.get_by_test_id("headline")).to_have_text("1 of 2 tenants misses what was asked: ads.")


def test_a_simulated_run_lives_from_its_beginning_and_is_not_said_to_be_over(tmp_path: Path) -> None:
    with closing(open_store(tmp_path / "runs.sqlite")) as store:
        run = begin_live(store, checked(ScenarioFile, SHOP, "shop"), LiveOptions(policy="henge"))
        assert Reader(store).control(run.id).live


@pytest.mark.parametrize(
    ("place", "told"), [("#/overview?run=nobody", "nobody"), ("#/nowhere", "There is no page “nowhere”.")]
)
def test_what_nobody_knows_is_told_without_the_figures_of_another(
    site: Site, open_page: OpenPage, place: str, told: str
) -> None:
    page = open_page(site.url, may_complain=True)
    expect(page.get_by_test_id("headline")).to_contain_text("1 of 2 tenants misses")
    page.goto(f"{site.url}{place}")
    expect(page.locator("main h1")).to_contain_text(told)
    expect(page.get_by_test_id("headline")).to_have_count(0)
    assert "ads" not in page.locator("main").inner_text()


def test_a_run_that_is_over_is_told_as_over_and_in_no_colour_of_good_news(site: Site, open_page: OpenPage) -> None:
    page = open_page(site.url)
    expect(page.locator(".headline")).to_have_class("headline over")
    expect(page.locator(".headline h1")).to_have_text("At its end: 1 of 2 tenants misses what was asked: ads.")
