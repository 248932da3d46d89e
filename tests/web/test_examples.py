"""What the API says of itself: every answer has an example, and each is what its own schema asks for."""

import csv
import io
import json
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from prometheus_client.parser import text_string_to_metric_families

from penstock.store.open import open_store
from penstock.web.app import create_app
from penstock.web.openapi import EXAMPLES
from penstock.web.settings import WebSettings
from penstock.web.tokens import NO_TOKENS

AFRESH = "ask for them anew: python scripts/api_examples.py"


@pytest.fixture(scope="module")
def described(tmp_path_factory: pytest.TempPathFactory) -> Any:
    store = open_store(tmp_path_factory.mktemp("none") / "none.sqlite")  # of which nothing is read
    return create_app(store, WebSettings(), lambda: NO_TOKENS).openapi()


def answers(described: Any) -> list[tuple[str, str, str, Any]]:
    """Method and path, status, kind and content of every answer that is described."""
    return [
        (f"{method.upper()} {path}", status, kind, content)
        for path, operations in described["paths"].items()
        for method, operation in operations.items()
        for status, response in operation["responses"].items()
        for kind, content in response.get("content", {}).items()
    ]


def wrong(described: Any, schema: Any, example: Any) -> list[str]:
    validator = Draft202012Validator({**schema, "components": described["components"]})
    return [f"{error.json_path}: {error.message}" for error in validator.iter_errors(example)]


def test_every_route_has_an_example_and_none_is_of_a_route_that_is_gone(described: Any) -> None:
    routes = {f"{method.upper()} {path}" for path, operations in described["paths"].items() for method in operations}
    assert len(routes) >= 24
    assert set(json.loads(EXAMPLES.read_text(encoding="utf-8"))) == routes, AFRESH


def test_every_answer_has_an_example_of_its_own_schema(described: Any) -> None:
    checked = 0
    for route, status, kind, content in answers(described):
        assert content.get("example") is not None, (route, status, kind)
        if kind == "application/json":
            found = wrong(described, content["schema"], content["example"])
            assert found == [], (route, status, found[:3], AFRESH)
            checked += 1
    assert checked >= 24 * 8  # what is answered, and seven ways to be refused


def test_answers_that_are_no_documents_are_what_they_are_called(described: Any) -> None:
    of = {(route, kind): content["example"] for route, status, kind, content in answers(described) if status == "200"}
    (row, *_) = csv.DictReader(io.StringIO(of["GET /api/decisions.csv", "text/csv"]))
    assert (row["number"].isdigit(), row["jobs"]) == (True, "fraud")
    metrics = list(text_string_to_metric_families(of["GET /metrics", "text/plain"]))
    assert {family.name for family in metrics} >= {"penstock_controller_up", "penstock_paused"}


def test_the_news_of_the_feed_are_of_the_same_shapes(described: Any) -> None:
    of = {(route, kind): content["example"] for route, _, kind, content in answers(described)}
    name, data, *_ = of["GET /api/live", "text/event-stream"].splitlines()
    body = json.loads(data.removeprefix("data: "))
    assert (name, set(body)) == ("event: news", {"control", "present", "decisions"})
    for schema, example in (
        ("ControlOut", body["control"]),
        ("PresentOut", body["present"]),
        *(("DecisionOut", decision) for decision in body["decisions"]),
    ):
        assert wrong(described, {"$ref": f"#/components/schemas/{schema}"}, example) == [], AFRESH


def test_examples_show_what_matters_and_stay_small(described: Any) -> None:
    found = json.loads(EXAMPLES.read_text(encoding="utf-8"))
    overview = found["GET /api/overview"]
    assert overview["control"]["life"] == "live"
    assert overview["decisions"]
    assert {tenant["state"] for tenant in overview["present"]["tenants"]} <= {"fine", "missing"}
    assert found["GET /api/acts"][0]["who"] == "ann"
    assert found["GET /api/without"]["text"]
    assert EXAMPLES.stat().st_size < 100_000
