"""Pictures of every page and of every state that is designed, of simulated tenants under the default policy.

Each is gone through by axe before it is taken; what that finds is printed, and the exit code is 1.

python benchmarks/screens.py [docs/screens] [NAME ...]      # all pictures, or those whose names begin so
"""

import shutil
import sqlite3
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

from axe_playwright_python.sync_playwright import Axe
from PIL import Image
from playwright.sync_api import Browser, Page, sync_playwright

from penstock.core.cycle import Cycle
from penstock.core.plan import Outcome, Plan
from penstock.core.run import RunInfo
from penstock.core.seen.view import JobView, View
from penstock.local.postgres import postgres_files
from penstock.planning.registry import DEFAULT
from penstock.simulation.checking import check_scenario
from penstock.simulation.run import simulate
from penstock.simulation.scenario_file import Variant
from penstock.simulation.schema import ScenarioFile
from penstock.store.desk import Card
from penstock.store.open import open_store
from penstock.store.sql import SqlStore
from penstock.web.server import Site
from penstock.web.settings import WebSettings

ROOT = Path(__file__).parents[1]
SCENARIO = ROOT / "scenarios" / "spark" / "urgent.yaml"
SHOWN_S = 600.0
Scheme = Literal["light", "dark"]
LOOKS: dict[str, tuple[int, Scheme]] = {
    "light": (1280, "light"),
    "dark": (1280, "dark"),
    "390": (390, "light"),
    "390-dark": (390, "dark"),
}
STATE_LOOKS = ("light", "390-dark")
PATIENCE_MS = 120_000
SIGNS_EVERY_S = 0.5
LATER_S = 10.0  # after the newest cycle comes the one of a state


@dataclass(frozen=True, slots=True)
class Shot:
    """A page in a state: what it is called, where it is, and what is done before the picture is taken."""

    name: str
    address: str
    prepare: Callable[[Page], None] = lambda page: None
    whole: bool = True  # all of the page, or its first screen
    life: str | None = "live"  # what is said of the controller by then, where anything is


def _ask(page: Page) -> None:
    page.get_by_label("Minutes").fill("2")
    page.get_by_label("Rate of urgent, times").fill("1.5")
    page.get_by_test_id("ask").click()
    page.wait_for_selector("[data-testid=answer]")


PAGES = (
    Shot("overview", "#/overview"),
    Shot("tenant", "#/tenant?job=urgent"),
    Shot("cluster", "#/cluster"),
    Shot("what-if", "#/what-if", _ask),
    Shot("decisions", "#/decisions"),
    Shot("compare", "#/compare?a=fair&b=last"),
    Shot("incident", "#/incident?run=fair&job=urgent&from=0&to=300", life="over"),
    Shot("keys", "#/overview", lambda page: page.keyboard.press("?"), whole=False),
    Shot("figures", "#/overview", lambda page: page.keyboard.press("f"), whole=False),
)


def recorded(store: SqlStore, policy: str, run_id: str, length_s: float = SHOWN_S) -> RunInfo:
    """The scenario under a policy, as if it had begun so long ago."""
    (found,) = check_scenario(SCENARIO)
    scenario: ScenarioFile = found.scenario.model_copy(update={"duration": length_s})
    began = time.time() - length_s
    info = store.begin(RunInfo(run_id, "urgent", policy, "simulator", "", began))
    simulate(Variant({}, scenario), policy, SCENARIO.parent, also=store)
    return info


def signed(store: SqlStore, off_s: float = 0.0) -> None:
    """A sign of life of the newest run's controller, by a clock that is so far off."""
    store.desk.leave_card(store.runs()[-1].id, Card(time.time() + off_s, SHOWN_S, interval_s=20.0))


