"""Cells that no penstock would have written, in any row of a run: every route answers, and other runs are as before."""

import json
import shutil
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import httpx
import pytest
from fastapi import FastAPI

from penstock.core.asked.orders import Act, Request
from penstock.store.archive import MOST_TOLD
from penstock.store.open import open_store
from penstock.web.app import create_app
from penstock.web.settings import Rate, WebSettings
from penstock.web.tokens import NO_TOKENS
from tests.bombs import a_bomb
from tests.web import spoiling
from tests.web.loops import finished
from tests.web.spoiling import LONG, OTHER, SEVERAL_TEXTS, SPOILT, AtOnce

MANY = Rate(burst=1_000_000, per_s=1_000_000.0)
SETTINGS = WebSettings(reads=MANY, acts=MANY, logins=MANY, whatif_s=0.1, poll_s=0.01)
CASES = 2  # two seconds each
OF_NAMES = (
    f"runs SET name = :x, policy = :x, engine = :x, currency = :x WHERE id = '{SPOILT.id}'",
    "machine_figures SET machine = :x WHERE machine = 'm1'",
    "step_outcomes SET job = :x",
    "deeds SET job = :x",
)
SIMULATED = {"/api/remedies", "/api/without", "/api/worth"}
STATUSES = {200, 401, 404, 409, 422, 503}


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("spoilt") / "runs.sqlite"
    spoiling.record(path)
    return path


