"""What goes wrong in the loop, in words: caught stage by stage, so that it is recorded and governing goes on."""

from dataclasses import dataclass, field, replace
from enum import StrEnum

from penstock.core.cycle import Cycle
from penstock.core.plan import Step
from penstock.errors import Guarded, NothingDoneError, told

_TOLD = 20  # cycles that were not stored are told one by one, up to so many; the rest are counted


class Stage(StrEnum):
    """Where in a round something can go wrong."""

    HEARING = "hearing orders"
    STARTING = "starting a job by hand"
    OBSERVING = "observing"
    JUDGING = "judging"
    DECIDING = "deciding"
    ASKING = "asking tenants"
    ACTING = "acting"
    STORING = "storing"
    TELLING = "telling of the cycle"


_THEN = {
    Stage.HEARING: "what was asked before holds",
    Stage.STARTING: "it is left as it is",
    Stage.OBSERVING: "nothing was decided",
    Stage.JUDGING: "nothing was decided",
    Stage.DECIDING: "nothing was decided",
    Stage.ASKING: "it is tried again",
    Stage.ACTING: "how much of it was done is not known",
}
_NOT_BEGUN = "nothing of it was done"
# Without orders, store or listeners governing is as good as with them: it need not slow down.
_BACKS_OFF = frozenset({Stage.OBSERVING, Stage.JUDGING, Stage.DECIDING, Stage.ACTING})


@dataclass(slots=True)
class Troubles:
    """What goes wrong in one round. With `go_on` False the first error is raised, as where nobody's jobs wait."""

    go_on: bool = True
    said: list[str] = field(default_factory=list)
    failed: bool = False  # whether to back off

    def during(self, stage: Stage) -> Guarded:
        """An error in the block ends the block, and not governing, unless nothing is left to govern.

        Somebody's `sys.exit()` is an error like any other.
        """
        return Guarded(lambda error: self._took(stage, error))

    def _took(self, stage: Stage, error: BaseException) -> bool:
        takes = self.go_on and isinstance(error, (Exception, SystemExit))
        if takes:
            self.note(stage, error)
        return takes

    def note(self, stage: Stage, error: BaseException) -> None:
        """Say so."""
        then = _NOT_BEGUN if stage is Stage.ACTING and isinstance(error, NothingDoneError) else _THEN.get(stage)
        self.said.append("; ".join(filter(None, (f"{stage} failed: {told(error)}", then))))
        self.failed = self.failed or stage in _BACKS_OFF

    def text(self, next_s: float) -> str | None:
        """All of it, and when the next round is where that is not as usual; None when all went well."""
        if not self.said:
            return None
        then = [f"the next round is in {next_s:g} s"] if self.failed else []
        return "; ".join([*self.said, *then])


@dataclass(frozen=True, slots=True)
class Unstored:
    """Cycles that the store did not take, to be told of in the next one that it takes."""

    count: int = 0
    since_s: float = 0.0
    why: str = ""
    told: tuple[str, ...] = ()

    def text(self) -> str | None:
        """What is missing in the store, and all that was done meanwhile; None when nothing is missing.

        >>> Unstored(2, 10.0, "storing failed: disk full", ("at 20 s: did ads map 3 -> 6",)).text()
        '2 cycles from 10 s on are not stored (storing failed: disk full); at 20 s: did ads map 3 -> 6'
        """
        if not self.count:
            return None
        cycles = "1 cycle" if self.count == 1 else f"{self.count} cycles"
        more = ("more was done later",) if len(self.told) > _TOLD else ()
        missing = f"{cycles} from {self.since_s:.0f} s on {'is' if self.count == 1 else 'are'} not stored ({self.why})"
        return "; ".join((missing, *self.told[:_TOLD], *more))

    def and_also(self, cycle: Cycle, said: str, why: str) -> "Unstored":
        """With another cycle; `said` is what else went wrong in it."""
        parts = [_did(outcome.step, outcome.error) for outcome in cycle.outcome.steps]
        news = (f"at {cycle.at_s:.0f} s: {', '.join([*parts, said] if said else parts)}",) if parts or said else ()
        began = self if self.count else replace(self, since_s=cycle.at_s)
        return replace(began, count=self.count + 1, why=why, told=(*self.told, *news)[: _TOLD + 1])


def _did(step: Step, error: str | None) -> str:
    what = ", ".join(f"{move.job} {move.text}" for move in step.moves) or step.job
    return f"did {what}" if error is None else f"failed to do {what} ({error})"
