"""Two lines in somebody's driver."""

from pathlib import Path

import pytest
from pyspark.sql import SparkSession

import penstock as ps
from penstock.core.figures import ALL_OPERATORS
from penstock.core.levers import Slots
from penstock.core.plan import Decision, Plan, Reason
from penstock.core.view import View
from penstock.engines.spark.jvm.pools import FairPools
from penstock.engines.spark.shares import PoolShare
from penstock.errors import ConfigError
from tests.engines.spark.helpers import quick
from tests.patience import eventually

INTENT = ps.Intent(ps.Latency("2s"), ps.Juice(0.9))


class ToTwo:
    """Gives every job two slots, and says so every round."""

    name = "to two"

    def start(self) -> int:
        return 0

    def decide(self, view: View, memory: int) -> tuple[Plan, int]:
        changes = tuple(Slots(job.name, job.figures.threads, 2) for job in view.jobs)
        return Plan((Decision(Reason.REDUCED, changes, "two are enough", view.at_s, view.utility),)), memory + 1


def test_a_governed_query_gets_the_share_that_the_policy_decides(spark: SparkSession, name: str) -> None:
    with ps.govern(spark, {name: INTENT}, ToTwo(), interval=0.2, limits={name: (1, 4)}) as g:
        query = quick(spark).queryName(name).start()
        eventually(lambda: FairPools(spark.sparkContext).share(name) == PoolShare(2, 2) or None)
        eventually(lambda: g.snapshot().jobs[0].juice is not None or None)
        query.stop()
    assert g.error is None


def test_the_policy_sees_what_the_models_of_a_query_say_of_what_arrives(
    spark: SparkSession, name: str, tmp_path: Path
) -> None:
    path = tmp_path / "plan.yaml"
    # Whatever arrives, one thread does more: the answer is a slot.
    path.write_text("flow: {work: []}\nmodels: {work: {points: [{threads: 1, rate_rps: 1000000, cpu: 1, memory: 1}]}}")
    with ps.govern(spark, {name: INTENT}, ToTwo(), interval=0.2, models={name: path}) as g:
        query = quick(spark).queryName(name).start()
        eventually(lambda: bool(g.views and g.views[-1].job(name).modelled_threads) or None)
        assert dict(g.views[-1].job(name).modelled_threads) == {ALL_OPERATORS: 1}
        query.stop()


def test_models_of_a_query_without_an_intent_or_without_a_file_are_refused(spark: SparkSession) -> None:
    with pytest.raises(ConfigError, match="name a query with an intent: orders"):
        ps.govern(spark, {"orders": INTENT}, models={"oders": "plan.yaml"})
    with pytest.raises(ConfigError, match=r"models.orders: 'plan.yaml' will not do; give a file"):
        ps.govern(spark, {"orders": INTENT}, models={"orders": "plan.yaml"})


def test_a_dry_run_says_what_it_would_do_and_does_nothing(spark: SparkSession, name: str) -> None:
    with ps.govern(spark, {name: INTENT}, ToTwo(), dry_run=True, interval=0.2) as g:
        eventually(lambda: len(g.decisions) > 2 or None)
        assert FairPools(spark.sparkContext).share(name) == PoolShare(4, 4)
    assert f"Reduced would do {name} weight 4 -> 2 | two are enough" in g.decisions[0].text()


def test_the_queries_run_on_with_their_last_shares_when_the_controller_is_gone(spark: SparkSession, name: str) -> None:
    with ps.govern(spark, {name: INTENT}, ToTwo(), interval=0.2):
        query = quick(spark).queryName(name).start()
        eventually(lambda: FairPools(spark.sparkContext).share(name) == PoolShare(2, 2) or None)
    assert query.isActive
    assert FairPools(spark.sparkContext).share(name) == PoolShare(2, 2)
    query.stop()


def test_an_intent_that_is_none_is_refused(spark: SparkSession) -> None:
    with pytest.raises(ConfigError, match="give an Intent"):
        ps.govern(spark, {"orders": ps.Latency("2s")})  # type: ignore[dict-item]


def test_limits_for_a_query_without_an_intent_are_refused(spark: SparkSession) -> None:
    with pytest.raises(ConfigError, match="name a query with an intent: orders"):
        ps.govern(spark, {"orders": INTENT}, limits={"oders": (1, 2)})


def test_a_route_for_a_query_without_an_intent_and_another_word_for_routing_are_refused(spark: SparkSession) -> None:
    route = ps.Routing("orders", left="region")
    with pytest.raises(ConfigError, match="name a query with an intent: orders"):
        ps.govern(spark, {"orders": INTENT}, routes={"oders": route})
    with pytest.raises(ConfigError, match="choose one of off, advise, act"):
        ps.govern(spark, {"orders": INTENT}, routes={"orders": route}, routing="maybe")
