"""Pictures of every page, taken from a live run of the demo's tenants on real Spark.

python benchmarks/screens.py [docs/screens]
"""

import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import closing
from pathlib import Path
from typing import Literal

from playwright.sync_api import Browser, Page, sync_playwright

from penstock.store.open import open_store

ROOT = Path(__file__).parents[1]
PAGES = {"overview": "", "tenant": "?job=payments", "cluster": "", "what-if": "", "decisions": ""}
LOOKS: dict[str, tuple[int, Literal["light", "dark"]]] = {
    "light": (1280, "light"),
    "dark": (1280, "dark"),
    "390": (390, "light"),
}
SEEN_S = 48.0  # of the run, before the first picture
PATIENCE_S = 120.0


def started(place: Path) -> tuple["subprocess.Popen[bytes]", str]:
    """The run, and where its pages are."""
    options = ["--for", "5m", "--store", str(place / "runs.sqlite"), "--tokens", str(place / "tokens.json")]
    command = [sys.executable, "-m", "penstock.cli.main", "run", str(ROOT / "examples" / "demo.yaml"), *options]
    said = place / "said"
    with said.open("wb") as out:
        process = subprocess.Popen([*command, "--dashboard", "--port", "0"], stdout=out, stderr=out)
    until = time.monotonic() + PATIENCE_S
    while time.monotonic() < until and process.poll() is None:
        found = re.search(r"dashboard: (http\S+)", said.read_text())
        if found:
            return process, found.group(1)
        time.sleep(0.2)
    raise RuntimeError(said.read_text())


def seen_s(place: Path) -> float:
    """How far the recorded run has come."""
    with closing(open_store(place / "runs.sqlite")) as store:
        found = store.runs()
        times = store.read_run(found[-1].id).at_s if found else ()
        return times[-1] if times else 0.0


def photographed(browser: Browser, url: str, name: str, look: str, to: Path) -> None:
    """One page in one look."""
    width, scheme = LOOKS[look]
    context = browser.new_context(
        viewport={"width": width, "height": 900}, color_scheme=scheme, reduced_motion="reduce"
    )
    page = context.new_page()
    page.goto(f"{url}#/{name}{PAGES[name]}")
    page.wait_for_selector("main h1")
    if name == "what-if":
        _ask(page)
    if name in ("overview", "tenant", "cluster"):
        page.wait_for_selector(".plot canvas")
    page.wait_for_timeout(300)
    page.screenshot(path=to / f"{name}-{look}.png", full_page=True)
    context.close()


def _ask(page: Page) -> None:
    page.get_by_label("Minutes").fill("1")
    page.get_by_label("Rate of payments, times").fill("1.5")
    page.get_by_test_id("ask").click()
    page.wait_for_selector("[data-testid=answer]", timeout=PATIENCE_S * 1000)


def main(to: Path) -> None:
    """Take them all."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that the run is ended too
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    with tempfile.TemporaryDirectory() as name, sync_playwright() as playwright:
        place = Path(name)
        process, url = started(place)
        try:
            browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
            until = time.monotonic() + PATIENCE_S
            while seen_s(place) < SEEN_S and time.monotonic() < until:
                time.sleep(0.5)
            for page in PAGES:
                for look in LOOKS:
                    photographed(browser, url, page, look, to)
            browser.close()
        finally:
            process.terminate()
            process.wait(PATIENCE_S)
            shutil.copy(place / "runs.sqlite", Path(tempfile.gettempdir(), "penstock-screens.sqlite"))


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "docs" / "screens")
