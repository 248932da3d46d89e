"""What people ask of levers, as decisions: ahead of the policy's own, held to the limits, asked for approval no more.

A wish is done in the cycle that hears it, or not at all; what did not come of it is in the plan's note.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TypeAlias

from penstock.core.asked.orders import Request, Wish
from penstock.core.levers import ALL_OPERATORS, WHOLE, Dial, Move, figure_text, in_fractions, move_of
from penstock.core.plan import Decision, Plan, Reason
from penstock.core.seen.view import View
from penstock.errors import ConfigError
from penstock.planning.guards.limits import within_limits

LeverKey: TypeAlias = tuple[str, str, str]  # its kind, job and operator


def asked_for(requests: Sequence[Request], view: View) -> Plan:
    """Each wish as a decision of now; of two for one lever the later one counts."""
    newest = {_lever(request.turn): request for request in requests if request.turn is not None}
    decisions: list[Decision] = []
    notes: list[str] = []
    for request in newest.values():
        assert request.turn is not None
        try:
            move = move_of(lever_for(request.turn, view), request.turn.value)
        except ConfigError as error:
            notes.append(f"{_told(request)} is not done: {error}")
            continue
        decisions.append(Decision(Reason.ASKED, (move,), f"asked by {request.who}", view.at_s, view.utility))
    return Plan(tuple(decisions), "; ".join(notes))


def with_asked(asked: Plan, plan: Plan, view: View) -> Plan:
    """Both plans as one within the limits. Where both turn a lever, the policy's decision about it goes, as a whole."""
    turned = levers_of(asked.decisions)
    own = tuple(_own(decision) for decision in plan.decisions if not levers_of([decision]) & turned)
    held = within_limits(replace(plan, decisions=(*asked.decisions, *own)), view)
    return replace(held, note=_joined(asked.note, *_cut(asked.decisions, held.decisions), held.note))


def watching(note: str, requests: Iterable[Request]) -> Plan:
    """Nothing is done this cycle, nor what was asked in it."""
    left = [f"{_told(request)} is not done" for request in requests]
    return Plan(note=_joined(note, *left))


def levers_of(decisions: Iterable[Decision]) -> frozenset[LeverKey]:
    """What they turn."""
    return frozenset(_lever(move) for decision in decisions for move in decision.moves)


def lever_for(wish: Wish, view: View) -> Dial:
    """The lever that a wish is about; a ConfigError that names those there are when it is not among them."""
    found = next((dial for dial in view.dials if _lever(dial) == _lever(wish)), None)
    if found is not None:
        return found
    jobs = [job.name for job in view.jobs]
    if wish.job not in (*jobs, WHOLE):
        raise ConfigError("job", wish.job, f"name one of {', '.join(jobs)}" if jobs else "no job has been seen yet")
    there = [dial for dial in view.dials if dial.job == wish.job]
    whose = "the application" if wish.job == WHOLE else wish.job
    of_kind = [dial.operator for dial in there if dial.kind == wish.kind]
    if of_kind:
        raise ConfigError("operator", wish.operator, f"{wish.kind} of {whose} are those of {', '.join(of_kind)}")
    kinds = ", ".join(dict.fromkeys(dial.kind for dial in there))
    raise ConfigError("kind", wish.kind, f"{whose} has {kinds}" if kinds else f"{whose} has nothing to turn")


def check(wish: Wish, view: View) -> None:
    """A ConfigError that says what would be right when the lever cannot be turned so."""
    dial, value = lever_for(wish, view), wish.value
    if value is None:
        if wish.kind != "bound":
            raise ConfigError("value", None, _range(dial))
        return
    if not in_fractions(dial.kind) and value != round(value):
        raise ConfigError("value", value, "write a whole number")
    if value < dial.least or (dial.most is not None and value > dial.most):
        raise ConfigError("value", _plain(value), _range(dial))
    allowed = _allowed(dial, value, view)
    if allowed != value:
        raise ConfigError("value", _plain(value), f"what is free allows {figure_text(dial.kind, allowed)}")


def _own(decision: Decision) -> Decision:
    """A policy's decision is a policy's: it does not get round approval by saying that a person asked."""
    return replace(decision, reason=Reason.RECONFIGURED) if decision.reason is Reason.ASKED else decision


def _cut(asked: Sequence[Decision], held: Sequence[Decision]) -> Iterator[str]:
    """What of the wishes is not done, or not as far as was asked."""
    done = {_lever(move): move for decision in held for move in decision.moves}
    for decision in asked:
        (move,) = decision.moves
        lever = _lever(move)
        told = f"{move.job}: {move.text}, {decision.why}"
        if move.before == move.after:
            yield f"{told}: it already has this value"
        elif lever not in done:
            yield f"{told}, is not done: the limits allow nothing of it"
        elif done[lever].after != move.after:
            yield f"{told}: the limits allow {done[lever].text}"


def _allowed(dial: Dial, value: float, view: View) -> float | None:
    """How much of it there is room for now, which threads alone have to share."""
    wanted = Decision(Reason.ASKED, (move_of(dial, value),), "", view.at_s, view.utility)
    if not wanted.thread_moves or value == dial.now:
        return value
    left = within_limits(Plan((wanted,)), view).decisions
    return left[0].thread_moves[0].after if left else dial.now


def _range(dial: Dial) -> str:
    whose = "the application" if dial.job == WHOLE else dial.job
    of = whose if dial.operator == ALL_OPERATORS else f"{dial.operator} of {whose}"
    least = figure_text(dial.kind, dial.least)
    up_to = "or more" if dial.most is None else f"to {figure_text(dial.kind, dial.most)}"
    return f"{dial.kind} of {of} can be {least} {up_to}" + (", or none" if dial.kind == "bound" else "")


def _lever(of: Wish | Dial | Move) -> LeverKey:
    return of.kind, of.job, of.operator


def _told(request: Request) -> str:
    return f"{request.text()}, asked by {request.who},"


def _plain(value: float) -> float:
    return round(value) if value == round(value) else value


def _joined(*parts: str) -> str:
    return "; ".join(part for part in parts if part)
