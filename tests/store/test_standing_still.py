"""A PostgreSQL that stands still: nothing is refused, nothing answered, and governing goes on all the same."""

import os
import signal
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import psycopg
import pytest

from penstock.core.asked.orders import Act, Request
from penstock.store.archive import StoreError
from penstock.store.control import DeskControl
from penstock.store.open import open_store
from penstock.store.tolerant import Tolerant
from tests.recorded import RUN, a_cycle


def backends(url: str) -> list[int]:
    """The server's processes that serve connections to this database, but for the one that is asked."""
    asked = "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
    with psycopg.connect(url) as connection:
        return [row[0] for row in connection.execute(asked)]


def server_of(backend: int) -> int:
    """The process that takes connections."""
    return int(Path("/proc", str(backend), "stat").read_text().rpartition(")")[2].split()[1])


@contextmanager
def standing_still(*processes: int) -> Iterator[None]:
    for process in processes:
        os.kill(process, signal.SIGSTOP)
    try:
        yield
    finally:
        for process in processes:
            os.kill(process, signal.SIGCONT)


def test_another_connection_takes_the_place_of_one_whose_server_process_stands_still(postgres_url: str) -> None:
    with closing(open_store(postgres_url)) as store:
        store.begin(RUN)
        store.append(a_cycle(10.0))
        with standing_still(*backends(postgres_url)):
            store.append(a_cycle(20.0))
        assert store.last_at_s == 20.0


def test_what_stands_still_in_the_middle_of_an_answer_is_an_error_and_the_next_call_goes_on(postgres_url: str) -> None:
    with closing(open_store(postgres_url)) as store:
        store.begin(RUN)
        with (
            pytest.raises(StoreError, match="did not answer within 3 s"),
            store.database.writing() as connection,
            standing_still(*backends(postgres_url)),
        ):
            connection.exec_driver_sql("SELECT 1")
        store.append(a_cycle(10.0))


def test_while_the_whole_server_stands_still_the_last_orders_hold_and_memory_takes_the_stores_place(
    postgres_url: str,
) -> None:
    with closing(open_store(postgres_url)) as store:
        tolerant = Tolerant(store, warn=lambda text: None)
        tolerant.begin(RUN)
        store.desk.ask(RUN.id, Request(Act.PAUSE, "ann", 5.0))
        control = DeskControl(store.desk, RUN.id)
        assert control.orders(10.0).paused_by == "ann"
        found = backends(postgres_url)
        with standing_still(server_of(found[0]), *found):
            assert control.orders(20.0).paused_by == "ann"
            tolerant.append(a_cycle(20.0))
            assert tolerant.down
        assert control.orders(30.0).paused_by == "ann"
