"""Counterfactuals in words: how it would have gone without a decision, and what decisions brought together."""

from penstock.core.known.counterfactual import MISLEADS, NOTICED, Counterfactual, Untold, Without, Worth
from penstock.core.naming import named
from penstock.telling.words import count, number, percent, span, tenths

_NAMED = 2  # tenants


def without_text(found: Counterfactual) -> str:
    """One decision.

    >>> without_text(Without(3, 120.0, really=0.70, with_it=0.72, without=0.61, off=0.04))
    'without it 61 % of the utility over the next 2 min instead of 72 % (simulated; off by 4.0 %)'
    >>> without_text(Untold(3, "it was not carried out"))
    'without it: unknown, it was not carried out'
    """
    if isinstance(found, Untold):
        return f"without it: unknown, {found.why}"
    error = f"simulated; {_error(found.gain, found.off)}"
    if not found.tells:
        return f"without it: unknown, the simulator was off by {tenths(found.off)} over the next {span(found.span_s)}"
    if abs(found.gain) < NOTICED:
        return (
            f"without it the same, {percent(found.without)} of the utility over the next {span(found.span_s)} ({error})"
        )
    shares = f"{percent(found.without)} of the utility over the next {span(found.span_s)}"
    return f"without it {shares} instead of {percent(found.with_it)}{_whom(found)} ({error})"


def worth_text(worth: Worth) -> str:
    """All that were tried, together; empty where of none anything can be said.

    >>> worth_text(Worth(6, 840.0, 0.72, 0.61, 0.04, 2.1, untold=1, misled=0))
    '+11 points of utility by 6 decisions (72 % instead of 61 % over the 14 min that followed them), 2.1 slot-hours \
saved; simulated without each, off by 4.0 %; of 1 nothing can be told'
    """
    if worth.gain is None:
        return ""
    shares = f"{percent(worth.with_them)} instead of {percent(worth.without)}"
    over = f"over the {span(worth.span_s)} that followed {'them' if worth.decisions > 1 else 'it'}"
    saved = "" if abs(worth.slot_h_saved) < 0.05 else f", {number(abs(round(worth.slot_h_saved, 1)))} slot-hours "
    saved += ("saved" if worth.slot_h_saved > 0 else "more spent") if saved else ""
    untold = worth.untold + worth.misled
    rest = f"; of {untold} nothing can be told" if untold else ""
    gained = f"{points_text(worth.gain)} of utility by {count(worth.decisions, 'decision')}"
    each = "each" if worth.decisions > 1 else "it"
    return f"{gained} ({shares} {over}){saved}; simulated without {each}, {_error(worth.gain, worth.off or 0.0)}{rest}"


def points_text(share: float) -> str:
    """A difference of shares.

    >>> points_text(0.11), points_text(-0.034), points_text(0.002)
    ('+11 points', '-3.4 points', 'no points')
    """
    points = 100.0 * share
    if abs(share) < NOTICED:
        return "no points"
    return f"{points:+.0f} points" if abs(points) >= 10 else f"{points:+.1f} points"


def _error(gain: float, off: float) -> str:
    """How far off the simulator was; a difference that is smaller proves nothing."""
    return f"off by {tenths(off)}" + (", more than the difference" if NOTICED <= abs(gain) < off else "")


def _whom(found: Without) -> str:
    changed = [one for one in found.jobs if abs(one.with_it - one.without) >= MISLEADS]
    changed.sort(key=lambda one: (-abs(one.with_it - one.without), one.job))
    told = [f"{one.job} {percent(one.without)} instead of {percent(one.with_it)}" for one in changed]
    return f": {named(told, _NAMED)}" if told else ""
