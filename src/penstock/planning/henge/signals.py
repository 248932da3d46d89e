"""What a round of the Henge policy notices, and the one signal that it has to answer."""

from dataclasses import replace
from enum import Enum, auto

from penstock.core.seen.view import JobView, View
from penstock.planning.arrivals import same_arrivals
from penstock.planning.henge.memory import ActionKind, GivenUp, HengeMemory, Pending, Phase
from penstock.planning.henge.settings import HengeSettings

CATCHING_UP = 0.05  # share of the arrival rate by which processing must exceed it; less is noise


class Signal(Enum):
    """What a round finds, the most pressing first."""

    STALE = auto()  # figures are too old to act on
    RECOVERING = auto()  # news came back, but not for long enough yet
    FLEET_CHANGED = auto()  # jobs came or went
    UNSETTLED = auto()  # the last action's effect still shows
    FELL = auto()  # utility fell since convergence
    EXPIRED = auto()  # a blocklisted job may be tried again
    CATCHING_UP = auto()  # the job that was given more works off its backlog
    DROPPED = auto()  # the last action made things worse
    AT_MAX = auto()  # everyone has what they asked for
    MISSING = auto()  # somebody misses an SLO
    SET_ASIDE = auto()  # those who miss theirs were tried, or given up, under the same input


def find_signal(view: View, memory: HengeMemory, settings: HengeSettings) -> Signal:
    """The most pressing thing that this round has to answer."""
    if not view.fresh:
        return Signal.STALE
    if memory.fresh_since_s is not None and view.at_s - memory.fresh_since_s < settings.fresh_data_s:
        return Signal.RECOVERING
    if memory.jobs != names(view):
        return Signal.FLEET_CHANGED
    if memory.state is Phase.CONVERGED and _fell(view, memory, settings):
        return Signal.FELL
    if _settling(view):
        return Signal.UNSETTLED
    if memory.pending is not None and memory.pending.job in catching_up(view, memory, settings):
        return Signal.CATCHING_UP
    if not _quiet(view, memory, settings):
        return Signal.UNSETTLED
    if memory.state is Phase.CONVERGED:
        return _signal_when_converged(view, memory, settings)
    if dropped(view, memory, settings):
        return Signal.DROPPED
    return Signal.AT_MAX if _all_met(view) else Signal.MISSING


def set_aside(view: View, memory: HengeMemory, settings: HengeSettings) -> frozenset[str]:
    """Those that are not to be tried: tried in vain or given up in the last hour, under an input like this one."""
    return frozenset(job.name for job in view.jobs if _set_aside(view, job, memory, settings))


def _set_aside(view: View, job: JobView, memory: HengeMemory, settings: HengeSettings) -> bool:
    left = memory.given_up.get(job.name)
    if left is not None and _other_input(job, left, settings):
        return False
    blocked = memory.blocked_until.get(job.name, 0.0) > view.at_s
    return blocked or (left is not None and view.at_s - left.at_s < settings.blocklist_s)


def _other_input(job: JobView, left: GivenUp, settings: HengeSettings) -> bool:
    then, now = left.arrival_rps, job.figures.arrival_rps
    if then is None or now is None:
        return False
    return not same_arrivals({job.name: then}, {job.name: now}, settings.same_arrivals_within)


def given_up(view: View, memory: HengeMemory, settings: HengeSettings) -> dict[str, GivenUp]:
    """What is to be known at rest of those that miss their SLO or are blocklisted; what is known already stays."""
    aside = set_aside(view, memory, settings)
    left = [job for job in view.jobs if misses(job) or memory.blocked_until.get(job.name, 0.0) > view.at_s]
    new = {job.name: GivenUp(view.at_s, job.figures.arrival_rps) for job in left}
    return new | {name: memory.given_up[name] for name in new if name in aside and name in memory.given_up}


def misses(job: JobView) -> bool:
    """Whether a job is known to miss its SLO: one whose figures are not there yet is not."""
    return job.utility is not None and not job.met


