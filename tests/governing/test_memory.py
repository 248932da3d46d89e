"""`penstock run` on a standalone cluster: executors get other memory, and the run goes on as before."""

import json
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from penstock.core.levers import WHOLE
from penstock.governing.remembering import left_behind
from penstock.local.spark import standalone
from penstock.store.open import open_store
from tests.cli.calling import ROOT, environment
from tests.harness.ports import own_port

pytestmark = pytest.mark.cluster


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("memory")


@pytest.fixture(scope="module")
def done(place: Path) -> Any:
    """What the run of on_memory came to, on a worker of 1.5 GiB."""
    state = place / "cluster.json"
    cluster = standalone.up(state, workers=1, cores=2, memory="1536m", port=own_port())
    command = [sys.executable, "-m", "tests.governing.on_memory", cluster.master, str(place)]
    try:
        with (place / "driver.log").open("wb") as said:
            run = subprocess.run(command, cwd=ROOT, env=environment(), stdout=subprocess.PIPE, stderr=said, check=False)
    finally:
        standalone.down(state)
    assert run.returncode == 0, (place / "driver.log").read_text()[-3000:]
    return json.loads(run.stdout.splitlines()[-1])


def test_counts_stay_exact_and_executors_have_the_memory_that_was_decided(done: dict[str, Any]) -> None:
    assert done["equal"] is True
    assert done["heaps"] == ["-Xmx512M", "-Xmx1024M"]
    assert (done["memory"][0], done["memory"][-1], done["most"]) == (512, 1024, 1536)


def test_the_run_goes_on_with_its_clock_its_slots_and_its_policys_memory(done: dict[str, Any], place: Path) -> None:
    assert done["at_s"] == sorted(set(done["at_s"]))
    changed = done["memory"].index(1024)
    assert done["slots"][0] == 1
    assert set(done["slots"][changed:]) == {2}
    with closing(open_store(place / "runs.sqlite", create=False)) as store:
        (info,) = store.runs()
        run = store.read_run(done["run"])
    assert (info.id, list(run.at_s)) == (done["run"], done["at_s"])
    rounds = [note.text.split("; ")[-1] for note in run.notes]
    assert rounds == [f"round {number}" for number in range(len(run.at_s))]


def test_the_decision_is_in_the_store_as_done(done: dict[str, Any], place: Path) -> None:
    with closing(open_store(place / "runs.sqlite", create=False)) as store:
        (decided,) = [d for d in store.read_run(done["run"]).decisions if WHOLE in d.decision.jobs]
    assert decided.carried_out
    assert decided.errors == ()
    assert [text for text in done["decisions"] if "did (application) executor memory 512 -> 1,024 MiB" in text]


def test_a_driver_that_takes_the_place_of_this_one_begins_with_what_it_had(done: dict[str, Any], place: Path) -> None:
    left = left_behind(place / "runs.sqlite", done["run"])
    assert (left.slots, left.memory_mib) == ({"counting": 2}, 1024)


def test_executors_tell_how_much_of_their_time_garbage_takes(done: dict[str, Any]) -> None:
    told = [share for share in done["gc"] if share is not None]
    assert told
    assert all(0.0 <= share < 1.0 for share in told)


def test_where_no_executor_of_that_size_comes_the_old_one_is_started_and_it_is_said(done: dict[str, Any]) -> None:
    assert done["back"] == {"instead": "no executor of 9,000 MiB came within 2 s", "had": 600, "not_given": [9000]}
