"""`penstock submit`: what it would start, what it refuses, and what it advises."""

from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
import yaml

from penstock.core.cycle import Cycle
from penstock.core.plan import Outcome, Plan
from penstock.core.run import RunInfo
from penstock.store.open import open_store
from tests import builders
from tests.cli.calling import penstock
from tests.harness.ports import own_port

NAMES = ("fraud", "ads", "bots")


@pytest.fixture(autouse=True)
def nothing_of_this_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    found = ("HADOOP_CONF_DIR", "YARN_CONF_DIR", "SPARK_CONF_DIR", "PENSTOCK_COORDINATOR_TOKEN", "PENSTOCK_STORE")
    for name in found:
        monkeypatch.delenv(name, raising=False)


def shop(place: Path, **more: Any) -> str:
    job = {
        "job": "tests.governing.tenant_jobs:slow",
        "params": {"rows_per_second": 10, "row_ms": 1},
        "intent": {"latency": "2s"},
    }
    jobs = [{"name": name, **job} for name in NAMES]
    said = {"name": "shop", "executors": 6, "checkpoints": "/shared/checkpoints", "jobs": jobs, **more}
    (place / "shop.yaml").write_text(yaml.safe_dump({name: value for name, value in said.items() if value is not None}))
    return str(place / "shop.yaml")


def test_the_commands_are_printed_one_for_each_application(tmp_path: Path) -> None:
    file = shop(tmp_path, together=["ads", "bots"])
    called = penstock("submit", file, "--master", "spark://one:7077", "--for", "10m", "--dry-run")
    assert (called.returncode, called.stderr) == (0, "")
    assert called.stdout.splitlines() == [
        f"penstock run {file} --only fraud --executors 2 --master spark://one:7077 --for 10m --restart",
        f"penstock run {file} --only ads,bots --executors 4 --master spark://one:7077 --for 10m --restart",
    ]


def test_with_a_coordinator_each_may_have_all_but_one_for_each_other(tmp_path: Path) -> None:
    given = ["--master", "spark://one:7077", "--coordinator", "http://here:7474", "--no-restart", "--dry-run"]
    called = penstock("submit", shop(tmp_path), *given)
    assert called.stdout.splitlines()[0].endswith(
        "--only fraud --executors 4 --master spark://one:7077 --coordinator http://here:7474"
    )


def test_a_second_driver_is_kept_warm_for_those_that_are_named_with_all_that_share_theirs(tmp_path: Path) -> None:
    given = ["--master", "spark://one:7077", "--standby", "bots, ", "--dry-run"]
    called = penstock("submit", shop(tmp_path, together=["ads", "bots"]), *given)
    fraud, shared = called.stdout.splitlines()
    assert fraud.endswith("--only fraud --executors 2 --master spark://one:7077 --restart")
    assert shared.endswith("--only ads,bots --executors 4 --master spark://one:7077 --restart --standby")


def test_certificates_for_the_coordinator_are_handed_on_and_one_that_is_not_there_is_said_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PENSTOCK_COORDINATOR_CA", "ca.crt")
    given = ["--master", "k8s://https://api:6443", "--coordinator", "https://here:7474"]
    file = shop(tmp_path, conf={"spark.kubernetes.container.image": "penstock"})
    called = penstock("submit", file, *given, "--coordinator-certificate", "shop.crt", "--dry-run")
    assert "--coordinator-ca ca.crt --coordinator-certificate shop.crt" in called.stdout.splitlines()[0]
    monkeypatch.setenv("PENSTOCK_COORDINATOR_TOKEN", "agent-x")
    missing = penstock("submit", file, *given)
    said = missing.stderr.splitlines()[-1]
    assert said == "penstock: --coordinator-ca: 'ca.crt' cannot be used; give the path of a PEM file"


@pytest.mark.parametrize(
    ("more", "options", "told"),
    [
        (
            {},
            ["--master", "local[4]"],
            "--master: 'local[4]' cannot be used; write spark://host:port, yarn or k8s://...",
        ),
        ({}, [], "--master: 'local[*]' cannot be used; write spark://host:port, yarn or k8s://..."),
        ({"executors": None}, ["--master", "yarn"], "executors: missing; write the most executors that all"),
        ({"checkpoints": None}, ["--master", "yarn"], "checkpoints: missing; write a directory that drivers"),
        ({}, ["--master", "yarn"], "HADOOP_CONF_DIR: missing; set it to the directory of yarn-site.xml"),
        ({}, ["--master", "k8s://https://api:6443"], "conf.spark.kubernetes.container.image: missing; write"),
        ({}, ["--master", "spark://one:7077", "--for", "soon"], "--for: 'soon' cannot be used;"),
        (
            {},
            ["--master", "spark://one:7077", "--standby", "frod"],
            "did you mean fraud?",
        ),
        ({}, ["--master", "spark://one:7077", "--standby", "ads", "--no-restart"], "leave --no-restart out"),
        (
            {},
            ["--master", "yarn", "--deploy-mode", "cluster"],
            "--deploy-mode: 'cluster' cannot be used; leave it out: drivers run where penstock runs (client mode); to "
            "have YARN keep a driver, submit a program of your own that calls ps.govern with `spark-submit "
            "--deploy-mode cluster`",
        ),
        ({}, ["--master", "k8s://a:1", "--deploy-mode", "cluster"], "as deploy/kubernetes/driver.yaml does"),
        ({}, ["--master", "spark://a:1", "--deploy-mode", "cluster"], "the init system of a machine that stays"),
        (
            {"conf": {"spark.submit.deployMode": "cluster"}},
            ["--master", "yarn"],
            "conf.spark.submit.deployMode: 'cluster' cannot be used; leave it out",
        ),
        (
            {"together": ["fraud", "add"]},
            ["--master", "yarn"],
            "together.1: 'add' cannot be used; name a job: fraud, ads",
        ),
    ],
)
def test_wrong_input_is_refused_in_one_line_with_a_remedy(
    tmp_path: Path, more: dict[str, Any], options: list[str], told: str
) -> None:
    called = penstock("submit", shop(tmp_path, **more), *options, "--dry-run")
    (line,) = called.stderr.splitlines()
    assert told in line
    assert (called.returncode, called.stdout) == (2, "")


