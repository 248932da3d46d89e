"""What is said of a run's controller: that it ended, that nobody hears of it, that its clock tells nothing."""

from datetime import UTC, datetime

from penstock.core.seen.life import AHEAD_S, ControllerLife, Sign
from penstock.telling.words import span


def life_text(life: ControllerLife, sign: Sign | None, now_epoch_s: float) -> str:
    """What there is to say, with what to do; nothing of a controller that lives and whose clock is right.

    >>> sign = Sign(1_763_683_200.0, interval_s=10.0)
    >>> life_text(ControllerLife.LIVE, sign, 1_763_683_205.0)
    ''
    >>> life_text(ControllerLife.LIVE, sign, 1_763_679_600.0)
    "The clock of its controller is 1 h ahead of this machine's: set both by a time server."
    """
    if sign is None:
        return ""
    off_s = sign.at_epoch_s - now_epoch_s
    if life is ControllerLife.ENDED:
        told = "ended in order at" if sign.ended else "gave its last sign of life at"
        return f"Its controller {told} {_instant(sign.at_epoch_s)}."
    if life is ControllerLife.AHEAD:
        mend = "Set both by a time server; until then only new cycles show that it is alive."
        return f"{_clock(off_s)}, so its sign of life proves nothing. {mend}"
    if life is ControllerLife.SILENT:
        return silent_text(min(sign.at_epoch_s, now_epoch_s))
    if life is ControllerLife.AWAITED:
        return awaited_text(sign)
    wrong = off_s > AHEAD_S or -off_s >= sign.patience_s
    return f"{_clock(off_s)}: set both by a time server." if wrong else ""


def awaited_text(sign: Sign) -> str:
    """That a sign is there, that the next one is waited for, and how long.

    >>> print(awaited_text(Sign(1_763_683_200.0, interval_s=10.0)))
    Its controller gave a sign of life at 2025-11-21 00:00:00 UTC; the next one, due within 30 s, proves it alive.
    """
    due = f"the next one, due within {span(sign.patience_s)}, proves it alive"
    return f"Its controller gave a sign of life at {_instant(sign.at_epoch_s)}; {due}."


def silent_text(since_epoch_s: float) -> str:
    """That no sign of life came since, what that may mean, and what to do."""
    since = _instant(since_epoch_s)
    why = "it was killed, is stuck, or cannot write to the store"
    return (
        f"Its controller has given no sign of life since {since} and did not say that it ended: {why}. "
        "What is shown is of that time. Check its driver or coordinator, and restart it if needed; "
        "`penstock run --restart` does that automatically."
    )


def _clock(off_s: float) -> str:
    where = "ahead of" if off_s > 0 else "behind"
    return f"The clock of its controller is {span(abs(off_s))} {where} this machine's"


def _instant(epoch_s: float) -> str:
    return f"{datetime.fromtimestamp(epoch_s, UTC):%Y-%m-%d %H:%M:%S} UTC"
