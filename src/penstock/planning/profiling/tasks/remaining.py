"""How long a search may still take: never less than likely, and said as "at most"."""

from collections.abc import Sequence

from penstock.core.seen.trial import Finished, Trial
from penstock.planning.profiling.tasks.settings import SearchSettings

_TRIALS_PER_COUNT = 5.0  # of a bisection, before anything is known


def trials_left(settings: SearchSettings, finished: Sequence[Finished], following: Trial | None) -> int:
    """Trials to go if every thread count is tried and needs as many trials as the costliest so far."""
    if following is None:
        return 0
    counts = list(settings.thread_counts())
    spent = [sum(done.trial.threads == count for done in finished) for count in counts]
    per_count = max([*spent, 1]) if any(spent) else _TRIALS_PER_COUNT
    here = max(1.0, per_count - sum(done.trial.threads == following.threads for done in finished))
    return round(here + per_count * sum(count > following.threads for count in counts))
