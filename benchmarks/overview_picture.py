"""The picture of README and docs: the overview of the newest run of a store, which is a demo's governed one.

    penstock demo --store demo.sqlite --no-serve
    python benchmarks/overview_picture.py demo.sqlite docs/overview.png
"""

import shutil
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright
from screens import Camera, Shot, site_over


def main(store: Path, picture: Path) -> int:
    """Take it; how much axe had to say of it."""
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    with tempfile.TemporaryDirectory() as name, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        camera = Camera(browser, Path(name), ())
        with site_over(Path(name) / "site", str(store)) as site:
            camera.take(Shot("overview", "#/overview", life="over"), site.url, ("light",))
        browser.close()
        shutil.move(Path(name) / "overview-light.png", picture)
    return camera.complaints


if __name__ == "__main__":
    sys.exit(1 if main(Path(sys.argv[1]), Path(sys.argv[2])) else 0)
