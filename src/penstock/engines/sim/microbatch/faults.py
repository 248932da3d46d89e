"""Faults: what breaks when, and how it heals."""

from collections.abc import Sequence
from typing import TypeVar

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


def lose_machine(world: ClusterState, machine: SimulatedMachine) -> None:
    """Its slots vanish; its tasks wait for a slot elsewhere, to be run from their beginning."""
    machine.losses += 1
    if machine.losses > 1:
        return
    world.free -= machine.free
    machine.free = 0
    for work in kill_work(world, lambda work: work.machine is machine and work.then == TASK):
        world.line.awaits(work.job, work.job.waiting + 1)
    world.share_anew()
    offer_slots(world)


def return_machine(world: ClusterState, machine: SimulatedMachine) -> None:
    """Its slots are free again."""
    machine.losses -= 1
    if not machine.alive:
        return
    machine.free = machine.slots
    world.free += machine.slots
    world.share_anew()
    offer_slots(world)


def add_load(world: ClusterState, change: tuple[SimulatedMachine, float]) -> None:
    """Somebody else's threads come or go."""
    machine, load = change
    machine.foreign_load += load
    go_on(world, machine)


def _named(those: Sequence[Named], fault: MicroBatchFault) -> Named:
    for one in those:
        if one.name == fault.target:
            return one
    names = ", ".join(one.name for one in those)
    raise ConfigError(f"{fault.kind} fault's target", fault.target, f"name one of {names}")
