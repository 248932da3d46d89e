"""Faults: what breaks when, and how it heals."""

from collections.abc import Sequence
from typing import TypeVar

from penstock.engines.lost_executors import Departed, Worked, with_shortage
from penstock.engines.sim.microbatch.machines import SimulatedMachine
from penstock.engines.sim.microbatch.spec import MicroBatchFault
from penstock.engines.sim.microbatch.state import JobState
from penstock.engines.sim.microbatch.tasks import TASK, go_on, kill_work, offer_slots
from penstock.engines.sim.microbatch.world import ClusterState
from penstock.errors import ConfigError

Named = TypeVar("Named", JobState, SimulatedMachine)


def schedule_fault(world: ClusterState, fault: MicroBatchFault) -> None:
    """Let a fault begin and end at its times. The link is the engine's own affair."""
    if fault.kind == "job":
        world.schedule(fault.at_s, "failure", _named(world.jobs, fault))
    elif fault.kind == "machine":
        machine = _named(world.machines, fault)
        world.schedule(fault.at_s, "loss", machine)
        world.schedule(fault.at_s + fault.for_s, "return", machine)
    elif fault.kind == "interference":
        for machine in world.machines if fault.target is None else [_named(world.machines, fault)]:
            world.schedule(fault.at_s, "load", (machine, fault.load))
            world.schedule(fault.at_s + fault.for_s, "load", (machine, -fault.load))


def lose_machine(world: ClusterState, machine: SimulatedMachine, asked: bool = False) -> None:
    """Its slots vanish; its tasks wait for a slot elsewhere, to be run from their beginning."""
    machine.losses += 1
    if machine.losses > 1:
        return
    world.free -= machine.free
    machine.free = 0
    for work in kill_work(world, lambda work: work.machine is machine and work.then == TASK):
        world.line.awaits(work.job, work.job.waiting + 1)
    world.share_anew()
    _notice(world, Departed(machine.name, world.now, asked))
    offer_slots(world)


def return_machine(world: ClusterState, machine: SimulatedMachine) -> None:
    """Its slots are free again."""
    machine.losses -= 1
    if not machine.alive:
        return
    machine.free = machine.slots
    world.free += machine.slots
    world.share_anew()
    _notice(world)
    offer_slots(world)


def add_load(world: ClusterState, change: tuple[SimulatedMachine, float]) -> None:
    """Somebody else's threads come or go."""
    machine, load = change
    machine.foreign_load += load
    go_on(world, machine)


def _notice(world: ClusterState, *departed: Departed) -> None:
    """Another machine is gone, or is there; jobs that run know what a loss means for them, as on Spark."""
    before = world.crew.shortage
    living = {machine.name: world.now for machine in world.machines if machine.alive}
    world.crew = world.crew.after(living, departed, world.now, world.executors)
    shortage = world.crew.shortage
    if shortage is None or shortage == before:
        return
    for job in world.jobs:
        ran_on = job.present and job.up_since_s <= shortage.since_s and world.now >= job.down_until_s
        job.loss = with_shortage(job.loss, shortage, job.threads, _worked(job) if ran_on else None)


def _worked(job: JobState) -> list[Worked]:
    return [
        Worked(batch.ended_s - batch.took_s, batch.ended_s, batch.rows, batch.staged_s)
        for batch in job.ended
        if batch.staged_s is not None
    ]


def _named(those: Sequence[Named], fault: MicroBatchFault) -> Named:
    for one in those:
        if one.name == fault.target:
            return one
    names = ", ".join(one.name for one in those)
    raise ConfigError(f"{fault.kind} fault's target", fault.target, f"name one of {names}")
