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

from penstock.store.archive import MOST_TOLD
from penstock.store.open import open_store
from penstock.web.app import create_app
from penstock.web.settings import Rate, WebSettings
from penstock.web.tokens import NO_TOKENS
from tests.bombs import a_bomb
from tests.web import spoiling
from tests.web.loops import finished
from tests.web.spoiling import OTHER, SPOILT, AtOnce

MANY = Rate(burst=1_000_000, per_s=1_000_000.0)
SETTINGS = WebSettings(reads=MANY, acts=MANY, logins=MANY, whatif_s=0.1, poll_s=0.01)
CASES = 2  # two seconds each
IN_MEGABYTES = (
    f"runs SET name = :x, policy = :x, engine = :x, currency = :x WHERE id = '{SPOILT.id}'",
    "machine_figures SET machine = :x WHERE machine = 'm1'",
    "step_outcomes SET job = :x",
    "deeds SET job = :x",
)
SIMULATED = {"/api/remedies", "/api/without", "/api/worth"}
STATUSES = {200, 401, 404, 409, 422, 503}
SEVERAL_TEXTS = 100 * MOST_TOLD  # one that is long is told in several places, and as a label with each metric


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("spoilt") / "runs.sqlite"
    spoiling.record(path)
    return path


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """A process for the simulator of each of so many sites would take minutes to start."""
    monkeypatch.setattr("penstock.web.app.Aside", AtOnce)


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


def test_every_route_is_asked_and_answers_of_the_store_as_it_was_recorded(recorded: Path, tmp_path: Path) -> None:
    path = anew(recorded, tmp_path)
    found = asked(path, SPOILT.id)
    with site(path) as app:
        routes = {f"{method} {p}" for p, operations in app.openapi()["paths"].items() for method in operations}
    assert {" ".join(question.split(" ")[:2]) for question in found.answers} | {"get /api/live"} == routes
    refused = {
        question.split(" {")[0]: answer.status_code for question, answer in found.answers.items() if answer.is_error
    }
    assert refused == {"post /api/session": 401, "post /api/control": 422}  # a token and a proposal that nobody gave
    assert found.news.startswith("event: news")


@pytest.mark.parametrize("seed", [1, *(pytest.param(seed, marks=pytest.mark.long) for seed in range(2, 40))])
def test_whatever_is_in_a_cell_every_route_answers_and_other_runs_are_as_before(
    recorded: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture, seed: int
) -> None:
    before, others = asked(anew(recorded, tmp_path), SPOILT.id), asked(anew(recorded, tmp_path), OTHER.id, "get")
    for spoilt in islice(spoiling.drawn(recorded, seed), CASES):
        path = anew(recorded, tmp_path)
        if spoilt.into(path):
            hold(spoilt, asked(path, SPOILT.id), before, caplog)
            assert said_of_others(asked(path, OTHER.id, "get")) == said_of_others(others), spoilt


def test_of_names_in_megabytes_the_beginning_is_told(
    recorded: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    before, path = asked(anew(recorded, tmp_path), SPOILT.id, "get"), anew(recorded, tmp_path)
    with closing(sqlite3.connect(path)) as raw, raw:
        for how in IN_MEGABYTES:
            raw.execute(f"UPDATE penstock_{how}", {"x": "x" * 3_000_000})
    hold("names", asked(path, SPOILT.id, "get"), before, caplog)


def test_of_texts_in_megabytes_within_a_document_the_beginning_is_told(
    recorded: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    before, path = asked(anew(recorded, tmp_path), SPOILT.id, "get"), anew(recorded, tmp_path)
    changed = [spoiling.lengthen(path, word, "x" * 3_000_000) for word in ("ads", "m1", "source", "for a look")]
    with closing(sqlite3.connect(path)) as raw, raw:  # the name by which figures of a tenant are found
        raw.execute("UPDATE penstock_intents SET job = ? WHERE job = 'ads'", ["x" * 3_000_000])
    assert {place.removeprefix("penstock_") for place in changed[0]} == {
        *("cycles.snapshot", "cycles.prediction_errors", "decisions.changes", "decisions.foretold"),
        *("step_outcomes.changes", "outlooks.body", "route_windows.body", "controllers.approval", "proposals.decision"),
        "memories.body",
    }
    hold("texts", asked(path, SPOILT.id, "get"), before, caplog)


def test_a_cell_of_few_bytes_that_unpack_to_gigabytes_is_told_by_its_place(
    recorded: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    before, path = asked(anew(recorded, tmp_path), SPOILT.id, "get"), anew(recorded, tmp_path)
    with closing(sqlite3.connect(path)) as raw, raw:
        raw.execute("UPDATE penstock_cycles SET snapshot = ?", [a_bomb(4096)])
    found = asked(path, SPOILT.id, "get")
    hold("a bomb", found, before, caplog)
    assert f"run '{SPOILT.id}': a row cannot be read: SpoiltError: penstock_cycles, id " in found.news
    assert "it unpacks to more than 64 MiB: no penstock has written it" in found.news
