"""`penstock run --dashboard` on real Spark, a process of its own: one application for all that is asserted of it.

It runs until it is told to stop: what is asserted is waited for in the recorded cycles, however long those take.
"""

import json
import re
import signal
import subprocess
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import pytest
from playwright.sync_api import Page, expect

from penstock.core.seen.view import View
from penstock.engines.spark.profiling import usage
from penstock.store.open import open_store
from penstock.store.sql import SqlStore
from tests.cli.calling import command, environment
from tests.patience import eventually, patience_s
from tests.web.browsing import OpenPage

pytestmark = pytest.mark.jvm

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
    min_slots: 2
    max_slots: 2
  - name: broken
    job: tests.governing.tenant_jobs:broken
    intent: {latency: 2s}
    restart: {max_restarts: 1, backoff: 100ms}
"""
Found = TypeVar("Found")
GIVEN_UP = "not running: no credentials; tried 2 times and given up, or again by `penstock control start broken`"


@dataclass(frozen=True, slots=True)
class Application:
    """The process, and the folder with its store and what it says."""

    process: "subprocess.Popen[bytes]"
    place: Path

    @property
    def said(self) -> str:
        """What it told its user so far."""
        return (self.place / "said").read_text()

    def url(self) -> str:
        """Where its dashboard is, as soon as it says so."""
        return self._until(lambda: re.search(r"dashboard: (http\S+)", self.said)).group(1)

    def recorded(self, ready: Callable[[View], object]) -> View:
        """The first recorded cycle in which that is so."""
        self.url()  # the store is there
        with closing(open_store(self.place / "runs.sqlite")) as store:
            return self._until(lambda: next(filter(ready, _views(store)), None))

    def _until(self, look: Callable[[], Found | None]) -> Found:
        def alive() -> Found | None:
            assert self.process.poll() is None, self.said
            return look()

        return eventually(alive)


def _views(store: SqlStore) -> Iterator[View]:
    for run in store.runs():
        yield from store.views(run.id)


@pytest.fixture
def application(tmp_path: Path) -> Iterator[Application]:
    (tmp_path / "tenants.yaml").write_text(TENANTS)
    options = ["--store", str(tmp_path / "runs.sqlite"), "--dashboard", "--port", "0", "--json", "-"]
    start = command("run", str(tmp_path / "tenants.yaml"), "--tokens", str(tmp_path / "tokens.json"), *options)
    with (tmp_path / "said").open("wb") as said, (tmp_path / "document").open("wb") as document:
        process = subprocess.Popen(start, env=environment(), stderr=said, stdout=document)
    yield Application(process, tmp_path)
    process.kill()
    process.wait()


def with_juice_beside_what_was_given_up(view: View) -> bool:
    jobs = {job.name: job.figures for job in view.jobs}
    return jobs["quick"].juice is not None and "given up" in (jobs["broken"].trouble or "")


@pytest.mark.contract
def test_one_tenants_broken_job_is_reported_the_other_is_governed_and_ctrl_c_tells_what_had_come(
    application: Application, open_page: OpenPage
) -> None:
    view = application.recorded(with_juice_beside_what_was_given_up)
    assert view.job("broken").figures.trouble == GIVEN_UP
    assert view.job("quick").figures.trouble is None
    _shown_as_recorded(view, open_page(application.url()))
    _ended_by_ctrl_c(view, application)


def _shown_as_recorded(view: View, page: Page) -> None:
    expect(page.locator(".life")).to_have_text("live")
    # Its limits leave it a weight of two, in the cycle that was waited for and in all after it.
    assert view.job("quick").figures.threads == 2
    expect(page.locator("tr[data-job=quick]").get_by_test_id("job-slots")).to_contain_text("weight 2")
    expect(page.get_by_test_id("trouble").filter(has_text="broken")).to_contain_text("no credentials")
    page.close()  # it would complain of a server that is told to stop


def _ended_by_ctrl_c(view: View, application: Application) -> None:
    started = usage.below(application.process.pid)
    assert started
    application.process.send_signal(signal.SIGINT)
    assert application.process.wait(patience_s()) == 130
    story = json.loads((application.place / "document").read_text())
    assert story["jobs"]["broken"]["trouble"] == GIVEN_UP
    assert (story["jobs"].keys(), story["seconds"] >= view.at_s) == ({"quick", "broken"}, True)
    assert f"penstock explain {story['run']}" in " ".join(application.said.split())
    eventually(lambda: usage.cpu(started).processes == 0)
