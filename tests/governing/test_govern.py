"""Two lines in somebody's driver: what they lead to, on the fake application."""

import subprocess
import sys
from pathlib import Path

import pytest

import penstock as ps
from penstock.core.seen.figures import ALL_OPERATORS
from penstock.engines.spark.application.shares import PoolShare
from penstock.engines.spark.fake import FakeSpark
from penstock.errors import ConfigError, EngineError
from penstock.threads import BesideThread
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
    with pytest.raises(ConfigError, match=r"models.orders: 'plan.yaml' cannot be used; give a file"):
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


def test_without_with_it_governs_until_it_is_stopped_and_stopping_twice_is_stopping_once(fake: FakeSpark) -> None:
    g = ps.govern(fake, {"ads": INTENT}, ToTwo(), store=None, interval=0.01)
    eventually(lambda: g.views)
    with g as same:
        assert same is g
    assert not fake.properties
    g.stop()
    with pytest.raises(EngineError, match="this governing has ended"):
        g.start()
    ps.govern(fake, {"ads": INTENT}, store=None).stop()


def test_what_interrupts_the_wait_for_a_round_keeps_nothing_from_being_let_go_of(
    fake: FakeSpark, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(thread: BesideThread, within_s: float | None = None) -> None:
        monkeypatch.undo()
        raise KeyboardInterrupt

    g = ps.govern(fake, {"ads": INTENT}, store=None, interval=0.01)
    monkeypatch.setattr(BesideThread, "join", interrupted)
    with pytest.raises(KeyboardInterrupt):
        g.stop()
    assert not fake.properties


INTERRUPTED = """
import os, signal, threading
import penstock as ps
from penstock.core.plan import Plan
from penstock.engines.spark.fake import FakeSpark

waited_for, goes_on = threading.Event(), threading.Event()

class Ponders:
    name = "ponders"

    def start(self):
        return 0

    def decide(self, view, memory):
        waited_for.wait()
        os.kill(os.getpid(), signal.SIGINT)
        goes_on.wait()
        print("decided", flush=True)
        return Plan(), memory

g = ps.govern(FakeSpark(), {"ads": ps.Intent(ps.Latency("2s"))}, Ponders(), store=None, interval=0.01)
try:
    waited_for.set()
    while True:
        g.wait()
except KeyboardInterrupt:
    threading.Timer(0.1, goes_on.set).start()
g.stop()
print("stopped", flush=True)
"""


def test_a_round_that_is_under_way_at_ctrl_c_comes_to_its_end_first() -> None:
    done = subprocess.run([sys.executable, "-c", INTERRUPTED], capture_output=True, text=True, check=False)
    assert done.stdout == "decided\nstopped\n", done.stderr


LEFT = """
import atexit
import penstock as ps
from penstock.engines.spark.fake import FakeSpark

fake = FakeSpark()
atexit.register(lambda: print("left:", list(fake.properties), flush=True))  # registered first, called last
g = ps.govern(fake, {"ads": ps.Intent(ps.Latency("2s"))}, store=None)
print("governing:", list(fake.properties), flush=True)
"""


@pytest.mark.parametrize("end", ["", "raise SystemExit(3)", "raise KeyError('a mistake')"])
def test_what_nobody_stops_lets_go_when_the_interpreter_ends(end: str) -> None:
    done = subprocess.run([sys.executable, "-c", LEFT + end], capture_output=True, text=True, check=False)
    assert done.stdout == "governing: ['penstock.controller.fake']\nleft: []\n", done.stderr


def test_a_child_that_is_forked_leaves_its_parents_application_alone() -> None:
    forks = (
        "import os, sys\nif os.fork() == 0: sys.exit()\nos.wait()\nprint('still', list(fake.properties), flush=True)"
    )
    # The child says what is left of its own copy as it ends: the lease, of which only its parent may let go.
    done = subprocess.run([sys.executable, "-c", LEFT + forks], capture_output=True, text=True, check=False)
    assert "left: ['penstock.controller.fake']" in done.stdout
    assert done.stdout.endswith("still ['penstock.controller.fake']\nleft: []\n")


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


def test_a_query_by_whose_name_its_application_would_be_silent_is_refused_where_a_coordinator_is_given(
    fake: FakeSpark,
) -> None:
    for name in ("my orders", "x" * 201):
        with pytest.raises(ConfigError, match=r"intents: .* cannot be used; with a coordinator name queries with"):
            ps.govern(fake, {name: INTENT}, coordinator=ps.Coordinated("http://127.0.0.1:7474", "shop"))


def test_a_coordinator_has_nothing_to_divide_of_a_fake_application(fake: FakeSpark) -> None:
    with pytest.raises(ConfigError, match="leave it out: a fake application has no cluster to divide"):
        ps.govern(fake, {"orders": INTENT}, coordinator="http://127.0.0.1:7474")