@contextmanager
def governed(target: str | Path) -> Iterator[None]:
    """As if the newest run's controller lived: it gives signs for as long as the block lasts."""
    over = threading.Event()

    def sign() -> None:
        while not over.wait(SIGNS_EVERY_S):
            signed(store)

    with closing(open_store(target)) as store:
        thread = threading.Thread(target=sign)
        thread.start()
        try:
            yield
        finally:
            over.set()
            thread.join()


def with_jobs(store: SqlStore, run: RunInfo, jobs: Callable[[View], Sequence[JobView]], note: str = "") -> None:
    """One more cycle in which the tenants are so."""
    *_, newest = store.views(run.id)
    found = tuple(jobs(newest))
    utility = sum(job.utility or 0.0 for job in found)
    most = sum(job.max_utility for job in found)
    seen = replace(newest, at_s=newest.at_s + LATER_S, jobs=found, utility=utility, max_utility=most)
    store.begin(run)
    store.append(Cycle(seen.at_s, run.policy, seen, Plan(note=note), Outcome(), {}))


def _blind(view: View) -> Sequence[JobView]:
    first, *rest = view.jobs
    figures = replace(first.figures, latency=None, backlog_rows=62_614.0, up_s=400.0, arrival_rps=None)
    return replace(first, figures=figures, utility=None, met=False), *rest


def _stale(view: View) -> Sequence[JobView]:
    first, *rest = view.jobs
    return replace(first, figures=replace(first.figures, age_s=48.0), fresh=False), *rest


def _starting(view: View) -> Sequence[JobView]:
    first, *rest = view.jobs
    figures = replace(first.figures, latency=None, up_s=4.0, arrival_rps=None)
    return replace(first, figures=figures, utility=None, met=False), *rest


def _ended(view: View) -> Sequence[JobView]:
    first, *rest = view.jobs
    trouble = "its query ended: java.lang.OutOfMemoryError: Java heap space"
    return replace(first, figures=replace(first.figures, trouble=trouble), utility=0.0, met=False), *rest


def _many(view: View, count: int) -> Sequence[JobView]:
    late = replace(view.jobs[0], utility=1.2, met=False)
    return [
        replace(job, figures=replace(job.figures, name=f"tenant-{number:03d}"))
        for number in range(count)
        for job in [late if number % 97 == 33 else view.jobs[number % len(view.jobs)]]
    ]


STATES: dict[str, Callable[[View], Sequence[JobView]]] = {
    "fine": lambda view: view.jobs,
    "blind": _blind,
    "stale": _stale,
    "starting": _starting,
    "ended": _ended,
    "40-tenants": lambda view: _many(view, 40),
    "400-tenants": lambda view: _many(view, 400),
}


class Camera:
    """Takes the pictures that are wanted, in few colours, so that they are small."""

    def __init__(self, browser: Browser, to: Path, wanted: Sequence[str]) -> None:
        self._browser = browser
        self._to = to
        self._wanted = tuple(wanted)
        self.complaints = 0

    def wants(self, name: str) -> bool:
        """Whether somebody asked for it, or for all."""
        return not self._wanted or name.startswith(self._wanted)

    @contextmanager
    def page(self, url: str, look: str) -> Iterator[Page]:
        """An open page, in a browser that has seen nothing."""
        width, scheme = LOOKS[look]
        context = self._browser.new_context(
            viewport={"width": width, "height": 900}, color_scheme=scheme, reduced_motion="reduce"
        )
        page = context.new_page()
        page.set_default_timeout(PATIENCE_MS)
        page.goto(url)
        page.wait_for_selector("main h1")
        yield page
        context.close()

    def take(self, shot: Shot, url: str, looks: Sequence[str]) -> None:
        """One page in some looks."""
        if not self.wants(shot.name):
            return
        for look in looks:
            with self.page(f"{url}{shot.address}", look) as page:
                shot.prepare(page)
                self.kept(page, shot, look)

    def kept(self, page: Page, shot: Shot, look: str) -> None:
        """What is to be seen now."""
        if shot.life is not None:
            page.locator(".life").get_by_text(shot.life, exact=True).wait_for()
        page.wait_for_timeout(700)  # charts are painted when their place is known
        path = self._to / f"{shot.name}-{look}.png"
        for one in Axe().run(page).response["violations"]:
            self.complaints += 1
            print(f"{path.name}: {one['id']}: {one['nodes'][0]['html']}", flush=True)
        page.screenshot(path=path, full_page=shot.whole)
        in_few_colours(Image.open(path).convert("RGB")).save(path, optimize=True)
        print(f"{path.name}: {path.stat().st_size / 1000:.0f} kB", flush=True)


