"""Whatever is sent, the server answers as it says it does, and never with a fault of its own."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import response_schema_conformance, status_code_conformance

from penstock.store.sql import SqlStore
from penstock.web.app import create_app
from penstock.web.settings import Rate, WebSettings
from penstock.web.tokens import tokens_at

MANY = Rate(burst=1_000_000, per_s=1_000_000.0)
HERE = {"host": "localhost"}
CHECKS = [not_a_server_error, response_schema_conformance, status_code_conformance]


@pytest.fixture
def described(store: SqlStore, tmp_path: Path) -> Iterator[Any]:
    tokens, _ = tokens_at(tmp_path / "tokens.json")
    how = WebSettings(reads=MANY, acts=MANY, logins=MANY, whatif_s=0.2)
    app = create_app(store, how, lambda: tokens)
    yield schemathesis.openapi.from_asgi("/api/openapi.json", app, headers=HERE)
    app.state.site.end()


@pytest.mark.parametrize("examples", [6, pytest.param(50, marks=pytest.mark.long)], ids=["few", "many"])
def test_no_request_finds_a_fault(described: Any, examples: int) -> None:
    found = [operation.ok() for operation in described.get_all_operations()]
    # The live feed never ends: tests/web/test_api.py reads it.
    operations = [operation for operation in found if operation.path != "/api/live"]
    assert len(operations) >= 14
    for operation in operations:
        _hold(operation, examples)


def _hold(operation: Any, examples: int) -> None:
    @settings(max_examples=examples, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
    @given(case=operation.as_strategy())
    def holds(case: Any) -> None:
        response = case.call(headers=HERE)
        case.validate_response(response, checks=CHECKS)
        # A frame of a stack: the word alone may be the request's own, given back, for cases are drawn from sources too.
        assert re.search(r'File \\?"[^"]+", line [0-9]+', response.text) is None

    holds()
