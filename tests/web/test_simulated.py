"""What the simulator answers beside a run: what would help, what decisions brought; each question is asked once."""

import json
import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from penstock.core.plan import Plan
from penstock.store.gallery import Gallery
from penstock.store.sql import SqlStore
from penstock.web.aside import Asked, FullError
from penstock.web.remedying import IN_TROUBLE, RemediesIn, answer
from penstock.web.shapes_simulated import WorthOut
from penstock.web.simulated import Simulated
from tests.patience import eventually
from tests.recorded import RUN, a_cycle, a_job, a_judging_cycle, a_view, an_acting_cycle
from tests.web import asking
from tests.web.living import LiveRun

pytestmark = pytest.mark.sockets


class Counted:
    """In the place of the process: it answers by heart, and keeps what it was asked."""

    def __init__(self) -> None:
        self.asked: list[Asked] = []
        self.full = False

    def answer(self, run_id: str, asked: Asked, within_s: float) -> str:
        if self.full:
            raise FullError("as many wait as may")
        self.asked.append(asked)
        if asked.kind == "remedies":
            return json.dumps({"text": f"answer {len(self.asked)}"})
        (number,) = json.loads(asked.model_dump_json(exclude_unset=True))["decisions"]
        told: dict[str, Any] = {"span_s": 60.0, "really": 0.7, "with_it": 0.7, "without": 0.5, "gain": 0.2, "off": 0.02}
        return json.dumps([{"number": number, "text": "without it 50 %", "tells": True, **told}])


@pytest.fixture
def process() -> Counted:
    return Counted()


@pytest.fixture
def gallery(store: SqlStore) -> Gallery:
    """Two decisions that were carried out and judged, and one whose step failed; the run lasts until 200 s."""
    for cycle in (an_acting_cycle(50.0), a_judging_cycle(110.0, 50.0), a_cycle(200.0, plan=Plan(note="quiet"))):
        store.append(cycle)
    return Gallery(store.database, RUN.id)


def test_a_remedy_is_asked_for_once_in_half_a_minute(process: Counted, gallery: Gallery) -> None:
    times = iter([0.0, 0.0, 10.0, 40.0, 40.0])
    simulated = Simulated(process, 30.0, clock=lambda: next(times))  # type: ignore[arg-type]
    told = [json.loads(simulated.remedies(gallery, "ads"))["text"] for _ in range(3)]
    assert told == ["answer 1", "answer 1", "answer 2"]


def test_who_asks_for_a_remedy_while_others_wait_is_told_so_and_may_ask_again(
    process: Counted, gallery: Gallery
) -> None:
    simulated = Simulated(process, 30.0)  # type: ignore[arg-type]
    process.full = True
    found = json.loads(simulated.remedies(gallery, "ads"))
    assert (found["text"], found["whole"]) == ("Not known yet: as many wait as may.", False)
    process.full = False
    assert json.loads(simulated.remedies(gallery, "ads"))["text"] == "answer 1"


def test_a_tenant_without_figures_has_no_remedy_and_that_is_no_error(store: SqlStore) -> None:
    ads = a_job("ads")
    dead = replace(ads, figures=replace(ads.figures, arrival_rps=None, trouble="its query died"))
    store.append(a_cycle(50.0, a_view(50.0, [dead, a_job("fraud", 35.0)])))
    found = answer(Gallery(store.database, RUN.id), RemediesIn(job="ads"), 30.0)
    assert (found.text, found.whole) == ("It has no figures to start from: see what is wrong with it first.", False)


def test_of_a_tenant_whose_query_ended_no_simulation_says_that_nothing_need_be_changed(store: SqlStore) -> None:
    ads = a_job("ads")
    ended = replace(ads, figures=replace(ads.figures, trouble="its query ended: OutOfMemoryError"))
    store.append(a_cycle(50.0, a_view(50.0, [ended, a_job("fraud", 35.0)])))
    found = answer(Gallery(store.database, RUN.id), RemediesIn(job="ads"), 30.0)
    assert (found.text, found.by_itself, found.took_s) == (IN_TROUBLE, False, 0.0)


