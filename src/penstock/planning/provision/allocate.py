"""How many threads each operator needs for a rate: LSA and MBA ("Model-driven scheduling", algorithms 2 and 3)."""

import math
from collections.abc import Callable, Mapping
from typing import NamedTuple

from penstock.core.known.allocation import Allocation
from penstock.core.known.performance import PerformanceModel
from penstock.core.seen.topology import Edge, Topology
from penstock.core.units import non_negative
from penstock.errors import ConfigError


class Need(NamedTuple):
    """Threads, and slots' worth of CPU and memory."""

    threads: int
    cpu: float
    memory: float


NOTHING = Need(0, 0.0, 0.0)


MOST_PORTIONS = 1e15  # of what a slot does; beyond this floats count no single one


def allocate(
    topology: Topology,
    rate: float,
    models: Mapping[str, PerformanceModel],
    method: str = "mba",
    selectivity: Mapping[Edge, float] | None = None,
) -> Allocation:
    """Threads, CPU and memory of every operator when the sources take in `rate` rows per second.

    "lsa" scales what one thread does; "mba" fills slots with as many threads as serve them best.

    >>> model = PerformanceModel([(1, 2, 0.067, 0.239), (20, 10, 0.15, 0.26), (50, 30, 0.45, 0.35)])
    >>> a = allocate(Topology({"blob": []}), 100.0, {"blob": model})
    >>> a.threads["blob"], a.slots
    (170, 4)
    """
    if method not in ALLOCATIONS:
        raise ConfigError("allocate.method", method, f"choose one of {', '.join(ALLOCATIONS)}")
    rate_rps = non_negative(rate, "rate", "write rows per second, zero or more")
    rates = topology.rates(rate_rps, selectivity)
    _check_portions(rates, models)
    needs = {name: ALLOCATIONS[method](name, _model_of(name, models), rates[name]) for name in topology.operators}
    return Allocation(
        topology=topology,
        rate_rps=rate_rps,
        method=method,
        models={name: models[name] for name in topology.operators},
        selectivity=dict(selectivity or {}),
        rates_rps=rates,
        threads={name: need.threads for name, need in needs.items()},
        cpu={name: need.cpu for name, need in needs.items()},
        memory={name: need.memory for name, need in needs.items()},
    )


def _check_portions(rates: Mapping[str, float], models: Mapping[str, PerformanceModel]) -> None:
    """What no number of slots could take; nobody plans for it, and it has no number of threads."""
    for operator, rate_rps in rates.items():
        slowest_rps = min((p.rate_rps for p in _model_of(operator, models).points if p.rate_rps > 0), default=1.0)
        if not rate_rps / slowest_rps < MOST_PORTIONS:
            remedy = "plan for a lower rate, or give a smaller selectivity or a model with a higher rate"
            raise ConfigError(f"rate of {operator}", rate_rps, f"its model does {slowest_rps:g} rows/s; {remedy}")


def _model_of(operator: str, models: Mapping[str, PerformanceModel]) -> PerformanceModel:
    model = models.get(operator)
    if model is None:
        known = ", ".join(sorted(models)) or "none"
        raise ConfigError(f"models[{operator!r}]", None, f"give every operator a model; there are: {known}")
    return model


def linear(operator: str, model: PerformanceModel, rate_rps: float) -> Need:
    """LSA (algorithm 2): every thread is as fast, and as hungry, as one thread alone on a slot."""
    single_rps, cpu, memory = model.rate(1), model.cpu(1), model.memory(1)
    if single_rps == 0:
        raise ConfigError(f"models[{operator!r}]", model.points[0], "lsa needs a rate above zero with one thread")
    whole, rest_rps = _portions(rate_rps, single_rps)
    share = whole + rest_rps / single_rps  # the last thread is scaled down to what is left for it
    return Need(whole + (rest_rps > 0), cpu * share, memory * share)


def model_based(operator: str, model: PerformanceModel, rate_rps: float) -> Need:
    """MBA (algorithm 3): slots at the model's peak, each counted as full, and one with what is left."""
    bundles, rest_rps = _portions(rate_rps, model.peak.rate_rps)
    rest = partial(model, rest_rps)
    return Need(bundles * model.peak.threads + rest.threads, bundles + rest.cpu, bundles + rest.memory)


def partial(model: PerformanceModel, rate_rps: float) -> Need:
    """The threads on one slot that do less than the model's peak, and what they need of it."""
    threads = model.threads_for(rate_rps) if rate_rps > 0 else 0
    if not threads:
        return NOTHING
    if threads > 1:
        # No slot gives more than all of itself, although measured shares can lie a little above 1.
        return Need(threads, min(1.0, model.cpu(threads)), min(1.0, model.memory(threads)))
    share = rate_rps / model.rate(1)
    return Need(1, min(1.0, model.cpu(1) * share), min(1.0, model.memory(1) * share))


def _portions(rate_rps: float, portion_rps: float) -> tuple[int, float]:
    """How often the portion goes into the rate, and what is left; the paper's loop, without going round it."""
    whole = math.floor(rate_rps / portion_rps + 1e-9)
    rest = rate_rps - whole * portion_rps
    return whole, rest if rest > 1e-9 * portion_rps else 0.0


ALLOCATIONS: dict[str, Callable[[str, PerformanceModel, float], Need]] = {"lsa": linear, "mba": model_based}
