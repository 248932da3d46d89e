"""The record of a search: a file to which each finished trial is added, so that the search can go on from there."""

import json
import os
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from penstock.core.seen.trial import Finished, Trial
from penstock.errors import ConfigError, first_line


class TrialRecord:
    """JSON lines: first what is searched and how, then the trials in the order in which they were done."""

    def __init__(self, path: Path, head: Mapping[str, Any]) -> None:
        self._path = path
        self._head = json.loads(json.dumps(dict(head)))

    def begin(self, fresh: bool) -> list[Finished]:
        """The trials so far; none when `fresh`, or when there is no record yet."""
        if fresh or not self._path.exists():
            self._path.parent.mkdir(parents=True, exist_ok=True)
            self._path.write_text(json.dumps(self._head) + "\n", encoding="utf-8")
            return []
        try:
            lines = self._path.read_text(encoding="utf-8").splitlines(keepends=True)
            head = json.loads(lines[0]) if lines else None
            # A line without its end was being written when we were killed: that trial is done again.
            finished = [_read(json.loads(line)) for line in lines[1:] if line.endswith("\n")]
        except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
            remedy = f"it is no record of trials ({first_line(error)}); start afresh"
            raise ConfigError("trials", str(self._path), remedy) from None
        if head != self._head:
            raise ConfigError("trials", str(self._path), "it was made with other settings; use those, or --fresh")
        if lines[-1:] and not lines[-1].endswith("\n"):
            self._path.write_text("".join(lines[:-1]), encoding="utf-8")
        return finished

    def add(self, done: Finished) -> None:
        """Keep a finished trial; it is on disk when this returns."""
        with self._path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(asdict(done)) + "\n")
            file.flush()
            os.fsync(file.fileno())


def _read(entry: Mapping[str, Any]) -> Finished:
    return Finished(**{**entry, "trial": Trial(**entry["trial"])})
