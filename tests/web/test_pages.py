"""The pages in a real browser, over a real loop and a real store."""

import re
import time
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Literal

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from penstock.core.asked.intents import Intent, Juice
from penstock.core.asked.orders import Act, Wish
from penstock.core.plan import Plan
from penstock.core.seen.figures import StageFigures
from penstock.core.seen.trouble import TroubleId, TroubleKind
from penstock.core.seen.view import View
from penstock.store.desk import Card
from penstock.store.open import open_store
from penstock.store.sql import SqlStore
from penstock.telling.words import number
from penstock.web.server import Site
from penstock.web.settings import WebSettings
from tests.patience import eventually
from tests.recorded import (
    RUN,
    a_cycle,
    a_decision,
    a_foretelling_cycle,
    a_job,
    a_pooled_view,
    a_view,
    an_acting_cycle,
)
from tests.web.browsing import PATIENCE_MS, OpenPage, until
from tests.web.living import LiveRun, gives_a_sign

PAGES = ("overview", "tenant", "cluster", "what-if", "decisions", "compare", "incident")
COLOURS: tuple[Literal["light", "dark"], ...] = ("light", "dark")

expect.set_options(timeout=PATIENCE_MS)


@pytest.fixture
def live_store(store: SqlStore) -> SqlStore:
    """As if a controller lived that records into it."""
    gives_a_sign(store, RUN.id)
    return store


def figure(page: Page, name: str) -> str:
    return page.get_by_test_id(name).inner_text()


def test_the_figures_on_the_page_are_those_of_the_store(site: Site, store: SqlStore, open_page: OpenPage) -> None:
    page = open_page(site.url)
    *_, view = store.views(RUN.id)
    assert (figure(page, "utility"), figure(page, "met")) == (number(view.utility), "1")
    for job in view.jobs:
        row = page.locator(f"tr[data-job={job.name}]")
        assert row.get_by_test_id("job-utility").inner_text() == number(job.utility)
        assert row.get_by_test_id("job-slots").inner_text() == f"{job.figures.threads} threads"


def test_at_first_glance_who_is_in_trouble_why_what_was_done_and_whether_it_helped(
    site: Site, open_page: OpenPage
) -> None:
    page = open_page(site.url)
    assert figure(page, "headline") == "1 of 2 tenants misses what was asked: ads."
    card = page.get_by_test_id("trouble").inner_text()
    for told in ("misses its target", "p95 latency 3 s instead of 2 s", "Reconfigured ads: map 3 → 6", "gone"):
        assert told in card


def test_a_tenant_without_figures_is_not_said_to_have_been_left_because_all_converged(
    site: Site, store: SqlStore, open_page: OpenPage
) -> None:
    store.append(a_cycle(50.0, a_view(50.0, [a_job("late", None)]), Plan(note="converged")))
    page = open_page(site.url)
    assert figure(page, "headline") == "No figures of late (latency is 3.0 s)."
    assert "Nothing yet: it has no figures." in page.get_by_test_id("trouble").inner_text()
    assert "converged" not in page.locator("main").inner_text()


def test_weight_share_and_cores_have_a_place_each(site: Site, store: SqlStore, open_page: OpenPage) -> None:
    # ads weighs 2 of 11, 1.45 of 8 slots; it used 3.45 times that, which is 5 slots, and 1.9 cores.
    store.append(a_cycle(50.0, a_pooled_view(50.0, {"ads": 2, "fraud": 9}, slots=8, capacity=3.45, cores=1.9)))
    page = open_page(f"{site.url}#/tenant?job=ads")
    shown = " ".join(page.locator(".headline dl").inner_text().split())
    for told in (
        "weight 2 of 11 in all",
        "its share 1.5 of 8 slots",
        "busy 100 % of its share",
        "slots used 5.0",
        "cores used 1.9",
    ):
        assert told in shown
    assert figure(open_page(site.url), "given") == "8 slots"


