"""Python time: on how much of the time that tasks wait for Python workers these have a core. Pure.

Spark counts as CPU time what a task's own thread in the JVM used. Where a user-defined function runs in Python that
thread waits for another process, which may compute or wait as well. The kernel tells what all workers used together;
what each job's tasks waited for theirs, stage by stage, tells whose that was, for waits come and go with batches.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import inf

import numpy as np

from penstock.core.arrays import Floats

UNMEASURED = 1.0  # of that time on cores, where nobody can tell: most functions compute
KEPT_S = 180.0
_HALF_S = 30.0  # a sample that much older weighs half: workers that just start work, whatever they do later
_APART_S = 1.0  # looks: the kernel counts in hundredths
_SELDOM_S = 10.0  # while no job is known to have workers: its first batch is measured as well
_LEAST_WAITED_S = 0.5  # of all jobs: of less nothing is concluded
_TRUST = 0.01  # of what a job's samples weigh in the mean: that jobs are alike, where they always wait together
_LEAST_SAMPLES = 2
_SWEEPS = 50

# In the names that Spark gives to the operators that hand rows to Python workers; 3.5 to 4.3.
_OPERATORS = ("Python", "Pandas", "PySpark", "InArrow")


@lru_cache(maxsize=4096)  # asked of each stage of each job at each look, and there are few names
def runs_python(stage: str) -> bool:
    """Whether the stage's tasks hand rows to Python workers, by what its operators are called.

    >>> runs_python("BatchEvalPython + Exchange"), runs_python("StateStoreSave + Exchange")
    (True, False)
    """
    return any(word in stage for word in _OPERATORS)


@dataclass(frozen=True, slots=True)
class PythonWait:
    """A stage whose tasks together waited so long, from its submission to its end; None: it runs still."""

    job: str
    from_s: float
    to_s: float | None
    waited_s: float


@dataclass(frozen=True, slots=True)
class WorkersSample:
    """The seconds of a core that all Python workers ever used, at an instant of the clock of the stages."""

    at_s: float
    cpu_s: float


class PythonWatch:
    """What the workers used in the last minutes."""

    def __init__(self) -> None:
        self._samples: list[WorkersSample] = []

    def due(self, at_s: float, runs_python: bool) -> bool:
        """Whether the last look is long enough ago, as jobs have workers or not, or the clock was set back since."""
        apart_s = _APART_S if runs_python else _SELDOM_S
        return not self._samples or not 0.0 <= at_s - self._samples[-1].at_s < apart_s

    def add(self, at_s: float, cpu_s: float | None) -> None:
        """What they used so far; None, where nobody can tell, makes what was known worth nothing."""
        if cpu_s is None or (self._samples and at_s < self._samples[-1].at_s):
            self._samples.clear()
        if cpu_s is not None:
            first = next((n for n, one in enumerate(self._samples) if one.at_s >= at_s - KEPT_S), len(self._samples))
            self._samples = [*self._samples[first:], WorkersSample(at_s, cpu_s)]

    def shares(self, waits: Iterable[PythonWait]) -> Mapping[str, float]:
        """Of each job's time, see `python_shares`."""
        return python_shares(tuple(waits), self._samples)


def python_shares(waits: Sequence[PythonWait], samples: Sequence[WorkersSample]) -> Mapping[str, float]:
    """By job, the part of the time that its tasks waited for Python workers in which these had a core.

    That part of each which explains best, all together, what the workers used between two samples; what the samples
    leave open is taken to be the same for all. A stage's wait is spread evenly over its span, so that nothing is said
    of the time since the first stage began that has not ended. Without any job where nothing could be measured.
    """
    jobs = sorted({one.job for one in waits})
    until_s = min((one.from_s for one in waits if one.to_s is None), default=inf)
    known = [one for one in samples if one.at_s <= until_s]
    if not jobs or len(known) < _LEAST_SAMPLES or samples[-1].cpu_s <= 0.0:  # whom nobody sees is not at rest
        return {}
    at_s, used_s = np.array([one.at_s for one in known]), np.diff([one.cpu_s for one in known])
    waited_s = np.column_stack([np.diff(_waited_by(waits, job, at_s)) for job in jobs])
    if waited_s.sum() < _LEAST_WAITED_S:
        return {}
    weight = 0.5 ** ((at_s[-1] - at_s[1:]) / _HALF_S)
    return dict(zip(jobs, map(float, _parts(waited_s, used_s, weight)), strict=True))


def _waited_by(waits: Sequence[PythonWait], job: str, at_s: Floats) -> Floats:
    """What the job's ended stages had waited by each of these instants."""
    ended = [(one.from_s, one.to_s, one.waited_s) for one in waits if one.job == job and one.to_s is not None]
    from_s, to_s, waited_s = np.array(ended).reshape(-1, 3).T
    over = np.clip((at_s[:, None] - from_s) / np.maximum(to_s - from_s, 1e-3), 0.0, 1.0)
    found: Floats = over @ waited_s
    return found


def _parts(waited_s: Floats, used_s: Floats, weight: Floats) -> Floats:
    """Least squares within 0 and 1, job after job, until they agree; towards what is true of all together."""
    together, worked = waited_s.T @ (weight[:, None] * waited_s), waited_s.T @ (weight * used_s)
    common = min(1.0, max(0.0, float(weight @ used_s / (weight @ waited_s.sum(axis=1)))))
    parts, own = np.full(len(worked), common), together.diagonal()
    trust = _TRUST * own.mean()
    for _ in range(_SWEEPS):
        for job in range(len(parts)):
            left = worked[job] - together[job] @ parts + own[job] * parts[job]
            parts[job] = min(1.0, max(0.0, (left + trust * common) / (own[job] + trust)))
    return parts
