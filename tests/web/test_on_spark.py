"""`penstock run --dashboard` on real Spark: the page shows what is in its store."""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from playwright.sync_api import expect

from penstock.store.open import open_store
from tests.patience import eventually
from tests.web.browsing import OpenPage

ROOT = Path(__file__).parents[2]
TENANTS = """
name: shop
master: local[2]
interval: 1s
window: 5s
jobs:
  - name: quick
    job: tests.governing.tenant_jobs:quick
    params: {rows_per_second: 50}
    intent: {juice: 0.5, utility: 10}
"""
MAIN = "import sys; from penstock.cli.run import run; run(sys.argv[1:])"


@pytest.fixture
def running(tmp_path: Path) -> Iterator[str]:
    """Where the dashboard of a running application is."""
    (tmp_path / "tenants.yaml").write_text(TENANTS)
    options = ["--for", "10m", "--store", str(tmp_path / "runs.sqlite"), "--dashboard", "--port", "0"]
    options += ["--tokens", str(tmp_path / "tokens.json")]
    command = [sys.executable, "-c", MAIN, str(tmp_path / "tenants.yaml"), *options]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    with (tmp_path / "said").open("wb") as said:
        process = subprocess.Popen(command, env=environment, stderr=said, stdout=said)
    try:
        yield eventually(lambda: _url((tmp_path / "said").read_text(), process))
    finally:
        process.terminate()
        process.wait(60.0)


def _url(said: str, process: "subprocess.Popen[bytes]") -> str | None:
    assert process.poll() is None, said
    found = re.search(r"dashboard: (http\S+)", said)
    return found.group(1) if found else None


def test_the_page_shows_the_query_as_the_store_has_it(running: str, tmp_path: Path, open_page: OpenPage) -> None:
    with closing(open_store(tmp_path / "runs.sqlite")) as store:
        eventually(lambda: store.runs() and len(store.read_run(store.runs()[-1].id).at_s) > 3)
        page = open_page(running)
        expect(page.locator(".life")).to_have_text("live")
        run = store.read_run(store.runs()[-1].id)
        assert run.info.engine == "spark"
        row = page.locator("tr[data-job=quick]")
        expect(row.get_by_test_id("job-slots")).to_have_text(str(run.job("quick").threads[-1]))
