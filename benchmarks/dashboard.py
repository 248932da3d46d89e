"""How fast the dashboard is: a day of twenty tenants loaded in a real browser, and a live run at 1 Hz watched.

python benchmarks/dashboard.py [runs.sqlite]      # a store that day_of_tenants.py has written; made when not given
"""

import shutil
import statistics
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path

from day_of_tenants import day, record
from playwright.sync_api import Browser, Page, sync_playwright

from penstock.core.cycle import Cycle
from penstock.core.levers import Tasks
from penstock.core.plan import Decision, Outcome, Plan, Reason
from penstock.core.view import View
from penstock.simulation.live import LiveOptions, begin_live, live
from penstock.store.open import open_store
from penstock.web.server import Site
from penstock.web.settings import WebSettings

LOADS = 7
WATCHED_S = 20.0
_FRAMES = """async (ms) => {
  const gaps = []; let last = performance.now(); const end = last + ms;
  while (last < end) {
    const now = await new Promise(requestAnimationFrame);
    gaps.push(now - last); last = now;
  }
  return gaps;
}"""


@contextmanager
def pages(path: Path) -> Iterator[Site]:
    """The pages over a store, from a thread of this process."""
    with closing(open_store(path)) as store, Site(store, _settings(path), lambda line: None).beside() as site:
        yield site


def load_times_s(browser: Browser, url: str) -> list[float]:
    """From asking for the page to its figures and charts being there, each in a browser that has seen nothing."""
    times = []
    for _ in range(LOADS):
        page = browser.new_context(viewport={"width": 1280, "height": 900}).new_page()
        began_s = time.perf_counter()
        page.goto(url)
        page.wait_for_selector("tr[data-job]")
        page.wait_for_function("document.querySelectorAll('.plot canvas').length >= 2")
        times.append(time.perf_counter() - began_s)
        page.context.close()
    return times


def frames_ms(browser: Browser, url: str) -> list[float]:
    """Times between frames while a page with twenty tenants gets news every second."""
    page: Page = browser.new_context(viewport={"width": 1280, "height": 900}).new_page()
    page.goto(url)
    page.wait_for_selector("tr[data-job]")
    gaps: list[float] = page.evaluate(_FRAMES, WATCHED_S * 1000)
    page.context.close()
    return gaps


def seconds_until_shown(browser: Browser, path: Path, url: str) -> float:
    """From a decision's cycle being in the store to the decision being on an open page."""
    with closing(open_store(path)) as store:
        info = store.runs()[-1]
        *_, view = store.views(info.id)
        store.begin(info)
        page = browser.new_context(viewport={"width": 1280, "height": 900}).new_page()
        page.goto(url)
        page.wait_for_selector("tr[data-job]")
        number = len(store.read_run(info.id).decisions) + 1
        job = view.jobs[0].name
        change = Tasks(job, view.jobs[0].figures.operators[0].name, 1, 2)
        decision = Decision(Reason.RECONFIGURED, (change,), "a benchmark", view.at_s + 10.0, view.utility)
        store.append(_cycle_with(decision, replace(view, at_s=view.at_s + 10.0)))
        began_s = time.perf_counter()
        page.wait_for_selector(f"#d{number}")
        return time.perf_counter() - began_s


def _cycle_with(decision: Decision, view: View) -> Cycle:
    return Cycle(decision.at_s, "henge", view, Plan((decision,)), Outcome(), {})


def _settings(path: Path) -> WebSettings:
    return WebSettings(port=0, tokens=path.with_name("tokens.json"))


def _told(name: str, values: list[float], unit: str) -> None:
    ordered = sorted(values)
    high = ordered[min(len(ordered) - 1, int(0.99 * len(ordered)))]
    print(
        f"{name}: median {statistics.median(values):.2f}, p99 {high:.2f}, most {ordered[-1]:.2f} {unit} ({len(values)})"
    )


def main(given: Path | None) -> None:
    """Print the figures."""
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    with tempfile.TemporaryDirectory() as place, sync_playwright() as playwright:
        past = given or Path(place, "day.sqlite")
        if given is None:
            with closing(open_store(past)) as store:
                record(store, day())
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        with pages(past) as site:
            _told("load of a day of 20 tenants", load_times_s(browser, site.url), "s")
        watched = Path(place, "live.sqlite")
        stop = threading.Event()
        with closing(open_store(watched)) as writer:
            scenario, options = day(hours=2.0, interval_s=10.0), LiveOptions(speed=10.0)
            run = begin_live(writer, scenario, options)
            threading.Thread(target=live, args=(writer, run, scenario, options, stop), daemon=True).start()
            with pages(watched) as site:
                _told("frames at 1 Hz", frames_ms(browser, site.url), "ms")
            stop.set()
        copy = Path(place, "copy.sqlite")
        shutil.copy(past, copy)
        with pages(copy) as site:
            print(f"a decision is on the page after {seconds_until_shown(browser, copy, site.url):.2f} s")
        browser.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else None)
