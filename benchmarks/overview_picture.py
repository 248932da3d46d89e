"""The picture of README and docs: the overview of the newest run of a store, a demo's governed one, down to its charts.

penstock demo --store demo.sqlite --no-serve
python benchmarks/overview_picture.py demo.sqlite docs/overview.png
"""

import shutil
import sys
import tempfile
from pathlib import Path

from PIL import Image
from playwright.sync_api import FloatRect, Page, sync_playwright
from screens import Camera, in_few_colours, site_over


def main(store: Path, picture: Path) -> None:
    """Take it, and write it there."""
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    with tempfile.TemporaryDirectory() as name, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        camera = Camera(browser, picture.parent, ())
        with (
            site_over(Path(name) / "site", str(store)) as site,
            camera.page(f"{site.url}#/overview", "light") as page,
        ):
            page.locator(".life").get_by_text("over", exact=True).wait_for()
            page.wait_for_timeout(700)  # charts are painted when their place is known
            page.screenshot(path=picture, full_page=True, clip=_down_to_the_charts(page))
        browser.close()
    in_few_colours(Image.open(picture).convert("RGB")).save(picture, optimize=True)


def _down_to_the_charts(page: Page) -> FloatRect:
    box = page.locator("section", has=page.get_by_role("heading", name="Over time")).last.bounding_box()
    assert box is not None
    return {"x": 0.0, "y": 0.0, "width": box["width"] + 2 * box["x"], "height": box["y"] + box["height"] + box["x"]}


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
