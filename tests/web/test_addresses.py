"""What is looked at stands in the address: a link shows a colleague the same; keys do what a mouse does."""

import json
from urllib.parse import quote

import pytest
from playwright.sync_api import expect

from penstock.store.sql import SqlStore
from penstock.web.server import Site
from tests.recorded import a_cycle, a_job, a_view
from tests.web.browsing import PATIENCE_MS, OpenPage

expect.set_options(timeout=PATIENCE_MS)


@pytest.fixture
def crowd(store: SqlStore) -> SqlStore:
    """Forty tenants, of whom all have what they asked for but number 33."""
    jobs = [a_job(f"tenant-{number:02d}", 20.0 if number == 33 else 35.0) for number in range(40)]
    store.append(a_cycle(50.0, a_view(50.0, jobs)))
    return store


def test_of_many_tenants_those_in_trouble_come_first_and_any_is_found_by_name(
    crowd: SqlStore, site: Site, open_page: OpenPage
) -> None:
    page = open_page(site.url)
    rows = page.locator("table.tenants tbody tr")
    expect(rows).to_have_count(15)
    assert rows.first.get_attribute("data-job") == "tenant-33"
    page.get_by_role("button", name="Show 25 more tenants").click()
    expect(rows).to_have_count(40)
    page.keyboard.press("/")
    page.keyboard.type("tenant-1")
    expect(rows).to_have_count(10)
    assert page.url.endswith("find=tenant-1")
    expect(open_page(page.url).locator("table.tenants tbody tr")).to_have_count(10)


@pytest.mark.parametrize("width", [390, 1280])
def test_of_many_tenants_the_first_screen_says_who_is_in_trouble_and_why(
    crowd: SqlStore, site: Site, open_page: OpenPage, width: int
) -> None:
    why = open_page(site.url, width).get_by_test_id("trouble").get_by_text("p95 latency 3 s instead of 2 s").first
    box = why.bounding_box()
    assert box is not None
    assert box["y"] + box["height"] <= 900


def test_time_zoom_and_tenant_are_in_the_address_and_go_along_from_page_to_page(
    site: Site, store: SqlStore, open_page: OpenPage
) -> None:
    page = open_page(site.url)
    page.get_by_role("button", name="15 min").click()
    assert "span=900" in page.url
    chart = page.locator(".plot .u-over").first
    box = chart.bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + 0.25 * box["width"], box["y"] + 20)
    page.mouse.down()
    page.mouse.move(box["x"] + 0.75 * box["width"], box["y"] + 20, steps=4)
    page.mouse.up()
    zoomed = page.get_by_role("button", name="zoomed: 15 s")  # half of 10 to 40 s
    expect(zoomed).to_be_visible()
    page.locator("tr[data-job=ads] a").first.click()
    page.wait_for_url("**/#/tenant?*job=ads*")
    for part in ("span=900", "from=17.", "to=32."):
        assert part in page.url
    page.keyboard.press("0")
    page.wait_for_url(lambda url: "from=" not in url)


def test_the_question_of_a_what_if_is_in_the_address(site: Site, open_page: OpenPage) -> None:
    asked = {"minutes": 3, "slots": 64, "rates": {"ads": 2}, "turns": [{"kind": "tasks", "job": "ads", "value": 6}]}
    page = open_page(f"{site.url}#/what-if?ask={quote(json.dumps(asked))}")
    expect(page.get_by_label("Cores")).to_have_value("64")
    expect(page.get_by_label("Minutes")).to_have_value("3")
    expect(page.get_by_label("Rate of ads, times")).to_have_value("2")
    also = page.get_by_role("list", name="Also changed")
    expect(also).to_contain_text("ads: tasks 6")
    also.get_by_role("button", name="leave it").click()
    expect(also).to_have_count(0)
    open_page(f"{site.url}#/what-if?ask=nonsense").get_by_role("heading", name="What if?").wait_for()


def test_keys_are_told_on_a_sheet_and_lead_from_page_to_page(site: Site, open_page: OpenPage) -> None:
    page = open_page(site.url)
    page.keyboard.press("?")
    sheet = page.get_by_role("dialog", name="Keys")
    expect(sheet).to_contain_text("Copy the link")
    page.keyboard.press("Escape")
    expect(sheet).not_to_be_visible()
    page.keyboard.press("5")
    page.get_by_role("heading", name="Decisions", exact=True).wait_for()
    page.get_by_label("Words").fill("4?")  # who types means the letters
    expect(page.get_by_label("Words")).to_have_value("4?")


def test_two_runs_are_compared_by_their_address(site: Site, open_page: OpenPage) -> None:
    page = open_page(f"{site.url}#/compare?a=demo-1&b=last")
    expect(page.get_by_test_id("compared")).to_contain_text("Demo under henge is compared with itself.")
    expect(page.get_by_role("combobox", name="A", exact=True)).to_have_value("demo-1")
