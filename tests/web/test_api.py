"""The API tells what is in the store, and says what was wrong in one kind of answer."""

import csv
import io
import json
import sqlite3
import threading
from collections.abc import Callable
from contextlib import ExitStack, closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from penstock.store.sql import SqlStore
from penstock.telling.words import moves_text
from penstock.web import feed
from penstock.web.acting import ActIn
from penstock.web.app import create_app
from penstock.web.feed import Feed, LookAgain, trouble
from penstock.web.routes_session import TokenIn
from penstock.web.server import Site
from penstock.web.settings import WebSettings
from penstock.web.tokens import kept_tokens
from penstock.web.what_if import WhatIfIn
from tests.patience import eventually, patience_s
from tests.recorded import RUN
from tests.web import asking
from tests.web.loops import finished

pytestmark = pytest.mark.sockets


def get(site: Site, path: str, **query: Any) -> Any:
    return asking.get(f"{site.url}api/{path}", params=query).raise_for_status().json()


def refused(site: Site, path: str, **query: Any) -> tuple[int, str]:
    answer = asking.get(f"{site.url}api/{path}", params=query)
    return answer.status_code, answer.json()["message"]


def test_runs_are_listed_and_one_that_is_over_is_not_live(site: Site) -> None:
    (run,) = get(site, "runs")
    assert (run["id"], run["policy"], run["started_at"], run["live"]) == (RUN.id, "henge", 1_000_000.0, False)


def test_runs_say_how_long_they_are(site: Site, store: SqlStore) -> None:
    store.begin(replace(RUN, id="demo-2", name="just begun"))
    found = [(run["id"], run["cycles"], run["first_s"], run["last_s"]) for run in get(site, "runs")]
    assert found == [("demo-2", 0, None, None), (RUN.id, 4, 10.0, 40.0)]


def test_probes_need_no_token_and_tell_whether_the_store_can_be_read(
    serve: Callable[[WebSettings], Site], settings: WebSettings, tmp_path: Path
) -> None:
    site = serve(replace(settings, allowed_hosts=frozenset({"dash.example"})))
    for path, status in (("health", "up"), ("ready", "ready")):
        answer = asking.get(f"{site.url}{path}")
        assert (answer.status_code, answer.json()["status"], answer.headers["cache-control"]) == (
            200,
            status,
            "no-store",
        )
    with closing(sqlite3.connect(tmp_path / "runs.sqlite")) as other:
        other.execute("DROP TABLE penstock_runs")
    assert [asking.get(f"{site.url}{path}").status_code for path in ("health", "ready")] == [200, 503]
    assert str(tmp_path) not in asking.get(f"{site.url}ready").text


def test_the_overview_has_the_figures_of_the_store(site: Site, store: SqlStore) -> None:
    run, found = store.read_run(RUN.id), get(site, "overview")
    assert found["totals"]["at_s"] == list(run.at_s)
    assert found["totals"]["values"]["utility"] == list(run.utility)
    assert found["jobs"]["ads"]["values"]["slots"] == list(run.job("ads").threads)
    assert (found["present"]["utility"], found["present"]["max_utility"]) == (run.utility[-1], run.max_utility[-1])


def test_those_in_trouble_come_first_with_why_what_was_done_and_what_came(site: Site) -> None:
    first = get(site, "overview")["present"]["tenants"][0]
    assert (first["name"], first["state"]) == ("ads", "missing")
    assert first["why"].startswith("p95 latency 3 s instead of 2 s; 90 % of the input is processed instead of 100 %.")
    assert (first["last_decision"]["came"], first["last_decision"]["errors"]) == ("not done", ["ads: gone"])


def test_what_is_absent_is_null_and_never_zero(site: Site) -> None:
    found = get(site, "job", job="ads")
    assert (found["forecast"], found["recovery_s"], found["tenant"]["backlog_rows"]) == (None, None, None)
    machines = get(site, "cluster")["present"]["machines"]
    assert [machine["load"] for machine in machines] == [6.5, None]


def test_a_tenant_has_its_operators_and_its_own_decisions(site: Site) -> None:
    found = get(site, "job", job="ads")
    assert [operator["name"] for operator in found["operators"]] == ["source", "map"]
    assert found["edges"] == [["source", "map"]]
    assert len(found["decisions"]) == 2
    assert get(site, "job", job="fraud")["decisions"] == []


def test_decisions_are_found_by_words_and_by_what_came(site: Site, store: SqlStore) -> None:
    record = store.read_run(RUN.id).decisions[0]
    (found,) = get(site, "decisions", words="LATENCY misses", came="better")["decisions"]
    assert (found["text"], found["why"]) == (moves_text(record.decision.moves), record.decision.why)
    assert record.verdict is not None
    assert found["utility_came"] == record.verdict.utility_came
    assert get(site, "decisions", words="nothing of the kind")["total"] == 0
    assert [d["number"] for d in get(site, "decisions")["decisions"]] == [2, 1]


