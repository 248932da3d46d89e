"""Hours: when an intent holds, by the clock on the wall of a time zone; and periods that are left out of it.

    hours: {from: "06:00", to: "20:00", days: mon-fri, zone: Europe/Berlin}

Whether it holds is asked of an instant, which comes in with the view: nothing here asks what time it is. Hours go
by what the clock on the wall shows: on the days on which clocks are changed they may be shorter or longer, and what
is to begin at a time that is left out begins when clocks are set forward.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache
from zoneinfo import ZoneInfo

from penstock.core.units import is_number
from penstock.errors import ConfigError

WEEKDAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
EVERY_DAY = (0, 1, 2, 3, 4, 5, 6)
_TIME = re.compile(r"(\d{1,2}):(\d{2})")
_DAY_S = 86_400


@dataclass(frozen=True, slots=True)
class Hours:
    """From one time of day to another, on these days of the week (Monday is 0).

    One that ends before it begins ends on the next day, and belongs to the day on which it began.

    >>> work = Hours.of("06:00", "20:00", "mon-fri", "Europe/Berlin")
    >>> work.text(), work.hold(1_793_606_400.0)  # Monday, 2 November 2026, 09:00 there
    ('from 06:00 to 20:00 mon-fri (Europe/Berlin)', True)
    """

    from_s: int = 0
    to_s: int = _DAY_S
    days: tuple[int, ...] = EVERY_DAY
    zone: str = "UTC"

    def __post_init__(self) -> None:
        times = (self.from_s, self.to_s)
        if not all(isinstance(time, int) and 0 <= time <= _DAY_S for time in times):
            raise ConfigError("hours", times, "write seconds of a day")
        if not (self.days and set(self.days) <= set(EVERY_DAY) and len(set(self.days)) == len(self.days)):
            raise ConfigError("days", self.days, "write days of a week once each, from 0 for Monday to 6")
        zone_named(self.zone)

    @classmethod
    def of(cls, from_: object = "00:00", to: object = "24:00", days: object = None, zone: object = "UTC") -> "Hours":
        """As people write it."""
        found = cls(_time_of_day(from_, "from"), _time_of_day(to, "to"), days_of(days), zone_named(zone))
        if found.from_s == found.to_s:
            raise ConfigError("to", to, "write another time than that of from; leave both out for whole days")
        return found

    def hold(self, at_epoch_s: float) -> bool:
        """Whether it is within them."""
        there = datetime.fromtimestamp(at_epoch_s, _zone(self.zone))
        now_s, today = there.hour * 3600 + there.minute * 60 + there.second, there.weekday()
        if self.from_s < self.to_s:
            return self.from_s <= now_s < self.to_s and today in self.days
        yesterday = (today - 1) % 7
        return (now_s >= self.from_s and today in self.days) or (now_s < self.to_s and yesterday in self.days)

    def text(self) -> str:
        """In words."""
        whole = (self.from_s, self.to_s) == (0, _DAY_S)
        days = "" if self.days == EVERY_DAY else f" {_days_text(self.days)}"
        when = f"all day{days}" if whole else f"from {_clock(self.from_s)} to {_clock(self.to_s)}{days}"
        return f"{when} ({self.zone})"


@dataclass(frozen=True, slots=True)
class Excluded:
    """A period in which nothing is asked, in seconds of the epoch, and why: maintenance, a backfill."""

    from_epoch_s: float
    to_epoch_s: float
    why: str

    def __post_init__(self) -> None:
        if not isinstance(self.why, str):
            raise ConfigError("why", self.why, "write it in words")
        if not (is_number(self.from_epoch_s) and is_number(self.to_epoch_s)):
            raise ConfigError("from", (self.from_epoch_s, self.to_epoch_s), "write seconds since 1970")
        if not self.from_epoch_s < self.to_epoch_s:
            raise ConfigError("to", self.to_epoch_s, "write an instant after that of from")

    def holds(self, at_epoch_s: float) -> bool:
        """Whether it is within the period."""
        return self.from_epoch_s <= at_epoch_s < self.to_epoch_s


def instant_of(value: object, zone: object = "UTC", field: str = "from") -> float:
    """An instant as people write it, in seconds of the epoch; by the clock of that zone where it names no offset.

    >>> instant_of("2026-12-24 18:00", "Europe/Berlin") == instant_of("2026-12-24T17:00:00Z")
    True
    """
    remedy = "write an instant such as 2026-12-24 18:00"
    try:
        found = datetime.fromisoformat(str(value).strip())
    except ValueError:
        raise ConfigError(field, value, remedy) from None
    if not 1970 < found.year < 9000:
        raise ConfigError(field, str(value), remedy)
    return (found if found.tzinfo else found.replace(tzinfo=_zone(zone_named(zone)))).timestamp()


def instant_text(at_epoch_s: float) -> str:
    """An instant in words, in UTC.

    >>> instant_text(0.0)
    '1970-01-01 00:00 UTC'
    """
    return f"{datetime.fromtimestamp(at_epoch_s, UTC):%Y-%m-%d %H:%M} UTC"


def zone_named(value: object) -> str:
    """The name of a time zone that there is."""
    try:
        _zone(str(value))
    except (ValueError, OSError, LookupError):  # of names that are paths, of folders, of names that are unknown
        remedy = "write a time zone such as Europe/Berlin or UTC (where none is known: pip install tzdata)"
        raise ConfigError("zone", value, remedy) from None
    return str(value)


def days_of(value: object) -> tuple[int, ...]:
    """Days of the week as people write them: a list, a name, or from one to another; None: all.

    >>> days_of("mon-fri"), days_of(["sat", "sun"]), days_of("fri-mon")
    ((0, 1, 2, 3, 4), (5, 6), (0, 4, 5, 6))
    """
    if value is None:
        return EVERY_DAY
    named = [value] if isinstance(value, str) else value
    if not isinstance(named, Sequence) or not named:
        raise ConfigError("days", value, "write days such as mon-fri, or [sat, sun]")
    return tuple(sorted({day for part in named for day in _from_to(part)}))


def _from_to(part: object) -> list[int]:
    first, _, last = str(part).lower().partition("-")
    for name in (first, last or first):
        if name not in WEEKDAYS:
            raise ConfigError("days", part, f"write some of {', '.join(WEEKDAYS)}, or mon-fri")
    begin, end = WEEKDAYS.index(first), WEEKDAYS.index(last or first)
    return [(begin + more) % 7 for more in range((end - begin) % 7 + 1)]


def _days_text(days: tuple[int, ...]) -> str:
    run = days == tuple(range(days[0], days[-1] + 1)) and len(days) > 2
    return f"{WEEKDAYS[days[0]]}-{WEEKDAYS[days[-1]]}" if run else ", ".join(WEEKDAYS[day] for day in days)


def _time_of_day(value: object, field: str) -> int:
    """Seconds after midnight. YAML reads a bare 06:00 as text, and a bare 20:00 as a number: twenty times sixty."""
    if isinstance(value, int) and not isinstance(value, bool) and 60 <= value <= 1440:
        return value * 60
    match = _TIME.fullmatch(value.strip()) if isinstance(value, str) else None
    found = int(match[1]) * 3600 + int(match[2]) * 60 if match else -1
    if not (match and 0 <= found <= _DAY_S and int(match[2]) < 60):
        raise ConfigError(field, value, 'write a time of day, such as "06:00"')
    return found


def _clock(seconds: int) -> str:
    return f"{seconds // 3600:02d}:{seconds % 3600 // 60:02d}"


@lru_cache(maxsize=256)
def _zone(name: str) -> ZoneInfo:
    return ZoneInfo(name)
