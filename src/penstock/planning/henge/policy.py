"""The Henge policy: one state machine over all tenants (Henge, section 4.3).

               all at maximum for 4 rounds, or nothing left that could help
      +---------------+ ------------------------------------------> +-----------+
      | NOT CONVERGED |                                             | CONVERGED |
      +---------------+ <------------------------------------------ +-----------+
        |  ^             utility fell by 5 %, other jobs, a job misses its SLO
        +--+             that did not, or one that was given up may be tried again
      reconfigure, reduce, revert

Each round finds one signal, and the table below says what to do about it in the present state. Signals are
looked for in the order in which `Signal` lists them.
"""

from collections.abc import Callable, Set
from dataclasses import dataclass, replace

from penstock.core.naming import named
from penstock.core.plan import Decision, Plan
from penstock.core.seen.view import JobView, View
from penstock.planning.henge.actions import (
    as_modelled,
    best_past,
    candidates,
    crowded,
    reconfigure,
    reduce_satisfied,
    revert,
)
from penstock.planning.henge.expect import shares_slots
from penstock.planning.henge.judging import acted, converged, judged, pending_of
from penstock.planning.henge.memory import ActionKind, HengeMemory, PastConfiguration, Pending, Phase
from penstock.planning.henge.settings import HengeSettings
from penstock.planning.henge.signals import (
    Signal,
    catching_up,
    caused_by_us,
    find_signal,
    names,
    noted,
    set_aside,
    steady_utility,
)


@dataclass(frozen=True, slots=True)
class Henge:
    """Reconfigure, reduce, revert: one step at a time, each judged before the next."""

    settings: HengeSettings = HengeSettings()
    name: str = "henge"

    def start(self) -> HengeMemory:
        """The memory of a controller that has seen nothing yet."""
        return HengeMemory()

    def decide(self, view: View, memory: HengeMemory) -> tuple[Plan, HengeMemory]:
        """One round."""
        memory = noted(view, memory, self.settings)
        signal = find_signal(view, memory, self.settings)
        return HANDLERS[memory.state, signal](view, memory, self.settings)


Handler = Callable[[View, HengeMemory, HengeSettings], tuple[Plan, HengeMemory]]


# The handlers


def _stay_put_stale(view: View, memory: HengeMemory, settings: HengeSettings) -> tuple[Plan, HengeMemory]:
    old = max(view.jobs, key=lambda job: (job.figures.age_s, job.name))
    return Plan(note=f"no action: the metrics of {old.name} are {old.figures.age_s:.0f} s old"), memory


def _stay_put_recovering(view: View, memory: HengeMemory, settings: HengeSettings) -> tuple[Plan, HengeMemory]:
    since = view.at_s - (memory.fresh_since_s or 0.0)
    note = f"no action: metrics came back {since:.0f} s ago, {settings.fresh_data_s:.0f} s of them are needed"
    return Plan(note=note), memory


def _wait(view: View, memory: HengeMemory, settings: HengeSettings) -> tuple[Plan, HengeMemory]:
    return Plan(note="waiting until utilities are stable"), memory


def _rest(view: View, memory: HengeMemory, settings: HengeSettings) -> tuple[Plan, HengeMemory]:
    return Plan(note="converged"), memory


def _rest_without(view: View, memory: HengeMemory, settings: HengeSettings) -> tuple[Plan, HengeMemory]:
    return Plan(note="converged: no change is left that could help"), memory


def _answer_fall(view: View, memory: HengeMemory, settings: HengeSettings) -> tuple[Plan, HengeMemory]:
    """Take back what did harm late; what else made utility fall is the workload's doing, so forget."""
    if memory.history and caused_by_us(view, memory, settings):
        memory = judged(view, memory, settings)
        best = best_past(memory.history, settings.drop_within * view.max_utility)
        if best is not None and best < len(memory.history) - 1:
            return _revert(view, memory, settings, "utility fell after the last changes, with the same input")
    return _forget(view, memory, settings)


def _forget(view: View, memory: HengeMemory, settings: HengeSettings) -> tuple[Plan, HengeMemory]:
    """Start the search afresh: no past action applies to the workload there is now (section 4.3.3)."""
    if memory.jobs != names(view):
        note = "the set of jobs changed: history discarded, watching until utilities are stable"
        return Plan(note=note), HengeMemory(jobs=names(view), disturbed_at_s=view.at_s)
    # The blocklist ends by its own clock: in a cluster that is too small utility falls again and again,
    # and the step that did harm an hour ago would otherwise be taken and taken back each time.
    blocked = dict(memory.blocked_until)
    left = {name: at for name, at in memory.given_up.items() if name in blocked}
    afresh = HengeMemory(
        jobs=memory.jobs, recent=memory.recent, recent_of=memory.recent_of, blocked_until=blocked, given_up=left
    )
    fell = f"utility fell from {memory.converged_utility:.1f} to {steady_utility(memory, settings):.1f}"
    plan, memory = _seek(view, afresh, settings)
    return replace(plan, note=f"{fell}: history discarded; {plan.note}".rstrip("; ")), memory


