"""Settings of the `phoebe` and `twres` policies, with the paper's numbers (section IV) where it has any."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from penstock.core.seen.evidence import Observation
from penstock.core.units import non_negative, positive

_LEEWAY = ("near_best", "lateness")
_GUESSES = ("query_downtime_s", "executor_downtime_s", "detect_s", "unsaved_s")

Profiles = Mapping[str, tuple[Observation, ...]]  # what was profiled of each job


@dataclass(frozen=True, slots=True)
class PhoebeSettings:
    """Section numbers are those of the paper. Settings without one are ours."""

    interval_s: float = 600.0  # time between two decisions for a job; it must also have run that long (III-E)
    # Intervals that a decision looks ahead; 1 as in the paper. With 3 it avoids a scale-down that would soon have to
    # be reverted: one or two reconfigurations fewer in six hours, and about 1 % less saved.
    look_ahead: float = 1.0
    bin_s: float = 120.0  # length of the averaging bins (III-E); a failure is assumed at the start of each
    step_s: float = 60.0  # time between two values of the rate history
    history_s: float = 86_400.0  # length of the rate history
    least_history: float = 10.0  # with fewer values there is no forecast, and the present rate counts
    # On Spark drivers took 37 to 110 s, queries 2 to 5 s, and a lost executor delayed the others by 0 to 14 s.
    downtime_s: float = 120.0  # assumed downtime of a driver, or a whole job, until one was seen
    query_downtime_s: float = 15.0  # assumed downtime of a query, until one was seen
    executor_downtime_s: float = 30.0  # assumed downtime after a lost executor, until one was seen
    detect_s: float = 0.0  # time until a driver's loss is noticed, in which the job goes on processing
    unsaved_s: float = 0.0  # age of the last checkpoint when a driver stops, if above the usual one
    checkpoint_s: float = 10.0  # checkpoint interval, if the engine does not report it
    disturbance_s: float = 30.0  # assumed disturbance by a reconfiguration, until one was seen
    # Worth of a second of disturbed service, in seconds of the job's executors. If it is lower, every bin is followed;
    # if it is higher, nothing is ever given back.
    disturbance_weight: float = 4.0
    # If no scale-out recovers in time, the smallest one that is this close to the fastest is taken, because the last
    # executors add little then.
    near_best: float = 0.05
    lateness: float = 1.5  # or the smallest one that is at most this many times as late as the fastest
    half_life_s: float = 6 * 3600.0  # half-life of observations
    cpu_target: float = 0.35  # CPU target of jobs without enough data, as in `reactive`
    unit: str = "executors"  # name of what a scale-out counts
    profiles: Profiles = field(default_factory=dict)  # profiles by job, as `profiles` in the tenants file

    def __post_init__(self) -> None:
        for name in ("interval_s", "look_ahead", "bin_s", "step_s", "history_s", "downtime_s", "half_life_s"):
            positive(getattr(self, name), name)
        for name in ("checkpoint_s", "disturbance_s", "disturbance_weight", "least_history", *_LEEWAY, *_GUESSES):
            non_negative(getattr(self, name), name)
        positive(self.cpu_target, "cpu_target", "write a share above zero")


@dataclass(frozen=True, slots=True)
class TwresSettings:
    """As the paper runs it (section IV-C3): the same profile, forecasts and interval as Phoebe."""

    interval_s: float = 600.0  # time between two decisions for a job
    horizon_s: float = 600.0  # how far ahead the rate is forecast
    latency_s: float = 2.0  # latency limit; above it a job gets one more
    step_s: float = 60.0  # time between two values of the rate history
    history_s: float = 86_400.0  # length of the rate history
    least_history: float = 10.0  # with fewer values there is no forecast
    half_life_s: float = 6 * 3600.0  # half-life of observations
    profiles: Profiles = field(default_factory=dict)  # profiles by job, as `profiles` in the tenants file

    def __post_init__(self) -> None:
        for name in ("interval_s", "horizon_s", "latency_s", "step_s", "history_s", "half_life_s"):
            positive(getattr(self, name), name)
