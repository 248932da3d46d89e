"""The demo: four tenants on real Spark under FIFO, under FAIR, and governed."""

from collections.abc import Callable, Sequence
from functools import partial

from penstock.core.view import View
from penstock.governing.application import start_application
from penstock.governing.comparison import Tenants, Trial, TrialResult, run_trial
from penstock.governing.demo_tenants import SLOTS, demo_tenants

SPIKE_FROM_S, SPIKE_TO_S, TRIAL_S, MEASURED_FROM_S, WARM_UP_S = 12.0, 18.0, 27.0, 5.0, 12.0
WINDOW_S = 4.0
# Rounds of 1 s instead of 10, so that a search fits into seconds: utilities are held quiet after fewer of them.
_HENGE = {
    "quiet_rounds": 1,
    "quiet_within": 0.05,
    "quiet_at_most_s": 6.0,
    "drop_within": 0.25,  # seconds after a step the backlog it found is still being worked off
    "blocklist_s": 10.0,
    "rounds_at_max": 3,
}
TURNS = (("fifo", "FIFO"), ("fair", "FAIR"), ("henge", "governed"))

Show = Callable[[str, View], None]


def run_demo(say: Callable[[str], None], show: Show) -> Sequence[TrialResult]:
    """The three trials' results, in the order of `TURNS`."""
    say(f"starting Spark, embedded: local[{SLOTS}]")
    spark = start_application("demo", f"local[{SLOTS}]", {"spark.sql.shuffle.partitions": 4})
    try:
        listed = demo_tenants(SPIKE_FROM_S, SPIKE_TO_S)
        intents = {tenant.name: tenant.intent for tenant in listed}
        tenants = Tenants(lambda place: [tenant.job(place) for tenant in listed], intents)
        say("warming up")
        run_trial(spark, tenants, Trial("fifo", WARM_UP_S))
        return [run_trial(spark, tenants, _trial(policy), partial(show, title)) for policy, title in TURNS]
    finally:
        spark.stop()


def _trial(policy: str) -> Trial:
    return Trial(
        policy,
        TRIAL_S,
        MEASURED_FROM_S,
        window_s=WINDOW_S,
        govern_from_s=MEASURED_FROM_S,
        settings=_HENGE if policy == "henge" else {},
    )
