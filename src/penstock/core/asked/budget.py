"""Error budgets: how often all that is asked may be missed, what of that is left, and how fast it goes. Pure.

    budget: {keep: 99%, windows: 5m, over: 28d}

Time is cut into windows of equal length, by the epoch, so that every controller cuts it alike. A window is

    good       where the tenant had all it asked for in at least the share `each` of the looks that tell
    bad        where it had not
    unknown    where nobody looked, or most looks told nothing
    idle       where nothing was asked in it

1 - keep of the windows in which something is asked may be bad over the period: that is the budget. The burn rate over a
length of time is the bad share of its known windows over 1 - keep: at 1 the budget lasts just as long as the period, at
2 half as long. A window that is not over counts from the moment on at which nothing can save it.
"""

import math
from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import StrEnum

from penstock.core.units import is_number, positive_seconds, text_of_seconds
from penstock.errors import ConfigError

DAY_S = 86_400.0
LONGEST_S = 92 * DAY_S  # stores keep windows for a little longer
MOST_WINDOWS = 100_000
BURNS_OVER_S = (300.0, 1800.0, 3600.0, 21_600.0, 3 * DAY_S)  # as alerts look at it: fast, slow, and over days

# How a budget that runs low raises a tenant's worth, see `urgency`.
RUNS_LOW = 0.5  # of the budget left: above that nothing changes
MOST_URGENT = 3.0  # times its worth, at most
BURNS_FAST = 6.0  # times as fast as it may: nothing counts for more
URGENCY_STEP = 0.25  # intents change in steps, not in every round
_PRESSING_S = (3600.0, 21_600.0)  # a moment says nothing, and days are too late


@dataclass(frozen=True, slots=True)
class Budget:
    """The share `keep` of windows is to be good, over so long a time.

    >>> Budget.of("99%", windows="5m", over="28d").text()
    '99% of 5m windows over 28d'
    """

    keep: float
    windows_s: float = 300.0
    over_s: float = 28 * DAY_S
    each: float = 1.0

    def __post_init__(self) -> None:
        if not (is_number(self.keep) and 0.5 <= self.keep < 1):
            raise ConfigError("keep", self.keep, "write the share of windows to keep, from 50% to below 100%")
        if not (is_number(self.each) and 0.5 <= self.each <= 1):
            raise ConfigError("each", self.each, "write the share of a window's looks that makes it good, from 50%")
        if not 10.0 <= self.windows_s <= DAY_S:
            raise ConfigError("windows", text_of_days(self.windows_s), "write from 10s to 1d")
        if not self.windows_s * 10 <= self.over_s <= LONGEST_S:
            raise ConfigError("over", text_of_days(self.over_s), "write ten windows or more, and at most 92d")
        if self.over_s / self.windows_s > MOST_WINDOWS:
            remedy = f"write longer ones: at most {MOST_WINDOWS:,} in the period"
            raise ConfigError("windows", text_of_days(self.windows_s), remedy)

    @classmethod
    def of(cls, keep: object, windows: object = "5m", over: object = "28d", each: object = 1.0) -> "Budget":
        """As people write it."""
        windows_s, over_s = positive_seconds(windows, "windows"), positive_seconds(over, "over")
        return cls(share_of(keep, "keep"), windows_s, over_s, share_of(each, "each"))

    def text(self) -> str:
        """What is asked, in words."""
        each = "" if self.each == 1 else f" ({_percent(self.each)} of each)"
        return f"{_percent(self.keep)} of {text_of_days(self.windows_s)} windows{each} over {text_of_days(self.over_s)}"


class WindowLook(StrEnum):
    """What one look at a tenant says of its window."""

    GOOD = "good"
    BAD = "bad"
    UNKNOWN = "unknown"
    IDLE = "idle"