def test_what_was_foretold_how_far_off_it_was_and_what_no_shares_meet_are_on_the_page(
    site: Site, store: SqlStore, open_page: OpenPage
) -> None:
    store.append(a_foretelling_cycle(50.0))
    page = open_page(site.url)
    assert figure(page, "shortfall").startswith("No shares meet all: ads 2 s and fraud 0.9 need 9.4 slots of 8")
    assert "Predicted: ads 2.1 s instead of 6.4 s" in page.locator("#d3").inner_text()
    assert figure(open_page(f"{site.url}#/tenant?job=ads"), "prediction-error") == "3.1 %"


def test_a_decision_appears_by_itself(site: Site, store: SqlStore, open_page: OpenPage) -> None:
    page = open_page(site.url)
    expect(page.locator("#d2")).to_be_visible()
    store.append(an_acting_cycle(50.0))
    expect(page.locator("#d3")).to_be_visible()
    expect(page.locator("#d3 .what")).to_have_text("ads: map 3 → 6")


def test_what_cannot_be_acted_on_offers_no_buttons(site: Site, open_page: OpenPage) -> None:
    page = open_page(site.url)
    expect(page.get_by_role("status").first).to_have_text("over")
    assert page.get_by_role("button", name="Pause governing").count() == 0


def test_pausing_and_resuming_from_the_page(live: LiveRun, open_page: OpenPage) -> None:
    page = open_page(live.url)
    page.get_by_placeholder("your name, for the log").fill("ann")
    page.get_by_role("button", name="Pause governing").click()
    expect(page.get_by_test_id("paused")).to_contain_text("paused by ann")
    card = live.store.desk.card(live.run.id)
    assert card is not None
    assert card.paused_by == "ann (127.0.0.1)"
    page.get_by_role("button", name="Resume governing").click()
    expect(page.get_by_test_id("paused")).to_have_count(0)


def test_the_page_lives(live: LiveRun, open_page: OpenPage) -> None:
    page = open_page(live.url)
    expect(page.locator(".life")).to_have_text("live")
    before = page.locator(".facts").inner_text()
    expect(page.locator(".facts")).not_to_have_text(before)


def test_the_what_if_answers(live: LiveRun, open_page: OpenPage) -> None:
    page = open_page(f"{live.url}#/what-if")
    page.get_by_label("Minutes").fill("2")
    page.get_by_label("Rate of clicks, times").fill("0.2")
    page.get_by_test_id("ask").click()
    answer = page.get_by_test_id("answer")
    expect(answer).to_be_visible()
    assert len(re.findall(r"\d+(\.\d)? %", answer.inner_text())) == 3


def test_an_intent_is_changed_from_the_tenants_page(live: LiveRun, open_page: OpenPage) -> None:
    page = open_page(f"{live.url}#/tenant?job=clicks")
    page.get_by_label("juice, at least").fill("0.85")
    page.get_by_role("button", name="Ask for this from now on").click()
    expect(page.locator(".lead")).to_contain_text("juice ≥ 0.85")
    assert "clicks: juice >= 0.85" in [entry.detail for entry in live.store.audit(live.run.id)]


def test_what_people_asked_is_marked_in_the_charts_and_targets_are_those_of_their_time(
    live: LiveRun, open_page: OpenPage
) -> None:
    page = open_page(f"{live.url}#/tenant?job=reports")
    page.get_by_label("juice, at least").fill("0.35")
    page.get_by_role("button", name="Ask for this from now on").click()
    expect(page.locator(".lead")).to_contain_text("juice ≥ 0.35")
    told = page.locator(".plot[aria-label*='changed the intent: reports: juice >= 0.35']").first
    expect(told).to_be_visible()
    juice = page.locator(".plot[aria-label^='Juice']")
    expect(juice).to_have_attribute("aria-label", re.compile(r"target: from 35 % to 40 %, last 35 %"))
    expect(page.get_by_test_id("acts")).to_contain_text("◆ by people")


