"""The search: the best shares and bounds of all jobs together, from what each would give.

It begins at how the levers stand, at equal shares and at some that favour the most valuable; from the best of these it
turns one job's levers at a time, whichever is best, and the best of several jobs together, until nothing gains. After
the first round only what was most promising of each job is tried again. A round's candidates are foretold at once.
"""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from penstock.core.arrays import Floats
from penstock.planning.arbiter.candidates import Settings, joined, present
from penstock.planning.arbiter.fleet import UNBOUNDED, Fleet
from penstock.planning.arbiter.many import priced
from penstock.planning.arbiter.outcome import HORIZON_S, CandidateOutcomes, foretell
from penstock.planning.arbiter.sharing import paced

BATCHES_S = (0.5, 1.0, 2.0, 3.0, 5.0, 8.0)  # how long bounded batches are to take
_ROUNDS = 8
MANY = 30  # jobs: of more, each is looked at by itself, at a price of slots
_KEPT_OF_A_JOB = 8  # of all that is tried of a job, once all of it was looked at
_LEAST_GAIN = 1e-3  # of the maximum utility, for one more turn of a lever
_OF_FEARED = 0.6  # of the gain that most of what is feared would have to come for
TURN_COSTS = 1e-3  # of the maximum utility: of two that give the same, the one that turns less


@dataclass(frozen=True, slots=True)
class Found:
    """The best, and what it would give; beside it what the levers give as they stand."""

    best: Settings
    outcome: CandidateOutcomes
    now: CandidateOutcomes

    @property
    def gain(self) -> float:
        """Of utility, over leaving all as it is; of what is only feared to come a part."""
        over_all = float(self.outcome.total[0] - self.now.total[0])
        founded = float(self.outcome.founded.sum() - self.now.founded.sum())
        return max(min(over_all, founded), _OF_FEARED * over_all)


def search(fleet: Fleet, horizon_s: float = HORIZON_S) -> Found:
    """The best that was found."""
    now = present(fleet)
    outcome = foretell(fleet, now, horizon_s)
    if fleet.max_utility - float(outcome.total[0]) <= _LEAST_GAIN * fleet.max_utility:
        return Found(now, outcome, outcome)  # nobody lacks anything
    steps = bound_steps(fleet, horizon_s)
    if fleet.size > MANY:
        return _at_a_price(fleet, now, steps, horizon_s)
    best, score = _best_of(_scored(fleet, joined([now, *_beginnings(fleet, now, steps)]), horizon_s))
    worth_trying: Candidates | None = None
    for _ in range(_ROUNDS):
        around = _neighbours(fleet, best, steps) if worth_trying is None else worth_trying.on(best)
        alone = _scored(fleet, around.settings, horizon_s)
        together = _scored(fleet, around.best_together(alone.scores, best), horizon_s)
        better, its_score = max((_best_of(alone), _best_of(together)), key=lambda found: found[1])
        if its_score <= score + _LEAST_GAIN * fleet.max_utility:
            break
        best, score = better, its_score
        worth_trying = around.most_promising(alone.scores) if worth_trying is None else worth_trying
    return Found(best, foretell(fleet, best, horizon_s), outcome)


def _at_a_price(fleet: Fleet, now: Settings, steps: Floats, horizon_s: float) -> Found:
    """Of a large fleet: all of what the price gives, or its bounds alone, or its shares alone, or nothing."""
    at_price = priced(fleet, steps, horizon_s)
    candidates = joined([now, at_price, replace(now, bounds=at_price.bounds), replace(now, weights=at_price.weights)])
    outcome = foretell(fleet, candidates, horizon_s)
    scores = outcome.total - TURN_COSTS * fleet.max_utility * _turned(fleet, candidates)
    place = int(np.argmax(scores))
    return Found(candidates.row(place), outcome.row(place), outcome.row(0))


@dataclass(frozen=True, slots=True)
class Scored:
    """Candidates, and what each would give, less what turning levers costs."""

    settings: Settings
    scores: Floats