def _retry(view: View, memory: HengeMemory, settings: HengeSettings) -> tuple[Plan, HengeMemory]:
    still_blocked = {job: until for job, until in memory.blocked_until.items() if until > view.at_s}
    expired = memory.blocked_until.keys() - still_blocked.keys()
    given_up = {job: left for job, left in memory.given_up.items() if job not in expired}
    searching = replace(memory, state=Phase.NOT_CONVERGED, blocked_until=still_blocked, given_up=given_up)
    return _seek(view, searching, settings)


def _reopen(view: View, memory: HengeMemory, settings: HengeSettings) -> tuple[Plan, HengeMemory]:
    """Further SLO violations need reconfigurations (section 4.3.3), however little they take from the total.

    The search begins with the present configuration, for those before it were under another workload. Who was given
    up stays so, else every miss would have all of them tried again in a cluster that is too small.
    """
    afresh = HengeMemory(
        jobs=memory.jobs,
        recent=memory.recent,
        recent_of=memory.recent_of,
        disturbed_at_s=memory.disturbed_at_s,
        blocked_until=memory.blocked_until,
        given_up=memory.given_up,
        missed_rounds=memory.missed_rounds,
        modelled=memory.modelled,
        # Only another workload makes it worth while to reduce the same jobs again (section 4.3.2).
        reduced=memory.reduced,
        locked_out=bool(memory.reduced),
    )
    return _seek(view, afresh, settings)


def _at_max(view: View, memory: HengeMemory, settings: HengeSettings) -> tuple[Plan, HengeMemory]:
    memory = judged(view, memory, settings)
    rounds = memory.rounds_at_max + 1
    if rounds < settings.rounds_at_max:
        note = f"everyone has what they asked for, round {rounds} of {settings.rounds_at_max}"
        return Plan(note=note), replace(memory, rounds_at_max=rounds)
    return Plan(note="converged: everyone has what they asked for"), converged(view, memory, settings)


def _seek(view: View, memory: HengeMemory, settings: HengeSettings) -> tuple[Plan, HengeMemory]:
    """Give more to the head of the queue of those that miss their SLO (section 4.3.1)."""
    memory = judged(view, replace(memory, rounds_at_max=0), settings)
    waited_for = catching_up(view, memory, settings)
    queue = candidates(view, set_aside(view, memory, settings) | waited_for)
    # With models the first step is their answer; what they did not foresee is searched for from there. It is known
    # beforehand and needs no judging one by one, so all who miss their SLO get it together.
    first = as_modelled(view, [job for job in queue if job.name not in memory.modelled])
    memory = replace(memory, modelled=memory.modelled | {job.name for job in queue if job.modelled_threads})
    if first:
        return _given(view, memory, settings, view.job(first[0].jobs[0]), first, modelled=True)
    more = reconfigure(view, queue, settings)
    if more is not None:
        return _given(view, memory, settings, more[0], (more[1],))
    if waited_for:
        return _waited_for(waited_for), memory
    head = next((job for job in queue if shares_slots(job)), None)
    if head is not None:
        # Shares are relative: one that cannot grow becomes a larger part of the slots where others shrink.
        decision = reduce_satisfied(view, memory.reduced, settings)
        if decision is not None:
            return _reduced(view, memory, settings, decision, head)
    return _revert(view, memory, settings, "no change is left that could help")


def _help_others(view: View, memory: HengeMemory, settings: HengeSettings) -> tuple[Plan, HengeMemory]:
    """Its own utility will not tell for minutes what the last step was worth, so it is not judged; nor do others wait.

    A step needs a minute all the same to show what it does to them.
    """
    waited_for = catching_up(view, memory, settings)
    if len(memory.recent) == 2 * settings.quiet_rounds:
        queue = candidates(view, set_aside(view, memory, settings) | waited_for)
        more = reconfigure(view, queue, settings)
        if more is not None:
            return _given(view, memory, settings, more[0], (more[1],))
    return _waited_for(waited_for), memory


def _waited_for(names: Set[str]) -> Plan:
    return Plan(note=f"waiting while {named(sorted(names))} work off their backlog")


