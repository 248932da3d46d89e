"""The demo: four tenants on real Spark under FIFO, under FAIR, and governed by the default policy as it comes."""

import math
from collections.abc import Callable, Sequence
from functools import partial

from penstock.core.run import DecisionRecord
from penstock.core.seen.view import View
from penstock.engines.spark.launch.application import start_application
from penstock.governing.comparison import PolicyTurn, Tenants, TrialResult, run_trial
from penstock.governing.demo_tenants import SLOTS, URGENT, demo_tenants

SPIKE_FROM_S, SPIKE_TO_S, TRIAL_S, MEASURED_FROM_S = 14.0, 20.0, 40.0, 10.0
WARM_UP_S, ALONE_S = 12.0, 9.0
WINDOW_S = 4.0
LEAST_TARGET_S = 3.0
TIMES_BEST = 2.3  # the urgent tenant's target is so many times the best that this machine can do
TURNS = (("fifo", "FIFO"), ("fair", "FAIR"), ("penstock", "governed"))

Show = Callable[[str, View], None]
Tell = Callable[[DecisionRecord], None]


def run_demo(say: Callable[[str], None], show: Show, tell: Tell) -> Sequence[TrialResult]:
    """The three trials' results, in the order of `TURNS`."""
    say(f"starting Spark, embedded: local[{SLOTS}]")
    spark = start_application("demo", f"local[{SLOTS}]", {"spark.sql.shuffle.partitions": 4})
    try:
        say("warming up")
        run_trial(spark, _tenants(LEAST_TARGET_S), PolicyTurn("fifo", WARM_UP_S))
        alone = run_trial(spark, _tenants(LEAST_TARGET_S, alone=True), PolicyTurn("fair", ALONE_S, window_s=WINDOW_S))
        target_s = target_of(alone)
        say(f"{URGENT} alone on Spark: {_best_s(alone):.1f} s at best; its target from now on: {target_s:g} s")
        tenants = _tenants(target_s)
        return [run_trial(spark, tenants, _trial(policy), partial(show, title), tell) for policy, title in TURNS]
    finally:
        spark.stop()


def target_of(alone: TrialResult) -> float:
    """What the urgent tenant may ask for on this machine, to a tenth of a second."""
    return max(LEAST_TARGET_S, math.ceil(10.0 * TIMES_BEST * _best_s(alone)) / 10.0)


def _best_s(alone: TrialResult) -> float:
    found = [view.job(URGENT).figures.latency for view in alone.views]
    return min((latency.mean_s for latency in found if latency is not None), default=LEAST_TARGET_S / TIMES_BEST)


def _tenants(target_s: float, alone: bool = False) -> Tenants:
    listed = [one for one in demo_tenants(SPIKE_FROM_S, SPIKE_TO_S, target_s) if not alone or one.name == URGENT]
    intents = {tenant.name: tenant.intent for tenant in listed}
    return Tenants(lambda place: [tenant.job(place) for tenant in listed], intents)


def _trial(policy: str) -> PolicyTurn:
    return PolicyTurn(policy, TRIAL_S, MEASURED_FROM_S, window_s=WINDOW_S)
