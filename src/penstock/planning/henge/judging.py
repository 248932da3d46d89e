"""What is remembered of a step: noted as it is taken, judged once utilities are quiet again (Henge, section 4.3)."""

from dataclasses import replace

from penstock.core.seen.view import JobView, View
from penstock.planning.henge.memory import ActionKind, HengeMemory, PastConfiguration, Pending, Phase
from penstock.planning.henge.settings import HengeSettings
from penstock.planning.henge.signals import (
    arrivals,
    dropped,
    given_up,
    of_the_past,
    processes_more,
    same_input,
    steady_utility,
    steady_utility_of,
)


def pending_of(
    view: View, memory: HengeMemory, settings: HengeSettings, kind: ActionKind, head: JobView | None
) -> Pending:
    """The step that is taken now, with what it is to be compared with: of the whole fleet, or of the head's."""
    known = () if head is None else (head.name, steady_utility_of(head, memory), head.figures.processed_rps)
    found = Pending(kind, view.at_s, steady_utility(memory, settings), *known)
    return replace(found, arrivals_rps=arrivals(view))


def acted(memory: HengeMemory, pending: Pending, past: PastConfiguration) -> HengeMemory:
    """The step is taken: what was seen before it tells nothing of what comes."""
    return replace(
        memory, pending=pending, history=(*memory.history, past), recent=(), recent_of={}, disturbed_at_s=pending.at_s
    )


def converged(view: View, memory: HengeMemory, settings: HengeSettings) -> HengeMemory:
    """The search is over, at the utility that there is now."""
    return replace(
        memory,
        state=Phase.CONVERGED,
        rounds_at_max=0,
        pending=None,
        converged_utility=steady_utility(memory, settings),
        given_up=given_up(view, memory, settings),
    )


def judged(view: View, memory: HengeMemory, settings: HengeSettings) -> HengeMemory:
    """Close the pending action: note the utility it led to, and blocklist a job that gained little."""
    level = steady_utility(memory, settings)
    pending = memory.pending
    if pending is not None and not same_input(view, pending, settings):
        # Nothing can be learnt from it, and what other configurations gave was under another workload.
        return replace(memory, pending=None, history=(PastConfiguration((), level, arrivals(view)),))
    history = memory.history or (PastConfiguration(()),)
    worth = level if pending is None else level + of_the_past(view, memory, pending, settings)
    memory = replace(memory, history=(*history[:-1], replace(history[-1], utility=worth, arrivals_rps=arrivals(view))))
    if pending is None:
        return memory
    if pending.kind is ActionKind.RECONFIGURATION and not dropped(view, memory, settings):
        memory = replace(memory, locked_out=False)
    # A step that made everything worse is not tried again soon either, else a reversion would undo it for ever.
    futile = dropped(view, memory, settings) or _gained_little(view, memory, pending, settings)
    if pending.job is not None and futile:
        # Models that were wrong say nothing against the search: it may begin at once.
        until = view.at_s + (0.0 if pending.modelled else settings.blocklist_s)
        memory = replace(memory, blocked_until={**memory.blocked_until, pending.job: until})
    return replace(memory, pending=None)


def _gained_little(view: View, memory: HengeMemory, pending: Pending, settings: HengeSettings) -> bool:
    """Less than 5 % more utility, and no more rows processed either.

    The paper looks at utility alone. Behind a long backlog utility hardly moves at first: that the backlog
    grows more slowly than before is the gain there is.
    """
    job = next((job for job in view.jobs if job.name == pending.job), None)
    if job is None or job.met:
        return False
    enough = pending.job_utility_before * (1 + settings.marginal_gain)
    return not processes_more(job, pending, settings) and steady_utility_of(job, memory) < enough
