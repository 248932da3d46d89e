"""What came of a run of `benchmarks/kafka_cpu.py`: its record, one JSON line each, and the table of many."""

import json
import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from cpu_meter import Measured, Moment
from cpu_tenants import INTENTS, MAX_UTILITY, URGENT
from machine_use import MachineUse

from penstock.governing.comparison import TrialResult

COUNTED_FROM_S = 15.0
SETTLED_FROM_S = 30.0  # from here on the urgent tenant is to have its target
TITLES = (
    "case",
    "policy",
    "utility after 15 s",
    "range",
    "after 30 s",
    "last third",
    "urgent in its target after 30 s",
    "range",
    "its latency, s",
    "steps",
    "first, last step at s",
    "of the best fixed",
    "work done of all asked",
    "steal",
    "others' cores",
    "load",
)
HEADER = f"| {' | '.join(TITLES)} |\n{'|---' * len(TITLES)}|"


@dataclass(frozen=True, slots=True)
class Case:
    """How much is asked of how many slots; `rates` are rows a second of each tenant."""

    slots: int
    load: float
    rates: Mapping[str, float]

    @property
    def name(self) -> str:
        """In the table."""
        return f"{self.load:g} x the cores, {self.slots} slots"


@dataclass(frozen=True, slots=True)
class Ran:
    """One run, judged second by second."""

    case: Case
    policy: str
    turn: int
    result: TrialResult
    moments: Sequence[Moment]
    measured: Measured
    start_s: float
    machine: MachineUse

    def utility(self, from_s: float) -> float:
        """The mean share of the maximum from then on."""
        return _mean([moment.utility / MAX_UTILITY for moment in self.since(from_s)])

    @property
    def late_s(self) -> float:
        """Where the last third begins."""
        return self.result.trial.seconds * 2 / 3

    def since(self, from_s: float) -> list[Moment]:
        """The seconds from then on."""
        return [moment for moment in self.moments if moment.at_s > from_s]

    def met(self, name: str, from_s: float) -> float:
        """The share of time that a tenant had what it asked for."""
        return _mean([float(moment.had[name].met) for moment in self.since(from_s)])

    def latency_s(self, name: str, from_s: float) -> float | None:
        """The mean over time; None where nobody knows."""
        known = [had.latency_s for m in self.since(from_s) if (had := m.had[name]).latency_s is not None]
        return _mean(known) if known else None

    @property
    def steps_at_s(self) -> list[float]:
        """When something was turned."""
        return [told.decision.at_s for told in self.result.decisions if told.carried_out and told.decision.moves]

    @property
    def done_share(self) -> float:
        """Rows done of all that came while the run counted: below what is due where the cores did not suffice."""
        from_s = self.start_s + COUNTED_FROM_S
        rows = sum(b.rows for batches in self.measured.batches.values() for b in batches if b.committed_s >= from_s)
        return rows / (sum(self.case.rates.values()) * (self.result.trial.seconds - COUNTED_FROM_S))

    def document(self) -> dict[str, Any]:
        """All of it, for a file."""
        return {
            "slots": self.case.slots,
            "load": self.case.load,
            "rates": {name: round(rate, 2) for name, rate in self.case.rates.items()},
            "policy": self.policy,
            "turn": self.turn,
            "seconds": self.result.trial.seconds,
            "start_s": self.start_s,
            "utility": {
                "after_15_s": round(self.utility(COUNTED_FROM_S), 4),
                "after_30_s": round(self.utility(SETTLED_FROM_S), 4),
                "last_third": round(self.utility(self.late_s), 4),
                "as_the_policy_saw_it": round(self.result.utility_share, 4),
            },
            "urgent": {
                "in_its_target_after_30_s": round(self.met(URGENT, SETTLED_FROM_S), 4),
                "latency_s_after_30_s": self.latency_s(URGENT, SETTLED_FROM_S),
                "latency_s_last_third": self.latency_s(URGENT, self.late_s),
            },
            "tenants": {name: self._tenant(name) for name in INTENTS},
            "decisions": [{"at_s": told.decision.at_s, "text": told.text()} for told in self.result.decisions],
            "first_step_s": min(self.steps_at_s, default=None),
            "last_step_s": max(self.steps_at_s, default=None),
            "notes": [asdict(note) for note in self.result.run.notes],
            "errors": [asdict(note) for note in self.result.run.errors],
            "done_share": round(self.done_share, 4),
            "machine": asdict(self.machine),
            "timeline": {
                "at_s": [moment.at_s for moment in self.moments],
                "utility": [round(moment.utility, 2) for moment in self.moments],
                **{name: [_rounded(m.had[name].latency_s) for m in self.moments] for name in INTENTS},
            },
        }

    def _tenant(self, name: str) -> dict[str, Any]:
        batches = self.measured.batches.get(name, [])
        juices = [had.juice for m in self.since(SETTLED_FROM_S) if (had := m.had[name]).juice is not None]
        return {
            "utility_after_15_s": round(
                _mean([moment.had[name].utility for moment in self.since(COUNTED_FROM_S)]) / INTENTS[name].max_utility,
                4,
            ),
            "latency_s_after_30_s": self.latency_s(name, SETTLED_FROM_S),
            "juice_after_30_s": _mean(juices) if juices else None,
            # When each began and ended since the start, and its rows.
            "batches": [
                (round(b.started_s - self.start_s, 2), round(b.committed_s - self.start_s, 2), round(b.rows))
                for b in batches
            ],
        }


