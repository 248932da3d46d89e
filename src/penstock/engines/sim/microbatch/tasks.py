"""Tasks: which job's goes to which free slot, how long it takes, and what ends when it ends.

As in Spark, each offer of free slots sorts the jobs once and fills the slots from the first one on. Nothing
is preempted: a slot comes back only when its task ends, or its machine or job dies. Planning and commits take no
slot; they run on the driver's cores.
"""

from collections.abc import Callable, Iterable

from penstock.engines.sim.microbatch.machines import SimulatedMachine
from penstock.engines.sim.microbatch.state import JobState
from penstock.engines.sim.microbatch.work import PieceOfWork
from penstock.engines.sim.microbatch.world import ClusterState

TASK = "task"


def offer_slots(world: ClusterState) -> None:
    """Give all free slots to waiting tasks."""
    if not world.free or not world.line:
        return
    if world.free == 1:  # most offers: one task ended while others wait
        placed = _take_slots(world, world.line.first())
    else:
        placed = []
        for job in world.line.in_order():
            placed += _take_slots(world, job)
            if not world.free:
                break
    _begin(world, placed)


def drive_batch(world: ClusterState, job: JobState, seconds: float, then: str) -> None:
    """Let the driver work on the job's batch for so long, on an idle machine."""
    if job.batch is not None:
        spent_s = seconds * world.slowness.driver * job.next_noise(world.cluster.driver_noise)
        cpu_s = spent_s * job.spec.driver_cpu_share
        _begin(world, [PieceOfWork(job, job.batch, world.driver, then, world.now).of(cpu_s, spent_s - cpu_s)])


def end_work(world: ClusterState, number: int, turn: int) -> PieceOfWork | None:
    """Work is done, and its slot free if it was a task; None when it was killed or its pace changed since."""
    work = world.running.get(number)
    if work is None or work.turn != turn:
        return None
    del world.running[number]
    _release(world, [work])
    if work.then == TASK:
        work.batch.left -= 1
        work.batch.busy_s += max(0.0, world.now - work.started_s)
        work.batch.used_cpu_s += work.cpu_s
    return work


def kill_work(world: ClusterState, doomed: Callable[[PieceOfWork], bool]) -> list[PieceOfWork]:
    """End such work without a result; all that was ended."""
    killed = {number: work for number, work in world.running.items() if doomed(work)}
    for number in killed:
        del world.running[number]
    _release(world, list(killed.values()))
    return list(killed.values())


def go_on(world: ClusterState, machine: SimulatedMachine) -> None:
    """What runs on the machine goes on as fast as what runs there lets it."""
    if machine.crowd(world.now, world.cluster):
        _pace(world, ((n, work) for n, work in world.running.items() if work.machine is machine and work.demand > 0))


def _take_slots(world: ClusterState, job: JobState) -> list[PieceOfWork]:
    batch = job.batch
    number = min(job.waiting, world.free)
    if batch is None or number == 0:
        return []
    job.accrue(world.now)
    job.running += number
    world.line.awaits(job, job.waiting - number)
    world.free -= number
    return [_task(world, job) for _ in range(number)]


def _task(world: ClusterState, job: JobState) -> PieceOfWork:
    """On the machine with the most free slots, so that load spreads; the first among equals."""
    assert job.batch is not None
    machine = max(world.machines, key=lambda machine: machine.free)
    machine.free -= 1
    noise = world.slowness.tasks * job.next_noise(world.cluster.noise)
    cpu_s = job.batch.cpu_s / (1.0 - world.collecting)
    launch_s = world.cluster.launch_s * world.slowness.driver
    work = PieceOfWork(job, job.batch, machine, TASK, world.now + launch_s)
    return work.of(cpu_s * noise, job.batch.wait_s * noise + launch_s)


def _begin(world: ClusterState, works: list[PieceOfWork]) -> None:
    """All at once: what starts together slows one another down alike."""
    began = {}
    for work in works:
        work.machine.take(work.demand)
        began[next(world.works)] = work
    for machine in _machines(works):
        go_on(world, machine)
    world.running |= began
    _pace(world, began.items())


def _pace(world: ClusterState, works: Iterable[tuple[int, PieceOfWork]]) -> None:
    for number, work in works:
        job = work.job
        job.accrue(world.now)
        job.cpu_rate -= work.cpu_rate if work.then == TASK else 0.0
        due_s = work.go_on(work.machine.stretch, world.now)
        job.cpu_rate += work.cpu_rate if work.then == TASK else 0.0
        world.schedule(due_s, "work", (number, work.turn))


def _release(world: ClusterState, works: list[PieceOfWork]) -> None:
    for work in works:
        work.machine.leave(work.demand)
        if work.then == TASK:
            _free_slot(world, work)
    for machine in _machines(works):
        go_on(world, machine)


def _free_slot(world: ClusterState, work: PieceOfWork) -> None:
    job, machine = work.job, work.machine
    job.accrue(world.now)
    job.running -= 1
    world.line.moved(job)
    job.cpu_rate = job.cpu_rate - work.cpu_rate if job.running else 0.0  # no drift from many small sums
    if machine.alive:
        machine.free += 1
        world.free += 1


def _machines(works: list[PieceOfWork]) -> Iterable[SimulatedMachine]:
    return {id(work.machine): work.machine for work in works if work.demand > 0}.values()
