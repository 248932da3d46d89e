"""Tasks: which job's goes to which free slot, how long it takes, and what ends when it ends.

As in Spark, each offer of free slots sorts the jobs once and fills the slots from the first one on. Nothing
is preempted: a slot comes back only when its task ends, or its machine or job dies.
"""

from collections.abc import Callable

from penstock.engines.sim.microbatch.batch import Batch
from penstock.engines.sim.microbatch.machines import Machine
from penstock.engines.sim.microbatch.shares import Rank, fair_order, fifo_order
from penstock.engines.sim.microbatch.state import JobState
from penstock.engines.sim.microbatch.world import Task, World

Placed = tuple[JobState, Batch, Machine]

_ORDERS: dict[str, Callable[[JobState], Rank]] = {"fair": fair_order, "fifo": fifo_order, "governed": fair_order}


def offer_slots(world: World) -> None:
    """Give all free slots to waiting tasks."""
    if not world.free:
        return
    queue = [job for job in world.jobs if job.waiting]
    if not queue:
        return
    order = _ORDERS[world.cluster.scheduling]
    if world.free == 1:  # most offers: one task ended while others wait
        placed = _take_slots(world, min(queue, key=order))
    else:
        placed = []
        for job in sorted(queue, key=order):
            placed += _take_slots(world, job)
    # Durations come after all are placed: tasks that start together slow one another down alike.
    for job, batch, machine in placed:
        _start(world, job, batch, machine)


def end_task(world: World, number: int) -> JobState | None:
    """Free the slot of a task that is done; None when it was killed before."""
    task = world.running.pop(number, None)
    if task is None:
        return None
    _release(world, task)
    task.batch.left -= 1
    task.batch.busy_s += world.now - task.started_s
    task.batch.used_cpu_s += task.cpu_rate * (world.now - task.started_s)
    return task.job


def kill_tasks(world: World, doomed: Callable[[Task], bool]) -> list[JobState]:
    """End those tasks without a result; the jobs that lost them, once for each task."""
    killed = {number: task for number, task in world.running.items() if doomed(task)}
    for number, task in killed.items():
        del world.running[number]
        _release(world, task)
    return [task.job for task in killed.values()]


def _take_slots(world: World, job: JobState) -> list[Placed]:
    batch = job.batch
    number = min(job.waiting, world.free)
    if batch is None or number == 0:
        return []
    job.accrue(world.now)
    job.waiting -= number
    job.running += number
    world.free -= number
    return [(job, batch, _occupy(world, batch.demand)) for _ in range(number)]


def _occupy(world: World, demand: float) -> Machine:
    """A slot on the machine with the most free ones, so that load spreads; the first among equals."""
    machine = world.machines[0]
    for other in world.machines:
        if other.free > machine.free:
            machine = other
    machine.accrue(world.now)
    machine.free -= 1
    machine.demand += demand
    return machine


def _start(world: World, job: JobState, batch: Batch, machine: Machine) -> None:
    cpu_s = batch.cpu_s * machine.slowdown(world.cluster) / (1.0 - world.collecting)
    duration_s = (cpu_s + batch.wait_s) * job.next_noise()
    cpu_rate = min(batch.cpu_s / duration_s, 1.0) if duration_s > 0 else 0.0
    job.cpu_rate += cpu_rate
    number = next(world.tasks)
    world.running[number] = Task(job, batch, machine, batch.demand, cpu_rate, world.now)
    world.schedule(world.now + duration_s, "task", number)


def _release(world: World, task: Task) -> None:
    job, machine = task.job, task.machine
    job.accrue(world.now)
    machine.accrue(world.now)
    job.running -= 1
    job.cpu_rate = job.cpu_rate - task.cpu_rate if job.running else 0.0  # no drift from many small sums
    machine.demand -= task.demand
    if machine.alive:
        machine.free += 1
        world.free += 1
    if machine.free == machine.slots:
        machine.demand = 0.0