def test_a_tenant_that_went_blind_is_red_on_the_page_with_what_was_last_known(
    live_store: SqlStore, site: Site, open_page: OpenPage
) -> None:
    plain = a_job("ads", None)
    blind = replace(plain, figures=replace(plain.figures, latency=None, backlog_rows=62_614.0, up_s=400.0))
    live_store.append(a_cycle(50.0, a_view(50.0, [blind, a_job("fraud", 35.0)])))
    page = open_page(site.url)
    expect(page.locator(".headline")).to_have_class("headline bad")
    assert figure(page, "headline").startswith("No figures of ads (62,614 rows wait, 10 s ago latency was 3.0 s)")
    assert "62,614 rows wait" in page.get_by_test_id("trouble").inner_text()
    expect(page.locator("tr[data-job=ads] .badge")).to_have_text("? blind: no figures")
    assert "Without figures: ads" in page.get_by_test_id("story").inner_text()


def test_axe_finds_nothing_where_a_tenant_is_blind_and_another_late_in_light_and_dark(
    live_store: SqlStore, site: Site, open_page: OpenPage
) -> None:
    blind = replace(a_job("ads", None), figures=replace(a_job("ads").figures, latency=None, up_s=400.0))
    late = a_job("clicks", 35.0, intent=Intent(Juice(0.9, utility=35)))
    live_store.append(a_cycle(50.0, a_view(50.0, [blind, late])))
    page = open_page(site.url)
    expect(page.locator("tr[data-job=clicks] .beside")).to_have_text("Its latency is 1.5 s, for which it asks nothing.")
    for colours in COLOURS:
        in_colours(page, colours)
        assert complaints_of(page) == []


def test_green_is_for_a_fleet_in_which_everybody_is_fine_now(
    live_store: SqlStore, site: Site, open_page: OpenPage
) -> None:
    live_store.append(a_cycle(50.0, a_view(50.0, [a_job("ads", 35.0), a_job("fraud", 35.0)])))
    page = open_page(site.url)
    expect(page.locator(".headline")).to_have_class("headline wait")
    gives_a_sign(live_store, RUN.id)
    expect(page.locator(".headline")).to_have_class("headline good")


def test_what_binds_a_tenant_stands_on_its_card(site: Site, store: SqlStore, open_page: OpenPage) -> None:
    plain = a_pooled_view(50.0, {"ads": 2, "fraud": 6}, slots=8, capacity=1.0)
    ads = replace(plain.job("ads"), figures=replace(plain.job("ads").figures, max_threads=2))
    store.append(a_cycle(50.0, replace(plain, jobs=(ads, plain.job("fraud")))))
    page = open_page(site.url)
    expect(page.get_by_test_id("binds").first).to_contain_text("It has all 2 slots that it may have.")
    expect(page.get_by_test_id("binds").first).to_contain_text("What would help: a higher max_slots for it.")


REMEDY = {
    "kind": "slots", "what": "12 slots instead of 8", "price": "4 more slots", "met": 0.97, "share": 0.8,
    "enough": True, "dear": False, "turns": [], "slots": 12, "max_slots": {},
    "ask": {"kind": "tasks", "job": "ads", "operator": "map", "value": 6.0},
}  # fmt: skip
REMEDIES = {
    "job": "ads", "at_s": 40.0, "span_s": 120.0, "met": 0.2, "share": 0.6, "cheapest": REMEDY, "tried": [REMEDY],
    "keeps": [3.4, 0.9], "by_itself": False, "off": 0.03, "whole": True, "took_s": 1.0,
    "text": "12 slots instead of 8 (4 more slots): it would have what it asks for with it 97 % of the next 2 min.",
}  # fmt: skip