def test_decisions_can_be_taken_away_as_a_table(site: Site) -> None:
    answer = asking.get(f"{site.url}api/decisions.csv")
    rows = list(csv.DictReader(io.StringIO(answer.text)))
    assert [(row["number"], row["came"], row["jobs"]) for row in rows] == [
        ("2", "not done", "ads"),
        ("1", "better", "ads"),
    ]
    assert "attachment" in answer.headers["content-disposition"]


def test_an_incident_tells_one_tenant_in_one_part_of_the_run(site: Site) -> None:
    whole = get(site, "incident", job="ads")
    # It misses from the first cycle, at 10 s, to the last, at 40 s; twice it was tried to help, which came once.
    assert (whole["from_s"], whole["to_s"], whole["missed_s"], whole["worst_latency_s"]) == (10.0, 40.0, 30.0, 3.0)
    assert [chapter["name"] for chapter in whole["chapters"]] == [
        *("What happened", "To whom", "Why", "What was done", "What it cost")
    ]
    assert [event["at_s"] for event in whole["events"]] == [10.0, 20.0, 40.0]
    part = get(site, "incident", job="ads", since=25, until=35)
    assert (part["missed_s"], [event["at_s"] for event in part["events"] if "decision" in event["text"]]) == (5.0, [])
    assert get(site, "incident", job="fraud")["missed_s"] == 0.0


@pytest.mark.parametrize(
    ("path", "query", "status", "said"),
    [
        ("overview", {"run": "weekly"}, 404, "run: 'weekly' cannot be used"),
        ("job", {"job": "nobody"}, 404, "name one of ads, fraud"),
        ("incident", {"job": "nobody"}, 404, "job: 'nobody' cannot be used; name one of ads, fraud"),
        (
            "incident",
            {"job": "ads", "since": 30, "until": 20},
            422,
            "until: '0:00:20' cannot be used; give a time after",
        ),
        ("incident", {"job": "ads", "since": "nan"}, 422, "since: "),
        ("incident", {}, 422, "job: missing; this field is needed"),
        ("overview", {"points": "many"}, 422, "points: 'many' cannot be used; write a whole number"),
        ("overview", {"span": "forever"}, 422, "span: 'forever' cannot be used; write a number"),
        ("decisions", {"limit": 0}, 422, "limit: '0' cannot be used; write 1 or more"),
        ("without", {"decision": "first"}, 422, "decision: 'first' cannot be used; write a whole number"),
        ("nothing", {}, 404, "Not Found"),
    ],
)
def test_a_mistake_is_said_with_its_field(site: Site, path: str, query: Any, status: int, said: str) -> None:
    code, message = refused(site, path, **query)
    assert (code, said in message) == (status, True)


@pytest.mark.parametrize("path", ["api/overview?run=demo-1", "api/decisions", "api/incident?job=ads"])
@pytest.mark.parametrize(
    "spoil",
    [
        "penstock_decisions SET utility_before = X'EDA080'",
        "penstock_decisions SET utility_before = 'x'",
        "penstock_cycles SET at_s = 'x' WHERE at_s = 20.0",
    ],
    ids=["bytes in a figure", "words in a figure", "words for an instant"],
)
def test_a_row_that_nobody_of_ours_wrote_is_no_fault_of_the_server(
    site: Site, tmp_path: Path, path: str, spoil: str
) -> None:
    with closing(sqlite3.connect(tmp_path / "runs.sqlite")) as other, other:
        other.execute(f"UPDATE {spoil}")
    assert asking.get(f"{site.url}{path}").status_code in (200, 404, 422, 503)


def test_a_store_that_breaks_is_said_without_a_traceback(site: Site, tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "runs.sqlite")) as other:
        other.execute("DROP TABLE penstock_verdicts")
    answer = asking.get(f"{site.url}api/decisions")
    assert answer.status_code == 503
    assert answer.json()["message"].endswith("no such table: penstock_verdicts")


def test_the_description_names_every_path_and_needs_no_network(site: Site) -> None:
    described = get(site, "openapi.json")
    assert {"/api/overview", "/api/job", "/api/control", "/api/what-if", "/api/live", "/metrics"} <= set(
        described["paths"]
    )
    assert "https://" not in json.dumps(described["paths"])


def test_the_description_has_chapters_examples_and_says_who_may_ask(
    site: Site,
) -> None:
    described = get(site, "openapi.json")
    chapters = {tag["name"] for tag in described["tags"]}
    schemas, schemes = described["components"]["schemas"], described["components"]["securitySchemes"]
    for path, operations in described["paths"].items():
        for operation in operations.values():
            assert set(operation["tags"]) <= chapters, path
            assert operation["tags"], path
            assert {name for one in operation["security"] for name in one} <= set(schemes), path
            body = operation.get("requestBody")
            if body is not None:
                name = body["content"]["application/json"]["schema"]["$ref"].rpartition("/")[2]
                assert schemas[name]["examples"], path
    assert {} in described["paths"]["/api/overview"]["get"]["security"]
    for model in (ActIn, WhatIfIn, TokenIn):
        for example in schemas[model.__name__]["examples"]:
            model.model_validate(example)


