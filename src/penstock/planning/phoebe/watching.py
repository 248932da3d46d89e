"""Watch a job: what this round's figures add to what is remembered of it."""

from dataclasses import replace

from penstock.core.seen.evidence import Observation
from penstock.core.seen.failures import Failure
from penstock.core.seen.figures import JobFigures
from penstock.core.seen.view import JobView, View
from penstock.planning.phoebe.foretelling import SAME_S, with_recovery
from penstock.planning.phoebe.memory import JobMemory, PhoebeMemory

KEPT = 10  # disturbances: older ones tell of another cluster
FAILURES_KEPT = 30  # of each kind: a drill or a bad day must not push out what a driver costs
EVIDENCE_KEPT = 150
EVIDENCE_EVERY = 5  # steps of the history between two observations of a job in quiet service
CATCHING_UP_S = 20.0  # a backlog of so many seconds' arrivals is worked off at full capacity
RECOVERED_S = 1.0  # the same of a failure that is over: what is foretold of it lasts until the newest row
NORMAL_S = 5.0  # a backlog of fewer seconds' arrivals is none
WARM_S = 45.0  # after a restart; before, an engine's means over half a minute still hold the pause


def watched(view: View, memory: PhoebeMemory, step_s: float, history_s: float, quiet_after_s: float) -> PhoebeMemory:
    """The memory after this round; a job that is gone is forgotten. Figures that are old add nothing."""
    jobs = {}
    for job in view.jobs:
        known = memory.jobs.get(job.name, JobMemory())
        jobs[job.name] = _watched(job, known, view.at_s, (step_s, history_s, quiet_after_s)) if job.fresh else known
    return PhoebeMemory(jobs)


def _watched(job: JobView, known: JobMemory, at_s: float, spans: tuple[float, float, float]) -> JobMemory:
    step_s, history_s, quiet_after_s = spans
    figures = job.figures
    steps = len(known.rates.values)
    rates = known.rates.with_rate(figures.arrival_rps, at_s, step_s, int(history_s / step_s))
    known = replace(known, rates=rates)
    known = with_recovery(known, figures, at_s, quiet=backlog_s(figures) <= RECOVERED_S)
    known = _with_failure(known, figures)
    known = _with_disturbance(known, figures, at_s)
    if len(rates.values) != steps or rates.open_count == 1:  # a step of the history has just ended
        seen = _observed(figures, known, at_s, quiet_after_s)
        if seen is not None:
            known = replace(known, evidence=_with_evidence(known.evidence, seen, 2 * step_s)[-EVIDENCE_KEPT:])
    return known


def _with_evidence(evidence: tuple[Observation, ...], seen: Observation, within_s: float) -> tuple[Observation, ...]:
    """Of one catch-up the most that it did is its capacity: it may begin cold, or with other things to do."""
    episode = [seen]
    for before in reversed(evidence):
        if not _same_catch_up(before, episode[-1], within_s):
            break
        episode.append(before)
    most_rps = max(one.rate_rps for one in episode)
    earlier = evidence[: len(evidence) + 1 - len(episode)]
    return (*earlier, *(replace(one, rate_rps=most_rps) for one in reversed(episode)))


def _same_catch_up(before: Observation, after: Observation, within_s: float) -> bool:
    if not (before.saturated and after.saturated and before.scaleout == after.scaleout):
        return False
    return before.at_s is not None and after.at_s is not None and after.at_s - before.at_s <= within_s


def _with_failure(known: JobMemory, figures: JobFigures) -> JobMemory:
    if figures.downtime_s is None or _counted(known, figures):
        return known
    failure = _failure(figures, figures.downtime_s)
    others = [one for one in known.failures if one.kind is not failure.kind]
    alike = [*(one for one in known.failures if one.kind is failure.kind), failure]
    # The backlog of a failure is not that of a reconfiguration before it.
    return replace(
        known,
        last_downtime_s=figures.downtime_s,
        counted_at_s=figures.failed_at_s,
        failures=(*others, *alike[-FAILURES_KEPT:]),
        disturbed_since_s=None,
    )


def _counted(known: JobMemory, figures: JobFigures) -> bool:
    """Whether that failure was counted before. Two may cost the same, so their instants tell, where there are any."""
    if figures.failed_at_s is None or known.counted_at_s is None:
        return figures.downtime_s == known.last_downtime_s
    return abs(figures.failed_at_s - known.counted_at_s) <= SAME_S


def _failure(figures: JobFigures, downtime_s: float) -> Failure:
    return Failure(
        kind=figures.lost,
        stop_s=downtime_s,
        detect_s=figures.detect_s or 0.0,
        unsaved_s=figures.unsaved_s or 0.0,
        short_s=figures.short_s or 0.0,
        slowed=1.0 if figures.slowed is None else figures.slowed,
        short_of=1.0 if figures.short_of is None else figures.short_of,
    )


def _with_disturbance(known: JobMemory, figures: JobFigures, at_s: float) -> JobMemory:
    since = known.disturbed_since_s
    if since is None or at_s <= since or figures.settling or backlog_s(figures) > NORMAL_S:
        return known
    return replace(known, disturbed_since_s=None, disturbances_s=(*known.disturbances_s, at_s - since)[-KEPT:])


def backlog_s(figures: JobFigures) -> float:
    """Seconds of arrivals that wait, but for those that wait for the next batch; none where nobody knows."""
    if figures.backlog_rows is None or not figures.arrival_rps:
        return 0.0
    between_batches_s = (figures.checkpoint_s or 0.0) if figures.batch_s else 0.0
    return max(0.0, figures.backlog_rows / figures.arrival_rps - between_batches_s)


def _observed(figures: JobFigures, known: JobMemory, at_s: float, quiet_after_s: float) -> Observation | None:
    """What this instant teaches about capacity, while it catches up, or about latency, while all is quiet."""
    up_s, done, scaleout = figures.up_s or 0.0, figures.processed_rps, figures.threads
    if figures.settling or done is None or scaleout < 1 or up_s < WARM_S:
        return None
    if backlog_s(figures) > CATCHING_UP_S:
        return _capacity(figures, scaleout, at_s)
    if up_s < quiet_after_s or figures.latency is None or backlog_s(figures) > NORMAL_S:
        return None
    if len(known.rates.values) % EVIDENCE_EVERY:
        return None
    return Observation(scaleout, round(done, 2), figures.latency.mean_s, at_s=at_s, busy_share=busy_share(figures))


def busy_share(figures: JobFigures) -> float | None:
    """Of its busiest operator's time; None where nobody knows."""
    shares = [operator.busy_share for operator in figures.operators if operator.busy_share is not None]
    return min(1.0, max(shares)) if shares else None


def _capacity(figures: JobFigures, scaleout: int, at_s: float) -> Observation | None:
    """What it does while rows wait. A batch that hangs after a restart is no news of it: nothing is learnt then."""
    done = figures.working_rps
    return Observation(scaleout, round(done, 2), None, saturated=True, at_s=at_s) if done else None
