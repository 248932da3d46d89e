"""Intents as plain values and back, for stores and for the wire.

Their shapes are a protocol, which no schema can guess: they are named here.
"""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from penstock.core.asked.budget import Budget
from penstock.core.asked.hours import Excluded, Hours
from penstock.core.asked.intent_hours import at_hours, rested
from penstock.core.asked.intents import Intent, Juice, Latency, Objective, Recovery, shaped
from penstock.core.asked.shapes import (
    AllOrNothing,
    Anything,
    Knee,
    LinearJuice,
    LinearLatency,
    Lognormal,
    Piecewise,
    Shape,
)

# By the names that they have in files.
_SHAPES: dict[str, type[Shape]] = {
    "Knee": Knee,
    "Step": AllOrNothing,
    "Anything": Anything,
    "LinearLatency": LinearLatency,
    "LinearJuice": LinearJuice,
    "Lognormal": Lognormal,
    "Piecewise": Piecewise,
}
_NAMES = {shape: name for name, shape in _SHAPES.items()}


def plain_intent(intent: Intent) -> dict[str, Any]:
    """The intent in values that JSON knows; the same for equal intents."""
    objectives = [_plain_objective(objective) for objective in intent.objectives]
    plain: dict[str, Any] = {"objectives": objectives, "recovery_s": intent.recovery_s, "certainty": intent.certainty}
    if intent.budget is not None:
        plain["budget"] = asdict(intent.budget)
    if intent.excluded:
        plain["excluded"] = [asdict(one) for one in intent.excluded]
    if intent.resting:
        plain |= {"resting": [_plain_objective(one) for one in intent.resting], "rests": intent.rests}
    return plain


def intent_of_plain(found: Mapping[str, Any]) -> Intent:
    """The intent that was made plain.

    >>> intent_of_plain(plain_intent(Intent(Juice(0.8), recovery="60s"))) == Intent(Juice(0.8), recovery="60s")
    True
    """
    objectives = (_objective(plain) for plain in found["objectives"])
    budget = None if found.get("budget") is None else Budget(**found["budget"])
    excluded = [Excluded(**one) for one in found.get("excluded", ())]
    intent = Intent(
        *objectives, recovery=found["recovery_s"], certainty=found.get("certainty"), budget=budget, excluded=excluded
    )
    resting = [_objective(plain) for plain in found.get("resting", ())]
    return rested(intent, resting, str(found["rests"])) if resting else intent


def _plain_objective(objective: Objective) -> dict[str, Any]:
    plain: dict[str, Any] = {"kind": type(objective).__name__, "utility": objective.utility}
    plain["target"] = objective.target if isinstance(objective, Juice) else objective.target_s
    if isinstance(objective, Latency):
        plain["percentile"] = objective.percentile
    plain["shape"] = {"kind": _NAMES[type(objective.shape)], **_fields(objective.shape)}
    if objective.hours is not None:
        plain["hours"] = asdict(objective.hours)
    return plain


def _fields(shape: Shape) -> dict[str, Any]:
    return asdict(shape)  # type: ignore[call-overload,no-any-return]  # every shape is a dataclass


def _objective(plain: dict[str, Any]) -> Objective:
    # The constructors take shapes in the user's units; going back through those would lose the last bit.
    found = shaped(_with_knee(plain), _shape(dict(plain["shape"])))
    return at_hours(found, _hours(plain["hours"])) if "hours" in plain else found


def _hours(plain: Mapping[str, Any]) -> Hours:
    return Hours(**{**plain, "days": tuple(plain["days"])})


def _with_knee(plain: dict[str, Any]) -> Objective:
    target, utility = plain["target"], plain["utility"]
    if plain["kind"] == "Latency":
        return Latency(target, plain["percentile"], utility)
    if plain["kind"] == "Juice":
        return Juice(target, utility)
    return Recovery(target, utility)


def _shape(plain: dict[str, Any]) -> Shape:
    kind = _SHAPES[plain.pop("kind")]
    if "points" in plain:
        plain["points"] = tuple((badness, share) for badness, share in plain["points"])
    return kind(**plain)
