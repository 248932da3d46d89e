"""The API tells what is in the store, and says what was wrong in one kind of answer."""

import csv
import io
import json
import sqlite3
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

import pytest

from penstock.store.sql import SqlStore
from penstock.telling.words import moves_text
from penstock.web.server import Site
from penstock.web.settings import WebSettings
from tests.recorded import RUN
from tests.web import asking


def get(site: Site, path: str, **query: Any) -> Any:
    return asking.get(f"{site.url}api/{path}", params=query).raise_for_status().json()


def refused(site: Site, path: str, **query: Any) -> tuple[int, str]:
    answer = asking.get(f"{site.url}api/{path}", params=query)
    return answer.status_code, answer.json()["message"]


def test_runs_are_listed_and_one_that_is_over_is_not_live(site: Site) -> None:
    (run,) = get(site, "runs")
    assert (run["id"], run["policy"], run["started_at"], run["live"]) == (RUN.id, "henge", 1_000_000.0, False)


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


@pytest.mark.parametrize(
    ("path", "query", "status", "said"),
    [
        ("overview", {"run": "weekly"}, 404, "run: 'weekly' will not do"),
        ("job", {"job": "nobody"}, 404, "name one of ads, fraud"),
        ("overview", {"points": "many"}, 422, "points: "),
        ("decisions", {"limit": 0}, 422, "limit: "),
        ("nothing", {}, 404, "Not Found"),
    ],
)
def test_a_mistake_is_said_with_its_field(site: Site, path: str, query: Any, status: int, said: str) -> None:
    code, message = refused(site, path, **query)
    assert (code, said in message) == (status, True)


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
