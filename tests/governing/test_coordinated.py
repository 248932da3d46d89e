"""An application whose executors a coordinator divides: what its agent says of it, and what comes of an order."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from math import inf
from types import SimpleNamespace

import pytest
from pyspark import SparkContext

from penstock.core.asked.intents import Intent, Latency
from penstock.core.cycle import Cycle
from penstock.core.plan import Outcome, Plan
from penstock.core.seen.figures import LatencyFigures
from penstock.engines.applications.wire import Order, Serials, plain_state, read_state
from penstock.engines.spark.engine import SparkEngine
from penstock.engines.spark.fake import FakeSpark
from penstock.engines.spark.jobs.job import Job
from penstock.engines.spark.settings import SparkSettings
from penstock.errors import ConfigError, EngineError
from penstock.governing.controller import Controller
from penstock.governing.coordinated import TOKEN, Coordinated, OnSpark
from penstock.governing.governed import Governed
from penstock.governing.state_need import ExecutorSize
from penstock.loop import LoopSettings
from penstock.planning.registry import policy_named
from tests.builders import job, pressed, view
from tests.patience import eventually

HOW = Coordinated("http://127.0.0.1:7474", "fraud", least=1, most=4)


@pytest.fixture
def application() -> Iterator[OnSpark]:
    """One on a cluster that gives four executors of two slots, of which it begins with four."""
    engine = SparkEngine(FakeSpark(executors=4), [Job("fraud")], SparkSettings(executors=4, holds_executors=True))
    intents = {"fraud": Intent(Latency("2s", utility=40))}
    governed = Governed(intents, policy_named("penstock"), settings=LoopSettings(interval_s=0.2))
    with Controller(engine, governed) as controller:
        yield OnSpark(controller, HOW, ExecutorSize(2, 1024, state_in_heap=True), "app-1")


def test_its_tenants_are_told_with_their_intents_and_the_executors_that_it_holds(application: OnSpark) -> None:
    state = eventually(application.state)
    assert (state.executors.now, state.executors.wanted, state.executors.cores) == (4, 4, 2)
    assert (state.cluster_id, state.tenants["fraud"].intent) == ("app-1", Intent(Latency("2s", utility=40)))
    assert state.worth == []  # nobody knows what its batches cost


def test_it_is_told_of_before_its_first_round_and_then_round_by_round() -> None:
    now = job("fraud", 8.0, up_s=3.0)
    looks = iter((2.0, 4.0))
    known = SimpleNamespace(newest=None, look=lambda: view(next(looks), [now]), executors=lambda: (1, 1))
    known.worth = lambda slots: () if known.newest is None else [1.0] * len(slots)
    seen = OnSpark(known, HOW, ExecutorSize(1, 1024), "app-1")
    first, second = seen.state(), seen.state()
    assert (first.tenants["fraud"].up_s, first.worth, first.seen, second.seen) == (3.0, [], 1, 2)
    known.newest = Cycle(10.0, "penstock", view(10.0, [now]), Plan(), Outcome(), None)
    assert (seen.state().seen, seen.state().seen, seen.state().worth[0]) == (3, 3, (1, 1.0))


def test_a_controller_looks_before_its_first_round_by_what_is_asked_of_its_jobs() -> None:
    engine = SparkEngine(FakeSpark(), [Job("fraud")], SparkSettings())
    intents = {"fraud": Intent(Latency("2s", utility=40))}
    with Controller(engine, Governed(intents, policy_named("penstock"))) as controller:  # rounds of 10 s
        looked = controller.look()
        assert (controller.newest, [(job.name, job.intent) for job in looked.jobs]) == (None, list(intents.items()))


def test_an_order_is_carried_out_and_one_beyond_its_bounds_is_not(application: OnSpark) -> None:
    eventually(application.state)
    application.give(Order(Serials(1, 1), 2))
    with pytest.raises(EngineError, match="5 executors are not within 1 to 4"):
        application.give(Order(Serials(1, 2), 5))
    state = eventually(application.state)
    assert (state.executors.now, state.executors.wanted) == (2, 2)


def test_what_is_wrong_with_a_coordinator_is_said_before_anything_begins(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(TOKEN, raising=False)
    with pytest.raises(ConfigError, match=f"{TOKEN}: '' cannot be used; set {TOKEN}"):
        HOW.link()
    with pytest.raises(ConfigError, match="coordinator: 'ftp://a' cannot be used"):
        Coordinated("ftp://a", "fraud", token="agent-x").link()
    for none in ("http://[::1", "http://a:99999", "https://a:x"):
        with pytest.raises(ConfigError, match="write http://host:port or https://host:port"):
            Coordinated(none, "fraud", token="agent-x").link()
    with pytest.raises(ConfigError, match="coordinator: 'my app' cannot be used"):
        Coordinated("http://a:1", "my app")
    with pytest.raises(ConfigError, match="write the least and the most"):
        Coordinated("http://a:1", "fraud", least=3, most=2)


def test_executors_that_have_all_cores_of_their_workers_are_divided_by_nobody() -> None:
    with pytest.raises(ConfigError, match=r"spark.executor.cores: missing; set it where the session is made"):
        HOW.check(_context("spark://a:7077"))
    HOW.check(_context("spark://a:7077", **{"spark.executor.cores": "2"}))
    HOW.check(_context("yarn"))  # where they have one by default, as on Kubernetes


@pytest.mark.parametrize(("master", "conf", "said"), [
    ("k8s://https://a:1", {}, ["spark.decommission.enabled=true", "set spark.executor.maxNumFailures=1000"]),
    ("k8s://https://a:1", {"spark.executor.maxNumFailures": "1000", "spark.decommission.enabled": "true"}, []),
    ("yarn", {}, ["spark.decommission.enabled=true"]),
])  # fmt: skip
def test_what_would_end_an_application_or_cost_it_data_is_said_where_its_executors_are_divided(
    master: str, conf: dict[str, str], said: list[str], caplog: pytest.LogCaptureFixture
) -> None:
    HOW.check(_context(master, **conf))
    assert len(caplog.messages) == len(said)
    assert all(words in message for words, message in zip(said, caplog.messages, strict=True))


def _context(master: str, **conf: str) -> SparkContext:
    return SimpleNamespace(master=master, getConf=lambda: conf)  # type: ignore[return-value]


@pytest.mark.parametrize("token", ["agent-x\n", " agent-x\r\n"])
def test_a_token_out_of_a_file_has_no_end_of_line(token: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(TOKEN, token)
    assert HOW.link()._token == "agent-x"


@pytest.mark.parametrize("token", ["agent\nSECRET", "SECRETé", "SECRET\x7f"])
def test_a_token_that_no_request_can_have_is_refused_before_anything_could_show_it(token: str) -> None:
    with pytest.raises(ConfigError, match="set it to the token alone") as error:
        replace(HOW, token=token).link()
    assert "SECRET" not in str(error.value)


@pytest.mark.parametrize(("in_heap", "held", "least"), [(True, 4, 3), (True, 2, 2), (False, 4, 1)])
def test_nobody_is_to_take_executors_that_hold_state_in_their_heap(in_heap: bool, held: int, least: int) -> None:
    seen = OnSpark(stateful(lambda: (held, held)), HOW, ExecutorSize(2, 1024, in_heap), "app-1").state()
    said = seen.executors
    assert (said.least, said.needs, said.memory_mib) == (least, least, 1024)


def test_what_its_state_needs_is_told_though_executors_died_and_no_order_asks_for_fewer_than_live() -> None:
    told = iter(((4, 4), (2, 4), (2, 2)))  # two of four die, and are given up in the end
    seen = OnSpark(stateful(lambda: next(told)), HOW, ExecutorSize(2, 1024, state_in_heap=True), "app-1")
    said = [seen.state().executors for _ in range(3)]
    assert [(one.least, one.needs) for one in said] == [(3, 3), (2, 3), (2, 2)]


def stateful(executors: Callable[[], tuple[int, int]]) -> SimpleNamespace:
    """A controller whose one job has 1.5 GiB of state, which fill half of three executors of 1 GiB."""
    found = job("fraud", 8.0)
    found = replace(found, figures=replace(found.figures, state_bytes=3 * 2**29))
    cycle = Cycle(10.0, "penstock", view(10.0, [found]), Plan(), Outcome(), None)
    return SimpleNamespace(newest=cycle, executors=executors, worth=lambda slots: ())


@pytest.mark.parametrize("bad", [0, 7, 10])
def test_an_error_budget_that_runs_low_counts_once_at_the_coordinator(bad: int) -> None:
    """Its own ledger scales what agents state: what came scaled already would count twice."""
    cycle = Cycle(10.0, "penstock", view(10.0, [pressed(job("fraud", 8.0), bad)]), Plan(), Outcome(), None)
    known = SimpleNamespace(newest=cycle, executors=lambda: (1, 1), worth=lambda slots: ())
    seen = OnSpark(known, HOW, ExecutorSize(2, 1024), "app-1").state()
    assert seen is not None
    assert seen.tenants["fraud"].intent == Intent(Latency("1s", utility=10.0))


def test_a_figure_or_a_name_that_does_not_fit_keeps_nobody_else_from_being_told_of(
    caplog: pytest.LogCaptureFixture,
) -> None:
    wrong = job("wrong", 8.0, up_s=inf, juice=2e6, processed_rps=-3.0, backlog_rows=1e300)
    latency = LatencyFigures(-0.2, ((50.0, -0.3), (99.0, inf)))  # a producer's clock is ahead
    wrong = replace(wrong, figures=replace(wrong.figures, latency=latency))
    jobs = [wrong, job("my query", 8.0), job("fraud", 8.0, up_s=3.0)]
    known = SimpleNamespace(newest=None, look=lambda: view(2.0, jobs), executors=lambda: (1, 1))
    known.worth = lambda slots: [inf, 2.0, *(1.0 for _ in slots[2:])]
    seen = OnSpark(known, HOW, ExecutorSize(1, 1024), "app-1")
    for _ in range(2):
        state, _ = read_state(plain_state(seen.state()))
    assert list(state.tenants) == ["wrong", "fraud"]
    found, latency_said = state.tenants["wrong"], state.tenants["wrong"].latency
    assert (found.up_s, found.juice, found.processed_rps, found.backlog_rows) == (None, 1e6, 0.0, 1e18)
    assert latency_said is not None
    assert (latency_said.mean_s, latency_said.quantiles) == (0.0, [(50.0, 0.0)])
    assert state.worth[0] == (2, 2.0)
    assert ["tenant: 'my query' cannot be used; name its query" in message for message in caplog.messages] == [True]
