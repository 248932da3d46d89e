"""A page whose controller is killed, or has a wrong clock: it says so, and what to do, and is never green."""

import re
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from penstock.core.seen import life
from penstock.store.open import open_store
from penstock.store.sql import SqlStore
from penstock.web.server import Site
from penstock.web.settings import WebSettings
from tests.cli import calling
from tests.patience import eventually
from tests.recorded import RUN, a_cycle, a_job, a_view
from tests.web.browsing import PATIENCE_MS, OpenPage
from tests.web.living import gives_a_sign

expect.set_options(timeout=PATIENCE_MS)

pytestmark = pytest.mark.sockets

AN_HOUR_S = 3_600.0


@pytest.fixture
def well(store: SqlStore) -> SqlStore:
    """A run in which everybody has everything."""
    store.append(a_cycle(50.0, a_view(50.0, [a_job("ads", 35.0), a_job("fraud", 35.0)])))
    return store


@contextmanager
def serving_beside(place: Path, settings: WebSettings) -> Iterator[Site]:
    """Pages over what another process records there."""
    with closing(open_store(place / "runs.sqlite")) as store, Site(store, settings, lambda line: None).beside() as site:
        yield site


def begun(place: Path) -> bool:
    if not (place / "runs.sqlite").is_file():
        return False
    with closing(open_store(place / "runs.sqlite", create=False)) as store:
        found = store.runs()
        card = store.desk.card(found[-1].id) if found else None
    return card is not None and card.at_s > 0.0


def shows_that_it_was_killed(page: Page) -> None:
    expect(page.locator(".life")).to_have_text("no sign of life")
    expect(page.locator(".headline")).to_have_class("headline gone")
    expect(page.locator(".headline h1")).to_contain_text("Last known: ")
    told = page.get_by_role("alert").first
    expect(told).to_contain_text("has given no sign of life since")
    expect(told).to_contain_text("restart it if needed")
    expect(page).to_have_title(re.compile("^✕ silent"))
    expect(page.get_by_role("button", name="Pause governing")).to_have_count(0)


def test_a_page_says_that_the_controller_was_killed_and_a_server_started_then_does_not_take_it_for_alive(
    tmp_path: Path, settings: WebSettings, open_page: OpenPage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(life, "LEAST_PATIENCE_S", 5.0)  # a user's 15 s are three times as long to wait for
    with calling.serving(tmp_path) as controller:
        eventually(lambda: controller.poll() is not None or begun(tmp_path))
        assert controller.poll() is None, (tmp_path / "said.log").read_text()
        with serving_beside(tmp_path, settings) as site:
            page = open_page(site.url, may_complain=True)  # it outlives its server
            expect(page.locator(".life")).to_have_text("live")
            controller.kill()
            controller.wait()
            with serving_beside(tmp_path, settings) as later:
                opened = open_page(later.url, may_complain=True)
                # Its last sign may still be young: it is awaited then, and nothing has its colour.
                expect(opened.locator(".life")).to_have_text(re.compile("sign of life"))
                expect(opened.locator(".headline")).to_have_class(re.compile("headline (wait|bad|gone)"))
                shows_that_it_was_killed(page)
                shows_that_it_was_killed(opened)


def test_a_page_over_one_sign_waits_for_the_next_before_it_is_green(
    well: SqlStore, site: Site, open_page: OpenPage
) -> None:
    gives_a_sign(well, RUN.id)
    page = open_page(site.url)
    expect(page.locator(".life")).to_have_text("sign of life awaited")
    expect(page.locator(".headline")).to_have_class("headline wait")
    expect(page.locator(".headline h1")).to_contain_text("Last known: ")
    expect(page).to_have_title(re.compile("^… awaited"))
    expect(page.get_by_role("button", name="Pause governing")).to_be_enabled()
    gives_a_sign(well, RUN.id)
    expect(page.locator(".headline")).to_have_class("headline good")
    expect(page.locator(".life")).to_have_text("live")


def test_a_page_whose_controller_has_its_clock_ahead_believes_it_only_once_its_signs_move(
    well: SqlStore, site: Site, open_page: OpenPage
) -> None:
    gives_a_sign(well, RUN.id, off_s=AN_HOUR_S)
    page = open_page(site.url)
    expect(page.locator(".life")).to_have_text("clock ahead")
    expect(page.locator(".headline")).to_have_class("headline gone")
    expect(page.get_by_role("alert").first).to_contain_text("Set both by a time server")
    expect(page).to_have_title(re.compile("^. clock ahead"))
    expect(page.get_by_role("button", name="Pause governing")).to_have_count(0)
    gives_a_sign(well, RUN.id, off_s=AN_HOUR_S)
    expect(page.locator(".headline")).to_have_class("headline good")
    expect(page.locator(".last-sign")).to_contain_text("set both by a time server")