def in_few_colours(found: Image.Image) -> Image.Image:
    """With its 256 most frequent colours: those of the style sheet are all there, edges of letters are near enough."""
    counted: Any = found.getcolors(found.width * found.height) or []  # of an image in RGB each is three numbers
    kept = [ink for _, ink in sorted(counted, reverse=True)[:256]]
    palette = Image.new("P", (1, 1))
    palette.putpalette([part for ink in kept for part in ink])
    return found.quantize(palette=palette, dither=Image.Dither.NONE)


@contextmanager
def site_over(path: Path, target: str | None = None) -> Iterator[Site]:
    """Pages over the store at that path, or over another one."""
    settings = WebSettings(port=0, tokens=path.with_name("tokens.json"), poll_s=0.2)
    with closing(open_store(target or path)) as store, Site(store, settings, lambda line: None).beside() as site:
        yield site


def take_pages(camera: Camera, place: Path) -> None:
    """Every page, of a run that lives, and of one under another policy beside it."""
    path = place / "pages.sqlite"
    with closing(open_store(path)) as store:
        recorded(store, "fair", "fair")
        recorded(store, DEFAULT, DEFAULT)
    with governed(path), site_over(path) as site:
        for shot in PAGES:
            camera.take(shot, site.url, tuple(LOOKS))


def take_states(camera: Camera, place: Path) -> None:
    """Every state of tenants, then of the server and the store."""
    path = place / "states.sqlite"
    with closing(open_store(path)) as store:
        recorded(store, DEFAULT, DEFAULT)
    for name, jobs in STATES.items():
        if camera.wants(f"state-{name}"):
            copy = place / f"{name}.sqlite"
            shutil.copy(path, copy)
            with closing(open_store(copy)) as store:
                with_jobs(store, store.runs()[-1], jobs)
            with governed(copy), site_over(copy) as site:
                camera.take(Shot(f"state-{name}", "#/overview", whole=False), site.url, STATE_LOOKS)
    take_missing(camera, place)
    take_empty(camera, place)
    take_gone(camera, path)
    take_locked(camera, path, place / "locked.sqlite")
    take_lives(camera, path)
    take_postgresql(camera, place)
    take_token(camera, path)


def _remedies(page: Page) -> None:
    page.wait_for_selector("[data-testid=remedy]")


def take_missing(camera: Camera, place: Path) -> None:
    """Equal shares: the urgent tenant misses what it asks for, and goes on missing it."""
    path = place / "missing.sqlite"
    with closing(open_store(path)) as store:
        recorded(store, "fair", "fair")
    with governed(path), site_over(path) as site:
        shot = Shot("state-missing", "#/overview", _remedies)
        camera.take(replace(shot, whole=False), site.url, STATE_LOOKS)


def take_empty(camera: Camera, place: Path) -> None:
    """A store of nothing; a run that has begun and seen nothing."""
    path = place / "empty.sqlite"
    with closing(open_store(path)) as store, site_over(path) as site:
        camera.take(Shot("state-empty", "", whole=False, life=None), site.url, STATE_LOOKS)
        store.begin(RunInfo("begun", "shop", DEFAULT, "simulator", "", time.time()))
        with governed(path):
            camera.take(Shot("state-begun", "", whole=False), site.url, STATE_LOOKS)


