"""What was foretold of a decision, beside what came: a part of its verdict's words."""

from collections.abc import Sequence

from penstock.analysis.cycle_figures import CycleFigures, mean_of
from penstock.analysis.open_decision import OpenDecision
from penstock.core.known.prediction import NOTICED, Foretold, seconds_text


def beside_what_was_foretold(found: OpenDecision, since: Sequence[CycleFigures], cycles: Sequence[CycleFigures]) -> str:
    """How far off the prediction was, tenant by tenant, and what it was taken to prevent."""
    decided_s = found.decision.at_s
    before = [seen for seen in cycles if decided_s - found.settles_s < seen.at_s <= decided_s]
    told = [
        f"; {_came(one, since)}{_came_back(one, decided_s, cycles)}{_prevented(one, before)}" for one in found.foretold
    ]
    return "".join(told)


def _prevented(foretold: Foretold, before: Sequence[CycleFigures]) -> str:
    """The fall that was foretold of leaving all as it was: what would have come without the decision nobody saw."""
    had = mean_of([seen.utilities[foretold.job] for seen in before if foretold.job in seen.utilities])
    if had is None or foretold.gain <= 0.0 or foretold.was_utility > (1.0 - NOTICED) * had:
        return ""
    fall = f"from {had:.1f} to {foretold.was_utility:.1f} utility"
    return f" (without it a fall {fall} was predicted, and nobody can tell whether it would have come)"


def _came_back(foretold: Foretold, decided_s: float, cycles: Sequence[CycleFigures]) -> str:
    """When its latency was for good what it asks for, beside what was foretold of that; cycles go back to some time.

    Figures look back for a while, so it is told later than it was.
    """
    seen = [(one.at_s, one.latencies_s[foretold.job]) for one in cycles if foretold.job in one.latencies_s]
    if not foretold.back_text or not seen or cycles[0].at_s > decided_s:
        return ""
    late = [at_s for at_s, latency_s in seen if at_s > decided_s and latency_s > (foretold.target_s or 0.0)]
    if late and late[-1] == seen[-1][0]:
        return f"; predicted {foretold.back_text}, but not yet after {seen[-1][0] - decided_s:.0f} s"
    since_s = late[-1] if late else decided_s
    back = next((at_s for at_s, _ in seen if at_s > since_s), None)
    return "" if back is None else f"; predicted {foretold.back_text}, actually in {back - decided_s:.0f} s"


def _came(foretold: Foretold, cycles: Sequence[CycleFigures]) -> str:
    name = foretold.job
    pairs: list[tuple[str, str | None]] = []
    if foretold.later:
        came_s = mean_of([seen.latencies_s[name] for seen in cycles if name in seen.latencies_s])
        pairs.append((seconds_text(foretold.latency_s), None if came_s is None else seconds_text(came_s)))
    if foretold.fuller and foretold.juice is not None:
        came = mean_of([seen.juices[name] for seen in cycles if name in seen.juices])
        pairs.append((f"{100 * foretold.juice:.0f} % of its input", None if came is None else f"{100 * came:.0f} %"))
    if not pairs:
        utility = mean_of([seen.utilities[name] for seen in cycles if name in seen.utilities])
        pairs.append((f"{foretold.utility:.1f} utility", None if utility is None else f"{utility:.1f}"))
    said = " and ".join(text for text, _ in pairs)
    return f"{name}: predicted {said}, actual {' and '.join(came or 'unknown' for _, came in pairs)}"
