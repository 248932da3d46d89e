"""A PostgreSQL cursor that is closed once somebody has closed it, whatever became of its connection meanwhile."""

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
