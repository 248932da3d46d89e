"""Work under way: a task in its slot, or a batch's planning or commit on the driver.

What runs on one machine shares its cores. Whenever something begins or ends there, all of it goes on faster or slower
from that instant: work that wants a core for a share d of its time takes 1 - d + d x f times as long, where f is how
much longer a machine that is short of cores makes CPU work.
"""

from penstock.engines.sim.microbatch.batch import OpenBatch
from penstock.engines.sim.microbatch.machines import SimulatedMachine
from penstock.engines.sim.microbatch.state import JobState


class PieceOfWork:
    """One piece of it: how much is left, in seconds of an idle machine, and how fast it goes on."""

    __slots__ = ("batch", "cpu_s", "demand", "job", "left_s", "machine", "pace", "since_s", "started_s", "then", "turn")

    def __init__(self, job: JobState, batch: OpenBatch, machine: SimulatedMachine, then: str, from_s: float) -> None:
        self.job = job
        self.batch = batch
        self.machine = machine
        self.then = then  # what has happened when it is done
        self.cpu_s = 0.0
        self.left_s = 0.0
        self.demand = 0.0  # the share of its time that wants a core
        self.pace = 0.0  # its seconds for each of the clock's
        self.started_s = self.since_s = from_s  # when its own time begins; its slot may be held before
        self.turn = 0  # rises with each change of its pace: ends that were foretold before do not come

    def of(self, cpu_s: float, wait_s: float) -> "PieceOfWork":
        """With so much to do."""
        self.cpu_s, self.left_s = cpu_s, cpu_s + wait_s
        self.demand = cpu_s / self.left_s if self.left_s > 0 else 0.0
        return self

    @property
    def cpu_rate(self) -> float:
        """The share of the present that it spends on a core."""
        return self.demand * self.pace

    def go_on(self, stretch: float, now: float) -> float:
        """What was done by now is done; from now on CPU work takes `stretch` times as long. When it will be done."""
        self.left_s = max(0.0, self.left_s - (now - self.since_s) * self.pace)
        self.since_s = now
        self.pace = 1.0 / (1.0 - self.demand + self.demand * stretch)
        self.turn += 1
        return now + self.left_s / self.pace
