"""A number of executors that a round asked for: whether they came is looked at between rounds, and no round waits.

asked for -- as many live -----------------------------> done
    |
    +-- not within a minute: the number of before is asked for again, and that is told --> done
"""

from collections.abc import Callable
from dataclasses import dataclass

from penstock.engines.spark.application.elastic import ElasticLever

_GROWN_WITHIN_S = 60.0  # 1 s on a warm machine, 15 s when eight JVMs started at once on two cores


@dataclass(frozen=True, slots=True)
class _Wanted:
    before: int
    wanted: int
    since_s: float


class TurnedExecutors:
    """The last turn of their number; `note` is told where it did not come about. `now` is on a clock nobody sets."""

    def __init__(self, lever: ElasticLever, note: Callable[[str, str, str], None]) -> None:
        self._lever = lever
        self._note = note
        self._turn: _Wanted | None = None

    @property
    def asked(self) -> int | None:
        """How many are wanted that have not come, or gone, yet; None when there is nothing to wait for."""
        return None if self._turn is None else self._turn.wanted

    def turn(self, wanted: int, now: float) -> None:
        """Ask for so many; who asks for the same again has it no later than before."""
        before = self._lever.count()
        self._lever.aim(wanted)
        if self._turn is None or self._turn.wanted != wanted:
            self._turn = _Wanted(before, wanted, now)

    def keep(self, now: float) -> None:
        """Let go of those that are too many; take back what did not come about in time, and say so."""
        turn = self._turn
        if turn is None:
            return
        there = self._lever.count()
        if there == turn.wanted:
            self._turn = None
        elif now - turn.since_s > _GROWN_WITHIN_S:
            self._take_back(turn)
        elif there > turn.wanted:
            self._lever.let_go(turn.wanted)

    def _take_back(self, turn: _Wanted) -> None:
        self._lever.aim(turn.before)  # where that raises it is tried again
        self._turn = None
        missed = f"no {turn.wanted} executors within {_GROWN_WITHIN_S:.0f} s"
        self._note(
            f"{turn.before} executors are asked for as before",
            f"{turn.wanted} were asked for",
            f"executors {turn.before} -> {turn.wanted} failed, the target is {turn.before} again: {missed}; "
            "the cluster may lack free cores or memory",
        )