@dataclass(frozen=True, slots=True)
class BudgetWindow:
    """The looks of one window, counted; `from_s` is in seconds of the epoch."""

    from_s: float
    good: int = 0
    bad: int = 0
    unknown: int = 0
    idle: int = 0

    def with_look(self, look: WindowLook) -> "BudgetWindow":
        """One more.

        >>> BudgetWindow(0.0).with_look(WindowLook.BAD).bad
        1
        """
        return replace(self, **{look.value: getattr(self, look.value) + 1})

    def standing(self, each: float) -> WindowLook:
        """What it is, once it is over.

        >>> seen = BudgetWindow(0.0, good=28, bad=2), BudgetWindow(0.0, good=1, unknown=2)
        >>> [window.standing(0.9).value for window in seen]
        ['good', 'unknown']
        """
        known = self.good + self.bad
        if known + self.unknown == 0:
            return WindowLook.IDLE if self.idle else WindowLook.UNKNOWN
        if 2 * known < known + self.unknown:
            return WindowLook.UNKNOWN
        return WindowLook.GOOD if self.good >= each * known - 1e-9 else WindowLook.BAD

    def lost(self, each: float, share_over: float) -> bool:
        """Whether it will be bad whatever the rest of it brings, at the pace of the looks so far."""
        looks = self.good + self.bad + self.unknown
        return looks > 0 and self.bad * min(1.0, max(share_over, 1e-9)) > (1 - each) * looks + 1e-9


_LETTERS = {WindowLook.GOOD: b"g", WindowLook.BAD: b"b", WindowLook.UNKNOWN: b"u", WindowLook.IDLE: b"i"}


@dataclass(frozen=True, slots=True)
class Burn:
    """How fast the budget went over that time; None where nothing is known of it."""

    over_s: float
    rate: float | None


@dataclass(frozen=True, slots=True)
class SpentBudget:
    """How a budget stands: its period's windows, and how many of them may be bad."""

    asked: Budget
    allowed: float
    good: int
    bad: int
    unknown: int
    burns: tuple[Burn, ...] = ()

    @property
    def left(self) -> float:
        """The share of the budget that is left: 1 while nothing is lost, below 0 when more is lost than may be."""
        return 1.0 - self.bad / self.allowed if self.allowed > 0 else 1.0 - self.bad

    @property
    def kept(self) -> float | None:
        """The good share of all windows that are known."""
        return self.good / (self.good + self.bad) if self.good + self.bad else None

    @property
    def urgency(self) -> float:
        """What it makes of the tenant's worth, see `urgency`."""
        return urgency(self.left, self.pressing)

    @property
    def pressing(self) -> float | None:
        """The burn rate that counts: the greater one over an hour and over six."""
        known = [burn.rate for burn in self.burns if burn.over_s in _PRESSING_S and burn.rate is not None]
        return max(known, default=None)

    def text(self) -> str:
        """How it stands, in words."""
        left = "all of it left" if not self.bad else f"{_percent(self.left)} of it left" if self.left > 0 else "spent"
        told = f"budget of {self.asked.text()}: {left}, {self.bad} bad of {self.allowed:.3g} that may be"
        burning = [f"{burn.rate:.1f} over {text_of_days(burn.over_s)}" for burn in self.burns if burn.rate]
        told += f"; it burns {', '.join(burning)}" if burning else ""
        return told + (f"; worth {self.urgency:g} times as much meanwhile" if self.urgency > 1 else "")


def urgency(left: float, burn: float | None) -> float:
    """How many times its worth a tenant counts for, by the share of its budget that is left and by how fast it goes.

    Once while half of the budget is left, or nothing burns; up to three times when it is spent and burns fast. In
    steps of a quarter. Less left or more burn never lowers it.

    >>> urgency(0.8, 20.0), urgency(0.25, 6.0), urgency(-1.0, 1.0), urgency(0.0, 60.0), urgency(0.0, 0.0)
    (1.0, 2.0, 1.25, 3.0, 1.0)
    """
    if burn is None or left >= RUNS_LOW:
        return 1.0
    low = min(1.0, (RUNS_LOW - left) / RUNS_LOW)
    raised = (MOST_URGENT - 1.0) * low * min(1.0, max(0.0, burn) / BURNS_FAST)
    return 1.0 + URGENCY_STEP * math.floor(raised / URGENCY_STEP + 1e-9)


