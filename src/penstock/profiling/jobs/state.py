"""Where a rehearsal is, in a file beside its result: stopped at any time, it goes on with the next round."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError

from penstock.errors import ConfigError, first_line
from penstock.planning.profiling.jobs import CopySearch


@dataclass(frozen=True, slots=True)
class Rehearsed:
    """The search so far, and the live job's mean latency before and during it, where that was known."""

    search: CopySearch
    live_before_s: float | None = None
    live_during_s: tuple[float, ...] = ()  # of each round

    @property
    def live_mean_s(self) -> float | None:
        """Over all rounds."""
        return sum(self.live_during_s) / len(self.live_during_s) if self.live_during_s else None

    def with_live(self, latency_s: float | None) -> "Rehearsed":
        """After one more round."""
        return self if latency_s is None else replace(self, live_during_s=(*self.live_during_s, latency_s))


_READER = TypeAdapter(Rehearsed)


class SearchFile:
    """`head` says what is searched and how: a search is not gone on with under other settings."""

    def __init__(self, path: Path, head: Mapping[str, Any]) -> None:
        self.path = path
        self._head = json.loads(json.dumps(dict(head)))

    def load(self) -> Rehearsed | None:
        """Where it was; None when there is nothing to go on with."""
        if not self.path.exists():
            return None
        try:
            document = json.loads(self.path.read_text(encoding="utf-8"))
            head, state = document["head"], _READER.validate_python(document["state"])
        except (OSError, ValueError, KeyError, TypeError, RecursionError, ValidationError) as error:
            remedy = f"it is no search to go on with ({first_line(error)}); start afresh with --fresh"
            raise ConfigError("search", str(self.path), remedy) from None
        other = [key for key in self._head if head.get(key) != self._head[key]]
        if other:
            remedy = (
                f"it was made with another {other[0]} ({head.get(other[0])}); use that, or start afresh with --fresh"
            )
            raise ConfigError("search", str(self.path), remedy)
        return state

    def save(self, state: Rehearsed) -> None:
        """Whole or not at all."""
        half = self.path.with_suffix(".half")
        half.parent.mkdir(parents=True, exist_ok=True)
        half.write_text(json.dumps({"head": self._head, "state": asdict(state)}, indent=1), encoding="utf-8")
        half.replace(self.path)
