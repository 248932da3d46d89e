"""Batched file write: a string kept for each tuple, and all of a window written to a file at once."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from penstock.core.seen.trial import Work


@dataclass(frozen=True, slots=True)
class FileWrite:
    """Each thread writes over a file of its own, so that the disk does not fill; it is removed at the end.

    The result is the number of bytes written so far.
    """

    directory: str | None = None  # the system's place for scratch files when not given
    window: int = 10_000
    row_bytes: int = 100
    name: str = "file"

    @contextmanager
    def open(self) -> Iterator[Work]:
        """A file of the thread's own."""
        handle, path = tempfile.mkstemp(prefix="penstock-batch-", dir=self.directory)
        try:
            with os.fdopen(handle, "wb", buffering=0) as file:
                kept: list[bytes] = []
                written = 0

                def work(message: int) -> float:
                    nonlocal written
                    kept.append(b"%0*d" % (self.row_bytes, message))
                    if len(kept) >= self.window:
                        file.seek(0)
                        written += file.write(b"".join(kept))
                        kept.clear()
                    return float(written)

                yield work
        finally:
            Path(path).unlink(missing_ok=True)
