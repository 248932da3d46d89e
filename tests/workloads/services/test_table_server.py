"""The table in a real PostgreSQL, and the task that looks records up."""

from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from penstock.errors import ConfigError
from penstock.workloads.services.table_server import TableService, table_service
from penstock.workloads.tasks.table_get import TABLE, TableGet

pytestmark = pytest.mark.server


@pytest.fixture(scope="module")
def service() -> Iterator[TableService]:
    with table_service(rows=500) as running:
        yield running


def test_each_lookup_finds_its_record_of_twenty_columns(service: TableService) -> None:
    with TableGet(service.url, service.rows, service_s=0.0).open() as work:
        assert {work(message) for message in range(1000)} == {190.0}  # 19 texts of 10 beside the key
    with psycopg.connect(service.url) as connection:
        assert connection.execute(f"SELECT count(*) FROM {TABLE}".encode()).fetchone() == (500,)


def test_a_service_time_is_waited_for_in_the_server(service: TableService) -> None:
    with TableGet(service.url, service.rows, service_s=0.001).open() as work:
        assert work(3) == 190.0


def test_a_record_that_is_not_there_is_an_error_and_not_a_zero(service: TableService) -> None:
    with TableGet(service.url, rows=10**9).open() as work, pytest.raises(LookupError, match="the table has no record"):
        work(1)


def test_nothing_is_left_of_a_server_that_ended() -> None:
    with table_service(rows=1) as running, psycopg.connect(running.url) as connection:
        found = connection.execute("SHOW data_directory").fetchone()
    assert found is not None
    assert not Path(found[0]).exists()
    with pytest.raises(psycopg.OperationalError):
        psycopg.connect(running.url, connect_timeout=2)


def test_an_empty_table_is_refused() -> None:
    with pytest.raises(ConfigError, match="at least 1 record"), table_service(rows=0):
        pass
