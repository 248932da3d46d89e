"""Why executors move, in a sentence that the tenants understand."""

from collections.abc import Container, Mapping, Sequence

from penstock.core.naming import NAMED, named
from penstock.planning.executors.claims import Claim

_TOLD = 0.05  # of utility: less is not to be seen in what is told


def why(moved: Sequence[Claim], target: Mapping[str, int], firsts: Container[str] = (), short: bool = False) -> str:
    """Who gives, who gets, and what each comes to.

    `firsts` are those of whom nothing is known: they get what nobody uses, or lend what they hold. `short` is where
    there are fewer cores than all hold or were promised.

    >>> fraud = Claim("fraud", 1, 1, 4, worth=((1, 3.0), (3, 40.0)))
    >>> clicks = Claim("clicks", 3, 1, 4, worth=((1, 9.0), (3, 10.0)))
    >>> why([clicks, fraud], {"fraud": 3, "clicks": 1})
    '2 executors from clicks to fraud: clicks keeps 9.0 of 10.0, fraud rises from 3.0 to 40.0 of 40.0'
    >>> why([clicks], {"clicks": 2}, short=True)
    '1 executor of clicks does not fit any more: clicks keeps 9.5 of 10.0'
    >>> from penstock.planning.executors.reserve import Reserve
    >>> spike = Claim("fraud", 3, 1, 8, worth=((2, 40.0),), reserve=Reserve(((0.0, 0.0), (2.0, 40.0))))
    >>> why([spike], {"fraud": 5})
    '2 unused executors stand by with fraud: fraud would keep 33.3 of 40.0 at 3 times its load, not 20.0'
    >>> why([Claim("fraud", 2, 1, 8)], {"fraud": 4}, ["fraud"])[:64]
    '2 unused executors to fraud, whose first batches have not ended:'
    >>> why([Claim("fraud", 1, 1, 8), Claim("ads", 4, 1, 8)], {"fraud": 3, "ads": 2}, ["fraud", "ads"])[:75]
    '2 executors to fraud, whose first batches have not ended, some lent by ads:'
    """
    first = [claim for claim in moved if claim.name in firsts]
    known = [claim for claim in moved if claim.name not in firsts]
    told = [_why(known, target, short)] if known else []
    if first:
        told.append(_why_first(first, target))
    return "; ".join(told)


def why_tried(moved: Sequence[Claim], target: Mapping[str, int], tried: str) -> str:
    """Why one gets executors of which nobody knows whether they help it.

    >>> fraud = Claim("fraud", 1, 1, 4, worth=((1, 0.3), (3, 0.5)))
    >>> clicks = Claim("clicks", 3, 1, 4, worth=((1, 10.0),))
    >>> why_tried([clicks, fraud], {"fraud": 3, "clicks": 1}, "fraud")[47:]
    'fraud is late, and would be with any number, clicks keeps 10.0 of 10.0'
    >>> why_tried([fraud], {"fraud": 2}, "fraud")
    '1 unused executor to fraud, to try it: fraud is late, and would be with any number'
    """
    (taker,) = (claim for claim in moved if claim.name == tried)
    givers = [claim for claim in moved if claim.name != tried]
    more = target[tried] - taker.now
    head = f"{_executors(more)} from {_names(givers)}" if givers else _executors(more, "unused ")
    why_so = "late, and would be with any number" if taker.worth else "late, and its first batch does not end"
    said = ", ".join(_comes_to(claim, target[claim.name]) for claim in givers[:NAMED])
    return f"{head} to {tried}, to try {'it' if more == 1 else 'them'}: {tried} is {why_so}{said and ', ' + said}"


def _why(moved: Sequence[Claim], target: Mapping[str, int], short: bool) -> str:
    givers = [claim for claim in moved if target[claim.name] < claim.now]
    takers = [claim for claim in moved if target[claim.name] > claim.now]
    given = sum(claim.now - target[claim.name] for claim in givers)
    taken = sum(target[claim.name] - claim.now for claim in takers)
    to = _to(takers, target, max(given, taken) == 1)
    if givers and takers:
        head = f"{_executors(max(given, taken))} from {_names(givers)} {to}"
    elif takers:
        head = f"{_executors(taken, 'unused ')} {to}"
    else:
        head = f"{_executors(given)} of {_names(givers)} {_why_less(givers, given == 1, short)}"
    said = [_comes_to(claim, target[claim.name]) for claim in (*givers[:NAMED], *takers[:NAMED])]
    return f"{head}: {', '.join(said)}"


def _to(takers: Sequence[Claim], target: Mapping[str, int], one: bool) -> str:
    if all(_stand_by(claim, target[claim.name]) for claim in takers):
        return f"{'stands' if one else 'stand'} by with {_names(takers)}"
    return f"to {_names(takers)}"


def _stand_by(claim: Claim, count: int) -> bool:
    """Whether those that it gets help it in a rise of its load only."""
    return bool(claim.reserve.worth) and claim.utility(count) - claim.utility(claim.now) < _TOLD


def _why_first(moved: Sequence[Claim], target: Mapping[str, int]) -> str:
    givers = [claim for claim in moved if target[claim.name] < claim.now]
    takers = [claim for claim in moved if target[claim.name] > claim.now]
    more = sum(target[claim.name] - claim.now for claim in takers)
    whose = "whose first batches have not ended"
    lent = f", some lent by {_names(givers)}" if givers else ""
    which = _executors(more, "" if givers else "unused ")
    return f"{which} to {_names(takers)}, {whose}{lent}: their worth is not known until then"


def _why_less(givers: Sequence[Claim], one: bool, short: bool) -> str:
    if short:
        return f"{'does' if one else 'do'} not fit any more"
    beyond = all(claim.now > claim.most for claim in givers)
    return f"{'is' if one else 'are'} {'above the limit' if beyond else 'not needed'}"


def _comes_to(claim: Claim, count: int) -> str:
    if not claim.worth and count < claim.now:
        return f"{claim.name} may hold at most {claim.most}"
    if not claim.worth:
        return f"{claim.name} needs at least {claim.least}"
    was, comes, most = claim.utility(claim.now), claim.utility(count), claim.most_utility
    if count > claim.now and _stand_by(claim, count):
        times, without, has = claim.reserve.shown(claim.now, count)
        return f"{claim.name} would keep {has:.1f} of {most:.1f} at {times:g} times its load, not {without:.1f}"
    if comes <= was:
        return f"{claim.name} keeps {comes:.1f} of {most:.1f}"
    return f"{claim.name} rises from {was:.1f} to {comes:.1f} of {most:.1f}"


def _executors(count: int, kind: str = "") -> str:
    return f"1 {kind}executor" if count == 1 else f"{count} {kind}executors"


def _names(claims: Sequence[Claim]) -> str:
    return named([claim.name for claim in claims])