def test_what_a_decision_brought_is_asked_once_for_all_time(process: Counted, gallery: Gallery) -> None:
    simulated = Simulated(process, 30.0)  # type: ignore[arg-type]
    first, again = simulated.without(gallery, 3), simulated.without(gallery, 3)
    assert first == again
    assert (first.gain, len(process.asked)) == (0.2, 1)


def test_an_answer_is_not_taken_for_that_of_the_decision_that_moved_up_in_its_place(
    process: Counted, store: SqlStore, tmp_path: Path
) -> None:
    for cycle in (an_acting_cycle(50.0), a_judging_cycle(110.0, 50.0), an_acting_cycle(120.0), a_cycle(195.0)):
        store.append(cycle)
    simulated, gallery = Simulated(process, 30.0), Gallery(store.database, RUN.id)  # type: ignore[arg-type]
    records = gallery.decisions()
    place = next(n for n, record in enumerate(records, start=1) if record.decision.at_s == 50.0)
    simulated.without(gallery, place)
    with closing(sqlite3.connect(tmp_path / "runs.sqlite")) as raw, raw:
        raw.execute("PRAGMA foreign_keys = ON")
        raw.execute("DELETE FROM penstock_cycles WHERE at_s = 50.0")  # as when it is too old to be kept
    assert gallery.decisions()[place - 1].decision.at_s == 120.0
    simulated.without(gallery, place)
    assert len(process.asked) == 2


def test_of_what_was_not_carried_out_nobody_asks_the_simulator(process: Counted, gallery: Gallery) -> None:
    found = Simulated(process, 30.0).without(gallery, 2)  # type: ignore[arg-type]
    assert (found.tells, found.why, process.asked) == (False, "it was not carried out", [])


def test_the_sum_grows_by_one_decision_each_time_it_is_asked_for(process: Counted, gallery: Gallery) -> None:
    simulated = Simulated(process, 30.0)  # type: ignore[arg-type]
    # Number 1 ran until number 2 turned the same lever 20 s later, which is just long enough.
    found = [simulated.worth(gallery) for _ in range(3)]
    assert [(one.decisions, one.waits) for one in found] == [(1, 1), (2, 0), (2, 0)]
    assert len(process.asked) == 2
    assert found[-1].text.startswith("+20 points of utility by 2 decisions (70 % instead of 50 % over the 2 min")


def test_who_asks_for_the_sum_while_others_wait_gets_what_is_known(process: Counted, gallery: Gallery) -> None:
    process.full = True
    found = Simulated(process, 30.0).worth(gallery)  # type: ignore[arg-type]
    assert (found.text, found.waits) == ("", 2)


def test_a_live_run_tells_what_would_help_and_what_its_decisions_brought(live: LiveRun) -> None:
    def get(path: str, **query: Any) -> Any:
        return asking.get(f"{live.url}api/{path}", params=query).raise_for_status().json()

    found = get("remedies", job="reports")
    assert found["job"] == "reports"
    assert found["text"]
    nine = get("remedies", job="fraud", nine="true")
    assert nine["text"].startswith("The next nine, p99 latency <= 2s: ")
    assert nine["met"] is not None  # at p99: as it is, and in all that was tried
    assert set(get("worth")) == set(WorthOut.__dataclass_fields__)


@pytest.mark.parametrize(
    ("path", "status", "said"),
    [
        ("remedies?job=nobody", 404, "name one of "),
        ("without?decision=0", 422, "write 1 or more"),
    ],
)
def test_what_is_not_there_is_said(live: LiveRun, path: str, status: int, said: str) -> None:
    answer = asking.get(f"{live.url}api/{path}")
    assert (answer.status_code, said in answer.json()["message"]) == (status, True)


def test_of_a_decision_that_was_not_taken_the_last_one_is_named(live: LiveRun) -> None:
    def refused() -> str:
        answer = asking.get(f"{live.url}api/without?decision=100000")
        assert answer.status_code == 422
        return str(answer.json()["message"])

    # A run that has only just begun has taken none.
    eventually(lambda: "write 1 to " in refused())
