"""Two lines in somebody's driver: what they lead to, on the fake application."""

from pathlib import Path

import pytest

import penstock as ps
from penstock.core.figures import ALL_OPERATORS
from penstock.engines.spark.fake import FakeSpark
from penstock.engines.spark.shares import PoolShare
from penstock.errors import ConfigError
from tests.governing.to_two import INTENT, ToTwo
from tests.patience import eventually


@pytest.fixture
def fake() -> FakeSpark:
    return FakeSpark()


def test_a_governed_query_gets_the_share_that_the_policy_decides(fake: FakeSpark) -> None:
    with ps.govern(fake, {"ads": INTENT}, ToTwo(), store=None, interval=0.01, limits={"ads": (1, 4)}) as g:
        fake.start_foreign("ads")
        eventually(lambda: fake.pools.share("ads") == PoolShare(2, 2))
        fake.commit("ads")
        fake.commit("ads")
        assert g.snapshot().jobs[0].juice == 1.0
    assert g.error is None


def test_the_policy_sees_what_the_models_of_a_query_say_of_what_arrives(fake: FakeSpark, tmp_path: Path) -> None:
    path = tmp_path / "plan.yaml"
    # Whatever arrives, one thread does more: the answer is a slot.
    path.write_text("flow: {work: []}\nmodels: {work: {points: [{threads: 1, rate_rps: 1000000, cpu: 1, memory: 1}]}}")
    with ps.govern(fake, {"ads": INTENT}, ToTwo(), store=None, interval=0.01, models={"ads": path}) as g:
        fake.start_foreign("ads")
        fake.commit("ads")
        fake.commit("ads")
        eventually(lambda: bool(g.views and g.views[-1].job("ads").modelled_threads))
        assert dict(g.views[-1].job("ads").modelled_threads) == {ALL_OPERATORS: 1}


def test_models_of_a_query_without_an_intent_or_without_a_file_are_refused(fake: FakeSpark) -> None:
    with pytest.raises(ConfigError, match="name a query with an intent: orders"):
        ps.govern(fake, {"orders": INTENT}, models={"oders": "plan.yaml"})
    with pytest.raises(ConfigError, match=r"models.orders: 'plan.yaml' will not do; give a file"):
        ps.govern(fake, {"orders": INTENT}, models={"orders": "plan.yaml"})


def test_a_dry_run_says_what_it_would_do_and_does_nothing(fake: FakeSpark) -> None:
    with ps.govern(fake, {"ads": INTENT}, ToTwo(), store=None, dry_run=True, interval=0.01) as g:
        eventually(lambda: len(g.decisions) > 2)
        assert fake.pools.share("ads") == PoolShare(4, 4)
    assert "Reduced would do ads weight 4 -> 2 | two are enough" in g.decisions[0].text()


def test_the_queries_run_on_with_their_last_shares_when_the_controller_is_gone(fake: FakeSpark) -> None:
    with ps.govern(fake, {"ads": INTENT}, ToTwo(), store=None, interval=0.01):
        query = fake.start_foreign("ads")
        eventually(lambda: fake.pools.share("ads") == PoolShare(2, 2))
    assert query in fake.queries()
    assert fake.pools.share("ads") == PoolShare(2, 2)


def test_an_intent_that_is_none_is_refused(fake: FakeSpark) -> None:
    with pytest.raises(ConfigError, match="give an Intent"):
        ps.govern(fake, {"orders": ps.Latency("2s")})  # type: ignore[dict-item]


def test_limits_for_a_query_without_an_intent_are_refused(fake: FakeSpark) -> None:
    with pytest.raises(ConfigError, match="name a query with an intent: orders"):
        ps.govern(fake, {"orders": INTENT}, limits={"oders": (1, 2)})


def test_a_route_for_a_query_without_an_intent_and_another_word_for_routing_are_refused(fake: FakeSpark) -> None:
    route = ps.Routing("orders", left="region")
    with pytest.raises(ConfigError, match="name a query with an intent: orders"):
        ps.govern(fake, {"orders": INTENT}, routes={"oders": route})
    with pytest.raises(ConfigError, match="choose one of off, advise, act"):
        ps.govern(fake, {"orders": INTENT}, routes={"orders": route}, routing="maybe")


def test_a_coordinator_has_nothing_to_divide_of_a_fake_application(fake: FakeSpark) -> None:
    with pytest.raises(ConfigError, match="leave it out: a fake application has no cluster to divide"):
        ps.govern(fake, {"orders": INTENT}, coordinator="http://127.0.0.1:7474")
