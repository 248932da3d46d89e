"""The continuous-operator engine: Storm, or Spark's real-time mode, simulated. It fills the Engine port."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from operator import itemgetter

import numpy as np

from penstock.core.arrays import Floats, Ints
from penstock.core.levers import Slots, Tasks
from penstock.core.plan import Outcome, Step, StepOutcome
from penstock.core.seen.figures import Snapshot
from penstock.engines.lifetime import AlwaysThere
from penstock.engines.sim.events import EventQueue
from penstock.engines.sim.figures import ClusterReading, read_jobs, read_machines
from penstock.engines.sim.layout import lay_out
from penstock.engines.sim.meters import Meters
from penstock.engines.sim.physics import STEP_S, Physics
from penstock.engines.sim.recoveries import JobRecovery, Recoveries
from penstock.engines.sim.spec import Fault, SimCluster, SimJob
from penstock.engines.sim.spread import add_threads, remove_threads
from penstock.errors import ConfigError


class ContinuousCluster(AlwaysThere):
    """Jobs of continuous operators on machines. The same seed gives the same run, to the byte."""

    def __init__(
        self, jobs: Sequence[SimJob], cluster: SimCluster, faults: Sequence[Fault] = (), seed: int = 0
    ) -> None:
        self._jobs = tuple(jobs)
        self._layout = lay_out(jobs)
        self._physics = Physics.at_rest(self._layout, cluster, np.random.default_rng(seed))
        self._meters = Meters.of(self._layout, cluster.metrics_window_s, cluster.juice_window_s)
        self._arrivals, self._arrive_at = self._external_arrivals()
        self._number_of = {job.name: number for number, job in enumerate(jobs)}
        self._place_of = {
            (job.name, operator.name): int(self._layout.first[number]) + i
            for number, job in enumerate(jobs)
            for i, operator in enumerate(job.operators)
        }
        self._now = 0.0
        self._active = np.zeros(len(jobs), dtype=bool)
        self._paused_until = np.zeros(len(jobs))
        self._started_at = np.zeros(len(jobs))
        self._threads = np.array([op.threads for job in jobs for op in job.operators], dtype=np.int64)
        self._on_machine = np.zeros(cluster.machines)  # threads of all jobs
        self._threads_moved = False
        self._events = EventQueue()
        self._cut_off = False
        self._last_news: Snapshot | None = None
        self._thread_seconds = 0.0
        self._recoveries = Recoveries()
        self._schedule(faults)
        self._do_due()

    # What the loop calls

    def observe(self, now: float) -> Snapshot:
        """All running jobs and machines; while the link is down, the last news with its age."""
        if self._cut_off and self._last_news is not None:
            return _aged(self._last_news, now)
        reading = ClusterReading(
            now, self._layout, self._physics, self._meters, self._threads, self._paused_until, self._started_at
        )
        self._last_news = Snapshot(now, read_jobs(reading, self._active), read_machines(self._physics))
        return self._last_news

    def apply(self, steps: Sequence[Step]) -> Outcome:
        """Move threads. A step whose job is gone, or that cannot be sent, is refused whole."""
        outcomes = tuple(StepOutcome(step, self._refusal(step)) for step in steps)
        for outcome in outcomes:
            if outcome.error is None:
                self._carry_out(outcome.step)
        if self._threads_moved:
            self._settle_threads()
        return Outcome(outcomes)

    def advance_to(self, at_s: float) -> None:
        """Let simulated time pass."""
        physics, meters = self._physics, self._meters
        while self._now < at_s - 1e-9:
            if self._events.due(self._now):
                self._do_due()
            physics.step(self._arriving(int(self._now / STEP_S)) * self._begun)
            meters.count(physics)
            self._thread_seconds += self._threads_now * STEP_S
            self._now += STEP_S
            if self._recoveries.found:
                self._recoveries.watch(self._now, self._paused_until.tolist(), self._backlog)
        self._do_due()

    @property
    def thread_seconds(self) -> float:
        """Threads that jobs held, times how long."""
        return self._thread_seconds

    @property
    def in_transit(self) -> Floats:
        """Tuples that parents sent in the last step, by the operator they go to."""
        return self._physics.inflow

    @property
    def totals(self) -> tuple[Floats, Floats, Floats, Floats]:
        """Tuples by operator since the start: (arrived, done, dropped, still queued)."""
        meters = self._meters
        return meters.total_arrived, meters.total_done, meters.total_dropped, self._physics.queue

    def recovered(self, targets: Mapping[str, float | None]) -> list[dict[str, object]]:
        """The recoveries so far, as `simulate --json` reports them."""
        return self._recoveries.told([job.name for job in self._jobs], targets, STEP_S)

    # Jobs and faults

    def _external_arrivals(self) -> tuple[Floats, Ints]:
        """What arrives step by step, a column for each source alone; and which operators these are, in their order."""
        found: list[tuple[int, Floats]] = []
        for number, job in enumerate(self._jobs):
            names = [operator.name for operator in job.operators]
            first = int(self._layout.first[number])
            own = ((first + names.index(source), rates) for source, rates in job.arrivals.items())
            found += sorted(own, key=itemgetter(0))
        table = np.zeros((max((len(rates) for _, rates in found), default=0), len(found)))
        for column, (_, rates) in enumerate(found):
            table[: len(rates), column] = rates
        return table, np.array([place for place, _ in found], dtype=np.int64)

    def _arriving(self, step: int) -> Floats:
        """In that step at each operator."""
        external = np.zeros(self._layout.size)
        if step < len(self._arrivals):
            external[self._arrive_at] = self._arrivals[step]
        return external

    def _arrived(self, number: int, from_step: int, to_step: int) -> Floats:
        """In these steps at each operator of a job."""
        rows = self._rows(number)
        columns = slice(*np.searchsorted(self._arrive_at, (rows.start, rows.stop)).tolist())
        found = np.zeros(rows.stop - rows.start)
        found[self._arrive_at[columns] - rows.start] = self._arrivals[from_step:to_step, columns].sum(axis=0)
        return found

    def _schedule(self, faults: Sequence[Fault]) -> None:
        self._begun = np.zeros(self._layout.size)
        self._threads_now = 0.0
        for number, job in enumerate(self._jobs):
            self._events.at(job.starts_at_s, lambda n=number: self._begin(n))  # type: ignore[misc]
            if job.ends_at_s < float("inf"):
                self._events.at(job.ends_at_s, lambda n=number: self._end(n))  # type: ignore[misc]
        for fault in faults:
            begin, end = self._fault_actions(fault)
            self._events.at(fault.at_s, begin)
            if fault.for_s > 0:
                self._events.at(fault.at_s + fault.for_s, end)

    def _fault_actions(self, fault: Fault) -> tuple[Callable[[], None], Callable[[], None]]:
        if fault.kind == "link":
            return (lambda: setattr(self, "_cut_off", True)), (lambda: setattr(self, "_cut_off", False))
        if fault.kind == "job":
            if fault.target not in self._number_of:
                raise ConfigError("faults.target", fault.target, f"name a job: {', '.join(self._number_of)}")
            number = self._number_of[str(fault.target)]
            return (lambda: self._fail_job(number)), _nothing
        if fault.kind == "machine":
            machine = self._machine(fault.target)
            return (lambda: self._lose_machine(machine)), (lambda: self._regain_machine(machine))
        if fault.kind == "interference":
            where = slice(None) if fault.target is None else self._machine(fault.target)
            return (lambda: self._disturb(where, fault.load)), (lambda: self._disturb(where, -fault.load))
        raise ConfigError("faults.kind", fault.kind, "write machine, job, link or interference")

    def _machine(self, target: object) -> int:
        count = self._physics.cluster.machines
        if not isinstance(target, int) or isinstance(target, bool) or not 0 <= target < count:
            raise ConfigError("faults.target", target, f"write the number of a machine, 0 to {count - 1}")
        return target

    def _rows(self, number: int) -> slice:
        return slice(int(self._layout.first[number]), int(self._layout.first[number + 1]))

    def _do_due(self) -> None:
        """Of a thousand jobs that begin together the machines' loads are worked out once."""
        self._events.run_due(self._now)
        if self._threads_moved:
            self._settle_threads()

    def _begin(self, number: int) -> None:
        rows = self._rows(number)
        self._active[number] = True
        self._started_at[number] = self._now
        self._begun[rows] = 1.0
        self._physics.running[rows] = 1.0
        for row in range(rows.start, rows.stop):
            self._place(row, int(self._threads[row]))
        self._threads_moved = True

    def _end(self, number: int) -> None:
        rows = self._rows(number)
        self._active[number] = False
        self._begun[rows] = 0.0
        self._physics.running[rows] = 0.0
        self._on_machine -= self._physics.placed[rows].sum(axis=0)
        self._physics.placed[rows] = 0.0
        self._threads_moved = True

    def _fail_job(self, number: int) -> None:
        """In-flight tuples are lost; with checkpoints the sources take in again what came since the last one."""
        if not self._active[number]:
            return
        job, rows, step = self._jobs[number], self._rows(number), int(self._now / STEP_S)
        arrivals = float(self._arrived(number, step, step + 1).sum())
        self._recoveries.begin(JobRecovery(number, self._now, arrivals, self._backlog(number)))
        lost = self._physics.queue[rows] + self._physics.inflow[rows]
        sources = self._layout.is_source[rows]
        lost[sources] = 0.0  # a source's queue is outside the job: it survives
        self._meters.total_dropped[rows] += lost
        self._meters.total_arrived[rows] += np.where(sources, 0.0, self._physics.inflow[rows])
        self._physics.queue[rows][~sources] = 0.0
        self._physics.inflow[rows] = 0.0
        if job.checkpoint_s is not None:
            since = (self._now - self._started_at[number]) % job.checkpoint_s
            self._replay(number, self._now - since)
        self._pause(number, job.restart_s)

    def _replay(self, number: int, since_s: float) -> None:
        rows = self._rows(number)
        again = self._arrived(number, int(since_s / STEP_S), int(self._now / STEP_S))
        self._physics.queue[rows] += again
        self._meters.total_arrived[rows] += again

    def _lose_machine(self, machine: int) -> None:
        physics = self._physics
        on_it = np.flatnonzero(physics.placed[:, machine])
        physics.alive[machine] = 0.0
        for row in on_it:
            count = int(physics.placed[row, machine])
            physics.placed[row, machine] = 0.0
            self._on_machine[machine] -= count
            self._place(int(row), count)
        self._threads_moved = True
        for number in sorted({int(self._layout.job_of[row]) for row in on_it}):
            self._fail_job(number)

    def _regain_machine(self, machine: int) -> None:
        self._physics.alive[machine] = 1.0
        self._threads_moved = True

    def _disturb(self, where: slice | int, load: float) -> None:
        self._physics.others[where] += load

    def _pause(self, number: int, for_s: float) -> None:
        until = self._now + for_s
        self._paused_until[number] = max(self._paused_until[number], until)
        self._physics.running[self._rows(number)] = 0.0
        self._events.at(until, lambda: self._resume(number))

    def _resume(self, number: int) -> None:
        if self._active[number] and self._now >= self._paused_until[number] - 1e-9:
            self._physics.running[self._rows(number)] = 1.0

    def _backlog(self, number: int) -> float:
        """All that waits in the job or is on its way within it."""
        rows = self._rows(number)
        return float(self._physics.queue[rows].sum() + self.in_transit[rows].sum())

    # Threads

    def _refusal(self, step: Step) -> str | None:
        if self._cut_off:
            return "the cluster cannot be reached"
        number = self._number_of.get(step.job)
        if number is None or not self._active[number]:
            return f"job {step.job} does not run"
        for move in step.moves:
            if not isinstance(move, Slots | Tasks):
                return f"{step.job} has no {move.kind} to turn: its operators have threads and nothing else"
            if (move.job, move.operator) not in self._place_of:
                return f"{step.job} has no operator {move.operator}"
            if move.after < 1:
                return f"{step.job}: {move.after} threads of {move.operator} do nothing; ask for at least 1"
        return None

    def _carry_out(self, step: Step) -> None:
        moved = [move for move in step.moves if isinstance(move, Slots | Tasks) and self._move(move)]
        if moved:
            self._threads_moved = True  # of a thousand jobs that are changed at once all is worked out once
            number = self._number_of[step.job]
            self._pause(number, self._jobs[number].pause_s)

    def _move(self, move: Slots | Tasks) -> bool:
        row = self._place_of[move.job, move.operator]
        difference = move.after - int(self._threads[row])
        if difference == 0:
            return False
        self._threads[row] = move.after
        self._place(row, difference)
        return True

    def _place(self, row: int, difference: int) -> None:
        physics = self._physics
        if difference > 0:
            add_threads(physics.placed[row], self._on_machine, difference, physics.alive)
        else:
            remove_threads(physics.placed[row], self._on_machine, -difference)

    def _settle_threads(self) -> None:
        self._threads_moved = False
        self._physics.replaced()
        self._threads_now = float(self._physics.placed.sum())


def _nothing() -> None:
    """A fault that needs no end."""


def _aged(news: Snapshot, now: float) -> Snapshot:
    older = now - news.at_s
    jobs = tuple(replace(job, age_s=job.age_s + older) for job in news.jobs)
    machines = tuple(replace(machine, age_s=machine.age_s + older) for machine in news.machines)
    return replace(news, at_s=now, jobs=jobs, machines=machines)
