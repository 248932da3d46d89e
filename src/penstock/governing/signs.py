"""Signs of life of another process, as whoever watches over it sees them in the file that its heart writes."""

from dataclasses import dataclass
from pathlib import Path

from penstock.governing.pulse import SILENT_AT_MOST_S, STARTS_WITHIN_S

_STEP_S = 1.0


@dataclass(slots=True)
class Watch:
    """How long a file has not been written, as far as it was looked at: who slept himself blames nobody.

    >>> watch = Watch(Path("/nowhere"))
    >>> [watch.silent_s(now) for now in (5.0, 5.5, 3600.0)]
    [0.0, 0.5, 1.5]
    """

    file: Path
    starts_within_s: float = STARTS_WITHIN_S
    _silent_s: float = 0.0
    _looked_s: float | None = None
    _written_ns: int | None = None

    def silent_s(self, now: float) -> float:
        """Until now, on a clock that nobody sets."""
        step_s = 0.0 if self._looked_s is None else min(_STEP_S, now - self._looked_s)
        self._looked_s = now
        written_ns = self._look()
        self._silent_s = 0.0 if written_ns != self._written_ns else self._silent_s + step_s
        self._written_ns = written_ns
        return self._silent_s

    def frozen(self, now: float) -> bool:
        """Whether it is that for too long; before the first sign of life a driver has time to start."""
        silent_s = self.silent_s(now)
        return silent_s > (self.starts_within_s if self._written_ns is None else SILENT_AT_MOST_S)

    def says(self, word: str) -> bool:
        """Whether that was its last sign of life: how far it has come."""
        try:
            return self.file.read_text(encoding="ascii").strip() == word
        except (OSError, ValueError):  # it is away, or other bytes came into it
            return False

    def _look(self) -> int | None:
        try:
            return self.file.stat().st_mtime_ns
        except OSError:
            return None
