"""Checks a scenario's claims against what came out of its runs."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from penstock.core.plan import Decision
from penstock.errors import ConfigError
from penstock.simulation.run import RunResult
from penstock.simulation.schema import ExpectPart

Figure = float | list[str] | None
CycleMask = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Finding:
    """One claim: whether it holds, the figure found, and what the scenario says when it is known not to hold."""

    claim: str
    figure: Figure
    wanted: str
    holds: bool
    not_reproduced: str | None

    @property
    def as_declared(self) -> bool:
        """A claim must hold, unless the scenario says in a sentence that it does not: then it must not."""
        return self.holds == (self.not_reproduced is None)


def judge(expectations: Sequence[ExpectPart], results: Sequence[RunResult]) -> list[Finding]:
    """Every claim whose policy was run."""
    run_policies = {result.policy for result in results}
    return [
        _finding(part, results)
        for part in expectations
        if part.policy in run_policies and (part.against is None or part.against in run_policies)
    ]


def wanted(part: ExpectPart) -> str:
    """The claim's bounds in words, known before any run."""
    bounds = " and ".join(_bounds(part))
    if part.against is not None:
        return f"{bounds} times {part.against}'s"
    if part.against_variant is not None:
        return f"{bounds} times that of {_named(part.against_variant, part.variant or {})}"
    return bounds


def _finding(part: ExpectPart, results: Sequence[RunResult]) -> Finding:
    figure = _figure(part, _matching(part.policy, part.variant, results))
    if part.against is not None:
        figure = _ratio(figure, _figure(part, _matching(part.against, part.variant, results)))
    if part.against_variant is not None:
        figure = _ratio(figure, _figure(part, _matching(part.policy, part.against_variant, results)))
    return Finding(part.claim, figure, wanted(part), _within(part, figure), part.not_reproduced)


def _matching(policy: str, variant: Mapping[str, object] | None, results: Sequence[RunResult]) -> RunResult:
    for result in results:
        values = result.variant.values
        if result.policy == policy and all(values.get(key) == value for key, value in (variant or {}).items()):
            return result
    raise ConfigError("expect.variant", variant, "name values that `vary` lists")


def _named(variant: Mapping[str, object], beside: Mapping[str, object]) -> str:
    """What is different of it, such as "latency 50ms"."""
    other = {key: value for key, value in variant.items() if beside.get(key) != value}
    return ", ".join(f"{key.rsplit('.', 1)[-1]} {value}" for key, value in other.items())


def _ratio(figure: Figure, other: Figure) -> float | None:
    if isinstance(figure, list) or isinstance(other, list) or figure is None or other is None:
        return None
    return figure / max(other, 1e-9)


def _bounds(part: ExpectPart) -> list[str]:
    return [
        text
        for text, bound in (
            (f"at least {part.at_least}", part.at_least),
            (f"at most {part.at_most}", part.at_most),
            (f"equal to {part.equals}", part.equals),
        )
        if bound is not None
    ]


def _within(part: ExpectPart, figure: Figure) -> bool:
    if figure is None:
        return False
    if part.equals is not None and figure != part.equals:
        return False
    if isinstance(figure, list):
        return part.equals is not None
    slack = 1e-9
    if part.at_least is not None and figure < part.at_least - slack:
        return False
    return part.at_most is None or figure <= part.at_most + slack


def _figure(part: ExpectPart, result: RunResult) -> Figure:
    if part.metric not in METRICS:
        raise ConfigError("expect.metric", part.metric, f"choose one of {', '.join(METRICS)}")
    return METRICS[part.metric](part, result)


# Metrics. Each looks at the rounds in `between`, or at all that are measured.


def _cycles(part: ExpectPart, result: RunResult) -> CycleMask:
    at = np.array(result.recorder.at_s)
    start, end = part.between or (result.measure_from_s, float("inf"))
    chosen: CycleMask = (at >= start) & (at <= end)
    if not chosen.any():
        raise ConfigError("expect.between", part.between, "choose a stretch in which there are rounds")
    return chosen


def _job_place(part: ExpectPart, result: RunResult) -> int | None:
    if part.job is None:
        return None
    if part.job not in result.recorder.jobs:
        raise ConfigError("expect.job", part.job, f"name a job: {', '.join(result.recorder.jobs)}")
    return result.recorder.jobs.index(part.job)


def _utility(part: ExpectPart, result: RunResult) -> NDArray[np.float64]:
    """Utility as a share of the maximum, of one job or of all."""
    rounds, place = _cycles(part, result), _job_place(part, result)
    if place is None:
        return result.recorder.share()[rounds]
    values: NDArray[np.float64] = result.recorder.column("utility")[rounds, place] / result.max_utility[part.job or ""]
    return values[~np.isnan(values)]


