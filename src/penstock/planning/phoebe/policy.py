"""The `phoebe` policy: the smallest scale-out that keeps latency normal and recovers from any failure in time.

Every job is looked at once per interval, unless it failed or was reconfigured less than an interval ago: then its
figures are those of the recovery, and it is left alone (Phoebe, section III-E).

    history, evidence -> forecast, models -> need of each coming interval -> cheapest path -> scale-out
                                              several jobs, too few slots -> the division worth most
"""

from collections.abc import Sequence, Set
from dataclasses import dataclass, replace

from penstock.core.known.outlook import JobOutlook
from penstock.core.plan import Decision, Plan, Reason
from penstock.core.seen.shares import shares_pool
from penstock.core.seen.view import JobView, View
from penstock.planning.baselines.reactive import ReactiveSettings, scaled, threads_wanted
from penstock.planning.phoebe.budget import slots_by_worth
from penstock.planning.phoebe.foretelling import foreseen, told_by_kind
from penstock.planning.phoebe.memory import JobMemory, PhoebeMemory, mean_or
from penstock.planning.phoebe.outages import guessed
from penstock.planning.phoebe.outlook import Outlook, outlook_of
from penstock.planning.phoebe.path import first_step
from penstock.planning.phoebe.prospects import Leeway, ScaleOutNeed, need
from penstock.planning.phoebe.settings import PhoebeSettings
from penstock.planning.phoebe.watching import WARM_S, watched
from penstock.planning.phoebe.words import missed, why
from penstock.planning.phoebe.worth import expected_worth, worth_of

_BEYOND = 2  # times what is allowed: how far is looked for what would have done


@dataclass(frozen=True, slots=True)
class JobWish:
    """What one job is to have, and why."""

    job: JobView
    scaleout: int
    why: str
    outlook: Outlook | None = None


@dataclass(frozen=True, slots=True)
class Phoebe:
    """Proactive scaling with recovery-time targets."""

    settings: PhoebeSettings = PhoebeSettings()
    name: str = "phoebe"

    def start(self) -> PhoebeMemory:
        """Nothing was seen yet."""
        return PhoebeMemory()

    def decide(self, view: View, memory: PhoebeMemory) -> tuple[Plan, PhoebeMemory]:
        """A decision for each job whose interval is over and that should have another scale-out."""
        settings = self.settings
        memory = watched(view, memory, settings.step_s, settings.history_s, settings.interval_s)
        due = [job for job in view.jobs if _due(job, memory.jobs[job.name], view.at_s, settings)]
        if not due:
            return Plan(note=_waiting(view)), memory
        wishes = [_wish(job, memory, _allowed(view, job, due), view.at_s, settings) for job in due]
        wishes = _within_budget(view, wishes, settings)
        decisions = [decision for wish in wishes if (decision := _decision(view, wish)) is not None]
        memory = _looked_at(memory, due, {job for decision in decisions for job in decision.jobs}, view.at_s)
        memory = _with_foreseen(memory, wishes, view.at_s)
        note = "; ".join(f"{wish.job.name}: {wish.why}" for wish in wishes)
        return Plan(tuple(decisions), note, outlooks=_outlooks(wishes, memory, view.at_s, settings)), memory


def _due(job: JobView, known: JobMemory, at_s: float, settings: PhoebeSettings) -> bool:
    figures = job.figures
    if not job.fresh or figures.settling or figures.threads < 1:
        return False
    if figures.arrival_rps is None and figures.processed_rps is None:  # it is down, or has only just begun
        return False
    if known.looked_at_s is None:  # a new job: it may have been started with anything
        return figures.up_s is None or figures.up_s >= WARM_S
    if at_s - known.looked_at_s < settings.interval_s:
        return False
    return figures.up_s is None or figures.up_s >= settings.interval_s


def _waiting(view: View) -> str:
    down = [job.name for job in view.jobs if job.figures.settling]
    return f"waiting: {', '.join(down)} restarts" if down else "waiting for the next evaluation"


def _allowed(view: View, job: JobView, due: list[JobView]) -> int | None:
    """The most executors that this job could have if no other job that may be changed had more than it must."""
    limits = [job.figures.max_threads, view.slots if shares_pool(job.figures) else None]
    highest = [operator.max_threads for operator in job.figures.operators]
    limits.append(None if None in highest else sum(most for most in highest if most is not None))
    if view.max_threads is not None:
        movable = {other.name for other in due}
        kept = sum(
            sum(op.min_threads for op in other.figures.operators) if other.name in movable else other.figures.threads
            for other in view.jobs
            if other.name != job.name
        )
        limits.append(view.max_threads - kept)
    known = [limit for limit in limits if limit is not None]
    return max(1, min(known)) if known else None