@dataclass(frozen=True, slots=True)
class BudgetLedger:
    """One tenant's windows: those that are over, oldest first, with what each was (by letters), and the present one."""

    asked: Budget
    starts: tuple[float, ...] = ()
    stood: bytes = b""
    open: BudgetWindow | None = None

    def looked(self, at_epoch_s: float, look: WindowLook) -> "BudgetLedger":
        """With one more look; what is older than the period goes. A clock that is set back stays in its window."""
        width_s = self.asked.windows_s
        from_s = math.floor(at_epoch_s / width_s) * width_s
        ledger = self if self.open is None or from_s <= self.open.from_s else self._closed(from_s)
        return replace(ledger, open=(ledger.open or BudgetWindow(from_s)).with_look(look))

    def _closed(self, now_s: float) -> "BudgetLedger":
        assert self.open is not None  # who asks has looked
        starts = (*self.starts, self.open.from_s)
        stood = self.stood + _LETTERS[self.open.standing(self.asked.each)]
        old = bisect_left(starts, now_s - self.asked.over_s)
        return replace(self, starts=starts[old:], stood=stood[old:], open=None)

    def spent(self, at_epoch_s: float, asked_share: float = 1.0) -> SpentBudget:
        """How the budget stands; something is asked in `asked_share` of the period."""
        asked = self.asked
        period = self.stood[bisect_left(self.starts, at_epoch_s - asked.over_s) :]
        windows = asked.over_s / asked.windows_s * asked_share
        if asked_share == 1.0:
            windows -= period.count(b"i")
        lengths = (length_s for length_s in BURNS_OVER_S if length_s <= asked.over_s)
        return SpentBudget(
            asked,
            allowed=(1.0 - asked.keep) * windows,
            good=period.count(b"g"),
            bad=period.count(b"b") + self._lost(at_epoch_s),
            unknown=period.count(b"u"),
            burns=tuple(Burn(length_s, self._burn(at_epoch_s, length_s)) for length_s in lengths),
        )

    def _burn(self, at_s: float, over_s: float) -> float | None:
        """Over the windows that ended within that time, the last one at least, and the present one where it is lost."""
        width_s = self.asked.windows_s
        ended = self.stood[bisect_right(self.starts, at_s - max(over_s, width_s) - width_s) :]
        bad = ended.count(b"b") + self._lost(at_s)
        known = bad + ended.count(b"g")
        return bad / known / (1.0 - self.asked.keep) if known else None

    def _lost(self, at_s: float) -> bool:
        asked, window = self.asked, self.open
        return window is not None and window.lost(asked.each, (at_s - window.from_s) / asked.windows_s)


def ledger_of(asked: Budget, windows: Iterable[BudgetWindow], at_epoch_s: float) -> BudgetLedger:
    """The ledger that windows come to that a store kept; the last one goes on where it is not over.

    >>> ledger_of(Budget(0.9), [BudgetWindow(0.0, bad=3), BudgetWindow(300.0, good=2)], 400.0).spent(400.0).bad
    1
    """
    kept = sorted((one for one in windows if one.from_s >= at_epoch_s - asked.over_s), key=lambda one: one.from_s)
    last = kept.pop() if kept and kept[-1].from_s + asked.windows_s > at_epoch_s else None
    starts = tuple(one.from_s for one in kept)
    return BudgetLedger(asked, starts, b"".join(_LETTERS[one.standing(asked.each)] for one in kept), last)


def share_of(value: object, field: str) -> float:
    """A share as a number, or in percent as text.

    >>> share_of("99.5%", "keep"), share_of(0.9, "keep")
    (0.995, 0.9)
    """
    text = value.strip() if isinstance(value, str) else ""
    try:
        if text.endswith("%"):
            return round(float(text[:-1]) / 100.0, 12)
    except ValueError:
        pass
    if not is_number(value):
        raise ConfigError(field, value, "write a share such as 0.99 or 99%")
    return float(value)


def text_of_days(value: float) -> str:
    """As `text_of_seconds`, with days.

    >>> text_of_days(28 * 86400.0), text_of_days(300.0)
    ('28d', '5m')
    """
    return f"{value / DAY_S:g}d" if value >= DAY_S and value % DAY_S == 0 else text_of_seconds(value)


def _percent(share: float) -> str:
    return f"{round(100.0 * share, 3):g}%"
