"""A real Chromium without a screen."""

import shutil
from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

from tests.patience import eventually, patience_s

NAMES = ("chromium", "chromium-browser", "google-chrome")
PATIENCE_MS = 1000.0 * patience_s()  # a what-if has the least right to the cores: a minute was too short once

OpenPage = Callable[..., Page]


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    found = next((path for path in map(shutil.which, NAMES) if path), None)
    assert found is not None, "no Chromium is installed; on Debian: apt-get install chromium"
    # Without a screen there is no graphics card to use, and to do one's work by software takes a fourteenth more CPU.
    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=found, args=["--no-sandbox", "--disable-gpu"])
        yield opened
        opened.close()


@pytest.fixture
def open_page(browser: Browser) -> Iterator[OpenPage]:
    """Opens pages; anything that a page complains of fails the test, unless it may."""
    complaints: list[str] = []
    contexts = []

    def open_at(url: str, width: int = 1280, dark: bool = False, may_complain: bool = False) -> Page:
        context = browser.new_context(
            viewport={"width": width, "height": 900}, color_scheme="dark" if dark else "light", reduced_motion="reduce"
        )
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(PATIENCE_MS)
        told: list[str] = [] if may_complain else complaints  # a browser says of each answer that was an error
        page.on("console", lambda message: told.append(message.text) if message.type == "error" else None)
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.goto(url)
        page.wait_for_selector("main h1")
        return page

    yield open_at
    for context in contexts:
        context.close()
    assert complaints == []


def until(page: Page, script: str) -> None:
    """Wait until that is true on the page.

    Playwright's own wait is refused by the page's rules for scripts wherever its first look does not find it true.
    """
    eventually(lambda: page.evaluate(script))
