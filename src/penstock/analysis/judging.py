"""A verdict: what a decision came to, in figures and in words, and what is said where that is no good news."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from penstock.analysis.beside_foretold import beside_what_was_foretold
from penstock.analysis.concerned import Concerned
from penstock.analysis.cycle_figures import CycleFigures, arrivals_rps, mean_utility
from penstock.analysis.open_decision import OpenDecision
from penstock.core.known.settling import LOOKS
from penstock.core.naming import named
from penstock.core.plan import AGAIN, NO_CHANGE, Effect, Reason, Verdict
from penstock.core.seen.view import View

_MORE_ARRIVES = 1.2  # times as many rows as when it was decided: what is worse then need not be its doing


@dataclass(frozen=True, slots=True)
class SaidOfCycle:
    """What the policy says of it, or why nobody was asked to decide in it (`idle`)."""

    note: str
    idle: bool


def verdict_on(found: OpenDecision, view: View, cycles: Sequence[CycleFigures], said: SaidOfCycle) -> Verdict:
    """How those concerned fare now, beside how they did before."""
    decision = found.decision
    # Cycles may be further apart than anything needs to settle: then the present one is all there is to know it from.
    since = _since(found, cycles) or cycles[-1:]
    after = {tenant.name: mean_utility(tenant.name, tenant.intent, since) for tenant in found.concerned}
    told = beside_what_was_foretold(found, since, cycles) + found.meanwhile_text
    unseen = [tenant for tenant in found.concerned if tenant.before is None or after[tenant.name] is None]
    seen = [tenant for tenant in found.concerned if tenant not in unseen]
    if not seen or any(tenant.touched for tenant in unseen):
        looked_worse = found.last is not None and found.last.effect is Effect.WORSE
        text = f"not known: {_why_unknown(unseen, cycles[-1])}{_before(found) if looked_worse else ''}{told}"
        again = found.again_after(Effect.UNKNOWN) and not any(t.touched for t in _asking_else(unseen, cycles[-1]))
        return _verdict(found, view.at_s, None, text, Effect.UNKNOWN, again)
    was, came = sum(tenant.before or 0.0 for tenant in seen), sum(after[tenant.name] or 0.0 for tenant in seen)
    effect = _effect(came - was, sum(tenant.max_utility for tenant in seen))
    text = f"{_again(found, effect)}: utility of {named([tenant.name for tenant in seen])} {was:.1f} -> {came:.1f}"
    if decision.expected_utility is not None:
        text += f" (expected {was + decision.expected_utility - decision.utility_before:.1f})"
    text += f"; {_why_unknown(unseen, cycles[-1])}" if unseen else ""
    text += _before(found) + (_kept(found, view, since, said) if effect is Effect.WORSE else "") + told
    utility = decision.utility_before + came - was
    return _verdict(found, view.at_s, utility, text, effect, found.again_after(effect))


def _verdict(
    found: OpenDecision, now_s: float, utility: float | None, text: str, effect: Effect, again: bool
) -> Verdict:
    until_s = found.open_until_s if again else None
    return Verdict(found.decision.at_s, now_s, utility, text, effect, found.place, again, until_s)


def _why_unknown(unseen: Sequence[Concerned], now: CycleFigures) -> str:
    """Why nothing can be said of these: another intent was stated since, or there were no figures."""
    other = [tenant.name for tenant in _asking_else(unseen, now)]
    without = [tenant.name for tenant in unseen if tenant.name not in other]
    told = [f"the intent of {named(other)} has changed since"] if other else []
    return "; ".join([*told, *([f"{named(without) or 'nobody'} had no figures"] if without or not other else [])])


def _asking_else(tenants: Iterable[Concerned], now: CycleFigures) -> list[Concerned]:
    """Those whose intent is not the one that they are judged by."""
    return [tenant for tenant in tenants if now.asked.get(tenant.name, tenant.intent) != tenant.intent]


def _since(found: OpenDecision, cycles: Sequence[CycleFigures]) -> Sequence[CycleFigures]:
    """The cycles that it is judged by: the second half of the settle time at first, as much time later on."""
    at_s, times = found.decision.at_s, LOOKS[found.looks]
    from_s, to_s = at_s + (times - 0.5) * found.settles_s, at_s + (times + 1.0) * found.settles_s
    return [seen for seen in cycles if from_s < seen.at_s <= to_s]


# What is said where the first look was no good news


def _again(found: OpenDecision, effect: Effect) -> str:
    """The effect, beside what it seemed to be."""
    if found.last is None or found.last.effect is not Effect.WORSE:
        return str(effect)
    return f"still {effect}" if effect is Effect.WORSE else f"{effect} after all"


def _before(found: OpenDecision) -> str:
    last = found.last
    if last is None or last.effect is None:
        return ""
    return f"; at {last.judged_at_s:.0f} s it was {last.effect}"


def _kept(found: OpenDecision, view: View, since: Sequence[CycleFigures], said: SaidOfCycle) -> str:
    """That it was taken back, or why it stays in force; nothing at the first look, when what waited may yet count."""
    if found.taken_back_s is not None:
        return f"; taken back at {found.taken_back_s:.0f} s"
    if found.last is None and not found.last_look:
        return f"; {AGAIN}"
    return f"; kept because {_why_kept(found, view, since, said)}"


def _why_kept(found: OpenDecision, view: View, since: Sequence[CycleFigures], said: SaidOfCycle) -> str:
    decision = found.decision
    if decision.reason is Reason.ASKED:
        return "a person asked for it"
    then, now = found.arrivals_rps, arrivals_rps(found.names, since)
    if then and now and now >= _MORE_ARRIVES * then:
        return f"the load has grown: {now:.0f} rows/s arrive now, {then:.0f} rows/s then"
    if view.utility > decision.utility_before:
        return f"the utility of all tenants together is {view.utility:.1f} instead of {decision.utility_before:.1f}"
    if said.idle:
        return f"no policy decides now: {said.note}"
    if not said.note:
        return "the policy has changed something else since"
    return f"the policy found nothing better: {said.note}"


def _effect(gain: float, max_utility: float) -> Effect:
    if abs(gain) < NO_CHANGE * max(max_utility, 1e-9):
        return Effect.SAME
    return Effect.BETTER if gain > 0 else Effect.WORSE
