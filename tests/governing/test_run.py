"""`penstock run`: what its policy is made of, what is refused before Spark starts, and the document of a run."""

import json
import sys
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from penstock.config.checking import CheckOptions, check_tenants
from penstock.config.problems import checked
from penstock.config.tenants import TenantsFile, read_tenants
from penstock.core.levers import Dial
from penstock.core.seen.evidence import Observation
from penstock.core.seen.view import View
from penstock.engines.spark.jobs.job import Job
from penstock.engines.spark.jvm.single_writer import OWNERS, RUN_CONF
from penstock.engines.spark.launch.application import check_master, refusal, start_application
from penstock.errors import ApplicationGoneError, ConfigError, EngineError, OutageError, TakenOverError
from penstock.governing import run
from penstock.governing.named_routes import routed
from penstock.governing.remembering import Remembering
from penstock.governing.run import RunOptions, policy_of, run_tenants
from penstock.governing.standby import Nobody
from penstock.governing.story import RunStory, as_document, failed
from penstock.planning.registry import POLICIES, takes_profiles
from penstock.store.open import open_store
from penstock.store.tolerant import Tolerant
from tests.governing.tenant_jobs import ROUTE
from tests.harness.ports import own_port
from tests.patience import eventually
from tests.recorded import RUN, a_job, a_view

TENANTS = """
name: shop
master: local[2]
interval: 1s
window: 5s
jobs:
  - name: quick
    job: tests.governing.tenant_jobs:quick
    params: {rows_per_second: 50}
    intent: {juice: 0.5, utility: 10}
  - name: broken
    job: tests.governing.tenant_jobs:broken
    intent: {latency: 2s}
    restart: {max_restarts: 1, backoff: 100ms}
"""


def test_the_document_of_a_run_tells_of_each_job_what_was_seen_last_and_how_often_it_met_its_intent() -> None:
    early = a_view(10.0, (a_job("ads", utility=75.0), a_job("fraud")))
    story = as_document(RunStory("demo", "henge", "local[2]", False, (early, a_view(20.0, (a_job("ads"),))), ()))
    assert (story["seconds"], set(story["jobs"]), story["error"]) == (20.0, {"ads"}, None)
    ads = story["jobs"]["ads"]
    assert (ads["slots"], ads["juice"], ads["latency_mean_s"], ads["trouble"]) == (4, 0.9, 1.5, None)
    json.dumps(story, allow_nan=False)


def test_the_document_of_a_run_has_its_rounds_and_the_utility_since_every_tenant_had_figures() -> None:
    bounded = replace(a_job("ads"), figures=replace(a_job("ads").figures, levers=(Dial("bound", "ads", 500, 1),)))
    starts, first, last = (a_job("fraud", utility=utility) for utility in (None, 10.0, 20.0))
    views = [a_view(at_s, (bounded, job)) for at_s, job in ((10.0, starts), (20.0, first), (30.0, last))]
    story = as_document(RunStory("demo", "henge", "local[2]", False, views, ()))
    assert [(one["at_s"], one["utility"], one["max_utility"]) for one in story["series"]] == [
        (view.at_s, view.utility, view.max_utility) for view in views
    ]
    assert story["series"][0]["jobs"]["fraud"]["utility"] is None
    assert story["series"][0]["jobs"]["ads"] == {
        "utility": bounded.utility,
        "met": bounded.met,
        "latency_s": 3.0,  # at the percentile that it asks for
        "juice": 0.9,
        "slots": 4,
        "bound": 500,
    }
    assert story["from_first_figures"] == pytest.approx(sum(view.utility / view.max_utility for view in views[1:]) / 2)


def test_there_is_no_utility_since_every_tenant_had_figures_where_one_never_had_any() -> None:
    views = (a_view(10.0, (a_job("ads"), a_job("fraud", utility=None))),)
    assert as_document(RunStory("demo", "henge", "local[2]", False, views, ()))["from_first_figures"] is None


def test_a_route_that_is_not_found_is_its_tenants_trouble_alone() -> None:
    jobs = [{"name": name, "job": "nowhere:job", "intent": {"juice": 0.5}} for name in ("lost", "routed", "plain")]
    jobs[0]["route"], jobs[1]["route"] = "nowhere:ROUTE", "tests.governing.tenant_jobs:ROUTE"
    file = checked(TenantsFile, {"name": "shop", "master": "local[2]", "jobs": jobs}, "tenants file")
    found, missing = routed([Job(str(job["name"])) for job in jobs], file)
    assert [job.route for job in found] == [None, ROUTE, None]
    assert [why.partition(":")[0] for why in missing] == ["jobs.lost.route"]


