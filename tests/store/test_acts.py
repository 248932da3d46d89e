"""What people asked, and what tenants asked for when, is read back for the story and the charts."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from penstock.core.asked.acts import HeardAct
from penstock.core.asked.intents import Intent, Latency
from penstock.core.asked.orders import Act, Request, Wish
from penstock.store.control import DeskControl, Standing
from penstock.store.gallery import Gallery
from penstock.store.open import open_store
from penstock.store.sql import SqlStore
from tests.recorded import RUN, a_cycle, a_job, a_view

SLOW, FAST = Intent(Latency("20s")), Intent(Latency("3s", percentile=95))


@pytest.fixture(params=["sqlite", "postgresql"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[SqlStore]:
    sqlite = request.param == "sqlite"
    with closing(open_store(tmp_path / "runs.sqlite" if sqlite else request.getfixturevalue("postgres_url"))) as opened:
        opened.begin(RUN)
        yield opened


def heard(store: SqlStore, dry_run: bool = False) -> DeskControl:
    return DeskControl(store.desk, RUN.id, Standing(dry_run=dry_run))


def test_acts_are_told_with_who_and_when_the_controller_heard_them(store: SqlStore) -> None:
    control = heard(store)
    control.orders(10.0)
    for request in (
        Request(Act.PAUSE, "ann", 1.0),
        Request(Act.INTENT, "bob", 2.0, "fraud", FAST),
        Request(Act.TURN, "bob", 3.0, "ads", turn=Wish("bound", "ads", 2000)),
    ):
        store.desk.ask(RUN.id, request)
    control.orders(20.0)
    assert len(store.read_run(RUN.id).acts) == 2  # what is to be turned is told once it was turned
    control.turned(21.0)
    store.desk.ask(RUN.id, Request(Act.RESUME, "ann", 4.0))  # not heard yet
    told = store.read_run(RUN.id).acts
    assert told == Gallery(store.database, RUN.id).acts()
    assert [act.line for act in told] == [
        "ann paused governing",
        "bob changed the intent: fraud: p95 latency <= 3s",
        "bob asked for ads: bound 2,000 rows",
    ]
    assert told[1] == HeardAct(20.0, "bob", Act.INTENT, "fraud: p95 latency <= 3s", "fraud")


def test_what_was_asked_for_is_told_from_when_on_also_where_it_returns(store: SqlStore) -> None:
    for at_s, intent in ((10.0, SLOW), (20.0, SLOW), (30.0, FAST), (40.0, SLOW)):
        store.append(a_cycle(at_s, a_view(at_s, [a_job("ads", intent=intent), a_job("fraud")])))
    assert Gallery(store.database, RUN.id).asked("ads") == ((10.0, SLOW), (30.0, FAST), (40.0, SLOW))
    changes = store.read_run(RUN.id).job("ads").intents
    assert [(note.at_s, note.text) for note in changes] == [
        (10.0, "mean latency <= 20s"),
        (30.0, "p95 latency <= 3s"),
        (40.0, "mean latency <= 20s"),
    ]


@pytest.mark.parametrize(
    ("dry_run", "acts", "began"),
    [(True, [], True), (False, [], False), (True, [Act.DO], True), (False, [Act.DRY_RUN, Act.DO], False)],
)
def test_whether_a_run_began_dry_is_known_whatever_was_asked_later(
    store: SqlStore, dry_run: bool, acts: list[Act], began: bool
) -> None:
    control = heard(store, dry_run)
    for act in acts:
        store.desk.ask(RUN.id, Request(act, "ann", 1.0))
    control.orders(10.0)
    assert store.read_run(RUN.id).began_dry is began
