"""One real PostgreSQL for all tests that want a database."""

from collections.abc import Iterator
from itertools import count

import pytest

from penstock.local.postgres import PostgresServer, running_postgres

_numbers = count()


@pytest.fixture(scope="session")
def postgres() -> Iterator[PostgresServer]:
    with running_postgres("s3cret-Wort") as server:
        yield server


@pytest.fixture
def postgres_url(postgres: PostgresServer) -> str:
    """A database of this test's own, empty."""
    return postgres.create(f"test{next(_numbers)}")
