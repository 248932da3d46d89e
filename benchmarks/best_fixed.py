"""The best shares and bounds that a twin can be given for a whole run: by trying them, with what came kept on disk."""

import hashlib
import itertools
import json
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from statistics import mean

from penstock.engines.sim.microbatch import MicroBatchJob
from penstock.simulation.twins import Fixed, Twin, run

SLOTS_TRIED = (1, 2, 3, 4, 5, 6, 7, 8, 12)
GRID_AT_MOST = 300  # combinations of slots of all jobs; with more jobs they are tried one job at a time
BOUND_S = (0.25, 0.5, 1.0, 2.0)  # of a bound: so many seconds' worth of rows
SEARCH_SEEDS = (0, 1)
FINALISTS = 3
_KEPT_EVERY = 50  # runs: a search that is cut off goes on from there
SWEEPS = 3


@dataclass(slots=True)
class Tried:
    """What came of fixed shares and bounds, by case; `file` keeps it for the next time."""

    file: Path
    known: dict[str, float] = field(default_factory=dict)

    @classmethod
    def kept_in(cls, file: Path) -> "Tried":
        """What was tried before."""
        return cls(file, json.loads(file.read_text(encoding="utf-8")) if file.exists() else {})

    def utility(self, twin: Twin, fixed: Fixed, seed: int) -> float:
        """The share of the maximum utility over a run."""
        key = f"{_digest(twin)} {sorted(fixed.slots.items())} {sorted(fixed.bounds.items())} {seed}"
        if key not in self.known:
            self.known[key] = run(twin, fixed, seed).utility_share
            if len(self.known) % _KEPT_EVERY == 0:
                self.keep()
        return self.known[key]

    def mean(self, twin: Twin, fixed: Fixed, seeds: Iterable[int]) -> float:
        """The mean over some seeds."""
        return mean(self.utility(twin, fixed, seed) for seed in seeds)

    def keep(self) -> None:
        """Write it down."""
        self.file.parent.mkdir(parents=True, exist_ok=True)
        self.file.write_text(json.dumps(self.known), encoding="utf-8")


def best_fixed(twin: Twin, tried: Tried, seeds: Sequence[int]) -> Fixed:
    """All combinations of slots, then of bounds for the best of these; the best of those over all seeds."""
    if math.prod(len(slots) for slots in _slots(twin).values()) > GRID_AT_MOST:
        found = [_ascended(twin, tried)]
    else:
        shares = _best(twin, tried, (Fixed(dict(zip(_slots(twin), slots, strict=True))) for slots in _grid(twin)))
        found = _best(twin, tried, (bounded for fixed in shares for bounded in _with_bounds(twin, fixed)))
    tried.keep()
    return max([*found, Fixed(twin.by_hand)], key=lambda fixed: tried.mean(twin, fixed, seeds))


def _best(twin: Twin, tried: Tried, candidates: Iterable[Fixed]) -> list[Fixed]:
    """One seed sorts out most of them."""
    first = sorted(candidates, key=lambda fixed: -tried.utility(twin, fixed, SEARCH_SEEDS[0]))
    return sorted(first[: 4 * FINALISTS], key=lambda fixed: -tried.mean(twin, fixed, SEARCH_SEEDS))[:FINALISTS]


def _grid(twin: Twin) -> Iterator[tuple[int, ...]]:
    return itertools.product(*_slots(twin).values())


def _slots(twin: Twin) -> dict[str, list[int]]:
    """The slots that each job may have."""
    return {
        job.name: [n for n in SLOTS_TRIED if job.min_threads <= n <= min(job.max_threads or n, twin.cluster.slots)]
        for job in twin.jobs
    }


def _with_bounds(twin: Twin, fixed: Fixed) -> Iterator[Fixed]:
    names = [job.name for job in twin.jobs]
    for chosen in itertools.product(*([None, *_bounds(job)] for job in twin.jobs)):
        bounds = dict(zip(names, chosen, strict=True))
        yield replace(fixed, bounds={name: bound for name, bound in bounds.items() if bound is not None})


def _bounds(job: MicroBatchJob) -> list[int]:
    """Some seconds' worth of its rows, less than it takes already; left out, its bound stays as it is."""
    worth = [max(1, round(seconds * float(job.arrivals.mean()))) for seconds in BOUND_S]
    most = job.max_rows_per_batch
    return [bound for bound in worth if most is None or bound < most][-2:]


def _ascended(twin: Twin, tried: Tried) -> Fixed:
    """From what a job's rows want on, one job after the other, as long as that is better."""
    fixed, best = Fixed(_wanted(twin)), 0.0
    for _ in range(SWEEPS):
        before = best
        for job in twin.jobs:
            options: list[Fixed] = [fixed]
            options += [replace(fixed, slots={**fixed.slots, job.name: n}) for n in _slots(twin)[job.name]]
            options += [replace(fixed, bounds={**fixed.bounds, job.name: bound}) for bound in _bounds(job)]
            fixed = max(options, key=lambda option: tried.mean(twin, option, SEARCH_SEEDS))
            best = tried.mean(twin, fixed, SEARCH_SEEDS)
        tried.keep()
        if best <= before + 1e-3:
            break
    return fixed


def _wanted(twin: Twin) -> Mapping[str, int]:
    """Slots for the work of each job's rows, rounded up."""
    found = {}
    for job in twin.jobs:
        row_s = sum(stage.cpu_s_per_row + stage.wait_s_per_row for stage in job.stages)
        most = min(job.max_threads or twin.cluster.slots, twin.cluster.slots)
        found[job.name] = max(1, min(most, math.ceil(float(job.arrivals.mean()) * row_s)))
    return found


def _digest(twin: Twin) -> str:
    """A case that changed is another."""
    told = repr((twin.cluster, twin.jobs, [job.arrivals.tolist() for job in twin.jobs], twin.seconds, twin.faults))
    return f"{twin.name} {hashlib.sha256(told.encode()).hexdigest()[:12]}"