def _fell(view: View, memory: HengeMemory, settings: HengeSettings) -> bool:
    """Whether utility is clearly below its level at rest: nobody needs to wait for quiet to see that."""
    if len(memory.recent) < settings.quiet_rounds or _settling(view):
        return False
    return steady_utility(memory, settings) < (1 - settings.forget_fall) * memory.converged_utility


def _signal_when_converged(view: View, memory: HengeMemory, settings: HengeSettings) -> Signal:
    missing = {job.name for job in view.jobs if not job.met}
    if any(job in missing and until <= view.at_s for job, until in memory.blocked_until.items()):
        return Signal.EXPIRED
    if _all_met(view):
        return Signal.AT_MAX
    if not _newly_missing(view, memory, settings):
        return Signal.SET_ASIDE
    # A step would be blamed for what falls anyhow; a fall that goes on is answered as one.
    return Signal.UNSETTLED if _rise(memory, settings) < -settings.quiet_within * view.max_utility else Signal.MISSING


def _newly_missing(view: View, memory: HengeMemory, settings: HengeSettings) -> bool:
    """Whether a job needs help that had what it asked for at rest: not by the noise of a round, nor for a moment."""
    aside = set_aside(view, memory, settings)
    rounds = {} if memory.reverted else memory.missed_rounds
    lasting = [job for job in view.jobs if rounds.get(job.name, 0) >= settings.quiet_rounds]
    return any(job.name not in aside and not _works_off(view, job, settings) for job in lasting)


def _all_met(view: View) -> bool:
    return all(job.met for job in view.jobs)


def noted(view: View, memory: HengeMemory, settings: HengeSettings) -> HengeMemory:
    if not view.fresh:
        return replace(memory, outage=True, fresh_since_s=None, recent=(), recent_of={}, missed_rounds={})
    if memory.outage:
        memory = replace(memory, outage=False, fresh_since_s=view.at_s, disturbed_at_s=view.at_s)
    memory = _without_what_never_came(view, memory)
    kept = (*memory.recent, view.utility)[-2 * settings.quiet_rounds :]
    missing = [job.name for job in view.jobs if misses(job) and not job.figures.settling]
    missed_rounds = {name: memory.missed_rounds.get(name, 0) + 1 for name in missing}
    recent_of = {
        job.name: (*memory.recent_of.get(job.name, ()), job.utility or 0.0)[-settings.quiet_rounds :]
        for job in view.jobs
    }
    memory = replace(
        memory,
        recent=kept,
        recent_of=recent_of,
        missed_rounds=missed_rounds,
    )
    if memory.reverted and not _settling(view) and _quiet(view, memory, settings):
        memory = replace(memory, reverted=False, given_up=given_up(view, memory, settings))
    if memory.state is Phase.CONVERGED and len(kept) == 2 * settings.quiet_rounds:
        # The best level since convergence: a slow slide must not lower the bar it is measured against.
        memory = replace(memory, converged_utility=max(memory.converged_utility, steady_utility(memory, settings)))
    return memory


def _without_what_never_came(view: View, memory: HengeMemory) -> HengeMemory:
    """An action that the engine could not carry out is neither judged nor held against its job."""
    if memory.pending is None or not memory.history:
        return memory
    wanted = {(move.job, move.operator): move.after for move in memory.history[-1].moves}
    there = {(job.name, op.name): op.threads for job in view.jobs for op in job.figures.operators}
    if any(there.get(place) == after for place, after in wanted.items()) or not wanted:
        return memory
    return replace(memory, pending=None, history=memory.history[:-1])


def names(view: View) -> tuple[str, ...]:
    return tuple(job.name for job in view.jobs)


def steady_utility(memory: HengeMemory, settings: HengeSettings) -> float:
    """Total utility without the noise of a single round."""
    last = memory.recent[-settings.quiet_rounds :]
    return sum(last) / len(last) if last else 0.0


def steady_utility_of(job: JobView, memory: HengeMemory) -> float:
    """The same of one job."""
    last = memory.recent_of.get(job.name, (job.utility or 0.0,))
    return sum(last) / len(last)


def _settling(view: View) -> bool:
    return any(job.figures.settling for job in view.jobs)