def _mean_of(column: str) -> Callable[[ExpectPart, RunResult], Figure]:
    """The mean of a recorded column: of one job, or over all jobs."""

    def metric(part: ExpectPart, result: RunResult) -> Figure:
        values = result.recorder.column(column)[_cycles(part, result)]
        place = _job_place(part, result)
        return float(np.nanmean(values if place is None or values.ndim == 1 else values[:, place]))

    return metric


def _percentile(percent: float) -> Callable[[ExpectPart, RunResult], Figure]:
    return lambda part, result: float(np.percentile(_utility(part, result), percent))


def _final(part: ExpectPart, result: RunResult) -> Figure:
    """The mean utility over the last ten rounds."""
    return float(_utility(part, result)[-10:].mean())


def _of_jobs(percent: float) -> Callable[[ExpectPart, RunResult], Figure]:
    """Over the jobs: so many percent of them have less of their utility, in the mean over the rounds."""

    def metric(part: ExpectPart, result: RunResult) -> Figure:
        recorder = result.recorder
        utility = np.nanmean(recorder.column("utility")[_cycles(part, result)], axis=0)
        shares = [value / result.max_utility[name] for name, value in zip(recorder.jobs, utility, strict=True)]
        return float(np.nanpercentile(shares, percent))

    return metric


def _decisions(part: ExpectPart, result: RunResult) -> list[Decision]:
    start, end = part.between or (0.0, float("inf"))
    return [
        record.decision
        for record in result.recorder.decisions
        if start <= record.decision.at_s <= end
        and (part.job is None or part.job in record.decision.jobs)
        and (part.reason is None or part.reason == record.decision.reason)
    ]


def _first_touched(part: ExpectPart, result: RunResult) -> Figure:
    """Jobs in the order in which they were first given more."""
    order: list[str] = []
    for decision in _decisions(part, result):
        order += [job for job in decision.jobs if job not in order]
    return order


def _met_from(part: ExpectPart, result: RunResult) -> Figure:
    """When a job had first met its SLO for four rounds, once it was governed."""
    place = _job_place(part, result)
    if place is None:
        raise ConfigError("expect.job", None, "name the job whose SLO is meant")
    met = result.recorder.column("met")[:, place] > 0
    for row, at in enumerate(result.recorder.at_s):
        if at >= result.variant.scenario.govern_from and len(met) >= row + 4 and met[row : row + 4].all():
            return float(at)
    return None


def _threads_at_end(part: ExpectPart, result: RunResult) -> Figure:
    place = _job_place(part, result)
    last = result.recorder.column("threads")[-1]
    return float(np.nansum(last) if place is None else last[place])


def _recovery_seconds(part: ExpectPart, result: RunResult) -> Figure:
    """The longest recovery; none counts as infinite when a job never came back."""
    times = [recovery["seconds"] for recovery in result.recoveries]
    return max((float("inf") if t is None else float(str(t)) for t in times), default=None)


def _recoveries_in_time(part: ExpectPart, result: RunResult) -> Figure:
    """How many failures were recovered from within their target."""
    return float(sum(1 for recovery in result.recoveries if _in_time(recovery)))


def _in_time(recovery: Mapping[str, object]) -> bool:
    seconds, target = recovery["seconds"], recovery["target"]
    return seconds is not None and (target is None or float(str(seconds)) <= float(str(target)))


METRICS: dict[str, Callable[[ExpectPart, RunResult], Figure]] = {
    "utility_mean": lambda part, result: float(_utility(part, result).mean()),
    "utility_min": lambda part, result: float(_utility(part, result).min()),
    "utility_max": lambda part, result: float(_utility(part, result).max()),
    "utility_spread": lambda part, result: float(np.ptp(_utility(part, result))),
    "utility_final": _final,
    **{f"utility_p{percent}": _percentile(percent) for percent in (5, 15, 50, 90)},
    "jobs_p5": _of_jobs(5),
    "slo_met": _mean_of("met"),
    "juice_mean": _mean_of("juice"),
    "juice_min": lambda part, result: float(np.nanmin(result.recorder.column("juice")[_cycles(part, result)])),
    "latency_mean": _mean_of("latency_s"),
    "backlog_mean": _mean_of("backlog_rows"),
    "load_mean": _mean_of("load"),
    "memory_mean": _mean_of("memory_share"),
    "memory_max": lambda part, result: float(np.max(result.recorder.column("memory_share")[_cycles(part, result)])),
    "decisions": lambda part, result: float(len(_decisions(part, result))),
    "first_touched": _first_touched,
    "converged_at": lambda part, result: result.converged_at(),
    "met_from": _met_from,
    "threads_at_end": _threads_at_end,
    "recovery_seconds": _recovery_seconds,
    "recoveries_in_time": _recoveries_in_time,
    "slot_seconds": lambda part, result: result.slot_seconds,
}
