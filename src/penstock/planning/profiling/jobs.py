"""The search: copies of a job at several scale-outs side by side, at rising rates, each ended when it falls behind.

                      +------------- a round: every copy that is left at one rate ------------+
                      |                                                                       |
    START --> RISING -+--> some invalid: end them, their Tmax is known --> none left --> DONE |
                ^                                                                             |
                +---------------------- the next rate <---------------------------------------+

A pure state machine: a runner starts and ends copies, sets the rate, measures, and tells. The state is a plain
frozen value, so that a search can be stopped, stored and gone on with.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from penstock.analysis.models.validity import boundary
from penstock.core.seen.evidence import Observation
from penstock.core.units import positive
from penstock.errors import ConfigError

FEWEST_FOR_CLUSTERS = 3  # copies: with fewer there is no majority to be compared with (III-C)
DEVIATES = 1.8  # times the latency that a copy's own past predicts: it falls behind


@dataclass(frozen=True, slots=True)
class CopySearchSettings:
    """The paper's numbers (section IV-B)."""

    first_rps: float = 20_000.0
    step_rps: float = 20_000.0
    settle_s: float = 300.0  # after a change of the rate, before anything is measured
    measure_s: float = 120.0
    most_rounds: int = 100

    def __post_init__(self) -> None:
        for name in ("first_rps", "step_rps", "measure_s"):
            positive(getattr(self, name), name)

    @property
    def round_s(self) -> float:
        """How long a round takes."""
        return self.settle_s + self.measure_s


@dataclass(frozen=True, slots=True)
class MeasuredCopy:
    """One copy over one round. `latency_s` is None when nothing came out of it.

    `keeps_up` is whether it processed what arrived, where the runner knows: a micro-batch job's latency rises well
    before it falls behind, and what a copy that keeps up has processed is not its capacity.
    """

    scaleout: int
    rate_rps: float
    latency_s: float | None
    processed_rps: float
    keeps_up: bool | None = None


@dataclass(frozen=True, slots=True)
class CopySearch:
    """Where a search is: the copies that run, what was found, what it has cost."""

    running: tuple[int, ...]  # scale-outs of the copies, rising
    rate_rps: float
    found: tuple[Observation, ...] = ()
    rounds: int = 0
    cost_executor_s: float = 0.0
    known: Mapping[int, tuple[tuple[float, float], ...]] = field(default_factory=dict)  # (rate, latency), valid ones
    behind: tuple[int, ...] = ()  # copies that did not process what arrived in the last round

    @property
    def done(self) -> bool:
        """Whether every copy was ended."""
        return not self.running

    @property
    def executors(self) -> int:
        """What the next round needs."""
        return sum(self.running)


@dataclass(frozen=True, slots=True)
class CopyEnded:
    """A copy to be ended, with the most that it was seen to process."""

    scaleout: int
    capacity_rps: float
    why: str


def start(
    scaleouts: Sequence[int], room: int | None, settings: CopySearchSettings = CopySearchSettings()
) -> CopySearch:
    """Begin with a copy at each of these scale-outs; refused when the cluster has no room for them together."""
    sizes = tuple(sorted(set(scaleouts)))
    if not sizes or sizes[0] < 1:
        raise ConfigError("scaleouts", list(scaleouts), "give at least one scale-out, each a whole number above zero")
    if room is not None and sum(sizes) > room:
        remedy = f"the copies need {sum(sizes)} executors side by side; give fewer or smaller ones, or free executors"
        raise ConfigError("scaleouts", f"{list(sizes)} on {room} free executors", remedy)
    return CopySearch(sizes, settings.first_rps)


def after_round(
    search: CopySearch, measured: Sequence[MeasuredCopy], settings: CopySearchSettings = CopySearchSettings()
) -> tuple[CopySearch, tuple[CopyEnded, ...]]:
    """What was measured of every copy that runs -> the search at its next rate, and the copies to end."""
    told = {one.scaleout: one for one in measured}
    missing = [size for size in search.running if size not in told]
    if missing:
        raise ConfigError("measured", sorted(told), f"the copy of scale-out {missing[0]} runs too: measure it")
    copies = [told[size] for size in search.running]
    last = search.rounds + 1 >= settings.most_rounds
    late = {one.scaleout: _why_invalid(one, copies, search) for one in copies}
    ended = tuple(
        CopyEnded(one.scaleout, one.processed_rps, late[one.scaleout] or f"{settings.most_rounds} rounds are enough")
        for one in copies
        if late[one.scaleout] or last
    )
    going_on = tuple(one for one in copies if late[one.scaleout] is None)
    known = {
        one.scaleout: (*search.known.get(one.scaleout, ()), (one.rate_rps, one.latency_s or 0.0)) for one in going_on
    }
    search = replace(
        search,
        running=() if last else tuple(one.scaleout for one in going_on),
        rate_rps=search.rate_rps + settings.step_rps,
        found=(*search.found, *_observations(copies, ended if not last else ())),
        rounds=search.rounds + 1,
        cost_executor_s=search.cost_executor_s + settings.round_s * search.executors,
        known={**search.known, **known},
        behind=tuple(one.scaleout for one in going_on if one.keeps_up is False),
    )
    return search, ended


def _why_invalid(one: MeasuredCopy, copies: Sequence[MeasuredCopy], search: CopySearch) -> str | None:
    if one.latency_s is None:
        return "nothing came out of it"
    if one.keeps_up:
        return None
    # Where latency rises by as much in every round, a line through its past would call each of them expected.
    if one.keeps_up is False and one.scaleout in search.behind:
        return "in two rounds it did not process what arrived"
    # With few copies left, or none of them valid any more, only a copy's own past can tell.
    if len(copies) >= FEWEST_FOR_CLUSTERS:
        limit = boundary([copy.latency_s for copy in copies if copy.latency_s is not None])
        if one.latency_s > limit:
            return f"its latency of {one.latency_s:.1f} s is not in the cluster of those that keep up"
    expected = _expected(one.rate_rps, search.known.get(one.scaleout, ()))
    if expected is not None and one.latency_s > DEVIATES * expected:
        return f"its latency of {one.latency_s:.1f} s is far from the {expected:.1f} s that its own past predicts"
    return None


def _expected(rate_rps: float, past: Sequence[tuple[float, float]]) -> float | None:
    """A straight line through what was valid before; level from one point, unknown from none."""
    if not past:
        return None
    rates, latencies = np.array([rate for rate, _ in past]), np.array([latency for _, latency in past])
    if len(past) < 3:
        return float(latencies.max())
    slope, level = np.polyfit(rates, latencies, 1)
    return float(max(latencies.min(), level + slope * rate_rps))


def _observations(copies: Sequence[MeasuredCopy], ended: Sequence[CopyEnded]) -> list[Observation]:
    found = [Observation(one.scaleout, one.rate_rps, one.latency_s) for one in copies if one.latency_s is not None]
    # A copy that has just fallen behind processes all it can: what it did is its capacity.
    return found + [
        Observation(one.scaleout, one.capacity_rps, None, saturated=True)
        for one in ended
        if math.isfinite(one.capacity_rps) and one.capacity_rps > 0
    ]
