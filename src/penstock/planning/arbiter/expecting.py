"""What is expected: foretold of a decision or of leaving all as it is, and compared with what came."""

from dataclasses import replace
from itertools import repeat

from penstock.core.known.prediction import Foretold, PredictionError
from penstock.core.seen.view import View
from penstock.planning.arbiter.coming_back import coming_back
from penstock.planning.arbiter.fleet import Fleet
from penstock.planning.arbiter.learning import arrivals_of
from penstock.planning.arbiter.memory import ArbiterMemory, Expected
from penstock.planning.arbiter.outcome import HORIZON_S, CandidateOutcomes
from penstock.planning.arbiter.search import Found
from penstock.planning.arbiter.taking_back import SAME_ARRIVALS, shows
from penstock.planning.arrivals import same_rate

_COMPARED_AFTER_S = 60.0  # utilities are over windows: Henge's juice looks back a minute
_ERROR_KEPT = 0.8


def expecting(view: View, fleet: Fleet, now: CandidateOutcomes, memory: ArbiterMemory) -> ArbiterMemory:
    """With what is foretold of leaving all as it is, where nothing else is to be compared."""
    if memory.expected is not None:
        return memory
    return replace(memory, expected=expectation(view, fleet, now, memory))


def expectation(view: View, fleet: Fleet, outcome: CandidateOutcomes, memory: ArbiterMemory) -> Expected:
    """Each job's utility by that outcome, to be compared once it has shown."""
    utilities = dict(zip(fleet.names, outcome.settled[0].tolist(), strict=True))
    return Expected(view.at_s, view.at_s + _COMPARED_AFTER_S, utilities, arrivals_of(memory.costs))


def foretold_of(fleet: Fleet, found: Found, start_s: float) -> tuple[Foretold, ...]:
    """Of each job what the decision would bring, beside what is without it, and when it is back in its target."""
    then, now = found.outcome, found.now
    columns = (then.latency_s, then.juice, then.settled, now.latency_s, now.juice, now.settled)
    back = coming_back(fleet, found.best, HORIZON_S, start_s)
    targets_s, backs_s = zip(*map(back.get, fleet.names, repeat((None, None))), strict=True)
    return tuple(map(Foretold, fleet.names, *(column[0].tolist() for column in columns), targets_s, backs_s))


def compared(view: View, memory: ArbiterMemory) -> ArbiterMemory:
    """The running errors with what was foretold and has come, or not."""
    expected, acted = memory.expected, memory.acted
    if expected is None or view.at_s < expected.due_s:
        return memory
    if acted is not None and not shows(acted, view.at_s):
        return memory
    arrivals, errors = arrivals_of(memory.costs), dict(memory.errors)
    for job in view.jobs:
        name = job.name
        foretold, rate_rps = expected.utilities.get(name), arrivals.get(name)
        if foretold is None or job.utility is None:
            continue
        if rate_rps is not None and not same_rate(expected.arrivals_rps.get(name, 0.0), rate_rps, SAME_ARRIVALS):
            continue
        off = abs(job.utility - foretold) / max(job.max_utility, 1e-9)
        known = errors.get(name)
        share = off if known is None else _ERROR_KEPT * known.share + (1.0 - _ERROR_KEPT) * off
        errors[name] = PredictionError(name, share, 1 if known is None else known.of + 1)
    return replace(memory, errors=errors, expected=None)