def test_the_cheapest_remedy_stands_on_the_card_to_be_tried_and_asked_for(
    live_store: SqlStore, site: Site, open_page: OpenPage
) -> None:
    page = open_page(f"{site.url}#/decisions")
    page.route("**/api/remedies*", lambda route: route.fulfill(json=REMEDIES))
    page.goto(f"{site.url}#/overview")
    remedy = page.get_by_test_id("remedy")
    expect(remedy).to_contain_text("12 slots instead of 8 (4 more slots): it would have what it asks for")
    expect(remedy).to_contain_text("the simulator was off by 3.0 % of its utility")
    expect(remedy.get_by_role("button", name="Ask for p95 latency ≤ 3.4s, juice ≥ 0.9 instead")).to_be_enabled()
    remedy.get_by_role("button", name="Ask for it").click()
    expect(remedy.get_by_text("It takes effect at the start of the next cycle.")).to_be_visible()
    (filed,) = live_store.desk.waiting(RUN.id)
    assert filed.request.turn == Wish("tasks", "ads", 6.0, "map")
    page.get_by_role("link", name="Try it in what-if").click()
    expect(page.get_by_label("Cores")).to_have_value("12")
    expect(page.get_by_label("Minutes")).to_have_value("5")


def test_a_proposal_is_answered_on_the_card_of_the_tenant_that_it_helps(
    live_store: SqlStore, site: Site, open_page: OpenPage
) -> None:
    live_store.desk.propose(RUN.id, a_decision(40.0))
    page = open_page(site.url)
    page.get_by_test_id("trouble").get_by_role("button", name="Approve").click()
    expect(page.get_by_text("approve: takes effect in the next cycle")).to_be_visible()
    (filed,) = live_store.desk.waiting(RUN.id)
    assert (filed.request.act, filed.request.proposal) == ("approve", 1)


def test_how_it_would_have_gone_without_a_decision_is_told_when_somebody_asks(
    site: Site, store: SqlStore, open_page: OpenPage
) -> None:
    page = open_page(f"{site.url}#/decisions")
    page.locator("#d2").get_by_role("button", name="Simulate without it").click()
    expect(page.locator("#d2").get_by_test_id("without")).to_have_text("Without it: unknown, it was not carried out.")


def test_a_lever_is_asked_for_from_the_tenants_page(live: LiveRun, open_page: OpenPage) -> None:
    page = open_page(f"{live.url}#/tenant?job=fraud")
    page.get_by_placeholder("your name, for the log").fill("ann")
    row = page.locator("tr[data-lever=bound]")
    expect(row).to_contain_text("400 rows")
    row.get_by_label("bound, rows").fill("350")
    row.get_by_role("button", name="Ask").click()
    expect(page.get_by_role("status").filter(has_text="bound: heard")).to_be_visible()
    filed = [found.request for found in live.store.desk.filed(live.run.id) if found.request.who == "ann (127.0.0.1)"]
    assert Wish("bound", "fraud", 350) in [request.turn for request in filed]
    expect(row).to_contain_text("350 rows")
    row.get_by_role("button", name="No bound").click()
    expect(row.locator("td").first).to_have_text("none")


def test_a_lever_of_the_application_takes_no_more_than_there_can_be(live: LiveRun, open_page: OpenPage) -> None:
    field = open_page(f"{live.url}#/cluster").locator("tr[data-lever=executors]").get_by_label("executors")
    field.fill("9")
    assert field.evaluate("field => [field.form.checkValidity(), field.validity.rangeOverflow]") == [False, True]
    field.fill("2")
    assert field.evaluate("field => field.form.checkValidity()")


def test_the_levers_of_a_run_that_is_over_are_shown_and_cannot_be_asked_for(site: Site, open_page: OpenPage) -> None:
    page = open_page(f"{site.url}#/tenant?job=ads")
    expect(page.locator("tr[data-lever='tasks of map']")).to_contain_text("with the next task")
    assert page.get_by_role("button", name="Ask", exact=True).count() == 0