def take_gone(camera: Camera, path: Path) -> None:
    """The server ends while somebody looks; and a run that is over."""
    with site_over(path) as site:
        camera.take(Shot("state-over", "", whole=False, life="over"), site.url, STATE_LOOKS)
    for look in STATE_LOOKS if camera.wants("state-gone") else ():
        with site_over(path) as site:
            opened = camera.page(site.url, look)
            page = opened.__enter__()
        page.get_by_test_id("gone").wait_for()
        camera.kept(page, Shot("state-gone", "", whole=False, life="gone"), look)
        opened.__exit__(None, None, None)


def take_locked(camera: Camera, path: Path, copy: Path) -> None:
    """Somebody else holds the database, a copy that nobody has open: a site would keep its connection for ever."""
    shutil.copy(path, copy)
    with closing(sqlite3.connect(copy, isolation_level=None)) as other:
        other.execute("PRAGMA locking_mode = EXCLUSIVE")
        other.execute("BEGIN EXCLUSIVE")
        with site_over(copy) as site:
            camera.take(Shot("state-locked", "", whole=False, life=None), site.url, STATE_LOOKS)


LIVES = {  # what is said of it, and how far the time of its controller's only sign is off
    "awaited": ("sign of life awaited", 0.0),
    "silent": ("no sign of life", -120.0),
    "ahead": ("clock ahead", 3600.0),
}


def take_lives(camera: Camera, path: Path) -> None:
    """Controllers of which one sign is all there is: of now, of a minute before a kill -9, of a clock that is ahead."""
    for name, (told, off_s) in LIVES.items():
        if not camera.wants(f"state-{name}"):
            continue
        for look in STATE_LOOKS:
            with closing(open_store(path)) as store:
                signed(store, off_s)
            with site_over(path) as site:
                camera.take(Shot(f"state-{name}", "", whole=False, life=told), site.url, (look,))


def take_postgresql(camera: Camera, place: Path) -> None:
    """A PostgreSQL that ends while somebody looks."""
    for look in STATE_LOOKS if camera.wants("state-postgresql-gone") else ():
        with postgres_files("pictures") as files, ExitStack() as looking:
            with files.running():
                url = files.server.create("runs")
                with closing(open_store(url)) as store:
                    recorded(store, DEFAULT, DEFAULT)
                site = looking.enter_context(site_over(place / "postgresql", url))
                page = looking.enter_context(camera.page(site.url, look))
            page.get_by_test_id("gone").wait_for()
            camera.kept(page, Shot("state-postgresql-gone", "", whole=False, life="not read"), look)


def _unknown_to_it(page: Page) -> None:
    nobody = {"role": "none", "tokens_required": True, "version": "0"}
    page.route("**/api/session", lambda route: route.fulfill(json=nobody))
    page.reload()
    page.get_by_label("Token").wait_for()


def take_token(camera: Camera, path: Path) -> None:
    """A page that may not look: who has no token yet, or had one that counts no more."""
    with site_over(path) as site:
        camera.take(Shot("state-token", "", _unknown_to_it, whole=False, life=None), site.url, STATE_LOOKS)


def main(to: Path, wanted: Sequence[str]) -> int:
    """Take them; how much axe had to say of them."""
    to.mkdir(parents=True, exist_ok=True)
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    with tempfile.TemporaryDirectory() as name, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        camera = Camera(browser, to, wanted)
        take_pages(camera, Path(name))
        take_states(camera, Path(name))
        with tempfile.TemporaryDirectory() as stories, site_over(Path(stories) / "none.sqlite") as site:
            camera.take(Shot("stories", "#/stories", life=None), site.url, ("light", "390-dark"))
        browser.close()
    return camera.complaints


if __name__ == "__main__":
    given = sys.argv[1:]
    sys.exit(1 if main(Path(given[0]) if given else ROOT / "docs" / "screens", given[1:]) else 0)
