"""Algorithm 1: rates are raised until a trial is unstable, threads until the peak rate stops rising.

A search is a generator: it yields the trial it wants and is sent what came of it. So the loops read as in the
paper, and a search goes on from a record of finished trials by being sent those first.
"""

from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass

from penstock.core.seen.trial import Finished, Trial
from penstock.errors import ConfigError
from penstock.planning.profiling.tasks.settings import SearchSettings

Search = Generator[Trial, Finished, None]
# For one thread count, with a hint of its peak: the best stable trial, if there was one.
RateSearch = Generator[Trial, Finished, Finished | None]

_FIRST_GROWTH = 1.2
_GROWTH = 2.0
_ROUNDED = 1.001  # rates are tried with four digits
_HINT_MARGIN = 0.98  # of what an overloaded trial got done: stable, if that was all there is to get


@dataclass(frozen=True, slots=True)
class Profile:
    """What a search has found so far: for each thread count its best stable trial, and the trial to do next."""

    peaks: tuple[Finished, ...]
    following: Trial | None  # None when the search is over


def advance(method: str, settings: SearchSettings, finished: Sequence[Finished]) -> Profile:
    """Where the search stands after these trials. Trials of another search or other settings do not fit: an error."""
    peaks: dict[int, Finished] = {}
    search = _search(method_named(method), settings, peaks)
    wanted = next(search, None)
    for done in finished:
        if wanted != done.trial:
            raise ConfigError("trials", done.trial, f"the record is of another search; this one wants {wanted} here")
        try:
            wanted = search.send(done)
        except StopIteration:
            wanted = None
    return Profile(tuple(peaks[threads] for threads in sorted(peaks)), wanted)


def method_named(name: str) -> Callable[[SearchSettings, int, float | None], RateSearch]:
    """`sweep` as in the paper, or `bisect`, which needs fewer trials for the same answer."""
    if name not in METHODS:
        raise ConfigError("--search", name, f"choose one of {', '.join(METHODS)}")
    return METHODS[name]


def _search(
    method: Callable[[SearchSettings, int, float | None], RateSearch],
    settings: SearchSettings,
    peaks: dict[int, Finished],
) -> Search:
    for threads in settings.thread_counts():
        peak = yield from method(settings, threads, _hint(peaks, threads))
        if peak is not None:
            peaks[threads] = peak
        if not _still_rising(peaks, settings):
            return


def _hint(peaks: Mapping[int, Finished], threads: int) -> float | None:
    """As much for each thread as with the threads before: what waits does that, what does not says so in one trial."""
    if not peaks:
        return None
    before = max(peaks)
    return float(f"{peaks[before].trial.rate_rps * threads / before:.4g}")


def _still_rising(peaks: Mapping[int, Finished], settings: SearchSettings) -> bool:
    """Whether the peak over the trailing window rose by more than `min_gain`; with fewer counts it is too early.

    The paper compares a slope per thread with -0.001; with a step that grows the same slope means ever more, so
    here the rise over the whole window counts, as a share of its first peak.
    """
    window = [peaks[threads].trial.rate_rps for threads in sorted(peaks)][-settings.window :]
    if len(window) < settings.window:
        return True
    return max(window[1:]) > window[0] * (1.0 + settings.min_gain)


def sweep(settings: SearchSettings, threads: int, hint: float | None) -> RateSearch:
    """Lines 8 to 15: every rate from the first one on, until one is unstable."""
    peak: Finished | None = None
    rate = settings.first_rate_rps
    while rate <= settings.max_rate_rps:
        done = yield Trial(threads, rate)
        if not done.stable:
            break
        peak = done
        rate = settings.next_rate(rate)
    return peak


def bisect(settings: SearchSettings, threads: int, hint: float | None) -> RateSearch:
    """Raise the rate while it is stable, then narrow the gap to the lowest unstable rate.

    Starts at the hint. An unstable trial says more than no: what it got done is close to the peak, so that is tried
    next, and then whether a little more is too much already.
    """
    peak: Finished | None = None
    low, high = 0.0, settings.max_rate_rps * 2
    rate = min(hint or settings.first_rate_rps, settings.max_rate_rps)
    growths = [1.0 + settings.tolerance, _FIRST_GROWTH] if hint else []
    while rate < high and low < settings.max_rate_rps:
        done = yield Trial(threads, rate)
        if done.stable:
            peak, low = done, rate
        else:
            high = rate
            growths = [1.0 + settings.tolerance]  # from the next stable rate on
        if low > 0 and high <= low * (1.0 + settings.tolerance) * _ROUNDED:
            break
        if high <= settings.first_rate_rps:
            break
        growth = growths.pop(0) if done.stable and growths else _GROWTH
        rate = max(settings.first_rate_rps, min(_next_guess(low, high, done, growth), settings.max_rate_rps))
    return peak


def _next_guess(low: float, high: float, last: Finished, growth: float) -> float:
    """Strictly between the bounds: what the last trial got done, when it was too much; else the middle of the gap."""
    if not last.stable:
        got = _HINT_MARGIN * last.processed_rps
        if low * 1.01 < got < high * 0.99:
            return float(f"{got:.4g}")  # the record is read by people
    if last.stable and high > growth * low:
        return float(f"{low * growth:.4g}")
    middle = (low * high) ** 0.5 if low > 0 else high / 2
    return float(f"{middle:.4g}")


METHODS: Mapping[str, Callable[[SearchSettings, int, float | None], RateSearch]] = {"sweep": sweep, "bisect": bisect}