def test_a_job_that_does_not_run_is_started_from_its_page(
    live_store: SqlStore, site: Site, open_page: OpenPage
) -> None:
    which = TroubleId(TroubleKind.NOT_RUNNING, "no topic")
    wrong = "not running: no topic; tried 7 times, next in 64 s"
    down = replace(a_job("ads").figures, trouble=wrong, trouble_id=which)
    live_store.append(a_cycle(50.0, a_view(50.0, [replace(a_job("ads"), figures=down), a_job("fraud", 35.0)])))
    gives_a_sign(live_store, RUN.id)
    page = open_page(f"{site.url}#/tenant?job=ads")
    gives_a_sign(live_store, RUN.id)
    expect(page.locator(".lead:not(.last-sign)")).to_contain_text(wrong)
    page.get_by_placeholder("your name, for the log").fill("ann")
    page.get_by_role("button", name="Start now").click()
    expect(page.get_by_role("status").filter(has_text="heard at the start of the next cycle")).to_be_visible()
    (asked,) = [found.request for found in live_store.desk.filed(RUN.id)]
    assert (asked.act, asked.job, asked.who) == (Act.START, "ads", "ann (127.0.0.1)")
    assert "Start now" not in open_page(f"{site.url}#/tenant?job=fraud").locator("main").inner_text()


def test_decisions_are_filtered_by_words_and_exported(site: Site, open_page: OpenPage) -> None:
    page = open_page(f"{site.url}#/decisions")
    expect(page.get_by_test_id("total")).to_have_text("2 decisions")
    page.get_by_label("What came").select_option("better")
    expect(page.get_by_test_id("total")).to_have_text("1 decision")
    with page.expect_download() as download:
        page.get_by_role("link", name="Export CSV").click()
    assert "better" in download.value.path().read_text()


WIDTHS = (390, 820, 1280)  # a phone, a tablet, a desk
MAY_BE_CUT = {"Audit log, a table", "Where the keys"}


@pytest.mark.parametrize("name", PAGES)
def test_no_page_is_wider_than_its_screen_and_axe_finds_nothing_in_light_and_dark(
    site: Site, open_page: OpenPage, name: str
) -> None:
    page = open_page(f"{site.url}#/{name}", width=390)
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 900})
        until(page, f"document.documentElement.scrollWidth <= {width}")
        assert [told for told in cut_tables(page) if width != 820 and not told.startswith(tuple(MAY_BE_CUT))] == []
        for colours in COLOURS if width != 820 else ():
            in_colours(page, colours)
            assert complaints_of(page) == []


def in_colours(page: Page, colours: Literal["light", "dark"]) -> None:
    """As the page is in them."""
    page.emulate_media(color_scheme=colours, reduced_motion="reduce")
    expect(page.locator("html")).to_have_attribute("data-theme", colours)


def complaints_of(page: Page) -> list[tuple[str, str]]:
    """What axe finds, of whatever weight: the rule and the first place."""
    return [(one["id"], one["nodes"][0]["html"]) for one in Axe().run(page).response["violations"]]


@pytest.mark.parametrize(("width", "dark"), [(1280, False), (390, True)])
def test_axe_finds_nothing_where_nothing_is_recorded_where_a_run_begins_and_at_the_door(
    tmp_path: Path, settings: WebSettings, open_page: OpenPage, width: int, dark: bool
) -> None:
    with (
        closing(open_store(tmp_path / "empty.sqlite")) as empty,
        Site(empty, settings, lambda line: None).beside() as site,
    ):
        page = open_page(site.url, width, dark, may_complain=True)
        expect(page.get_by_test_id("headline")).to_have_text("No run is recorded here yet.")
        assert complaints_of(page) == []
        empty.begin(RUN)
        empty.desk.leave_card(RUN.id, Card(time.time(), 0.0, interval_s=600.0))
        expect(page.get_by_test_id("headline")).to_contain_text("is starting: no cycle yet.")
        assert complaints_of(page) == []
        page.route("**/api/session", lambda route: route.fulfill(json=NOBODY))
        page.reload()
        expect(page.get_by_label("Token")).to_be_visible()
        assert complaints_of(page) == []
        assert page.evaluate("document.documentElement.scrollWidth") <= width