def _quiet(view: View, memory: HengeMemory, settings: HengeSettings) -> bool:
    if view.at_s - memory.disturbed_at_s >= settings.quiet_at_most_s:
        return True
    if len(memory.recent) < 2 * settings.quiet_rounds:
        return False
    rise = _rise(memory, settings)
    # With no step to judge only a rise is worth waiting for: a fleet that does worse and worse wants help now.
    moved = rise if memory.pending is None else abs(rise)
    return moved <= settings.quiet_within * view.max_utility


def _rise(memory: HengeMemory, settings: HengeSettings) -> float:
    """From the rounds before the last ones to these; nothing while there are too few to tell."""
    before = memory.recent[: -settings.quiet_rounds]
    return steady_utility(memory, settings) - sum(before) / len(before) if before else 0.0


def catching_up(view: View, memory: HengeMemory, settings: HengeSettings) -> frozenset[str]:
    """Those that miss their SLO, were given more in this search, and will be done with their backlog in time."""
    since_s = view.at_s - settings.catch_up_s
    helped = [job for job in view.jobs if misses(job) and memory.helped_at_s.get(job.name, since_s) > since_s]
    return frozenset(job.name for job in helped if _works_off(view, job, settings))


def _works_off(view: View, job: JobView, settings: HengeSettings) -> bool:
    """Whether its backlog will be gone before waiting for that costs too much."""
    figures = job.figures
    if figures.processed_rps is None or figures.arrival_rps is None or not figures.backlog_rows:
        return False
    gain_rps = figures.processed_rps - figures.arrival_rps
    if gain_rps <= CATCHING_UP * figures.arrival_rps:
        return False
    lost = (job.max_utility - (job.utility or 0.0)) / view.max_utility  # of each second of the fleet's
    return figures.backlog_rows / gain_rps <= min(settings.catch_up_s, settings.catch_up_costs_s / max(lost, 1e-9))


def dropped(view: View, memory: HengeMemory, settings: HengeSettings) -> bool:
    """Whether the last reconfiguration made things worse; not where its doing cannot be told from the input's.

    A job that now processes more rows than before is better served, even if its utility, which shows its
    backlog, is still falling: that fall is the past's.
    """
    pending = memory.pending
    if pending is None or pending.kind is not ActionKind.RECONFIGURATION:
        return False
    if not same_input(view, pending, settings):
        return False
    fall = pending.utility_before - steady_utility(memory, settings) - of_the_past(view, memory, pending, settings)
    return fall > settings.drop_within * view.max_utility


def of_the_past(view: View, memory: HengeMemory, pending: Pending, settings: HengeSettings) -> float:
    """What the job that was helped has lost since, though it does more than before: its backlog has grown older."""
    job = next((job for job in view.jobs if job.name == pending.job), None)
    if job is None or not processes_more(job, pending, settings):
        return 0.0
    return max(0.0, pending.job_utility_before - steady_utility_of(job, memory))


def same_input(view: View, pending: Pending, settings: HengeSettings) -> bool:
    """Whether as much comes to each job as when the step was taken."""
    return same_arrivals(pending.arrivals_rps, arrivals(view), settings.same_arrivals_within)


def processes_more(job: JobView, pending: Pending, settings: HengeSettings) -> bool:
    """Whether the job that was given more does more than it did."""
    before, now = pending.job_rate_before_rps, job.figures.processed_rps
    return before is not None and now is not None and now >= before * (1 + settings.marginal_gain)


def arrivals(view: View) -> dict[str, float]:
    """What comes to each job, as far as it is known."""
    known = ((job.name, job.figures.arrival_rps) for job in view.jobs)
    return {name: rate for name, rate in known if rate is not None}


def caused_by_us(view: View, memory: HengeMemory, settings: HengeSettings) -> bool:
    """Whether a fall follows our own last step and not a change of the input."""
    if view.at_s - memory.disturbed_at_s > settings.late_effect_s:
        return False
    then = memory.history[-1].arrivals_rps
    return bool(then) and same_arrivals(then, arrivals(view), settings.same_arrivals_within)
