"""How fast the dashboard is: a day of twenty tenants loaded in a real browser, and a live run at 1 Hz watched.

python benchmarks/dashboard.py [runs.sqlite]      # a store that day_of_tenants.py has written; made when not given
python benchmarks/dashboard.py --many 400         # a day of 400 tenants: main paint, weight, work of a frame with news
"""

import json
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
from typing import Any

from day_of_tenants import day, record
from playwright.sync_api import Browser, Page, sync_playwright

from penstock.core.cycle import Cycle
from penstock.core.levers import Tasks
from penstock.core.plan import Decision, Outcome, Plan, Reason
from penstock.core.seen.view import View
from penstock.simulation.live import LiveOptions, begin_live, live
from penstock.store.desk import Card
from penstock.store.open import open_store
from penstock.web.server import Site
from penstock.web.settings import WebSettings

LOADS = 7
WATCHED_S = 20.0
FRAME_MS = 1000.0 / 60
MANY_INTERVAL_S = 288.0  # 300 cycles a day
_FRAMES = """async (ms) => {
  const gaps = []; let last = performance.now(); const end = last + ms;
  while (last < end) {
    const now = await new Promise(requestAnimationFrame);
    gaps.push(now - last); last = now;
  }
  return gaps;
}"""


# When the largest thing of the first screen was painted, and what the page weighed on the wire until then.
_PAINTED = """() => new Promise((found) => {
  new PerformanceObserver((seen) => found(seen.getEntries().at(-1).startTime))
    .observe({ type: "largest-contentful-paint", buffered: true });
})"""
_WEIGHT = """() => ["navigation", "resource"].flatMap((kind) => performance.getEntriesByType(kind))
  .reduce((sum, one) => sum + (one.transferSize || 0), 0)"""
_TRACED = ["devtools.timeline", "disabled-by-default-devtools.timeline", "__metadata"]


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
        page.locator(".plot canvas").nth(1).wait_for()
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


def multiplied(path: Path, tenants: int) -> None:
    """A day of twenty tenants as a day of so many: each is there several times, with a number behind its name."""
    scenario = day(interval_s=MANY_INTERVAL_S)
    with tempfile.TemporaryDirectory() as place, closing(open_store(Path(place, "day.sqlite"))) as few:
        run = record(few, scenario)
        with closing(open_store(path)) as many:
            begun = many.begin(replace(run, id="many"))
            for view in few.views(run.id):
                many.append(Cycle(view.at_s, run.policy, _times(view, tenants), Plan(), Outcome(), {}))
            many.desk.leave_card(begun.id, Card(time.time(), 0.0, interval_s=3600.0))


def _times(view: View, tenants: int) -> View:
    names = [f"{view.jobs[place % len(view.jobs)].name}-{place:03d}" for place in range(tenants)]
    jobs = tuple(
        replace(job, figures=replace(job.figures, name=name))
        for place, name in enumerate(names)
        for job in [view.jobs[place % len(view.jobs)]]
    )
    utility, most = (
        sum(values) for values in ((job.utility or 0.0 for job in jobs), (job.max_utility for job in jobs))
    )
    return replace(view, jobs=jobs, utility=utility, max_utility=most)


def paints_ms(browser: Browser, url: str) -> tuple[list[float], float]:
    """When the main part of the page was painted, load by load, and the bytes of the last load."""
    found, weight = [], 0.0
    for _ in range(LOADS):
        page = browser.new_context(viewport={"width": 1280, "height": 900}).new_page()
        page.goto(url)
        page.wait_for_selector("tr[data-job]")
        page.locator(".plot canvas").nth(1).wait_for()
        found.append(float(page.evaluate(_PAINTED)))
        weight = float(page.evaluate(_WEIGHT))
        page.context.close()
    return found, weight


def work_with_news_ms(browser: Browser, path: Path, url: str) -> list[float]:
    """What the page's main thread had to do at a stretch, task by task, while a cycle came every second."""
    page = browser.new_context(viewport={"width": 1280, "height": 900}).new_page()
    page.goto(url)
    page.wait_for_selector("tr[data-job]")
    page.wait_for_timeout(3000)
    trace = path.with_name("trace.json")
    browser.start_tracing(page=page, path=trace, categories=_TRACED)
    with closing(open_store(path)) as store:
        *_, view = store.views("many")
        store.begin(store.runs()[-1])
        for second in range(1, int(WATCHED_S) + 1):
            store.append(
                Cycle(view.at_s + second, "penstock", replace(view, at_s=view.at_s + second), Plan(), Outcome(), {})
            )
            page.wait_for_timeout(1000)
    browser.stop_tracing()
    page.context.close()
    return _tasks_ms(json.loads(trace.read_text())["traceEvents"])


def _tasks_ms(events: list[dict[str, Any]]) -> list[float]:
    """The tasks of the thread that ran most of them among the pages' main threads."""
    main = {
        (one["pid"], one["tid"])
        for one in events
        if one["name"] == "thread_name" and one["args"]["name"] == "CrRendererMain"
    }
    tasks = [one for one in events if one["name"] == "RunTask" and (one["pid"], one["tid"]) in main]
    return [one["dur"] / 1000 for one in tasks if one.get("dur", 0) > 0]


def many_tenants(browser: Browser, place: Path, tenants: int) -> None:
    """Main paint, weight, and the work that news make."""
    path = place / "many.sqlite"
    multiplied(path, tenants)
    with pages(path) as site:
        painted, weight = paints_ms(browser, site.url)
        _told(f"main paint of a day of {tenants} tenants", painted, "ms")
        print(f"its weight on the wire, all told: {weight / 1000:.1f} kB")
        tasks = work_with_news_ms(browser, path, site.url)
        _told("tasks of the main thread with news at 1 Hz", tasks, "ms")
        print(f"longer than a frame of {FRAME_MS:.1f} ms: {sum(task > FRAME_MS for task in tasks)} of {len(tasks)}")


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


def main(given: Path | None, tenants: int = 0) -> None:
    """Print the figures."""
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    with tempfile.TemporaryDirectory() as place, sync_playwright() as playwright:
        if tenants:
            browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
            many_tenants(browser, Path(place), tenants)
            browser.close()
            return
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
    if sys.argv[1:2] == ["--many"]:
        main(None, int(sys.argv[2]))
    else:
        main(Path(sys.argv[1]) if len(sys.argv) > 1 else None)