NOBODY = {"role": "none", "tokens_required": True, "version": "0"}


def test_what_a_figure_means_is_told_at_its_name_within_the_screen(site: Site, open_page: OpenPage) -> None:
    page = open_page(site.url, width=390)
    page.locator(".stat .term", has_text="decisions").click()  # by a finger
    told = page.get_by_role("tooltip")
    expect(told).to_contain_text("All decisions of this run.")
    box = told.bounding_box()
    assert box is not None
    assert (box["x"] >= 0, box["x"] + box["width"] <= 390) == (True, True)
    assert complaints_of(page) == []
    page.keyboard.press("Escape")
    expect(told).to_have_count(0)


def test_a_chart_is_printed_in_the_inks_of_paper(site: Site, open_page: OpenPage) -> None:
    """Dark as the page is: what is painted cannot follow the style sheet of a printer by itself."""

    def painted(page: Page) -> list[str]:
        found: list[str] = page.locator(".plot canvas, .strips canvas").evaluate_all(
            "all => all.map(one => one.toDataURL())"
        )
        return found

    light, dark = open_page(site.url), open_page(site.url, dark=True)
    for page in (light, dark):
        until(page, "document.querySelectorAll('.plot canvas').length === 2")
    eventually(lambda: painted(dark) != painted(light) or None)
    dark.evaluate("dispatchEvent(new Event('beforeprint'))")
    eventually(lambda: painted(dark) == painted(light) or None)
    dark.evaluate("dispatchEvent(new Event('afterprint'))")
    eventually(lambda: painted(dark) != painted(light) or None)


def test_nothing_moves_for_who_asks_for_no_motion(live_store: SqlStore, site: Site, open_page: OpenPage) -> None:
    page = open_page(site.url)
    gives_a_sign(live_store, RUN.id)
    expect(page.locator(".life")).to_have_text("live")
    assert page.evaluate("document.getAnimations().length") == 0
    page.emulate_media(reduced_motion="no-preference")
    until(page, "document.getAnimations().length > 0")  # a pulse beside "live"


# Pairs of the headline's parts, of which one lies upon the other.
_UPON_EACH_OTHER = """() => {
  const boxes = [...document.querySelectorAll('.headline > *')].map((part) => part.getBoundingClientRect());
  return boxes.flatMap((one, place) => boxes.slice(place + 1).filter((other) =>
    one.left < other.right - 1 && other.left < one.right - 1 && one.top < other.bottom - 1 && other.top < one.bottom - 1
  )).length;
}"""


@pytest.mark.parametrize("width", [390, 1280])
def test_what_binds_a_tenant_what_would_help_and_its_next_nine_do_not_lie_upon_each_other(
    live_store: SqlStore, site: Site, open_page: OpenPage, width: int
) -> None:
    plain = a_pooled_view(50.0, {"ads": 2, "fraud": 6}, slots=8, capacity=1.0)
    ads = replace(plain.job("ads"), figures=replace(plain.job("ads").figures, max_threads=2))
    live_store.append(a_cycle(50.0, replace(plain, jobs=(ads, plain.job("fraud")))))
    page = open_page(f"{site.url}#/tenant?job=ads", width)
    expect(page.locator(".headline .bound")).to_have_count(3)  # what binds it, what would help, its next nine
    expect(page.get_by_role("button", name="What would help?")).to_be_visible()
    assert page.evaluate(_UPON_EACH_OTHER) == 0


def cut_tables(page: Page) -> list[str]:
    """Those that are wider than their place."""
    found: list[str] = page.locator(".scroll").evaluate_all(
        "all => all.filter(one => one.scrollWidth > one.clientWidth && one.querySelector('table'))"
        ".map(one => one.getAttribute('aria-label'))"
    )
    return found


