"""A task's performance model: trial after trial until the search is over, each recorded as it ends."""

from collections.abc import Callable
from dataclasses import dataclass, field

from penstock.analysis.stability import StabilitySettings, judge
from penstock.core.known.performance import ModelPoint, PerformanceModel
from penstock.core.seen.trial import Finished, Measured, Trial
from penstock.errors import ConfigError, EngineError
from penstock.planning.profiling.tasks.remaining import trials_left
from penstock.planning.profiling.tasks.search import Profile, advance
from penstock.planning.profiling.tasks.settings import SearchSettings
from penstock.profiling.tasks.record import TrialRecord

# A task that waits for services is not short of the core, whoever uses it meanwhile.
_HUNGRY = 0.25


@dataclass(frozen=True, slots=True)
class ProfileSettings:
    """How the search is done and how its trials are judged."""

    method: str = "sweep"
    search: SearchSettings = field(default_factory=SearchSettings)
    stability: StabilitySettings = field(default_factory=StabilitySettings)
    max_others: float = 0.1  # of the slot's core, taken by processes that are no part of the trial
    repeats: int = 2  # how often an unstable trial with more than that is done again, at most

    def __post_init__(self) -> None:
        if not 0 <= self.max_others <= 1:
            raise ConfigError("max_others", self.max_others, "write a share of the core, from 0 to 1, such as 0.1")

    @property
    def resolution(self) -> float:
        """The share of a peak by which the search may have found too little."""
        return self.search.tolerance if self.method == "bisect" else 1.0 - 1.0 / self.search.rate_growth


@dataclass(frozen=True, slots=True)
class Progress:
    """Where a search stands: the last trial, the next one, and how many there may be still."""

    done: int
    last: Finished | None
    following: Trial
    at_most_left: int


def profile(
    run: Callable[[Trial], Measured],
    settings: ProfileSettings,
    record: TrialRecord,
    fresh: bool,
    tell: Callable[[Progress], None],
) -> tuple[Finished, ...]:
    """The best stable trial of each thread count."""
    finished = record.begin(fresh)
    state = advance(settings.method, settings.search, finished)
    while state.following is not None:
        tell(_progress(settings, finished, state, state.following))
        done = _credible(run, state.following, settings)
        record.add(done)
        finished.append(done)
        state = advance(settings.method, settings.search, finished)
    return state.peaks


def model_of(
    task: str, peaks: tuple[Finished, ...], provenance: dict[str, str], settings: ProfileSettings
) -> PerformanceModel:
    """The model of these peaks; an EngineError when not one rate was stable."""
    if not peaks:
        raise EngineError(
            f"{task}: no rate was stable with any number of threads; allow a higher slope or longer trials"
        )
    points = [
        ModelPoint(peak.trial.threads, peak.trial.rate_rps, round(peak.cpu_share, 4), round(peak.memory_share, 4))
        for peak in peaks
    ]
    return PerformanceModel(points, provenance, resolution=settings.resolution)


def _credible(run: Callable[[Trial], Measured], trial: Trial, settings: ProfileSettings) -> Finished:
    """A trial that was unstable while others used its core says nothing of the task: it is done again."""
    for _ in range(settings.repeats):
        done = judge(run(trial), settings.stability)
        disturbed = done.others_share > settings.max_others and done.cpu_share > _HUNGRY
        if done.stable or not disturbed:
            return done
    return judge(run(trial), settings.stability)


def _progress(settings: ProfileSettings, finished: list[Finished], state: Profile, following: Trial) -> Progress:
    left = trials_left(settings.search, finished, following)
    return Progress(len(finished), finished[-1] if finished else None, following, left)
