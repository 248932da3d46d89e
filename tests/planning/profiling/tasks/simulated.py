"""A worker of known capacity: stable up to it, and beyond it done is what it can do."""

from collections.abc import Callable, Sequence

from penstock.core.seen.trial import Finished, Trial
from penstock.planning.profiling.tasks.search import Profile, advance
from penstock.planning.profiling.tasks.settings import SearchSettings

Capacity = Callable[[int], float]


def tried(trial: Trial, capacity: Capacity) -> Finished:
    """What a trial of this worker comes to."""
    most = capacity(trial.threads)
    done = min(trial.rate_rps, most)
    slope = max(0.0, 1.0 - most / trial.rate_rps)
    return Finished(trial, trial.rate_rps <= most, slope, done, cpu_share=done / 100.0, memory_share=0.1)


def searched(
    method: str, capacity: Capacity, settings: SearchSettings, begun: Sequence[Finished] = ()
) -> tuple[Profile, list[Finished]]:
    """The whole search, from the trials that are finished already."""
    finished = list(begun)
    state = advance(method, settings, finished)
    while state.following is not None:
        assert len(finished) < 2000, "the search does not end"
        finished.append(tried(state.following, capacity))
        state = advance(method, settings, finished)
    return state, finished


def flat(threads: int) -> float:
    """A task that one thread already keeps a core busy with."""
    return 105.0 - threads


def bell(threads: int) -> float:
    """A task that waits: ever more threads help, until too many do not."""
    return 10.0 * threads if threads <= 12 else 120.0 - threads
