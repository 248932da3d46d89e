"""The event log of a real application that knew nothing of penstock; see tests/data/record_event_log.py."""

import json
import os
from pathlib import Path

import pytest
from click.testing import CliRunner

from penstock.cli.advise import advise
from penstock.engines.spark.history.events import logged
from penstock.engines.spark.history.files import lines_of, log_at
from penstock.engines.spark.history.replay import History, replayed
from penstock.engines.spark.jobs.job import Job

DATA = Path(__file__).parents[3] / "data"
ROLLED = next(DATA.glob("eventlog_v2_*"))
WANTED = """jobs:
  - {name: clicks, intent: {latency: 2s, utility: 20}}
  - {name: fraud, intent: {latency: 1s, percentile: 95, utility: 40}}
  - {name: audit, intent: {latency: 12s, utility: 10}}
"""


@pytest.fixture(scope="module")
def history() -> History:
    return replayed(list(logged(lines_of(ROLLED))), [Job("clicks"), Job("fraud"), Job("audit")])


def test_its_application_is_told_as_it_was(history: History) -> None:
    application = history.application
    assert (application.name, application.spark, history.slots, history.executors) == ("shop", "4.3.0", 4, 1)
    assert (history.queries, history.scheduling) == (("clicks", "fraud", "audit"), "fifo")


def test_rates_are_those_of_its_sources(history: History) -> None:
    last = {job.name: job for job in history.snapshots[-1].jobs}
    # The rate sources of the recorder: rows a second.
    for name, rate in (("clicks", 200.0), ("fraud", 50.0), ("audit", 100.0)):
        assert last[name].arrival_rps == pytest.approx(rate, rel=0.15)
        assert last[name].trouble is None
        assert any(job.stages for seen in history.snapshots for job in seen.jobs if job.name == name)


def test_of_a_folder_the_rolled_log_is_found_whatever_lies_beside_it(tmp_path: Path) -> None:
    os.symlink(ROLLED, tmp_path / ROLLED.name)
    (tmp_path / f".{ROLLED.name}.crc").touch()
    assert log_at(tmp_path).name == ROLLED.name


def test_advice_tells_how_far_the_simulator_is_off_on_it(tmp_path: Path) -> None:
    (tmp_path / "tenants.yaml").write_text(WANTED)
    arguments = ["--history", str(ROLLED), str(tmp_path / "tenants.yaml"), "--within", "3000", "--json", "-"]
    told = CliRunner().invoke(advise, arguments)
    assert told.exit_code == 0, told.output
    found = json.loads(told.stdout)
    assert found["slots"] == 4
    assert [one["slots"] for one in found["slots_tried"]][:4] == [1, 2, 3, 4]
    assert (found["off"], found["off_span_s"]) == (pytest.approx(0.0, abs=0.05), pytest.approx(25.0, abs=5.0))
    assert "The simulator's error is " in told.stderr
