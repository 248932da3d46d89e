"""Which trouble a job has: the same one for as long as it goes on, whatever its words count meanwhile.

the job         the two are the job's own figures, so that nobody else's trouble is taken for it
its kind        what pages offer a remedy by, and metrics count
its cause       what else has to stay the same, such as the error that refused its query
"""

from dataclasses import dataclass
from enum import StrEnum


class TroubleKind(StrEnum):
    """What kind of thing is wrong."""

    NOT_RUNNING = "not running"  # its query died or was refused, and is tried again
    GIVEN_UP = "given up"  # and is not
    STOPPED = "stopped"  # its query, by somebody, and is not started again by itself
    ENDED = "ended"  # its query, which penstock did not start
    ABSENT = "absent"  # no query of its name runs
    SLOW_START = "slow start"  # its function has not returned, or its checkpoint may be another driver's
    OUTSIDE_POOL = "outside its pool"  # so that its share cannot move
    NO_ROWS = "no rows"  # its query runs, and has nothing done
    UNTOLD = "untold"  # its figures could not be had in this round
    RESTARTING = "restarting"  # in a simulation
    OTHER = "other"  # an engine told it in words alone


@dataclass(frozen=True, slots=True)
class TroubleId:
    """What tells a trouble of a job from the others that it may have.

    >>> TroubleId(TroubleKind.NOT_RUNNING, "no topic").text, TroubleId(TroubleKind.NO_ROWS).text
    ('not running: no topic', 'no rows')
    """

    kind: TroubleKind
    cause: str = ""

    @property
    def text(self) -> str:
        """As stores keep it."""
        return f"{self.kind}: {self.cause}" if self.cause else self.kind.value


@dataclass(frozen=True, slots=True)
class Trouble:
    """One trouble as whoever finds it tells it: which it is, and in words, whose numbers may change round by round."""

    id: TroubleId
    text: str


def trouble(kind: TroubleKind, text: str, cause: str = "") -> Trouble:
    """One of that kind."""
    return Trouble(TroubleId(kind, cause), text)
