"""A real Prometheus scrapes a site, evaluates the alert rules over what it found, and raises one; see `make alerts`."""

import os
import re
import shutil
import subprocess
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import pytest
import yaml

from penstock.core.cycle import GOVERNING_ENDED
from penstock.store.cards import Card
from penstock.store.sql import SqlStore
from penstock.web.server import Site
from tests.harness.ports import own_port
from tests.patience import eventually, patience_s
from tests.recorded import RUN, a_cycle
from tests.web import asking

pytestmark = pytest.mark.alerts

ROOT = Path(__file__).parents[2]
RULES = ROOT / "deploy" / "prometheus" / "penstock.rules.yml"
UNPACKED = ROOT / ".tools" / "prometheus" / "usr" / "bin"


def prometheus() -> str:
    """The program."""
    found = shutil.which("prometheus", path=os.pathsep.join([os.environ["PATH"], str(UNPACKED)]))
    assert found is not None, "there is no Prometheus: `make alerts` fetches Debian's"
    return found


def documented() -> dict[str, Any]:
    """How docs/metrics.md has a site scraped."""
    blocks = re.findall(r"^```yaml\n(.*?)^```", (ROOT / "docs" / "metrics.md").read_text(), re.MULTILINE | re.DOTALL)
    (scraped,) = next(read["scrape_configs"] for read in map(yaml.safe_load, blocks) if "scrape_configs" in read)
    return dict(scraped)


class Asked:
    """A Prometheus that scrapes one site each second."""

    def __init__(self, url: str) -> None:
        self._url = url

    def ready(self) -> bool:
        """Whether it answers yet."""
        try:
            return asking.get(f"{self._url}/-/ready").status_code == 200
        except httpx.TransportError:
            return False

    def data(self, path: str) -> Any:
        """What its API says."""
        return asking.get(f"{self._url}/api/v1/{path}").json()["data"]

    def firing(self) -> list[dict[str, Any]]:
        """Alerts that are raised; one that a rule still waits with is none yet."""
        return [alert for alert in self.data("alerts")["alerts"] if alert["state"] == "firing"]

    def has(self, query: str) -> bool:
        """Whether anything is found by it now."""
        return bool(self.data(f"query?query={query}")["result"])


@pytest.fixture
def asked(site: Site, tmp_path: Path) -> Iterator[Asked]:
    where = f"127.0.0.1:{own_port()}"
    scraped = {**documented(), "scrape_interval": "1s", "static_configs": [{"targets": [site.url.split("/")[2]]}]}
    often = {"global": {"evaluation_interval": "1s"}, "rule_files": [str(RULES)], "scrape_configs": [scraped]}
    config = tmp_path / "prometheus.yml"
    config.write_text(yaml.safe_dump(often))
    words = [f"--config.file={config}", f"--storage.tsdb.path={tmp_path / 'series'}", f"--web.listen-address={where}"]
    with (tmp_path / "prometheus.log").open("wb") as log:
        process = subprocess.Popen([prometheus(), *words], stdout=log, stderr=log)
    try:
        found = Asked(f"http://{where}")
        eventually(found.ready)
        yield found
    finally:
        process.terminate()
        process.wait()


def test_it_finds_each_metric_of_the_page_with_its_labels(asked: Asked, site: Site) -> None:
    page = asking.get(f"{site.url}metrics").text
    names = {line.split("{")[0] for line in page.splitlines() if not line.startswith("#")}
    found = eventually(lambda: asked.data("label/__name__/values") if asked.has("penstock_cycles_total") else None)
    assert names <= set(found)
    assert asked.has('penstock_job_slots{run="demo",job="ads"}')  # and not `job` of the scraping
    (target,) = asked.data("targets")["activeTargets"]
    assert (target["health"], target["lastError"]) == ("up", "")


def test_it_can_evaluate_every_rule(asked: Asked) -> None:
    def evaluated() -> list[dict[str, Any]] | None:
        rules = [rule for group in asked.data("rules")["groups"] for rule in group["rules"]]
        return rules if rules and all(rule["health"] != "unknown" for rule in rules) else None

    rules = eventually(evaluated)
    assert [(rule["name"], rule["lastError"]) for rule in rules if rule["health"] != "ok"] == []
    assert len(rules) == RULES.read_text().count("alert:") + RULES.read_text().count("record:")


def test_it_raises_an_alert_when_governing_ends_by_itself(asked: Asked, store: SqlStore) -> None:
    store.desk.leave_card(RUN.id, Card(time.time(), 50.0, interval_s=patience_s()))
    eventually(lambda: asked.has("penstock_controller_up==1"))
    assert asked.firing() == []
    store.append(replace(a_cycle(50.0), error=f"{GOVERNING_ENDED}another controller has the lease"))
    (alert,) = eventually(asked.firing)
    assert (alert["labels"]["alertname"], alert["labels"]["severity"]) == ("PenstockLeaseLost", "page")
    assert alert["annotations"]["summary"] == "Governing of demo ended by itself"
