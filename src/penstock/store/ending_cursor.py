"""A PostgreSQL cursor that does not outlive its connection, and is closed once somebody has closed it."""

from typing import Any

import psycopg


class EndingCursor(psycopg.ServerCursor[Any]):
    """The server forgets a cursor with its connection: there is nothing to be tidied up at one that broke."""

    def close(self) -> None:
        """Tell the server; an OperationalError when that cannot be done."""
        try:
            super().close()
        finally:
            psycopg.Cursor.close(self)  # psycopg leaves this undone where it could not tell the server

    def __del__(self, *warn: Any) -> None:
        # SQLAlchemy closes no cursor whose connection broke under it; psycopg would warn of it as left open.
        if self.connection.closed:
            psycopg.Cursor.close(self)
        super().__del__(*warn)
