"""How an intent holds over time: at which hours what of it is asked, and what stays of it where time is left out."""

from collections.abc import Sequence
from copy import copy
from functools import lru_cache

from penstock.core.asked.hours import Hours
from penstock.core.asked.intents import NO_UTILITY, Intent, Objective, fill, restated, shaped
from penstock.core.asked.shapes import Anything

_LOOK_EVERY_S = 900.0


def asked_at(intent: Intent, at_epoch_s: float) -> Intent:
    """What holds of it at that instant; it as it is where it holds always.

    >>> from penstock.core.asked.intents import Latency
    >>> by_day = Intent(Latency("2s", utility=35, hours=Hours.of("06:00", "20:00")))
    >>> asked_at(by_day, 12 * 3600.0).max_utility, asked_at(by_day, 0.0).text()
    (35.0, 'nothing now (outside its hours)')
    """
    why = next((one.why for one in intent.excluded if one.holds(at_epoch_s)), "")
    if not why and all(objective.hours is None for objective in intent.objectives):
        return intent
    hold = [not why and (one.hours is None or one.hours.hold(at_epoch_s)) for one in intent.objectives]
    if all(hold):
        return intent
    asked = [one for one, holds in zip(intent.objectives, hold, strict=True) if holds]
    resting = [one for one, holds in zip(intent.objectives, hold, strict=True) if not holds]
    nothing = [_worthless(one) for one in resting]
    found = restated(intent, asked or nothing, intent.recovery_s)
    fill(found, resting=tuple(resting), rests="" if asked else why or "outside its hours")
    if not asked:
        fill(found, recovery_s=None)
    return found


def whole(intent: Intent) -> Intent:
    """All that it asks at one time or another, of one that was cut down to what holds at an instant."""
    if not intent.resting:
        return intent
    return restated(intent, (*(() if intent.rests else intent.objectives), *intent.resting), intent.recovery_s)


def always(intent: Intent) -> bool:
    """Whether it holds at all times."""
    return not intent.excluded and not intent.resting and all(one.hours is None for one in intent.objectives)


@lru_cache(maxsize=4096)
def asked_share(intent: Intent, from_epoch_s: float, to_epoch_s: float) -> float:
    """The share of that time in which something is asked, looked at every quarter of an hour.

    >>> from penstock.core.asked.intents import Latency
    >>> asked_share(Intent(Latency("2s", hours=Hours.of("06:00", "18:00"))), 0.0, 86_400.0)
    0.5
    """
    every = whole(intent)
    looks = max(1, round((to_epoch_s - from_epoch_s) / _LOOK_EVERY_S))
    return sum(_asks(every, from_epoch_s + (n + 0.5) * _LOOK_EVERY_S) for n in range(looks)) / looks


def limited(intent: Intent, filed: Intent) -> Intent:
    """What a person asks for meanwhile, with the budget and the excluded periods that the file states."""
    if intent.budget is not None or intent.excluded or (filed.budget is None and not filed.excluded):
        return intent
    return intent.lasting(filed.budget, filed.excluded)


def holding(intent: Intent) -> Intent:
    """What holds of it now, as if it held from now on: for what is simulated, which has no calendar."""
    found = copy(intent)
    objectives = intent.objectives if intent.rests else tuple(at_hours(one, None) for one in intent.objectives)
    fill(found, objectives=objectives, budget=None, excluded=(), resting=())
    return found


def rested(intent: Intent, resting: Sequence[Objective], rests: str) -> Intent:
    """The intent as it held at an instant, for those who read it back."""
    found = copy(intent)
    fill(found, resting=tuple(resting), rests=rests, recovery_s=None if rests else intent.recovery_s)
    return found


def at_hours(objective: Objective, hours: Hours | None) -> Objective:
    """The same, at those hours only."""
    found = copy(objective)
    fill(found, hours=hours)
    return found


def _asks(intent: Intent, at_epoch_s: float) -> bool:
    """Whether anything of a whole intent holds then."""
    if any(one.holds(at_epoch_s) for one in intent.excluded):
        return False
    return any(one.hours is None or one.hours.hold(at_epoch_s) for one in intent.objectives)


def _worthless(objective: Objective) -> Objective:
    found = shaped(objective, Anything())
    fill(found, utility=NO_UTILITY, hours=Hours())  # several juices go together where each has hours of its own
    return found