def test_a_route_whose_module_hangs_is_its_tenants_trouble_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "hangs_for_ever.py").write_text("import threading\nthreading.Event().wait()\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    routes = {"ads": "hangs_for_ever:ROUTE", "fraud": "tests.governing.tenant_jobs:ROUTE"}
    jobs = [
        {"name": name, "job": "nowhere:job", "route": route, "intent": {"juice": 0.5}} for name, route in routes.items()
    ]
    file = checked(TenantsFile, {"name": "shop", "master": "local[2]", "jobs": jobs}, "tenants file")
    found, missing = routed([Job(name) for name in routes], file, within_s=0.0)
    assert [job.route for job in found] == [None, ROUTE]
    assert [why.partition(" has not returned")[0] for why in missing] == [
        "jobs.ads.route: the import of hangs_for_ever:ROUTE"
    ]


def test_a_driver_that_is_started_again_asks_for_routes_only_once_spark_is_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Before, the tenants' modules are found in a run's first life only, in which the whole file is checked."""

    def away(*settings: object) -> None:
        raise OutageError("no master answers")

    monkeypatch.setattr(run, "start_application", away)
    (tmp_path / "tenants.yaml").write_text(TENANTS + "    route: beside:ROUTE\n")
    file = check_tenants(tmp_path / "tenants.yaml", CheckOptions())
    with pytest.raises(OutageError, match="no master answers"):
        run_tenants(file, RunOptions(code=tmp_path, down_since_s=1.0), lambda view: None)


def test_a_driver_knows_its_run_by_sparks_settings_and_lets_go_of_its_checkpoints_whatever_ends_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[object] = []

    def away(name: str, master: str, conf: Mapping[str, object], *others: object) -> None:
        told.append(conf[RUN_CONF])
        raise OutageError("no master answers")

    monkeypatch.setattr(run, "start_application", away)
    monkeypatch.setattr(OWNERS, "let_go", lambda: told.append("let go"))
    (tmp_path / "tenants.yaml").write_text(TENANTS)
    with pytest.raises(OutageError, match="no master answers"):
        run_tenants(read_tenants(tmp_path / "tenants.yaml"), RunOptions(code=tmp_path, run_id="r7"), lambda view: None)
    assert told == ["r7", "let go"]


@pytest.mark.parametrize(
    ("error", "exit_code"),
    [
        (EngineError("the loop did not end"), 1),
        (ApplicationGoneError("Spark's JVM has ended"), 1),
        (ZeroDivisionError("a defect"), 1),
        (TakenOverError("another driver has taken up the run"), 4),
    ],
)
def test_a_run_that_ended_by_an_error_never_exits_as_one_that_is_over(error: Exception, exit_code: int) -> None:
    story = RunStory("demo", "henge", "local[2]", False, (), ())
    found = failed(story, error)
    assert (story.exit_code, found.exit_code, str(error) in str(found.error)) == (0, exit_code, True)


def test_a_run_whose_store_failed_is_not_said_to_be_recorded(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    store = Tolerant(open_store(tmp_path / "file" / "runs.sqlite"), warn=lambda text: None)
    kept = Remembering(store, "there", store.begin(RUN), already_s=0.0)
    assert kept.lost
    story = RunStory("shop", "henge", "local[2]", False, (), (), run_id=kept.run.id)
    assert (story.recording() or "").startswith("not recorded: the store failed")
    assert replace(story, recorded_in="there").recording() == f"recorded in there: penstock explain {RUN.id}"


@pytest.mark.parametrize("policy", POLICIES)
def test_policies_that_take_profiles_get_those_of_the_file(policy: str, tmp_path: Path) -> None:
    (tmp_path / "quick.csv").write_text("scaleout,rate_rps,latency_s,saturated\n1,100,,1\n")
    (tmp_path / "tenants.yaml").write_text(f"{TENANTS}\nprofiles: {{quick: quick.csv}}")
    made = policy_of(read_tenants(tmp_path / "tenants.yaml"), RunOptions(policy, code=tmp_path))
    profiles = getattr(getattr(made, "settings", None), "profiles", None)
    assert profiles == ({"quick": (Observation(1, 100.0, saturated=True),)} if takes_profiles(policy) else None)


def test_local_masters_need_nobody_to_listen() -> None:
    check_master("local[4]")


@pytest.mark.parametrize(
    "master",
    ["spark://[::1", "spark://h:99999", "spark://h:x", f"spark://{'a' * 70}.b:1", "k8s://https://[::1", "k8s://h:x"],
)
def test_an_address_that_is_none_is_one_where_nobody_listens(master: str) -> None:
    with pytest.raises(OutageError, match="nobody listens at"):
        check_master(master)


def test_behind_a_proxy_nobody_is_asked_whether_an_api_server_listens(monkeypatch: pytest.MonkeyPatch) -> None:
    there = f"k8s://127.0.0.1:{own_port()}"
    for name in ("https_proxy", "HTTPS_PROXY", "no_proxy", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(OutageError, match="see that its API server is up"):
        check_master(there)
    monkeypatch.setenv("https_proxy", "http://proxy:3128")
    check_master(there)
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    with pytest.raises(OutageError, match="see that its API server is up"):
        check_master(there)


class FromJavaError(Exception):
    """As Py4J's: it knows the class of what Java raised."""

    def __init__(self, kind: str) -> None:
        super().__init__(f"An error occurred while calling o1.start.\n: {kind}: no")
        self.java_exception = SimpleNamespace(getClass=lambda: SimpleNamespace(getName=lambda: kind))


@pytest.mark.parametrize(
    ("error", "exit_code"),
    [
        (FromJavaError("java.lang.IllegalArgumentException"), 2),
        (FromJavaError("java.lang.NumberFormatException"), 2),
        (FromJavaError("org.apache.spark.SparkException"), 75),
        (ConnectionRefusedError("no"), 75),
    ],
)
def test_settings_that_spark_refuses_are_the_users_to_mend_and_a_cluster_that_is_away_may_come_back(
    error: Exception, exit_code: int
) -> None:
    found = refusal("spark://here:7077", error)
    assert (found.exit_code, str(found).endswith("no")) == (exit_code, True)


@pytest.mark.parametrize(("field", "value"), [("executors", 2), ("executor_memory", "2g")])
def test_what_is_said_of_executors_is_refused_where_there_are_none(field: str, value: object) -> None:
    job = {"name": "quick", "job": "tests.governing.tenant_jobs:quick", "intent": {"juice": 0.5}}
    tenants = checked(TenantsFile, {"jobs": [job], field: value}, "tenants file")
    with pytest.raises(ConfigError, match=rf"{field}: .* leave it out at master local\[\*\]: it has no executors"):
        run_tenants(tenants, RunOptions(), lambda view: None)


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"penstock": {"henge": {"reduction": 2}}}, "reduction: 2.0 cannot be used; write a share between 0 and 1"),
        ({"penstock": {"henge": {"hurry": 2}}}, "settings.penstock.henge.hurry"),
        ({"henge": {"reduction": 2}}, None),
        ({"hurry": {}}, "settings: 'hurry' cannot be used; choose one of fifo"),
    ],
)
def test_a_files_settings_reach_the_default_policy_before_spark_starts(settings: object, said: str | None) -> None:
    job = {"name": "quick", "job": "tests.governing.tenant_jobs:quick", "intent": {"juice": 0.5}}
    tenants = checked(TenantsFile, {"master": "nowhere", "jobs": [job], "settings": settings}, "tenants file")
    # Settings of a policy that does not decide are left alone: then it is the master that cannot be used.
    with pytest.raises(ConfigError, match=said or "master"):
        run_tenants(tenants, RunOptions(store=None), lambda view: None)


