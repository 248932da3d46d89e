"""The tenants file, field by field."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from penstock.config.named import route_named
from penstock.config.problems import checked
from penstock.config.profiles import write_profile
from penstock.config.tenants import TenantsFile, read_tenants
from penstock.core.asked.intents import Intent, Latency
from penstock.core.asked.price import Price
from penstock.core.asked.restart_policy import RestartPolicy
from penstock.core.asked.slot_limits import SlotLimits
from penstock.core.seen.evidence import Observation
from penstock.core.seen.routes import NamedRoute
from penstock.engines.spark.routing.route import Routing
from penstock.errors import ConfigError
from penstock.planning.combined import first_slots

JOB = {"name": "fraud", "job": "m:f", "intent": {"latency": "2s"}}


def read(tmp_path: Path, **changes: Any) -> TenantsFile:
    """A file with one ordinary job, changed so."""
    job = {"name": "fraud", "job": "shop.jobs:fraud", "intent": {"latency": "2s", "percentile": 95, "utility": 35}}
    path = tmp_path / "tenants.yaml"
    path.write_text(yaml.safe_dump({"jobs": [{**job, **changes}]}))
    return read_tenants(path)


def test_the_price_of_a_slot_is_given_or_follows_from_that_of_an_executor(tmp_path: Path) -> None:
    jobs = "jobs: [{name: a, job: 'm:f', intent: {juice: 0.9}}]\n"
    path = tmp_path / "tenants.yaml"

    def price_of(text: str) -> Price | None:
        path.write_text(f"{text}\n{jobs}")
        return read_tenants(path).slot_price()

    assert price_of("price: {slot_hour: 0.05, currency: EUR}") == Price(0.05, "EUR")
    assert price_of("conf: {spark.executor.cores: 4}\nprice: {executor_hour: 0.4}") == Price(0.1)
    two_each = "conf: {spark.executor.cores: 4, spark.task.cpus: 2}\nprice: {executor_hour: 0.4}"
    assert price_of(two_each) == Price(0.2)
    assert price_of("interval: 10s") is None


def test_a_job_is_read_with_its_intent_limits_and_restarts(tmp_path: Path) -> None:
    restart = {"max_restarts": 2, "backoff": "500ms"}
    file = read(tmp_path, max_slots=6, params={"topic": "payments"}, restart=restart)
    job = file.jobs[0]
    assert file.asked()[job.name] == Intent(Latency("2s", percentile=95, utility=35))
    assert job.limits() == SlotLimits(1, 6)
    assert job.restart.policy() == RestartPolicy(max_restarts=2, backoff_s=0.5)
    assert job.params == {"topic": "payments"}


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"max_slot": 6}, r"jobs.fraud.max_slot: 6 cannot be used; there is no such field"),
        ({"max_slots": 0}, r"jobs.fraud.max_slots: 0 cannot be used"),
        ({"min_slots": 4, "max_slots": 2}, r"max_slots: 2 cannot be used; write at least 4"),
        ({"slots": 9, "max_slots": 4}, r"slots: 9 cannot be used; write a number between min_slots and max_slots"),
        ({"intent": {"latency": "soon"}}, r"latency: 'soon' cannot be used; write a number of seconds"),
        ({"intent": {}}, r"intent: 'nothing' cannot be used"),
        ({"job": "shop.jobs.fraud"}, r"jobs.fraud.job: 'shop.jobs.fraud' cannot be used"),
        ({"name": "a b"}, r"jobs.a b.name: 'a b' cannot be used"),
        ({"restart": {"max_restarts": -1}}, r"jobs.fraud.restart.max_restarts: -1 cannot be used"),
        ({"trigger": "soon"}, r"jobs.fraud.trigger: 'soon' cannot be used; write a number of seconds"),
        ({"partitions": 0}, r"jobs.fraud.partitions: 0 cannot be used"),
        ({"real_time": "4.9s"}, r"real_time: '?4.9s?'? cannot be used; write 5s or more: Spark's least"),
        ({"real_time": "5m", "trigger": "5s"}, r"trigger: '5s' cannot be used; leave it out"),
        (
            {"real_time": "5m", "partitions": 8},
            r"partitions: 8 cannot be used; leave it out, and write real_time_tasks",
        ),
        ({"real_time": "5m", "max_rows_per_batch": 5}, r"max_rows_per_batch: 5 cannot be used; leave it out"),
    ],
)
def test_a_wrong_field_is_named_with_its_value_and_the_remedy(
    tmp_path: Path, changes: dict[str, Any], message: str
) -> None:
    with pytest.raises(ConfigError, match=message):
        read(tmp_path, **changes)


def test_what_the_levers_of_a_job_begin_with_is_read(tmp_path: Path) -> None:
    job = read(tmp_path, slots=2, max_rows_per_batch=500, trigger="1s", partitions=8).jobs[0]
    assert (job.slots, job.max_rows_per_batch, job.trigger, job.partitions) == (2, 500, 1.0, 8)
    untold = read(tmp_path).jobs[0]
    assert (untold.trigger, untold.partitions) == (None, None)


@pytest.mark.parametrize(("written", "told"), [("2g", "2048m"), ("512m", "512m"), (900, "900m"), (None, None)])
def test_the_memory_of_executors_is_told_to_spark(written: object, told: str | None) -> None:
    raw = {"jobs": [JOB], **({} if written is None else {"executor_memory": written})}
    assert checked(TenantsFile, raw, "tenants file").all_conf.get("spark.executor.memory") == told


def test_what_conf_says_of_memory_counts() -> None:
    raw = {"jobs": [JOB], "executor_memory": "2g", "conf": {"spark.executor.memory": "3g"}}
    assert checked(TenantsFile, raw, "tenants file").all_conf == {"spark.executor.memory": "3g"}


@pytest.mark.parametrize(
    ("written", "message"),
    [
        ("lots", r"executor_memory: 'lots' cannot be used; write a size such as 512m or 2g; a plain number is MiB"),
        (True, r"executor_memory: True cannot be used"),
        ("128m", r"executor_memory: '128m' cannot be used; write 450m or more: Spark's least"),
    ],
)
def test_memory_that_will_not_do_is_named(written: object, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        checked(TenantsFile, {"jobs": [JOB], "executor_memory": written}, "tenants file")


def test_a_route_is_found_in_its_module_and_routing_is_off_unless_told(tmp_path: Path) -> None:
    found = read(tmp_path, route="tests.governing.tenant_jobs:ROUTE")
    assert found.jobs[0].route is not None
    route = route_named("jobs.fraud.route", found.jobs[0].route, Routing)
    assert (route.name, found.routing) == ("routed", "off")
    assert read(tmp_path).jobs[0].route is None


@pytest.mark.parametrize(
    ("route", "message"),
    [
        ("tests.governing.tenant_jobs:quick", "name a penstock.Routing of that module"),
        ("tests.governing.tenant_jobs:NONE", "has nothing named NONE"),
        ("no.such.module:ROUTE", "the module cannot be imported"),
    ],
)
def test_a_route_that_is_none_is_refused(route: str, message: str) -> None:
    with pytest.raises(ConfigError, match=rf"jobs.fraud.route: .*{message}"):
        route_named("jobs.fraud.route", route, NamedRoute)


@pytest.mark.parametrize("routing", ["off", "advise", "act"])
def test_routing_is_off_advise_or_act(tmp_path: Path, routing: str) -> None:
    path = tmp_path / "tenants.yaml"
    path.write_text(f"routing: {routing}\njobs: [{{name: a, job: 'm:f', intent: {{juice: 0.9}}}}]")
    assert read_tenants(path).routing == routing


def test_another_word_for_routing_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "tenants.yaml"
    path.write_text("routing: maybe\njobs: [{name: a, job: 'm:f', intent: {juice: 0.9}}]")
    with pytest.raises(ConfigError, match="routing: 'maybe' cannot be used"):
        read_tenants(path)


def with_profiles(tmp_path: Path, profiles: dict[str, str]) -> TenantsFile:
    job = {"name": "fraud", "job": "m:f", "intent": {"latency": "2s", "recovery": "60s"}}
    (tmp_path / "tenants.yaml").write_text(yaml.safe_dump({"jobs": [job], "profiles": profiles}))
    return read_tenants(tmp_path / "tenants.yaml")


def test_profiles_are_read_from_beside_the_file(tmp_path: Path) -> None:
    evidence = (Observation(1, 100.0, 1.0), Observation(1, 240.0, None, saturated=True))
    write_profile(tmp_path / "fraud.csv", evidence)
    assert with_profiles(tmp_path, {"fraud": "fraud.csv"}).read_profiles(tmp_path) == {"fraud": evidence}


def test_a_profile_of_no_job_or_without_a_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"profiles.fruad: 'fruad' cannot be used; name a job: fraud"):
        with_profiles(tmp_path, {"fruad": "fraud.csv"})
    with pytest.raises(ConfigError, match=r"profiles.fraud: .*none.csv' cannot be used; give a file that can be read"):
        with_profiles(tmp_path, {"fraud": "none.csv"}).read_profiles(tmp_path)


PLAN = "flow: {work: []}\nmodels: {work: {points: [{threads: 1, rate_rps: 50, cpu: 0.1, memory: 0.1}]}}"


def with_models(tmp_path: Path, models: dict[str, Any]) -> TenantsFile:
    (tmp_path / "fraud-plan.yaml").write_text(PLAN)
    (tmp_path / "tenants.yaml").write_text(yaml.safe_dump({"jobs": [JOB], "models": models}))
    return read_tenants(tmp_path / "tenants.yaml")


def test_models_may_be_those_of_a_plan_that_ships() -> None:
    shipped = checked(TenantsFile, {"jobs": [JOB], "models": {"fraud": "linear"}}, "tenants file")
    assert sorted(shipped.read_models(Path())["fraud"].by_operator) == ["blob", "file", "parse", "pi", "table"]


def test_a_job_with_models_and_an_expected_rate_begins_with_what_that_rate_needs(tmp_path: Path) -> None:
    part = {"plan": "fraud-plan.yaml", "rate": 100, "headroom": 1.5}
    tenants = with_models(tmp_path, {"fraud": part})
    models = tenants.read_models(tmp_path)["fraud"]
    assert first_slots(models, tenants.models["fraud"].rate) == 3  # 150 of 50 rows/s
    searched = with_models(tmp_path, {"fraud": "fraud-plan.yaml"})
    assert first_slots(searched.read_models(tmp_path)["fraud"], searched.models["fraud"].rate) is None


@pytest.mark.parametrize(
    ("models", "message"),
    [
        ({"fruad": "fraud-plan.yaml"}, r"models.fruad: 'fruad' cannot be used; name a job: fraud"),
        ({"fraud": "none.yaml"}, r"models.fraud: 'none.yaml' cannot be used; give a file, or one that ships: diamond"),
        ({"fraud": {"plan": "fraud-plan.yaml", "rate": -1}}, r"models.fraud.rate: -1 cannot be used"),
        (
            {"fraud": {"plan": "fraud-plan.yaml", "rat": 5}},
            r"models.fraud.rat: 5 cannot be used; there is no such field",
        ),
    ],
)
def test_models_that_will_not_do_are_named(tmp_path: Path, models: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        with_models(tmp_path, models).read_models(tmp_path)


def test_a_file_that_is_not_there_is_said(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="give a file that can be read"):
        read_tenants(tmp_path / "none.yaml")


def test_two_jobs_of_one_name_are_refused(tmp_path: Path) -> None:
    job = {"name": "a", "job": "m:f", "intent": {"juice": 0.9}}
    (tmp_path / "t.yaml").write_text(yaml.safe_dump({"jobs": [job, job]}))
    with pytest.raises(ConfigError, match="give each job a name of its own"):
        read_tenants(tmp_path / "t.yaml")


@pytest.mark.parametrize(
    ("job", "message"), [("no.such.module:f", "cannot be imported"), ("json:nothing", "has nothing named nothing")]
)
def test_a_function_that_is_not_there_is_said(tmp_path: Path, job: str, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        read(tmp_path, job=job).jobs[0].function()