@dataclass(frozen=True, slots=True)
class Candidates:
    """Settings that differ from one of them in a single job's levers; `whose` says in which job's."""

    settings: Settings
    whose: NDArray[np.intp]

    def on(self, best: Settings) -> "Candidates":
        """The same turns of the same jobs, beside other levers of the others."""
        rows = np.arange(len(self.whose))
        settings = best.times(len(rows))
        settings.put(rows, self.whose, self.settings, rows)
        return Candidates(settings, self.whose)

    def most_promising(self, scores: Floats) -> "Candidates":
        """Some of each job: those that scored best."""
        order = np.lexsort((-scores, self.whose))
        starts = np.searchsorted(self.whose[order], np.arange(self.settings.weights.shape[1]))
        place = np.arange(len(order)) - starts[self.whose[order]]
        kept = order[place < _KEPT_OF_A_JOB]
        return Candidates(self.settings.rows(kept), self.whose[kept])

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
    turns = TURN_COSTS * fleet.max_utility * _turned(fleet, candidates)
    return Scored(candidates, foretell(fleet, candidates, horizon_s).total - turns)


def _best_of(found: Scored) -> tuple[Settings, float]:
    place = int(np.argmax(found.scores))
    return found.settings.row(place), float(found.scores[place])


def bound_steps(fleet: Fleet, horizon_s: float) -> Floats:
    """The bounds to try of each job (first axis: jobs): rows that take so long at its present pace, or none."""
    now = present(fleet)
    found = paced(fleet, now, horizon_s)
    rows = (np.array(BATCHES_S)[None, :] - found.fixed_s[0][:, None]) / np.maximum(found.row_s[0][:, None], 1e-12)
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


def _weight_steps(fleet: Fleet, now: float) -> list[float]:
    """Weights to try beside the present one: some more, some less, and what is most."""
    most = int(fleet.slots)
    steps = {now - 2, now - 1, now, now + 1, now + 2, round(now / 2), 2 * now, round(most / 2), most - fleet.size + 1}
    return sorted(float(step) for step in steps if 1 <= step <= max(most, now))


def _beginnings(fleet: Fleet, now: Settings, steps: Floats) -> list[Settings]:
    """Equal shares, shares by worth, and most for each of the most valuable; each with batches of several lengths."""
    values = np.array([job.max_utility for job in fleet.jobs])
    shapes = [np.ones(fleet.size), np.maximum(1.0, np.round(fleet.slots * values / values.sum()))]
    for place in np.argsort(-values, kind="stable")[:3]:
        for part in (0.5, 0.75):
            shape = np.ones(fleet.size)
            shape[place] = max(1.0, np.round(part * fleet.slots))
            shapes.append(shape)
    many = []
    for shape in shapes:
        shared = replace(now, weights=_held(fleet, shape))
        many.append(replace(shared, bounds=steps[:, -1][None, :]))
        for length in range(len(BATCHES_S)):
            bounded = steps[:, length]
            many.append(replace(shared, bounds=bounded[None, :]))
            # All but the most valuable: its own rows are not to wait.
            spared = np.where(values >= values.max(), steps[:, -1], bounded)
            many.append(replace(shared, bounds=spared[None, :]))
    return many


def _held(fleet: Fleet, weights: Floats) -> Floats:
    held: Floats = np.clip(weights, fleet.least, fleet.most)[None, :]
    return held


def _neighbours(fleet: Fleet, best: Settings, steps: Floats) -> Candidates:
    """Every single job turned to every share and bound that is tried."""
    many, whose = [], []
    for place in range(fleet.size):
        shares = np.clip(_weight_steps(fleet, best.weights[0, place]), fleet.least[place], fleet.most[place])
        limits = np.append(steps[place], best.bounds[0, place])
        options = np.unique(np.array(np.meshgrid(shares, limits)).reshape(2, -1).T, axis=0)
        turned = best.times(len(options))
        turned.weights[:, place], turned.bounds[:, place] = options[:, 0], options[:, 1]
        many.append(turned)
        whose.append(np.full(len(options), place))
    return Candidates(joined(many), np.concatenate(whose))


def _turned(fleet: Fleet, settings: Settings) -> Floats:
    """How many levers are turned from where they stand, a share of those there are."""
    moved = (settings.weights != fleet.weights).sum(axis=1) + (settings.bounds != fleet.bounds).sum(axis=1)
    share: Floats = moved / fleet.size
    return share