def _wish(job: JobView, memory: PhoebeMemory, allowed: int | None, at_s: float, settings: PhoebeSettings) -> JobWish:
    known = memory.jobs[job.name]
    outlook = outlook_of(job, known, at_s, settings, memory.failures_beside(job.name))
    if outlook is None:
        return _reactive_wish(job, settings)
    target_s = job.intent.recovery_s
    # Without any limit, as far as eight times what it has is looked.
    highest = 8 * job.figures.threads if allowed is None else allowed
    intervals = 1 if outlook.forecast is None else int(settings.look_ahead)
    leeway = Leeway(settings.near_best, settings.lateness)
    needs = [need(outlook.ahead, target_s, highest, leeway, k) for k in range(intervals)]
    disturbed_s = mean_or(known.disturbances_s, settings.disturbance_s)
    cost_s = settings.disturbance_weight * disturbed_s
    chosen = first_step(min(job.figures.threads, highest), [n.scaleout for n in needs], settings.interval_s, cost_s)
    if outlook.ahead.model.extrapolates(chosen, outlook.ahead.peak(0).rate_rps):
        chosen = min(highest, chosen + max(1, round(0.1 * chosen)))  # prefer more where nothing was measured
    return JobWish(job, chosen, _reasons(outlook, needs[0], chosen, target_s, highest, settings), outlook)


def _reactive_wish(job: JobView, settings: PhoebeSettings) -> JobWish:
    """Neither profile nor history says how fast the job can be: as an autoscaler on CPU would."""
    wanted = threads_wanted(job, ReactiveSettings(cpu_target=settings.cpu_target))
    because = "not enough data to plan ahead: sized by CPU use"
    if wanted is None:
        return JobWish(job, job.figures.threads, "not enough data, not even CPU use: left unchanged")
    return JobWish(job, wanted, because)


def _reasons(
    outlook: Outlook, needed: ScaleOutNeed, chosen: int, target_s: float | None, highest: int, settings: PhoebeSettings
) -> str:
    text = why(outlook, chosen, target_s, settings.unit)
    if chosen > needed.scaleout and needed.enough:
        text += f"; {needed.scaleout} are enough now, but soon too few, or the change costs more than it saves"
    if needed.enough:
        return text
    beyond = need(outlook.ahead, target_s, _BEYOND * highest, Leeway(settings.near_best, settings.lateness))
    wanted = beyond.scaleout if beyond.enough else highest
    return f"{text}; {missed(needed, wanted, highest, target_s, settings.unit)}"


def _within_budget(view: View, wishes: list[JobWish], settings: PhoebeSettings) -> list[JobWish]:
    """Where the wishes together exceed the cluster, what there is goes where it is worth most."""
    if view.max_threads is None:
        return wishes
    wishing = {wish.job.name for wish in wishes}
    left = view.max_threads - sum(job.figures.threads for job in view.jobs if job.name not in wishing)
    if sum(wish.scaleout for wish in wishes) <= left:
        return wishes
    shares = slots_by_worth({wish.job.name: worth_of(wish.job, wish.outlook, wish.scaleout) for wish in wishes}, left)
    return [_cut(wish, shares[wish.job.name], view.max_threads, settings) for wish in wishes]


def _cut(wish: JobWish, share: int, budget: int, settings: PhoebeSettings) -> JobWish:
    if share >= wish.scaleout:
        return wish
    because = f"{wish.why}; {share} of the {budget} {settings.unit} for all jobs give the most utility here"
    if wish.outlook is not None and wish.job.intent.recovery_s is not None:
        found = ScaleOutNeed(share, wish.outlook.ahead.recovery_s(share), False)
        because += f"; {missed(found, wish.scaleout, share, wish.job.intent.recovery_s, settings.unit)}"
    return replace(wish, scaleout=share, why=because)


def _decision(view: View, wish: JobWish) -> Decision | None:
    moves = scaled(wish.job, wish.scaleout)
    if not moves:
        return None
    expected = None
    if wish.outlook is not None and wish.job.utility is not None:
        expected = view.utility - wish.job.utility + expected_worth(wish.job, wish.outlook, wish.scaleout)
    return Decision(Reason.RESCALED, moves, f"{wish.job.name}: {wish.why}", view.at_s, view.utility, expected)


def _outlooks(
    wishes: Sequence[JobWish], memory: PhoebeMemory, at_s: float, settings: PhoebeSettings
) -> tuple[JobOutlook, ...]:
    until_s = at_s + int(settings.look_ahead) * settings.interval_s
    told = []
    for wish in wishes:
        known = memory.jobs[wish.job.name].foreseen
        if wish.outlook is not None and known is not None:
            by_kind = told_by_kind(known, memory.misses)
            told.append(wish.outlook.told(wish.job, wish.scaleout, at_s, until_s, by_kind))
    return tuple(told)


def _with_foreseen(memory: PhoebeMemory, wishes: Sequence[JobWish], at_s: float) -> PhoebeMemory:
    jobs = dict(memory.jobs)
    for wish in wishes:
        name = wish.job.name
        kinds = guessed(jobs[name].seen, memory.failures_beside(name))
        told = None if wish.outlook is None else foreseen(wish.outlook.ahead, wish.scaleout, at_s, kinds)
        jobs[name] = replace(jobs[name], foreseen=told)
    return PhoebeMemory(jobs)


def _looked_at(memory: PhoebeMemory, due: Sequence[JobView], changed: Set[str], at_s: float) -> PhoebeMemory:
    jobs = dict(memory.jobs)
    for job in due:
        known = replace(jobs[job.name], looked_at_s=at_s)
        jobs[job.name] = replace(known, disturbed_since_s=at_s) if job.name in changed else known
    return PhoebeMemory(jobs)
