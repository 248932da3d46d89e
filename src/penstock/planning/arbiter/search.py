"""The search: the best shares and bounds of all jobs together, from what each would give.

It begins at how the levers stand, at equal shares and at some that favour the most valuable. From the best of these
each job is looked at by itself, beside the others as they are: what is most promising is then foretold exactly, turned
alone and with that of several jobs together. The best is where the next round begins, until nothing gains. Of a large
fleet only turns of many jobs together are foretold, for each of them takes as long as there are jobs.
"""

from dataclasses import dataclass, fields, replace

import numpy as np
from numpy.typing import NDArray

from penstock.core.arrays import Floats
from penstock.core.asked.floors import LEAST_OF_OTHERS
from penstock.planning.arbiter.alone import gains
from penstock.planning.arbiter.candidates import Settings, joined, present
from penstock.planning.arbiter.columns import UNBOUNDED
from penstock.planning.arbiter.fleet import Fleet
from penstock.planning.arbiter.outcome import HORIZON_S, CandidateOutcomes, foretell, totals
from penstock.planning.arbiter.sharing import conditions, pace
from penstock.planning.arbiter.sparing import outstanding

BATCHES_S = (0.5, 1.0, 2.0, 3.0, 5.0, 8.0)  # how long bounded batches are to take
# How often batches may begin, turned in stride: the less often, the later is seen what comes of it.
_IN_STRIDE_S = (1.0, 2.0, 3.0, 5.0, 8.0)
_OF_TARGET = (0.25, 0.5)  # of the seconds that are asked for, between two batches
MANY = 30  # jobs: of more, only a few are turned alone
_ROUNDS = 8
_KEPT_OF_A_JOB = 6  # of its options, to be foretold exactly
_HUGE = 1_000  # jobs: of more, few options of each are looked at
_COUNTS, _FEW_COUNTS = 12, 4  # of jobs to turn together; of a huge fleet
_FORETOLD = 4_000  # candidates times jobs, in one round
_WORK = 2_500  # rounds times jobs
_LEAST_GAIN = 1e-3  # of the maximum utility, for one more turn of a lever
_OF_FEARED = 0.6  # of what is feared has come for those who miss something
_TOUCHED = 0.01  # of a job's utility: a change by less is none
# Of the maximum utility, if the batches of all were made smaller: what is held back waits, hurts as soon as more of it
# comes, and what it costs shows only then. Shares take nothing from anybody who does not need it.
_HELD_COSTS = 0.03
_HELD_THOUGH_CUT = 0.15  # the same of jobs whose tasks can be cut short instead: for others' sake they need not wait
_PACED_COSTS = 0.02  # the same, if the batches of all began more or less often than they do
TURN_COSTS = 1e-3  # of the maximum utility: of two that give the same, the one that turns less


@dataclass(frozen=True, slots=True)
class Found:
    """The best, and what it would give; beside it what the levers give as they stand."""

    best: Settings
    outcome: CandidateOutcomes
    now: CandidateOutcomes

    def touched(self, values: Floats) -> NDArray[np.bool_]:
        """The jobs that are foretold to have more or less utility by it: what is wrong of others is wrong of both."""
        apart = np.abs(self.outcome.utility[0] - self.now.utility[0])
        touched: NDArray[np.bool_] = apart > _TOUCHED * values
        return touched

    def gain(self, missed: NDArray[np.bool_], untold: NDArray[np.bool_] | None = None) -> float:
        """Of utility, over leaving all as it is; what is only feared is no reason to turn anything.

        To those who miss what they asked for already it has come, in part. A miss that nobody has, foretold on the word
        of a single batch (`untold`), is no reason either.
        """
        over_all, founded = self._over_all, self._founded
        foretold = founded if untold is None else np.where(untold, np.minimum(founded, 0.0), founded)
        counted = np.where(missed, np.maximum(founded, _OF_FEARED * over_all), foretold)
        return float(min(over_all.sum(), counted.sum()))

    def seen(self, missed: NDArray[np.bool_]) -> float:
        """What of that is for those who miss something now, less what the others lose by it."""
        theirs = np.where(missed, self._founded, np.minimum(self._founded, 0.0))
        return float(min(self._over_all.sum(), theirs.sum()))

    @property
    def _over_all(self) -> Floats:
        """What each gains, in the mean over all futures."""
        gained: Floats = self.outcome.utility[0] - self.now.utility[0]
        return gained

    @property
    def _founded(self) -> Floats:
        """The same over those futures that something speaks for."""
        gained: Floats = self.outcome.founded[0] - self.now.founded[0]
        return gained