def test_on_a_phone_no_field_of_a_what_if_and_no_stage_is_cut(site: Site, store: SqlStore, open_page: OpenPage) -> None:
    stages = tuple(
        StageFigures(f"HashAggregate and Exchange {number}", 8, 10**9, 10**9, 0.5, 10**9) for number in (1, 2)
    )
    job = a_job("ads-of-a-long-name")
    job = replace(job, figures=replace(job.figures, stages=stages))
    store.append(a_cycle(50.0, a_view(50.0, [job])))
    page = open_page(f"{site.url}#/overview", width=390)
    for name, table in (("tenant", "Stages"), ("what-if", "Changes by tenant"), ("cluster", "Stages")):
        page.goto(f"{site.url}#/{name}")
        expect(page.get_by_role("region", name=table)).to_be_visible()
        assert cut_tables(page) == []
    page.goto(f"{site.url}#/what-if")
    box = page.get_by_label("juice of ads-of-a-long-name").bounding_box()
    assert box is not None
    assert box["x"] + box["width"] <= 390


@pytest.mark.parametrize("width", [390, 1280])
def test_what_the_controller_says_moves_nothing_under_the_pointer(
    own_live: LiveRun, open_page: OpenPage, width: int
) -> None:
    page = open_page(own_live.url, width=width)
    page.get_by_placeholder("your name, for the log").fill("somebody with a long name")

    def corners() -> object:
        return page.evaluate(
            "['.pause', 'main', '.controls .acts'].map(which => {"
            "const box = document.querySelector(which).getBoundingClientRect(); return [box.x, box.y]})"
        )

    before = corners()
    page.get_by_role("button", name="Dry run").click()
    expect(page.get_by_text("dry run: nothing is carried out")).to_be_visible()
    page.get_by_role("button", name="Pause governing").click()
    expect(page.get_by_test_id("paused")).to_be_visible()
    assert corners() == before
    page.get_by_role("button", name="Resume governing").click()
    page.get_by_role("button", name="Dry run").click()
    expect(page.locator(".notes .badge")).to_have_count(0)
    assert corners() == before


def test_a_chart_that_saw_a_change_has_the_colours_of_its_legend(
    site: Site, store: SqlStore, open_page: OpenPage
) -> None:
    """It looks as one that is drawn anew: more tenants than colours, whose order the change turns round."""

    def fleet(at_s: float, *threads: int) -> View:
        return a_view(at_s, [a_job(f"job-{number:02d}", threads=count) for number, count in enumerate(threads)])

    def picture(page: Page) -> str:
        chart = page.locator("figure.chart", has_text="Threads by tenant").locator("canvas")
        return str(chart.evaluate("canvas => canvas.toDataURL()"))

    store.append(a_cycle(50.0, fleet(50.0, *range(2, 14))))
    page = open_page(site.url)
    expect(page.locator(".legend .key").filter(has_text="job-11")).to_be_visible()
    store.append(a_cycle(60.0, fleet(60.0, *range(240, 0, -20))))
    expect(page.locator(".legend .key").filter(has_text="job-00")).to_contain_text("240")
    anew = picture(open_page(site.url))
    eventually(lambda: picture(page) == anew or None)


def test_the_keyboard_reaches_the_page_and_its_tenants(site: Site, open_page: OpenPage) -> None:
    page = open_page(site.url)
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent").strip() == "Skip to the page"
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "main"
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "ads"
    page.keyboard.press("Enter")
    expect(page.locator("h1")).to_contain_text("ads")


def test_charts_are_told_to_those_who_cannot_see_them(site: Site, open_page: OpenPage) -> None:
    page = open_page(site.url)
    told = page.locator(".plot").first.get_attribute("aria-label") or ""
    assert told.startswith("Utility against its maximum.")
    assert "2 decisions are marked" in told