def line(ran: Ran) -> str:
    """The run in one line, as soon as it is over."""
    latency_s = ran.latency_s(URGENT, SETTLED_FROM_S)
    return (
        f"{ran.case.name}, {ran.policy}: utility {ran.utility(COUNTED_FROM_S):.3f} after 15 s, "
        f"{ran.utility(SETTLED_FROM_S):.3f} after 30 s, {ran.utility(ran.late_s):.3f} in the last third; {URGENT} "
        f"in its target {ran.met(URGENT, SETTLED_FROM_S):.0%} after 30 s, {_text(latency_s)} s; "
        f"{ran.done_share:.0%} of all asked was done; {ran.machine.text()}"
    )


def as_json(ran: Ran) -> str:
    """The record as one line of a file."""
    return json.dumps(ran.document(), allow_nan=False)


def table(runs: Sequence[Ran], fixed: Sequence[str]) -> list[str]:
    """A row for each policy of one case: medians and ranges; `fixed` are the names of those set by hand."""
    by_policy = {policy: [ran for ran in runs if ran.policy == policy] for policy in dict.fromkeys(_names(runs))}
    best = max((_median(by_policy[name], _whole) for name in fixed if by_policy.get(name)), default=None)
    return [_row(policy, ran, best) for policy, ran in by_policy.items()]


def _names(runs: Sequence[Ran]) -> list[str]:
    return [ran.policy for ran in runs]


def _row(policy: str, runs: Sequence[Ran], best: float | None) -> str:
    whole = _median(runs, _whole)
    steps = [ran.steps_at_s for ran in runs]
    latencies = [found for ran in runs if (found := ran.latency_s(URGENT, SETTLED_FROM_S)) is not None]
    cells = (
        runs[0].case.name,
        policy,
        f"{whole:.2f}",
        _range([_whole(ran) for ran in runs]),
        f"{_median(runs, lambda ran: ran.utility(SETTLED_FROM_S)):.2f}",
        f"{_median(runs, lambda ran: ran.utility(ran.late_s)):.2f}",
        f"{_median(runs, _urgent_met):.0%}",
        _range([_urgent_met(ran) for ran in runs]),
        _text(statistics.median(latencies) if latencies else None),
        "/".join(str(len(at_s)) for at_s in steps),
        " ".join(f"{min(at_s):.0f},{max(at_s):.0f}" if at_s else "-" for at_s in steps),
        "-" if best is None else f"{whole / best:.2f}",
        f"{_median(runs, lambda ran: ran.done_share):.0%}",
        f"{_median(runs, lambda ran: ran.machine.steal):.1%}",
        f"{_median(runs, lambda ran: ran.machine.others):.2f}",
        f"{_median(runs, lambda ran: ran.machine.load):.1f}",
    )
    return f"| {' | '.join(cells)} |"


def _whole(ran: Ran) -> float:
    return ran.utility(COUNTED_FROM_S)


def _urgent_met(ran: Ran) -> float:
    return ran.met(URGENT, SETTLED_FROM_S)


def _median(runs: Sequence[Ran], figure: Callable[[Ran], float]) -> float:
    return statistics.median(figure(ran) for ran in runs)


def _range(values: Sequence[float]) -> str:
    return f"{min(values):.2f}-{max(values):.2f}"


def _text(value: float | None) -> str:
    return "-" if value is None else f"{value:.1f}"


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 2)


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else 0.0