def test_beyond_loopback_the_description_says_that_a_token_is_needed(store: SqlStore, tmp_path: Path) -> None:
    app = create_app(store, WebSettings(host="0.0.0.0"), kept_tokens(tmp_path / "tokens.json"))
    paths = app.openapi()["paths"]
    assert paths["/api/overview"]["get"]["security"] == [{"token": []}, {"session": []}]
    assert paths["/health"]["get"]["security"] == []


def test_news_come_as_events(site: Site) -> None:
    with asking.streamed(f"{site.url}api/live") as answer:
        data = next(line for line in answer.iter_lines() if line.startswith("data: "))
    news = json.loads(data.removeprefix("data: "))
    assert (news["present"]["at_s"], len(news["decisions"]), news["control"]["live"]) == (40.0, 2, False)


def test_a_site_that_stops_lets_its_watchers_go(
    store: SqlStore, settings: WebSettings, capsys: pytest.CaptureFixture[str]
) -> None:
    with ExitStack() as watching:
        with Site(store, settings, lambda line: None).beside() as site:
            answer = watching.enter_context(asking.streamed(f"{site.url}api/live"))
            lines = answer.iter_lines()
            next(lines)
        list(lines)  # a stream that is cut off in the middle raises here
    assert capsys.readouterr().err == ""


def test_no_more_watch_than_may_however_they_come(serve: Callable[[WebSettings], Site], settings: WebSettings) -> None:
    site = serve(replace(settings, watchers=3))
    came, leave = threading.Barrier(13), threading.Event()
    codes: list[int] = []

    def watch() -> None:
        with asking.streamed(f"{site.url}api/live") as answer:
            codes.append(answer.status_code)
            came.wait(patience_s())
            leave.wait(patience_s())

    watchers = [threading.Thread(target=watch) for _ in range(12)]
    for watcher in watchers:
        watcher.start()
    came.wait(patience_s())
    with asking.streamed(f"{site.url}api/live") as refused:  # one that were let in would have no end
        pass
    leave.set()
    for watcher in watchers:
        watcher.join()
    assert sorted(codes) == [200] * 3 + [503] * 9
    assert (refused.status_code, refused.headers["retry-after"]) == (503, "5")

    def free() -> bool | None:
        with asking.streamed(f"{site.url}api/live") as answer:
            return answer.status_code == 200 or None

    assert eventually(free)  # who leaves gives the seat back


def heard(look: LookAgain, until: str, hears: Callable[[str], None] = lambda text: None) -> list[str]:
    """What somebody who watches hears, up to the first event of that kind; `hears` is called with each."""

    async def found() -> list[str]:
        texts: list[str] = []
        events = Feed(look, 0.001, 1).events("demo", lambda: True)
        async for text in events:
            texts.append(text)
            hears(text)
            if text.startswith(until):
                await events.aclose()
                break
        return texts

    return finished(found())


def test_a_store_that_keeps_silent_is_told_and_so_is_that_it_is_back(monkeypatch: pytest.MonkeyPatch) -> None:
    answers, came = threading.Event(), threading.Event()

    def look(run_id: str, mark: object) -> tuple[object, dict[str, object]] | None:
        if mark is not None:  # from the second look on there is nothing new, and no answer until that was told
            came.set()
            answers.wait(patience_s())
            return None
        monkeypatch.setattr(feed, "SLOW_S", 0.01)  # of the looks that follow: this one may be slow on a busy machine
        return 1, {"again": came.is_set()}

    def hears(text: str) -> None:
        if text == SILENT:
            answers.set()

    told = heard(look, 'event: news\ndata: {"again":true}', hears)
    assert told[1:3] == ['event: news\ndata: {"again":false}\n\n', SILENT]


SILENT = (
    'event: trouble\ndata: {"message":"The store has not answered for 0.01 s.",'
    '"remedy":"See whether its disk, or its server, is well."}\n\n'
)


def test_a_look_that_fails_is_told_once_and_is_not_the_last(caplog: pytest.LogCaptureFixture) -> None:
    looks: list[str] = []

    def look(run_id: str, mark: object) -> tuple[object, dict[str, object]] | None:
        looks.append(run_id)
        if len(looks) < 5:
            raise KeyError("ads")
        return len(looks), {"looked": len(looks)}

    *before, news = heard(look, "event: news")
    assert before == ["retry: 1000\n\n", trouble(KeyError("ads"))]  # once for the four that failed
    assert "Something failed here" in before[1]
    assert news == 'event: news\ndata: {"looked":5}\n\n'
    assert [record.message for record in caplog.records] == ["KeyError: 'ads'; the pages wait"]


def test_news_that_no_json_can_hold_are_told_once_and_are_not_the_last(caplog: pytest.LogCaptureFixture) -> None:
    looks: list[str] = []

    def look(run_id: str, mark: object) -> tuple[object, dict[str, object]] | None:
        looks.append(run_id)
        return len(looks), {"rows": float("nan") if len(looks) < 5 else 5.0}

    *before, news = heard(look, "event: news")
    assert [text[:15] for text in before] == ["retry: 1000\n\n", "event: trouble\n"]
    assert news == 'event: news\ndata: {"rows":5.0}\n\n'
    assert len(caplog.records) == 1
