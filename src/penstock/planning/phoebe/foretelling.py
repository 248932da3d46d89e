"""What each kind of failure would cost a job, told before one comes, and how far off that was when one came.

look --> foreseen, kind by kind and bin by bin      failure --> recovering --> back to normal --> a miss
             ^                                         |  what was foreseen of its kind and bin
             +-- intervals from the misses of all jobs <-------------------------------------------+
"""

from collections.abc import Collection, Iterable
from dataclasses import replace

from penstock.analysis.conformal import within
from penstock.core.known.batch_recovery import AS_USUAL
from penstock.core.known.outlook import RecoveryForetold
from penstock.core.seen.batches import BatchFigures
from penstock.core.seen.failures import FailureKind
from penstock.core.seen.figures import JobFigures
from penstock.planning.phoebe.memory import Foreseen, ForeseenKind, JobMemory, Miss, Recovering
from penstock.planning.phoebe.prospects import Ahead

LEVEL = 0.9  # nine recoveries in ten are to lie within the interval
MISSES_KEPT = 30  # of each kind and job
SAME_S = 1.0  # two instants of a failure nearer to each other are one: clocks are read one after the other
GONE_AFTER_S = 3600.0  # a recovery that is not over by then is no measurement of one


def foreseen(ahead: Ahead, scaleout: int, at_s: float, guessed: Collection[FailureKind] = ()) -> Foreseen:
    """For each bin of the interval that begins now; of the kinds that are `guessed` none was seen yet."""
    starts_s = ahead.bins()
    kinds = []
    for kind in FailureKind:
        found = [ahead.kind_s(kind, scaleout, start_s) for start_s in starts_s]
        known = tuple(seconds for seconds in found if seconds is not None)
        if known:
            kinds.append(ForeseenKind(kind, known, kind in guessed))
    wait_s = None if ahead.batches is None else ahead.batches.usual_wait_s
    return Foreseen(at_s, ahead.interval_s / len(starts_s), tuple(kinds), wait_s)


def told_by_kind(known: Foreseen, misses: Iterable[Miss]) -> tuple[RecoveryForetold, ...]:
    """As others may know it: what is expected now, and where nine in ten lie once enough were seen."""
    every = tuple(misses)
    return tuple(_told(one, [miss.ratio for miss in every if miss.kind is one.kind]) for one in known.kinds)


def _told(one: ForeseenKind, ratios: list[float]) -> RecoveryForetold:
    expected_s, factor = one.seconds[0], None if one.guessed else within(ratios, LEVEL)
    if factor is None:
        return RecoveryForetold(one.kind, expected_s, of=len(ratios))
    return RecoveryForetold(one.kind, expected_s, expected_s / factor, expected_s * factor, len(ratios))


def with_recovery(known: JobMemory, figures: JobFigures, at_s: float, quiet: bool) -> JobMemory:
    """The memory with a recovery that began, or one that is over; `quiet`: nothing waits that need not."""
    known = _begun(known, figures)
    recovering = known.recovering
    if recovering is None or at_s < recovering.failed_at_s:
        return known
    if at_s - recovering.failed_at_s > GONE_AFTER_S:
        return replace(known, recovering=None)
    recovering = _with_batches(recovering, figures.batches)
    over_s = _over_s(recovering, figures, at_s, quiet)
    if over_s is None:
        return replace(known, recovering=recovering)
    return replace(known, recovering=None, misses=_with_miss(known.misses, recovering, over_s))


def _begun(known: JobMemory, figures: JobFigures) -> JobMemory:
    failed_at_s, kind = figures.failed_at_s, figures.lost
    if failed_at_s is None or kind is None:
        return known
    if known.failed_at_s is not None and abs(failed_at_s - known.failed_at_s) <= SAME_S:
        return known
    # Failed again while it recovered: neither recovery can be told from the other.
    alone = known.recovering is None
    began = _recovering(kind, failed_at_s, known.foreseen) if alone else None
    return replace(known, failed_at_s=failed_at_s, recovering=began)


def _recovering(kind: FailureKind, failed_at_s: float, told: Foreseen | None) -> Recovering | None:
    """None where nothing was foretold of it, or only guessed."""
    seconds = {} if told is None else {one.kind: one.seconds for one in told.kinds if not one.guessed}
    if told is None or kind not in seconds or failed_at_s < told.at_s:
        return None
    bins = seconds[kind]
    place = min(len(bins) - 1, int((failed_at_s - told.at_s) / told.bin_s))
    return Recovering(kind, failed_at_s, bins[place], told.usual_wait_s)


def _over_s(recovering: Recovering, figures: JobFigures, at_s: float, quiet: bool) -> float | None:
    if figures.settling or figures.downtime_s is None:  # it is down, or has not shown how long it was
        return None
    if recovering.usual_wait_s is not None:
        return recovering.as_usual_at_s
    return at_s if quiet else None


def _with_batches(recovering: Recovering, batches: Iterable[BatchFigures]) -> Recovering:
    """What a loss costs may be known only when batches of then are told no more: they are looked at at once."""
    if recovering.usual_wait_s is None or recovering.as_usual_at_s is not None:
        return recovering
    found_s = _as_usual_s(batches, recovering.failed_at_s, AS_USUAL * recovering.usual_wait_s)
    return replace(recovering, as_usual_at_s=found_s)


def _as_usual_s(batches: Iterable[BatchFigures], failed_at_s: float, wait_s: float) -> float | None:
    """When the first batch was committed that began after the failure and whose oldest row had waited no longer."""
    before: BatchFigures | None = None
    for batch in batches:
        if before is not None and batch.began_s >= failed_at_s:
            since_s = before.began_s  # what came after the batch before began is in this one
            if batch.ended_s - since_s <= wait_s and not batch.left_rows:
                return batch.ended_s
        before = batch
    return None


def _with_miss(misses: tuple[Miss, ...], recovering: Recovering, over_s: float) -> tuple[Miss, ...]:
    took_s = over_s - recovering.failed_at_s
    if took_s <= 0.0 or not 0.0 < recovering.foretold_s < float("inf"):
        return misses
    miss = Miss(recovering.kind, recovering.foretold_s, took_s)
    alike = [*(one for one in misses if one.kind is miss.kind), miss]
    return (*(one for one in misses if one.kind is not miss.kind), *alike[-MISSES_KEPT:])
