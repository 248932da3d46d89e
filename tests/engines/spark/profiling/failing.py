"""A task that cannot be done."""

import socket
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from penstock.core.seen.trial import Work


@dataclass(frozen=True)
class Failing:
    """A task whose service is not there."""

    name: str = "failing"

    @contextmanager
    def open(self) -> Iterator[Work]:
        with socket.create_connection(("127.0.0.1", 1)):  # where nobody listens
            yield lambda message: 0.0
