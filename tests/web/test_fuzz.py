"""Whatever is sent, the server answers as it says it does, and never with a fault of its own."""

from pathlib import Path
from typing import Any

import pytest
import schemathesis
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import response_schema_conformance, status_code_conformance

from penstock.store.sql import SqlStore
from penstock.web.app import create_app
from penstock.web.settings import Rate, WebSettings
from penstock.web.tokens import tokens_at

MANY = Rate(burst=1_000_000, per_s=1_000_000.0)


@pytest.fixture
def described(store: SqlStore, tmp_path: Path) -> Any:
    settings = WebSettings(reads=MANY, acts=MANY, logins=MANY, allowed_hosts=frozenset(), whatif_s=0.2)
    app = create_app(store, settings, tokens_at(tmp_path / "tokens.json")[0])
    # The live feed never ends: tests/web/test_api.py reads it.
    return schemathesis.openapi.from_asgi("/api/openapi.json", app, headers={"host": "localhost"}).exclude(
        path="/api/live"
    )


schema = schemathesis.pytest.from_fixture("described")


@schema.parametrize()
def test_no_request_finds_a_fault(case: Any) -> None:
    response = case.call(headers={"host": "localhost"})
    checks = [not_a_server_error, response_schema_conformance, status_code_conformance]
    case.validate_response(response, checks=checks)
    assert "Traceback" not in response.text
