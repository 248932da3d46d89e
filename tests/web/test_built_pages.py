"""What ships is what the sources say, and stands alone."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
STATIC = ROOT / "src" / "penstock" / "web" / "static"


def test_the_built_pages_come_from_the_sources_as_they_are() -> None:
    done = subprocess.run([sys.executable, ROOT / "scripts" / "pages.py", "--check"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_all_that_the_page_asks_for_is_there() -> None:
    page = (STATIC / "index.html").read_text()
    asked = [part.split('"')[0].removeprefix("./") for part in page.replace('src="', 'href="').split('href="')[1:]]
    assert [name for name in asked if not name.startswith("/metrics") and not (STATIC / name).is_file()] == []
    assert len(asked) >= 4
