"""Table lookup: one record of 20 columns by its key from a PostgreSQL database, for each tuple."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from penstock.core.seen.trial import Work
from penstock.postgres_answers import ANSWERS_WITHIN_S, ImpatientConnection

TABLE = "penstock_lookup"
COLUMNS = 20
_CONNECTS_WITHIN_S = 10  # many threads begin at once
_SPREAD = 2_654_435_761  # Knuth's multiplier: successive tuples ask for keys that are far apart


@dataclass(frozen=True, slots=True)
class TableGet:
    """The result is the number of bytes of the record.

    A database on this machine answers in a fraction of a millisecond, one in a cloud does not: `service_s` is
    waited for in the server with each lookup, so that a thread waits as it would for a distant service.
    """

    url: str
    rows: int
    service_s: float = 0.1
    name: str = "table"

    @contextmanager
    def open(self) -> Iterator[Work]:
        """One connection for each thread, its statement prepared by the server."""
        with ImpatientConnection.connect(self.url, autocommit=True, connect_timeout=_CONNECTS_WITHIN_S) as connection:
            connection.within_s = ANSWERS_WITHIN_S + self.service_s
            cursor = connection.cursor()
            wait = f", pg_sleep({self.service_s:g})" if self.service_s > 0 else ""
            statement = f"SELECT record.*{wait} FROM {TABLE} AS record WHERE id = %s".encode()

            def work(message: int) -> float:
                key = message * _SPREAD % self.rows
                record = cursor.execute(statement, (key,), prepare=True).fetchone()
                if record is None:
                    raise LookupError(f"the table has no record {key}; it should have {self.rows}")
                return float(sum(len(value) for value in record[1:COLUMNS]))

            yield work