@pytest.fixture(scope="module", autouse=True)
def at_once() -> Iterator[None]:
    """A process for the simulator of each of so many sites would take minutes to start."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("penstock.web.app.Aside", AtOnce)
        yield


@contextmanager
def site(path: Path) -> Iterator[FastAPI]:
    app = create_app(open_store(path), SETTINGS, lambda: NO_TOKENS)
    yield app
    app.state.site.end()
    app.state.site.store.close()


@dataclass(frozen=True, slots=True)
class Asked:
    """What is answered to every question about a run, and what its feed tells first."""

    answers: Mapping[str, httpx.Response]
    news: str


def asked(path: Path, run: str, method: str | None = None) -> Asked:
    """A site of its own is asked by that method, or by all."""

    async def ask(app: FastAPI) -> Asked:
        return Asked(await spoiling.answers(app, run, method), await spoiling.news(app, run))

    with site(path) as app:
        return finished(ask(app))


def anew(recorded: Path, place: Path) -> Path:
    """The store as it was recorded."""
    for end in ("-wal", "-shm"):
        (place / f"runs.sqlite{end}").unlink(missing_ok=True)
    return Path(shutil.copy(recorded, place / "runs.sqlite"))


@pytest.fixture(scope="module")
def before(at_once: None, recorded: Path, tmp_path_factory: pytest.TempPathFactory) -> Asked:
    """What is said of the run that is to be spoilt."""
    return asked(anew(recorded, tmp_path_factory.mktemp("before")), SPOILT.id)


@pytest.fixture(scope="module")
def others(at_once: None, recorded: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[int, Any]]:
    """What is said of the other one."""
    return said_of_others(asked(anew(recorded, tmp_path_factory.mktemp("others")), OTHER.id, "get"))


def plain(answer: httpx.Response) -> Any:
    """What an answer says, without how long it took; a ValueError where a browser could not read it."""
    if not answer.headers.get("content-type", "").startswith("application/json"):
        return answer.text
    said = json.loads(answer.text, parse_constant=_refused)
    return {name: value for name, value in said.items() if name != "took_s"} if isinstance(said, dict) else said


def _refused(constant: str) -> None:
    raise ValueError(f"{constant} is no JSON")


def hold(spoilt: object, found: Asked, before: Asked, log: pytest.LogCaptureFixture) -> None:
    """No fault of ours, nothing endless, nothing that cannot be read."""
    for question, answer in found.answers.items():
        assert answer.status_code in STATUSES, (spoilt, question, answer.text)
        assert len(answer.content) < len(before.answers[question].content) + SEVERAL_TEXTS, (spoilt, question)
        assert "Traceback" not in answer.text, (spoilt, question)
        plain(answer)
    assert found.news.startswith(("event: news", "event: trouble")), spoilt
    assert len(found.news) < len(before.news) + SEVERAL_TEXTS, spoilt
    assert [record.exc_text for record in log.records if record.exc_info] == [], spoilt


def said_of_others(found: Asked) -> dict[str, tuple[int, Any]]:
    """All that is said of the other run."""
    said = {question: (answer.status_code, plain(answer)) for question, answer in found.answers.items()}
    for question in (name for name in said if name.split(" ")[1] in SIMULATED):
        said[question] = (said[question][0], None)  # how far a simulator comes depends on the machine
    runs = "get /api/runs {'params': {}}"
    status, listed = said[runs]
    return {**said, runs: (status, [run for run in listed if run["id"] == OTHER.id]), "news": (0, found.news)}


def test_every_route_is_asked_and_answers_of_the_store_as_it_was_recorded(
    recorded: Path, before: Asked, tmp_path: Path
) -> None:
    with site(anew(recorded, tmp_path)) as app:
        routes = {f"{method} {p}" for p, operations in app.openapi()["paths"].items() for method in operations}
    answers = before.answers.items()
    assert {" ".join(question.split(" ")[:2]) for question, _ in answers} | {"get /api/live"} == routes
    refused = {question.split(" {")[0]: answer.status_code for question, answer in answers if answer.is_error}
    assert refused == {"post /api/session": 401, "post /api/control": 422}  # a token and a proposal that nobody gave
    assert before.news.startswith("event: news")


@pytest.mark.parametrize("seed", [1, *(pytest.param(seed, marks=pytest.mark.long) for seed in range(2, 40))])
def test_whatever_is_in_a_cell_every_route_answers_and_other_runs_are_as_before(
    recorded: Path,
    before: Asked,
    others: dict[str, tuple[int, Any]],
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
    seed: int,
) -> None:
    for spoilt in islice(spoiling.drawn(recorded, seed), CASES):
        path = anew(recorded, tmp_path)
        if spoilt.into(path):
            hold(spoilt, asked(path, SPOILT.id), before, caplog)
            assert said_of_others(asked(path, OTHER.id, "get")) == others, spoilt


@pytest.mark.parametrize("name", [b"\xff\x00", "x" * (2 * MOST_TOLD)], ids=("bytes", "longer than is told of any"))
def test_a_run_whose_id_no_penstock_gave_is_listed_and_looked_at_by_what_is_told_of_it_and_hides_no_other(
    recorded: Path, tmp_path: Path, name: str | bytes
) -> None:
    path = anew(recorded, tmp_path)
    with closing(sqlite3.connect(path)) as raw, raw:
        raw.execute("UPDATE penstock_runs SET id = ? WHERE id = ?", [name, SPOILT.id])
    with site(path) as app:
        reader = app.state.site.reader
        spoilt, other = reader.runs()
        assert (spoilt.live, spoilt.name, spoilt.cycles) == (True, SPOILT.name, 6)
        assert (other.id, other.live, other.cycles) == (OTHER.id, False, 2)
        assert reader.overview(spoilt.id, None, 10).run == spoilt


@pytest.mark.parametrize(
    "names",
    [("x" * 20_000, "x" * 10_000 + "y"), (b"\xff", b"\xfe"), (OTHER.id.encode(), OTHER.id), ("x" * 301, "x" * 302)],
    ids=("that begin alike", "bytes", "bytes and the same words", "longer than a page may ask for"),
)
def test_two_runs_whose_ids_no_penstock_gave_are_told_apart(
    recorded: Path, tmp_path: Path, names: tuple[str | bytes, str | bytes]
) -> None:
    path = anew(recorded, tmp_path)
    with closing(sqlite3.connect(path)) as raw, raw:
        for name, run in zip(names, (SPOILT, OTHER), strict=True):
            raw.execute("UPDATE penstock_runs SET id = ? WHERE id = ? AND name = ?", [name, run.id, run.name])
    with site(path) as app, closing(open_store(path)) as store:
        reader = app.state.site.reader
        runs = reader.runs()
        assert [(run.name, run.cycles) for run in runs] == [(SPOILT.name, 6), (OTHER.name, 2)]
        for run in runs:
            assert len(run.id) <= 300  # as the API takes it
            assert reader.overview(run.id, None, 10).run == run
            assert store.read_run(run.id).info.name == run.name
            store.desk.ask(run.id, Request(Act.PAUSE, f"who watches {run.name}", 1.0))
            assert [entry.who for entry in store.audit(run.id)][-1] == f"who watches {run.name}"


def test_of_names_of_a_megabyte_the_beginning_is_told(
    recorded: Path, before: Asked, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = anew(recorded, tmp_path)
    with closing(sqlite3.connect(path)) as raw, raw:
        for how in OF_NAMES:
            raw.execute(f"UPDATE penstock_{how}", {"x": LONG})
    hold("names", asked(path, SPOILT.id, "get"), before, caplog)


def test_of_texts_of_a_megabyte_within_a_document_the_beginning_is_told(
    recorded: Path, before: Asked, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = anew(recorded, tmp_path)
    changed = spoiling.lengthen(path, "ads", LONG)
    with closing(sqlite3.connect(path)) as raw, raw:  # the name by which figures of a tenant are found
        raw.execute("UPDATE penstock_intents SET job = ? WHERE job = 'ads'", [LONG])
    assert {place.removeprefix("penstock_") for place in changed} == {
        *("cycles.snapshot", "cycles.prediction_errors", "decisions.changes", "decisions.foretold"),
        *("step_outcomes.changes", "outlooks.body", "route_windows.body", "controllers.approval", "proposals.decision"),
        "memories.body",
    }
    hold("texts", asked(path, SPOILT.id, "get"), before, caplog)


def test_a_cell_of_few_bytes_that_unpack_to_gigabytes_is_told_by_its_place(
    recorded: Path, before: Asked, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = anew(recorded, tmp_path)
    with closing(sqlite3.connect(path)) as raw, raw:
        raw.execute("UPDATE penstock_cycles SET snapshot = ?", [a_bomb(4096)])
    found = asked(path, SPOILT.id, "get")
    hold("a bomb", found, before, caplog)
    assert f"run '{SPOILT.id}': a row cannot be read: penstock_cycles, id " in found.news
    assert "it unpacks to more than 64 MiB: no penstock has written it" in found.news