def test_where_there_is_no_java_that_is_said_before_spark_starts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(EngineError, match=r"no Java was found; install one \(17 or 21\), or set JAVA_HOME"):
        start_application("shop", "local[1]", {})


@pytest.mark.parametrize("supervised", [False, True])
def test_a_driver_that_nobody_supervises_helps_the_next_ones_once_it_governs(
    supervised: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    note, begun = tmp_path / "note", list[Nobody]()
    helper = f"import pathlib, time; pathlib.Path({str(note)!r}).touch(); time.sleep(600)"

    def archiver() -> Nobody:
        begun.append(Nobody([sys.executable, "-c", helper], settles_s=0.0))
        return begun[-1]

    def rounds(tenants: object, options: object, heart: object, post: object, on_view: Callable[[View], None]) -> None:
        for at_s in (1.0, 2.0):
            on_view(a_view(at_s, ()))
        if begun:
            eventually(note.exists)
        raise KeyboardInterrupt

    monkeypatch.setattr(run, "archiver", archiver)
    monkeypatch.setattr(run, "_run_tenants", rounds)
    (tmp_path / "tenants.yaml").write_text(TENANTS)
    with pytest.raises(KeyboardInterrupt):
        run_tenants(read_tenants(tmp_path / "tenants.yaml"), RunOptions(supervised=supervised), lambda view: None)
    assert [one._started is not None and one._started.poll() is not None for one in begun] == [True] * (not supervised)