def test_logs_that_cannot_be_written_are_refused_before_any_driver_starts(tmp_path: Path) -> None:
    for place in ("/proc/no", str(tmp_path / "shop.yaml" / "logs")):
        called = penstock("submit", shop(tmp_path), "--master", "spark://one:7077", "--logs", place)
        assert f"penstock: --logs: '{place}' cannot be used; give a folder that can be written" in called.stderr
        assert (called.returncode, called.stderr.count("\n")) == (2, 1)


@pytest.mark.parametrize(
    "line", ["spark.kubernetes.container.image spark", "spark.kubernetes.executor.container.image=s"]
)
def test_an_image_that_spark_finds_in_its_own_settings_need_not_stand_in_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, line: str
) -> None:
    monkeypatch.setenv("SPARK_CONF_DIR", str(tmp_path))
    (tmp_path / "spark-defaults.conf").write_text(f"# of this cluster\n{line}\n")
    called = penstock("submit", shop(tmp_path), "--master", "k8s://https://api:6443", "--dry-run")
    assert (called.returncode, called.stderr) == (0, "")


def test_a_master_that_is_away_and_a_token_that_is_missing_are_said_before_any_driver_starts(tmp_path: Path) -> None:
    image = {"spark.kubernetes.container.image": "penstock"}
    for master in (f"spark://127.0.0.1:{own_port()}", f"k8s://https://127.0.0.1:{own_port()}"):
        away = penstock("submit", shop(tmp_path, conf=image), "--master", master)
        assert (away.returncode, away.stderr.count("\n")) == (75, 1)
        assert f"master: nobody listens at '{master}'; " in away.stderr
    given = ["--master", "k8s://https://api:6443", "--coordinator", "http://127.0.0.1:7474"]
    tokenless = penstock("submit", shop(tmp_path, conf=image), *given)
    assert (tokenless.returncode, tokenless.stderr.count("\n")) == (2, 1)
    assert "PENSTOCK_COORDINATOR_TOKEN: '' cannot be used; set PENSTOCK_COORDINATOR_TOKEN" in tokenless.stderr


def recorded(place: Path, busy: dict[str, float]) -> str:
    """A store with ten rounds of a run in which the tenants had four slots each, so much of which they used."""
    file = str(place / "runs.sqlite")
    with closing(open_store(file)) as store:
        store.begin(RunInfo("one", "shop", "fair", "spark"))
        for number in range(10):
            jobs = [
                builders.job(name, 10.0, operators=[builders.operator(capacity=share)]) for name, share in busy.items()
            ]
            seen = builders.view(10.0 * number, jobs)
            store.append(Cycle(seen.at_s, "fair", seen, Plan(), Outcome(), None))
    return file


def test_it_advises_who_could_share_a_driver_by_what_is_recorded(tmp_path: Path) -> None:
    store = recorded(tmp_path, {"fraud": 0.9, "ads": 0.05, "bots": 0.1})
    told = penstock("submit", shop(tmp_path), "--master", "spark://one:7077", "--store", store, "--dry-run")
    assert told.stderr.splitlines() == [
        "advice: bots, ads could share a driver (together: [bots, ads]): together they use 0.6 of the 1 slots of an"
        " executor: 1 driver and 1 executor fewer"
    ]
    apart = penstock(
        "submit",
        shop(tmp_path, together=["fraud", "ads"]),
        "--master",
        "spark://one:7077",
        "--store",
        store,
        "--dry-run",
    )
    assert "advice: fraud should have its own driver: it uses 3.6 slots" in apart.stderr


def test_a_store_that_is_empty_yet_is_no_mistake(tmp_path: Path) -> None:
    called = penstock("submit", shop(tmp_path), "--master", "yarn", "--store", str(tmp_path / "new"), "--dry-run")
    assert "HADOOP_CONF_DIR" in called.stderr
    fresh = penstock(
        "submit", shop(tmp_path), "--master", "spark://one:7077", "--store", str(tmp_path / "new"), "--dry-run"
    )
    assert fresh.stderr.splitlines() == ["advice: nothing is recorded of ads, bots, fraud"]
