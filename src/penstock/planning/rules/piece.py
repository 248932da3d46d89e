"""Tasks that hold slots for long are cut shorter, where somebody else asks for results within seconds.

Spark takes no slot from a task before it has ended. Whoever is in a hurry waits for others' tasks whatever its weight
is, and those last as long as a batch over its partitions does: seconds, once rows wait. Smaller batches would shorten
them too, but each has a fixed cost; a task more costs next to nothing, and the batch stays as it is.

    tasks of 3 s beside a target of 4 s, that is missed         ->  as many rows a task as take 0.4 s
    the same where results come 1.6 s sooner than asked for     ->  0.8 s
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from penstock.core.asked.intents import Latency
from penstock.core.levers import Dial, Move, move_of
from penstock.core.naming import together
from penstock.core.plan import Decision, Reason
from penstock.core.seen.batches import BatchFigures
from penstock.core.seen.shares import shares_pool
from penstock.core.seen.view import JobView, View
from penstock.core.units import text_of_seconds
from penstock.planning.combined_settings import CombinedSettings

_OF_TARGET = 0.1  # of the shortest latency that another one asks for: so long may a task hold a slot
_OF_SPARE = 0.5  # of what it may take longer: whoever has time to spare waits for longer tasks too, and they cost less
_SHORTEST_S, _LONGEST_S = 0.25, 1.0  # for less a task's own start would count; for more a wait shows
_TOO_LONG, _TOO_SHORT = 2.0, 0.5  # times that; between them nothing is turned
_MOST_TASKS = 400  # of a batch: the driver has to send and hear of each
_SHOWS_AFTER_S, _AGAIN_AFTER_S = 20.0, 60.0
_BATCHES = 2  # that tell what rows cost: in the first one is the query's own start


def rule(
    view: View, memory: Mapping[str, float | None], settings: CombinedSettings
) -> tuple[tuple[Decision, ...], Mapping[str, float | None]]:
    """One decision over all whose tasks are too long; `memory` is when each was cut last."""
    known = {job.name: memory[job.name] for job in view.jobs if job.name in memory}
    if not view.fresh:
        return (), known
    cuts = list(_cuts(view, known))
    if not cuts:
        return (), known
    decision = Decision(Reason.RECONFIGURED, tuple(cut.move for cut in cuts), _why(cuts), view.at_s, view.utility)
    return (decision,), {**known, **{cut.move.job: view.at_s for cut in cuts}}


@dataclass(frozen=True, slots=True)
class _Hurried:
    """Who asks for results within that time, and how much longer they may take: no longer, where it misses anything."""

    job: JobView
    target_s: float
    spare_s: float

    @property
    def wanted_s(self) -> float:
        """How long tasks of others are to hold a slot."""
        wanted_s = max(_OF_TARGET * self.target_s, round(_OF_SPARE * self.spare_s, 1))
        return min(max(wanted_s, _SHORTEST_S), _LONGEST_S)


@dataclass(frozen=True, slots=True)
class _Cut:
    """Tasks of one job, that hold slots for so long, are to hold them for less, or need not hold them for so little."""

    move: Move
    lasts_s: float
    hurried: _Hurried


def _cuts(view: View, known: Mapping[str, float | None]) -> Iterator[_Cut]:
    sharing = [job for job in view.jobs if shares_pool(job.figures)]
    hurried = sorted((one for job in sharing if (one := _hurried(job))), key=lambda one: one.wanted_s)
    for job in sharing:
        dial = job.figures.lever("piece")
        if dial is None or dial.by_people or _waited_for(dial, view.at_s, known.get(job.name)):
            continue
        others = [one for one in hurried if one.job.name != job.name]
        cut = _cut(job, dial, others, known.get(job.name))
        if cut is not None:
            yield cut


def _hurried(job: JobView) -> _Hurried | None:
    """None where it asks for no latency, or nobody knows its own."""
    target_s, latency = job.intent.soonest_s, job.figures.latency
    if target_s is None or latency is None:
        return None
    asked = [one for one in job.intent.objectives if isinstance(one, Latency)]
    spare_s = min(one.target_s - (latency.at(one.percentile) or latency.mean_s) for one in asked)
    return _Hurried(job, target_s, max(0.0, spare_s) if job.met else 0.0)


def _waited_for(dial: Dial, at_s: float, cut_s: float | None) -> bool:
    """Whether it was cut lately; where that does not come, as in a dry run, it is not said again every round."""
    return cut_s is not None and at_s < cut_s + (_AGAIN_AFTER_S if dial.now is None else _SHOWS_AFTER_S)


def _cut(job: JobView, dial: Dial, others: Sequence[_Hurried], cut_s: float | None) -> _Cut | None:
    batches = [one for one in job.figures.batches[-_BATCHES:] if one.is_measured and one.busy_s and one.rows]
    if not others or len(batches) < _BATCHES or (cut_s is not None and batches[0].began_s < cut_s):
        return None
    last = batches[-1]
    row_s = min((one.busy_s or 0.0) / one.rows for one in batches)
    lasts_s = _lasts_s(last) if dial.now is None else dial.now * row_s
    too_short = dial.now is not None and lasts_s < _TOO_SHORT * others[0].wanted_s
    first = others[0] if too_short else next((one for one in others if one.spare_s <= lasts_s), None)
    if first is None or not (too_short or lasts_s > _TOO_LONG * first.wanted_s):
        return None
    rows = max(first.wanted_s / row_s, max(last.rows, last.left_rows or 0.0) / _MOST_TASKS)
    wanted = dial.held(max(1.0, float(f"{rows:.2g}")))
    return None if wanted == dial.now else _Cut(move_of(dial, wanted), lasts_s, first)


def _lasts_s(batch: BatchFigures) -> float:
    """A task of a batch, as if all stages did the same."""
    return (batch.busy_s or 0.0) * (batch.stages or 1) / max(1, batch.tasks or 1)


def _why(cuts: list[_Cut]) -> str:
    first = max(cuts, key=lambda cut: cut.lasts_s / cut.hurried.wanted_s)
    names = together([cut.move.job for cut in cuts])
    if first.lasts_s < first.hurried.wanted_s:
        return f"tasks of {names} are over sooner than anybody needs; each reads more rows, for a task has its own cost"
    return (
        f"tasks of {names} hold their slots for up to {first.lasts_s:.1f} s, and {first.hurried.job.name} asks for "
        f"{text_of_seconds(first.hurried.target_s)}; each reads fewer rows, so that slots are free within "
        f"{text_of_seconds(first.hurried.wanted_s)}; batches stay as they are"
    )
