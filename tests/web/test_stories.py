"""The chart in each of its states, and what it tells of itself, in a real browser."""

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from penstock.web.server import Site
from tests.web.browsing import OpenPage, until

PAINTED = """() => [...document.querySelectorAll('.plot canvas')].map((canvas) => {
  const all = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data;
  return all.some((value) => value > 0);
})"""
# Whether anything is painted in the last pixels of the canvas, where a clipped label would end.
AT_THE_EDGE = """() => [...document.querySelectorAll('.plot canvas')].map((canvas) => {
  const wide = 2;
  const all = canvas.getContext('2d').getImageData(canvas.width - wide, 0, wide, canvas.height).data;
  return all.some((value) => value > 0);
})"""


def all_painted(page: Page) -> None:
    until(page, f"({PAINTED})().length === 9 && ({PAINTED})().every(Boolean)")


@pytest.mark.parametrize(("width", "dark"), [(1280, False), (390, True)])
def test_every_state_of_the_chart_is_painted_within_the_page_and_no_label_is_cut(
    site: Site, open_page: OpenPage, width: int, dark: bool
) -> None:
    page = open_page(f"{site.url}#/stories", width, dark)
    all_painted(page)
    assert page.locator("figure.chart").count() == 10  # one of them has nothing to paint
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert not any(page.evaluate(AT_THE_EDGE))
    assert Axe().run(page).response["violations"] == []


def test_a_mark_tells_its_decision_and_a_chart_is_saved_as_a_picture(site: Site, open_page: OpenPage) -> None:
    page = open_page(f"{site.url}#/stories")
    all_painted(page)
    missing = page.get_by_role("region", name="missing").locator(".u-over")
    missing.scroll_into_view_if_needed()
    box = missing.bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + box["width"] * 300 / 590, box["y"] + 60)  # the second decision is at 300 of 590 s
    expect(page.get_by_test_id("told")).to_have_text("0:05:00 2. ads: weight 3 → 6: ads misses its latency; better")
    with page.expect_download() as download:
        page.get_by_role("button", name="Save picture: Latency: missing").click()
    # The pointer is at the button now: the picture is of all that is shown, up to 590 s.
    assert download.value.suggested_filename == "latency-missing-0-09-50.png"


def test_a_chart_that_stands_alone_zooms_by_itself(site: Site, open_page: OpenPage) -> None:
    page = open_page(f"{site.url}#/stories")
    all_painted(page)
    fine, other = (page.get_by_role("region", name=name, exact=True) for name in ("fine", "missing"))
    expect(fine.locator(".moment")).to_have_text("0:09:50")
    box = fine.locator(".u-over").bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + 0.25 * box["width"], box["y"] + 60)
    page.mouse.down()
    page.mouse.move(box["x"] + 0.75 * box["width"], box["y"] + 60, steps=4)
    page.mouse.up()
    page.mouse.move(1, 1)
    expect(fine.locator(".moment")).to_have_text("0:07:20")  # of 590 s three quarters are 442
    expect(other.locator(".moment")).to_have_text("0:09:50")
    fine.get_by_role("button", name="all of it").click()
    expect(fine.locator(".moment")).to_have_text("0:09:50")


def test_an_incident_is_one_page_on_paper(site: Site, open_page: OpenPage) -> None:
    page = open_page(f"{site.url}#/incident?job=ads")
    expect(page.get_by_role("heading", name="Incident: ads")).to_be_visible()
    expect(page.locator(".plot canvas")).to_be_visible()
    printed = page.pdf(format="A4")
    assert printed.count(b"/Type /Page\n") + printed.count(b"/Type /Page ") == 1
    page.emulate_media(media="print")
    assert not page.get_by_role("button", name="Print").is_visible()
