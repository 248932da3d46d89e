"""Object download: a file of 2 MB from an object service over HTTP, held in memory, for each tuple."""

import http.client
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from penstock.core.seen.trial import Work
from penstock.errors import EngineError
from penstock.http_answers import Connection

_BUSY = 503
_BACK_OFF_S = 0.1
_PATIENCE_S = 30.0


@dataclass(frozen=True, slots=True)
class ObjectGet:
    """The result is the number of bytes. A service that is busy is asked again, as its clients do."""

    host: str
    port: int
    objects: int = 64  # the service answers any number; so many different ones are asked for
    name: str = "blob"

    @contextmanager
    def open(self) -> Iterator[Work]:
        """One connection for each thread, kept open."""
        # From the worker's own address: the service has limits for each, and all workers here are one machine.
        address = os.environ.get("SPARK_LOCAL_IP")
        source = (address, 0) if address else None
        connection = Connection(self.host, self.port, timeout=_PATIENCE_S, source_address=source)
        try:
            yield lambda message: float(len(self._get(connection, f"/objects/{message % self.objects}")))
        finally:
            connection.close()

    def _get(self, connection: Connection, path: str) -> bytes:
        deadline = time.monotonic() + _PATIENCE_S
        while True:
            connection.request("GET", path)
            answer = connection.getresponse()
            body = answer.read()
            if answer.status == http.client.OK:
                return body
            if answer.status != _BUSY or time.monotonic() > deadline:
                raise EngineError(f"object service {self.host}:{self.port} answered {answer.status} to GET {path}")
            time.sleep(_BACK_OFF_S)
