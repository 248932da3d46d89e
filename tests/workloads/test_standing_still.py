"""A PostgreSQL that lets in and then answers nothing, under those who look rows up in it."""

import psycopg
import pytest
import sqlalchemy as sa

from penstock.workloads.sites import sites_of
from penstock.workloads.tasks.table_get import TableGet
from tests.store.lets_in import letting_in


@pytest.mark.timeout(60)
def test_whoever_joins_with_it_does_not_wait_without_end() -> None:
    with letting_in() as url, pytest.raises(sa.exc.OperationalError, match="did not answer within 3 s"):
        sites_of(url, ["0000"])


@pytest.mark.timeout(60)
def test_a_lookup_waits_for_no_longer_than_it_takes_there_and_three_seconds_more() -> None:
    with (
        letting_in() as url,
        TableGet(url, rows=10, service_s=0.5).open() as work,
        pytest.raises(psycopg.OperationalError, match=r"did not answer within 3\.5 s"),
    ):
        work(1)
