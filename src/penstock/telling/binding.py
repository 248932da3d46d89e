"""What binds: why a tenant that is below its intent does not come closer, and what would help, by figures of now.

    its own limit      all the slots that it may have, or that there are
    cores              more threads want to run than there are cores
    neighbours         others use the slots, or their batches hold them for long
    trigger, bound     its batches begin seldom, or may take only so many rows
    source, driver     most of a batch is spent on finding what is new, or on planning and committing
    tasks              a batch takes longer than the tenant may wait, and does not keep its share busy
    memory             executors spend their time on garbage collection

Policies move shares; several of these no share can mend, and then "converged" is only half of what is to be said.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from penstock.core.naming import together
from penstock.core.seen.figures import JobFigures
from penstock.core.seen.shares import Share, shares_of
from penstock.core.seen.states import State, state_of
from penstock.core.seen.view import JobView, View
from penstock.telling.words import number, percent

FALLS_BEHIND = 0.98  # processed over arrived rows: less is not noise any more
BUSY = 0.9  # of its share: with less it waits for something else than slots
MOST_OF_ALL = 0.9  # of the slots: who has so many of them would win little by the rest
USED_BY_OTHERS = 0.5  # of the slots that are not its own
MOST_OF_A_BATCH = 0.5
SHORT_OF_MEMORY = 0.2  # of the tasks' time, on garbage collection
CORES_USED = 0.95  # of all: from there on tasks wait for each other
_NAMED = 2  # neighbours


@dataclass(frozen=True, slots=True)
class Bind:
    """One thing that stands in the way, and what would help against it.

    `beyond` is what would help that no policy can turn, where a part of `helps` is a lever.
    """

    what: str
    helps: str
    beyond: str = ""

    @property
    def text(self) -> str:
        """Both, as a reader takes them in.

        >>> Bind("it has all 2 slots that it may have", "a higher max_slots").text
        'it has all 2 slots that it may have; what would help: a higher max_slots'
        """
        return f"{self.what}; what would help: {self.helps}"


def binding(job: JobView, view: View) -> tuple[Bind, ...]:
    """What keeps the tenant below its intent, the most telling first; nothing of one that is fine, or unseen."""
    if state_of(job) is not State.MISSING or job.figures.trouble is not None:
        return ()
    shares = shares_of(view)
    found = [*_of_slots(job, view, shares)] if _wants_slots(job.figures, shares[job.name]) else []
    found += [*_of_levers(job), *_of_batches(job.figures), *_of_memory(view)]
    return tuple(found) or tuple(_of_tasks(job, shares[job.name]))


def _wants_slots(figures: JobFigures, share: Share) -> bool:
    """Whether more slots are what it lacks: it falls behind, or its share is busy."""
    return (
        _behind(figures) or (share.busy or 0.0) >= BUSY or any((op.capacity or 0) >= BUSY for op in figures.operators)
    )


def _behind(figures: JobFigures) -> bool:
    arriving, done = figures.arrival_rps, figures.processed_rps
    return arriving is not None and done is not None and done < FALLS_BEHIND * arriving


def _of_slots(job: JobView, view: View, shares: Mapping[str, Share]) -> Iterator[Bind]:
    figures, share, cores = job.figures, shares[job.name], list(_of_cores(view, shares))
    if figures.max_threads is not None and share.paid_slots >= figures.max_threads:
        yield _of_its_own(figures.max_threads, cores)
    elif share.pool is not None and share.pool.slots and (share.slots or 0.0) >= MOST_OF_ALL * share.pool.slots:
        had = number(share.slots)
        yield Bind(f"it has {had} of all {share.pool.slots} slots already", "more slots: executors, or cores")
    yield from cores
    yield from _of_neighbours(job, view, shares)


def _of_its_own(most: int, cores: list[Bind]) -> Bind:
    """All that it may have; more would not help by themselves while threads wait for a core."""
    what = "the one slot that it may have" if most == 1 else f"all {most} slots that it may have"
    return Bind(f"it has {what}", f"a higher max_slots for it{', once there are cores for it' if cores else ''}")


def _of_cores(view: View, shares: Mapping[str, Share]) -> Iterator[Bind]:
    """Slots need not be cores: where there are more of them, more threads want to run than can."""
    alive = [machine for machine in view.machines if machine.alive]
    cores = sum(machine.cores for machine in alive)
    load = sum(machine.load for machine in alive if machine.load is not None)
    used = sum(share.cores for share in shares.values() if share.cores is not None)
    helps = "more cores, or fewer rows for some job; more slots would not help"
    if cores and load > cores:
        yield Bind(f"{number(load)} threads want to run on {cores} cores", helps)
    elif cores and used >= CORES_USED * cores:
        yield Bind(f"tasks use {number(used)} of {cores} cores", helps)


def _of_neighbours(job: JobView, view: View, shares: Mapping[str, Share]) -> Iterator[Bind]:
    share = shares[job.name]
    if share.pool is None or share.pool.slots is None or share.slots is None:
        return
    others = [other for other in view.jobs if other.name != job.name and (shares[other.name].used_slots or 0.0) > 0.0]
    others.sort(key=lambda other: (-(shares[other.name].used_slots or 0.0), other.name))
    used = sum(shares[other.name].used_slots or 0.0 for other in others)
    left = share.pool.slots - share.slots
    if left <= 0 or used < USED_BY_OTHERS * left:
        return
    names = together([other.name for other in others], _NAMED)
    # Of tasks that run the use is estimated: together it may come to a little more than there is.
    slots = f"{number(used)} of {share.pool.slots}" if used < share.pool.slots else f"all {share.pool.slots}"
    what = f"others use {slots} slots: {names}"
    levers = f"smaller batches of {names} (a bound), or a lower weight, at the expense of {names}"
    beyond = f"more executors or cores, fewer rows for {names}, or a larger utility in its intent"
    yield Bind(f"{what}{_long_batches(job, others)}", f"{levers}; or more slots", beyond)


def _long_batches(job: JobView, others: list[JobView]) -> str:
    """Whose batches take longer than this tenant may wait."""
    target_s = job.intent.soonest_s
    if target_s is None:
        return ""
    long = [other for other in others[:_NAMED] if (other.figures.batch_s or 0.0) > target_s]
    return "".join(f", and a batch of {other.name} takes {number(other.figures.batch_s)} s" for other in long)


def _of_levers(job: JobView) -> Iterator[Bind]:
    figures, target_s = job.figures, job.intent.soonest_s
    trigger, bound = figures.lever("trigger"), figures.lever("bound")
    if target_s is not None and trigger is not None and trigger.now is not None and trigger.now >= target_s:
        what = f"a batch begins only every {number(trigger.now)} s"
        yield Bind(what, "a shorter trigger", "a shorter trigger in its code")
    taken = [batch.rows for batch in figures.batches[-3:]]
    if bound is not None and bound.now is not None and taken and _behind(figures) and min(taken) >= 0.95 * bound.now:
        what = f"its batches take the {number(bound.now)} rows that their bound allows"
        yield Bind(what, "a larger bound", "fewer rows for it, or more executors or cores")


def _of_batches(figures: JobFigures) -> Iterator[Bind]:
    """Where most of a batch's time goes to what no slot does."""
    phases, batch_s = figures.phases_s, figures.batch_s
    if batch_s is None or "addBatch" not in phases:
        return
    source_s = sum(phases.get(name, 0.0) for name in ("latestOffset", "getBatch", "getOffset"))
    aside_s = max(0.0, batch_s - phases["addBatch"] - source_s)
    if source_s >= MOST_OF_A_BATCH * batch_s:
        yield Bind(f"its source needs {number(source_s)} of the {number(batch_s)} s of a batch", "a quicker source")
    elif aside_s >= MOST_OF_A_BATCH * batch_s:
        what = f"planning and committing take {number(aside_s)} of the {number(batch_s)} s of a batch"
        yield Bind(what, "a quicker disk for checkpoints, fewer partitions, or batches less often")


def _of_memory(view: View) -> Iterator[Bind]:
    shares = [machine.gc_share for machine in view.machines if machine.alive and machine.gc_share is not None]
    worst = max(shares, default=0.0)
    if worst >= SHORT_OF_MEMORY:
        what = f"garbage collection takes {percent(worst)} of the time of tasks"
        yield Bind(what, "more memory for executors, or less state in it")


def _of_tasks(job: JobView, share: Share) -> Iterator[Bind]:
    """What is left where nothing else binds: its batches have too few tasks, or one much longer than others."""
    batch_s, target_s = job.figures.batch_s, job.intent.soonest_s
    if batch_s is None or target_s is None or batch_s <= target_s:
        return
    busy = "" if share.busy is None else f", and keeps {percent(min(1.0, share.busy))} of its share busy"
    what = f"a batch of its own takes {number(batch_s)} s{busy}"
    parts = "more partitions or keys that are more even"
    yield Bind(what, f"{parts}, or smaller batches (a bound)", parts)