def _given(
    view: View,
    memory: HengeMemory,
    settings: HengeSettings,
    head: JobView,
    decisions: tuple[Decision, ...],
    modelled: bool = False,
) -> tuple[Plan, HengeMemory]:
    """More for the head of the queue, or for several at once: it is the head that they are judged by."""
    pending = replace(pending_of(view, memory, settings, ActionKind.RECONFIGURATION, head), modelled=modelled)
    moves = tuple(move for decision in decisions for move in decision.thread_moves)
    helped = {name for decision in decisions for name in decision.jobs}
    memory = replace(
        memory,
        given_up={name: left for name, left in memory.given_up.items() if name not in helped},
        helped_at_s={**memory.helped_at_s, **dict.fromkeys(helped, view.at_s)},
    )
    return Plan(decisions), acted(memory, pending, PastConfiguration(moves))


def _answer_drop(view: View, memory: HengeMemory, settings: HengeSettings) -> tuple[Plan, HengeMemory]:
    """A reconfiguration made things worse: reduce when that can help, else revert (4.3.2 and 4.3.3)."""
    memory = judged(view, memory, settings)
    decision = None
    if crowded(view) and not memory.locked_out:
        decision = reduce_satisfied(view, memory.reduced, settings)
    if decision is None:
        return _revert(view, memory, settings, "the last change made things worse")
    return _reduced(view, memory, settings, decision)


def _reduced(
    view: View, memory: HengeMemory, settings: HengeSettings, decision: Decision, head: JobView | None = None
) -> tuple[Plan, HengeMemory]:
    """Less for those that are satisfied; where it is for the sake of one job, it is that job that it is judged by."""
    helped = {**memory.helped_at_s, **({} if head is None else {head.name: view.at_s})}
    memory = replace(memory, reduced=memory.reduced | set(decision.jobs), locked_out=True, helped_at_s=helped)
    pending = pending_of(view, memory, settings, ActionKind.REDUCTION, head)
    return Plan((decision,)), acted(memory, pending, PastConfiguration(decision.thread_moves))


def _revert(view: View, memory: HengeMemory, settings: HengeSettings, because: str) -> tuple[Plan, HengeMemory]:
    """Back to the best configuration of the history, and rest there (section 4.3.3)."""
    best = best_past(memory.history, settings.drop_within * view.max_utility)
    decision = None if best is None else revert(view, memory.history, best, because)
    if decision is None or best is None:
        return Plan(note=f"converged: {because}"), converged(view, memory, settings)
    # What is undone led nowhere better, whoever was judged by it: tried again soon, it would be undone again.
    grown = {move.job for past in memory.history[best + 1 :] for move in past.moves if move.after > move.before}
    until = dict.fromkeys(grown - memory.modelled - memory.blocked_until.keys(), view.at_s + settings.blocklist_s)
    pending = Pending(ActionKind.REVERSION, view.at_s, steady_utility(memory, settings))
    memory = acted(memory, pending, PastConfiguration(decision.thread_moves))
    memory = replace(memory, reverted=True, blocked_until={**until, **memory.blocked_until})
    # The bar for a later fall is what the old configuration gives now, not what it gave then.
    return Plan((decision,)), replace(
        converged(view, memory, settings), history=memory.history[: best + 1], converged_utility=0.0
    )


HANDLERS: dict[tuple[Phase, Signal], Handler] = {
    (Phase.NOT_CONVERGED, Signal.STALE): _stay_put_stale,
    (Phase.NOT_CONVERGED, Signal.RECOVERING): _stay_put_recovering,
    (Phase.NOT_CONVERGED, Signal.FLEET_CHANGED): _forget,
    (Phase.NOT_CONVERGED, Signal.UNSETTLED): _wait,
    (Phase.NOT_CONVERGED, Signal.CATCHING_UP): _help_others,
    (Phase.NOT_CONVERGED, Signal.DROPPED): _answer_drop,
    (Phase.NOT_CONVERGED, Signal.AT_MAX): _at_max,
    (Phase.NOT_CONVERGED, Signal.MISSING): _seek,
    (Phase.CONVERGED, Signal.STALE): _stay_put_stale,
    (Phase.CONVERGED, Signal.RECOVERING): _stay_put_recovering,
    (Phase.CONVERGED, Signal.FLEET_CHANGED): _forget,
    (Phase.CONVERGED, Signal.UNSETTLED): _rest,
    (Phase.CONVERGED, Signal.FELL): _answer_fall,
    (Phase.CONVERGED, Signal.EXPIRED): _retry,
    (Phase.CONVERGED, Signal.AT_MAX): _rest,
    (Phase.CONVERGED, Signal.MISSING): _reopen,
    (Phase.CONVERGED, Signal.SET_ASIDE): _rest_without,
}
