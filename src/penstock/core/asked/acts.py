"""Acts: what people asked of a run's controller, in the record beside its decisions and the engine's deeds."""

from collections.abc import Mapping
from dataclasses import dataclass

from penstock.core.asked.orders import Act

_SAID: Mapping[Act, str] = {
    Act.PAUSE: "paused governing",
    Act.RESUME: "resumed governing",
    Act.DRY_RUN: "started a dry run: decisions are recorded, not carried out",
    Act.DO: "ended the dry run: decisions are carried out",
    Act.INTENT: "changed the intent",
    Act.TURN: "asked for",
    Act.APPROVE: "approved",
    Act.REFUSE: "refused",
    Act.START: "asked for a start of",
}


@dataclass(frozen=True, slots=True)
class HeardAct:
    """One act of a person, and when the controller heard it, on the run's clock; `job` where it is about one.

    >>> HeardAct(60.0, "ann", Act.PAUSE).line
    'ann paused governing'
    >>> HeardAct(60.0, "ann", Act.INTENT, "fraud: p95 latency <= 3s", "fraud").line
    'ann changed the intent: fraud: p95 latency <= 3s'
    """

    at_s: float
    who: str
    act: Act
    text: str = ""
    job: str | None = None

    @property
    def line(self) -> str:
        """In one line for people."""
        said = _SAID[self.act]
        if not self.text:
            return f"{self.who} {said}"
        return f"{self.who} {said}{':' if self.act is Act.INTENT else ''} {self.text}"
