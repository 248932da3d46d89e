"""Settings of the `phoebe` and `twres` policies, with the paper's numbers (section IV) where it has any."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from penstock.core.evidence import Observation
from penstock.core.units import non_negative, positive

_LEEWAY = ("near_best", "lateness")
_GUESSES = ("query_downtime_s", "executor_downtime_s", "detect_s", "unsaved_s")

Profiles = Mapping[str, tuple[Observation, ...]]  # what was profiled of each job


@dataclass(frozen=True, slots=True)
class PhoebeSettings:
    """Settings without a section number are ours, with the reason beside them."""

    interval_s: float = 600.0  # one decision per job in so long; none while it is up for less (III-E)
    # Intervals that a decision looks ahead: the paper's one. With three a scale-down that would have to be taken
    # back is seen to be one: a reconfiguration or two fewer in six hours, and about 1 % less saved.
    look_ahead: float = 1.0
    bin_s: float = 120.0  # averaging bins (III-E); a failure is assumed at the start of each
    step_s: float = 60.0  # one value of the history of rates
    history_s: float = 86_400.0  # what is kept of it
    least_history: float = 10.0  # values; with fewer there is no forecast, only what arrives now
    # What a failure of a kind that was not seen yet is taken to cost. On Spark drivers took 37 to 110 s, queries
    # 2 to 5 s, and a lost executor held the others up for 0 to 14 s.
    downtime_s: float = 120.0  # a driver's, or a whole job's, until one was seen
    query_downtime_s: float = 15.0  # a query's, until one was seen
    executor_downtime_s: float = 30.0  # an executor's, until one was seen
    detect_s: float = 0.0  # a driver's: until its loss is noticed the job goes on processing
    unsaved_s: float = 0.0  # a driver's: how long before the stop the last checkpoint was, where longer than usual
    checkpoint_s: float = 10.0  # where the engine does not say
    disturbance_s: float = 30.0  # of service by a reconfiguration, until one was seen
    # A second of disturbed service is worth so many seconds of the executors that the job has: less, and every bin
    # is followed; more, and nothing is ever given back.
    disturbance_weight: float = 4.0
    # Where no scale-out recovers in time, the smallest that is this close to the fastest: the last executors buy
    # little then.
    near_best: float = 0.05
    lateness: float = 1.5  # or that is so many times as late as the fastest, if that is more
    half_life_s: float = 6 * 3600.0  # of evidence
    cpu_target: float = 0.35  # for jobs about which nothing is known yet: as `reactive`
    unit: str = "executors"  # what a scale-out counts, in words
    profiles: Profiles = field(default_factory=dict)  # what was profiled of each job; the file's `profiles`

    def __post_init__(self) -> None:
        for name in ("interval_s", "look_ahead", "bin_s", "step_s", "history_s", "downtime_s", "half_life_s"):
            positive(getattr(self, name), name)
        for name in ("checkpoint_s", "disturbance_s", "disturbance_weight", "least_history", *_LEEWAY, *_GUESSES):
            non_negative(getattr(self, name), name)
        positive(self.cpu_target, "cpu_target", "write a share above zero")


@dataclass(frozen=True, slots=True)
class TwresSettings:
    """As the paper runs it (section IV-C3): the same profile, forecasts and interval as Phoebe."""

    interval_s: float = 600.0  # one decision per job in so long
    horizon_s: float = 600.0  # how far ahead the rate is forecast
    latency_s: float = 2.0  # the latency constraint; above it a job gets one more
    step_s: float = 60.0  # one value of the history of rates
    history_s: float = 86_400.0  # what is kept of it
    least_history: float = 10.0  # values; with fewer there is no forecast
    half_life_s: float = 6 * 3600.0  # of evidence
    profiles: Profiles = field(default_factory=dict)  # what was profiled of each job; the file's `profiles`

    def __post_init__(self) -> None:
        for name in ("interval_s", "horizon_s", "latency_s", "step_s", "history_s", "half_life_s"):
            positive(getattr(self, name), name)