def search(fleet: Fleet, horizon_s: float = HORIZON_S, rounds: int = _ROUNDS) -> Found:
    """The best that was found, in no more rounds than these, and fewer for a large fleet."""
    now = present(fleet)
    outcome = foretell(fleet, now, horizon_s)
    if fleet.max_utility - float(outcome.total[0]) <= _LEAST_GAIN * fleet.max_utility:
        return Found(now, outcome, outcome)  # nobody lacks anything
    steps = bound_steps(fleet, horizon_s)
    beginnings = _beginnings(fleet, now, steps)[: _FORETOLD // fleet.size]
    best, score = now, float(outcome.total[0])
    if beginnings:
        other, its_score = _best_of(_scored(fleet, joined(beginnings), horizon_s))
        best, score = (other, its_score) if its_score > score else (now, score)
    for _ in range(min(rounds, max(1, _WORK // fleet.size))):
        better, its_score = _turned_once(fleet, best, steps, horizon_s)
        if its_score <= score + _LEAST_GAIN * fleet.max_utility:
            break
        best, score = better, its_score
    return Found(best, outcome if best is now else foretell(fleet, best, horizon_s), outcome)


def _turned_once(fleet: Fleet, best: Settings, steps: Floats, horizon_s: float) -> tuple[Settings, float]:
    """The best of one round: the most promising turns of single jobs, and those of several jobs together."""
    options, repeated = _options(fleet, best, steps)
    promising = Promising(options, gains(fleet, best, options, ~repeated, horizon_s))
    together, alone = promising.together(best), promising.alone(best, _FORETOLD // fleet.size)
    found = _scored(fleet, joined([together, alone.settings]), horizon_s)
    if not len(alone.settings):
        return _best_of(found)
    of_alone = _scored(fleet, alone.best_together(found.scores[len(together) :], best), horizon_s)
    return max(_best_of(found), _best_of(of_alone), key=lambda one: one[1])


@dataclass(frozen=True, slots=True)
class Scored:
    """Candidates, and what each would give, less what turning levers costs."""

    settings: Settings
    scores: Floats


@dataclass(frozen=True, slots=True)
class Promising:
    """Options of every job (second axis), and what each is thought to be worth."""

    options: Settings
    gains: Floats

    def alone(self, best: Settings, most: int) -> "Candidates":
        """Turns of one job each: the most promising of all, some of each job; none where there is no room for any."""
        order = np.argsort(-self.gains, axis=0, kind="stable")
        kept = np.zeros(order.shape, dtype=bool)
        np.put_along_axis(kept, order[:_KEPT_OF_A_JOB], True, axis=0)
        if best.weights.shape[1] <= MANY:  # their price is that of a little more; several slots are another matter
            kept |= self.options.bounds == best.bounds
        rows, jobs = np.nonzero(kept)
        worth_it = self.gains[rows, jobs]
        most = min(most, int(np.isfinite(worth_it).sum()))
        promising = np.argsort(-worth_it, kind="stable")[:most]
        rows, jobs = rows[promising], jobs[promising]
        settings = best.times(len(rows))
        settings.put(np.arange(len(rows)), jobs, self.options, rows)
        return Candidates(settings, jobs)

    def together(self, best: Settings) -> Settings:
        """The best option of the one job that gains most by its own, of the two, and so on; of many in larger steps."""
        firsts, jobs = np.argmax(self.gains, axis=0), np.arange(self.gains.shape[1])
        worth_it = self.gains[firsts, jobs]
        ranked = np.argsort(-worth_it, kind="stable")[: max(1, int((worth_it > 0.0).sum()))]
        counts = _counts(len(ranked), _COUNTS if self.gains.shape[1] <= _HUGE else _FEW_COUNTS)
        settings = best.times(len(counts))
        for row, count in enumerate(counts):
            turned = ranked[:count]
            settings.put(row, turned, self.options, firsts[turned])
        return settings


def _counts(most: int, steps: int) -> list[int]:
    """From one or a few up to so many, in growing steps."""
    return sorted({round(most * part) for part in np.geomspace(1.0 / min(most, 100), 1.0, min(most, steps))})


@dataclass(frozen=True, slots=True)
class Candidates:
    """Settings that differ from one of them in a single job's levers; `whose` says in which job's."""

    settings: Settings
    whose: NDArray[np.intp]

    def best_together(self, scores: Floats, best: Settings) -> Settings:
        """The best turn of one job, of two jobs together, of three, and so on."""
        order = np.lexsort((-scores, self.whose))
        firsts = order[np.unique(self.whose[order], return_index=True)[1]]
        ranked = firsts[np.argsort(-scores[firsts], kind="stable")]
        together = best.times(len(ranked))
        for place, row in enumerate(ranked):
            together.put(slice(place, None), int(self.whose[row]), self.settings, int(row))
        return together


def _scored(fleet: Fleet, candidates: Settings, horizon_s: float) -> Scored:
    held = ((candidates.bounds < fleet.bounds) * np.where(fleet.can_cut, _HELD_THOUGH_CUT, _HELD_COSTS)).mean(axis=1)
    paced = (candidates.triggers != fleet.trigger_s).mean(axis=1)
    price = TURN_COSTS * _turned(fleet, candidates) + held + _PACED_COSTS * paced
    return Scored(candidates, _totals(fleet, candidates, horizon_s) - fleet.max_utility * price)


def _totals(fleet: Fleet, candidates: Settings, horizon_s: float) -> Floats:
    """What each would give; of those that are alike one is foretold: of jobs with few options a tenth to all are."""
    if fleet.size > MANY:  # to tell long rows apart takes longer than it saves
        return totals(fleet, candidates, horizon_s)
    levers = np.concatenate([getattr(candidates, one.name) for one in fields(Settings)], axis=1)
    _, firsts, whose = np.unique(levers, axis=0, return_index=True, return_inverse=True)
    return totals(fleet, candidates.rows(firsts), horizon_s)[whose.reshape(-1)]


def _best_of(found: Scored) -> tuple[Settings, float]:
    place = int(np.argmax(found.scores))
    return found.settings.row(place), float(found.scores[place])


def bound_steps(fleet: Fleet, horizon_s: float) -> Floats:
    """The bounds to try of each job (first axis: jobs): rows that take so long at its present pace, or none.

    What takes long for want of a single slot says nothing of how long its rows would hold one.
    """
    now = present(fleet)
    met = conditions(fleet, now, horizon_s)
    found = pace(fleet, now, replace(met, slots=np.maximum(met.slots, 1.0)))
    fixed_s, row_s = found.fixed_s[0][:, None], found.row_s[0][:, None]
    # A batch is to take as long for its rows as for itself, at least: else a job is brought to a standstill.
    rows = np.maximum(np.array(BATCHES_S)[None, :] - fixed_s, fixed_s) / np.maximum(row_s, 1e-12)
    # What waits is not to be taken at once where that would hold slots for long: nothing is preempted.
    longest = _rounded(rows[:, -1:])
    unbounded = np.where(fleet.backlog[:, None] > longest, longest, UNBOUNDED)
    # What will never wait bounds nothing, however little a row is thought to cost.
    most = (fleet.backlog + horizon_s * fleet.arrivals)[:, None]
    rows = np.where(rows < most, rows, UNBOUNDED)
    steps = np.concatenate([_rounded(rows), unbounded], axis=1)
    steps = np.minimum(steps, fleet.own_bounds[:, None])
    return np.where(fleet.can_bound[:, None], steps, fleet.bounds[:, None])


def _rounded(rows: Floats) -> Floats:
    """To two figures, as a person would write it; what is less than a row bounds nothing."""
    kept = np.where(np.isfinite(rows), np.maximum(rows, 1.0), 1.0)
    unit = 10.0 ** np.maximum(0.0, np.floor(np.log10(kept)) - 1.0)
    rounded: Floats = np.where((rows >= 1.0) & np.isfinite(rows), np.round(kept / unit) * unit, UNBOUNDED)
    return rounded


def _weight_steps(fleet: Fleet, now: Floats) -> Floats:
    """Weights to try (first axis) beside each job's present one: some more, some less, and for most of the slots."""
    slots = np.floor(fleet.slots)
    half, all_others_one = np.full_like(now, np.round(slots / 2)), np.full_like(now, slots - fleet.size + 1)
    steps = np.stack([now - 2, now - 1, now, now + 1, now + 2, np.round(now / 2), 2 * now, half, all_others_one])
    if fleet.size <= MANY:
        steps = np.concatenate([steps, _for_most_slots(fleet, now, slots)])
    most = fleet.most if fleet.size <= MANY else slots
    steps = np.where((steps >= 1) & (steps <= np.maximum(most, now)), steps, now)
    weights: Floats = np.sort(np.clip(steps, fleet.lowest, fleet.most), axis=0)
    return weights


def _for_most_slots(fleet: Fleet, now: Floats, slots: float) -> Floats:
    """The weights that stand for three of four slots, all but one, and all, beside those of the others as they are.

    Of one that may have fewer slots, for those.
    """
    others = now.sum() - now
    most = np.where(_may_have_all(fleet), slots - LEAST_OF_OTHERS, slots - 1.0)
    parts = np.stack([np.full_like(now, min(np.ceil(0.75 * slots), slots - 1.0)), np.full_like(now, slots - 1.0), most])
    parts = np.minimum(parts, fleet.most_slots)
    weights: Floats = np.ceil(parts * others / (slots - parts))
    return weights


def _may_have_all(fleet: Fleet) -> NDArray[np.bool_]:
    """Who may have all slots, so that others run while it pauses between its batches: who is worth much more than they.

    Only if it misses something, or soon may, for code is new; and where no slots of others are promised.
    """
    promised = fleet.lowest > 1.0
    to_others = promised.sum() - promised
    may: NDArray[np.bool_] = outstanding(fleet) & (fleet.missing | fleet.young) & (to_others == 0)
    return may


def _beginnings(fleet: Fleet, now: Settings, steps: Floats) -> list[Settings]:
    """Equal shares, shares by worth, and most for each of the most valuable; then these with batches of any length."""
    values = fleet.values
    shapes = [np.ones(fleet.size), np.maximum(1.0, np.round(fleet.slots * values / values.sum()))]
    most, _, all_ = _for_most_slots(fleet, np.ones(fleet.size), np.floor(fleet.slots))
    for place in np.argsort(-values, kind="stable")[:3]:
        for weight in (np.round(0.5 * fleet.slots), np.round(0.75 * fleet.slots), most[place], all_[place]):
            shape = np.ones(fleet.size)
            shape[place] = max(1.0, weight)
            shapes.append(shape)
    shared = [replace(now, weights=_held(fleet, shape)) for shape in shapes]
    many = [*shared, *(replace(one, bounds=steps[:, -1][None, :]) for one in shared)]
    many += [replace(one, triggers=seldom[None, :]) for one in shared for seldom in _seldom(fleet)]
    for one in shared:
        for length in range(len(BATCHES_S)):
            bounded = steps[:, length]
            many.append(replace(one, bounds=bounded[None, :]))
            # All but the most valuable: its own rows are not to wait.
            spared = np.where(values >= values.max(), steps[:, -1], bounded)
            many.append(replace(one, bounds=spared[None, :]))
    return many


def _seldom(fleet: Fleet) -> list[Floats]:
    """Batches that begin as seldom as what is asked for allows: what starting one costs is saved for its rows."""
    if not fleet.in_stride.any():
        return []
    steps, targets_s = np.array((0.0, *_IN_STRIDE_S)), _targets_s(fleet)
    longest = [steps[np.searchsorted(steps, part * targets_s, side="right") - 1] for part in _OF_TARGET]
    return [np.where(fleet.in_stride, np.maximum(fleet.trigger_s, every_s), fleet.trigger_s) for every_s in longest]


def _targets_s(fleet: Fleet) -> Floats:
    """The seconds that are asked for; none: as many as you like."""
    targets_s = np.full(fleet.size, np.inf)
    for alike in fleet.objectives:
        if alike.kind == "latency":
            targets_s[alike.jobs] = np.minimum(targets_s[alike.jobs], alike.targets)
    return targets_s


def _held(fleet: Fleet, weights: Floats) -> Floats:
    held: Floats = np.clip(weights, fleet.lowest, fleet.most)[None, :]
    return held


def _options(fleet: Fleet, best: Settings, steps: Floats) -> tuple[Settings, NDArray[np.bool_]]:
    """Every share and bound to try of each job (second axis), and which of them repeat others."""
    weights, tried = _weight_steps(fleet, best.weights[0]), steps.T
    if fleet.size > _HUGE:
        weights, tried = weights[:: len(weights) // 2], tried[:: len(tried) // 2]
    bounds = np.sort(np.concatenate([tried, best.bounds]), axis=0)
    repeated = _repeated(weights)[:, None, :] | _repeated(bounds)[None, :, :]
    shape = repeated.shape
    flat = (-1, fleet.size)
    options = replace(
        best.times(shape[0] * shape[1]),
        weights=np.broadcast_to(weights[:, None, :], shape).reshape(flat),
        bounds=np.broadcast_to(bounds[None, :, :], shape).reshape(flat),
    )
    paced, again = _paced(fleet, best)
    return joined([options, paced]), np.concatenate([repeated.reshape(flat), again])


def _paced(fleet: Fleet, best: Settings) -> tuple[Settings, NDArray[np.bool_]]:
    """Every trigger to try of each job whose batches may begin more or less often while it runs."""
    few = fleet.size > _HUGE
    steps = np.array(() if not fleet.in_stride.any() else _IN_STRIDE_S[3:4] if few else _IN_STRIDE_S)
    tried = np.broadcast_to(steps[:, None], (len(steps), fleet.size))
    triggers = np.concatenate([tried, fleet.own_trigger_s[None, :]])
    options = replace(best.times(len(triggers)), triggers=triggers)
    late = triggers > np.maximum(_OF_TARGET[-1] * _targets_s(fleet), fleet.own_trigger_s)
    again: NDArray[np.bool_] = ~fleet.in_stride | late | (triggers == best.triggers)
    return options, again


def _repeated(ordered: Floats) -> NDArray[np.bool_]:
    same: NDArray[np.bool_] = np.zeros(ordered.shape, dtype=bool)
    same[1:] = ordered[1:] == ordered[:-1]
    return same


def _turned(fleet: Fleet, settings: Settings) -> Floats:
    """How many levers are turned from where they stand, a share of those there are."""
    levers = ((settings.weights, fleet.weights), (settings.bounds, fleet.bounds), (settings.triggers, fleet.trigger_s))
    share: Floats = sum((stand != now).sum(axis=1) for stand, now in levers) / fleet.size
    return share
