"""Tasks that hold slots for long are cut shorter, where somebody else asks for results within seconds.

Spark takes no slot from a task before it has ended. Whoever is in a hurry waits for others' tasks whatever its weight
is, and those last as long as a batch over its partitions does: seconds, once rows wait. Smaller batches would shorten
them too, but each has a fixed cost; a task more costs next to nothing, and the batch stays as it is.

    tasks of 3 s beside a target of 4 s  ->  as many rows a task as take 0.4 s
"""

from collections.abc import Iterator, Mapping
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
_SHORTEST_S, _LONGEST_S = 0.25, 1.0  # for less a task's own start would count; for more a wait shows
_TOO_LONG, _TOO_SHORT = 2.0, 0.5  # times that; between them nothing is turned
_MOST_TASKS = 400  # of a batch: the driver has to send and hear of each
_NEAR = 0.8  # of its target: who has less need not hurry
_SHOWS_AFTER_S, _AGAIN_AFTER_S = 20.0, 60.0
_BATCHES = 2  # that tell: in the first one is the query's own start


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
class _Cut:
    """Tasks of one job, that hold slots for so long, are to hold them for as long as `wanted_s`, for that tenant."""

    move: Move
    lasts_s: float
    wanted_s: float
    hurried: JobView


def _cuts(view: View, known: Mapping[str, float | None]) -> Iterator[_Cut]:
    sharing = [job for job in view.jobs if shares_pool(job.figures)]
    hurried = sorted(filter(_waits, sharing), key=lambda job: _target_s(job) or 0.0)[:2]
    for job in sharing:
        other = next((one for one in hurried if one.name != job.name), None)
        dial = job.figures.lever("piece")
        if other is None or dial is None or dial.by_people or _waited_for(dial, view.at_s, known.get(job.name)):
            continue
        cut = _cut(job, dial, other, known.get(job.name))
        if cut is not None:
            yield cut


def _waited_for(dial: Dial, at_s: float, cut_s: float | None) -> bool:
    """Whether it was cut lately; where that does not come, as in a dry run, it is not said again every round."""
    return cut_s is not None and at_s < cut_s + (_AGAIN_AFTER_S if dial.now is None else _SHOWS_AFTER_S)


def _cut(job: JobView, dial: Dial, hurried: JobView, cut_s: float | None) -> _Cut | None:
    batches = [one for one in job.figures.batches[-_BATCHES:] if one.is_measured and one.busy_s and one.rows]
    if len(batches) < _BATCHES or (cut_s is not None and batches[0].ended_s - batches[0].took_s < cut_s):
        return None
    last = batches[-1]
    row_s = min((one.busy_s or 0.0) / one.rows for one in batches)
    wanted_s = min(max(_OF_TARGET * (_target_s(hurried) or 0.0), _SHORTEST_S), _LONGEST_S)
    lasts_s = _lasts_s(last) if dial.now is None else dial.now * row_s
    too_short = dial.now is not None and lasts_s < _TOO_SHORT * wanted_s
    if not too_short and lasts_s <= _TOO_LONG * wanted_s:
        return None
    rows = max(wanted_s / row_s, max(last.rows, last.left_rows or 0.0) / _MOST_TASKS)
    wanted = dial.held(max(1.0, float(f"{rows:.2g}")))
    if wanted == dial.now:
        return None
    return _Cut(move_of(dial, wanted), lasts_s, wanted_s, hurried)


def _lasts_s(batch: BatchFigures) -> float:
    """A task of a batch, as if all stages did the same."""
    return (batch.busy_s or 0.0) * (batch.stages or 1) / max(1, batch.tasks or 1)


def _target_s(job: JobView) -> float | None:
    """The shortest latency that it asks for; None where it asks for none."""
    return min((one.target_s for one in job.intent.objectives if isinstance(one, Latency)), default=None)


def _waits(job: JobView) -> bool:
    """Whether it asks for results within seconds, and is near to missing that: else nobody need hurry for it."""
    target_s, latency = _target_s(job), job.figures.latency
    return target_s is not None and latency is not None and not (job.met and latency.mean_s < _NEAR * target_s)


def _why(cuts: list[_Cut]) -> str:
    first = max(cuts, key=lambda cut: cut.lasts_s / cut.wanted_s)
    names = together([cut.move.job for cut in cuts])
    if first.lasts_s < first.wanted_s:
        return f"rows of {names} cost less than they did: a task reads more of them, and is over as soon"
    return (
        f"tasks of {names} hold their slots for up to {first.lasts_s:.1f} s, and {first.hurried.name} asks for "
        f"{text_of_seconds(_target_s(first.hurried) or 0.0)}; each reads fewer rows, so that slots are free within "
        f"{text_of_seconds(first.wanted_s)}; batches stay as they are"
    )
