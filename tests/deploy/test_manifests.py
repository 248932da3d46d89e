"""The Kubernetes manifests: valid by the API's own schemas, and true to each other."""

import os
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import kubernetes_validate
import pytest
import yaml

from penstock.cli.coordinate import coordinate
from penstock.config.coordination import read_coordination
from penstock.config.tenants import read_tenants

DEPLOY = Path(__file__).parents[2] / "deploy" / "kubernetes"
FILES = sorted(DEPLOY.rglob("*.yaml"))
VERSION = "1.33"
Manifest = dict[str, Any]


def manifests() -> Iterator[Manifest]:
    for file in FILES:
        yield from yaml.safe_load_all(file.read_text(encoding="utf-8"))


def one(kind: str, name: str) -> Manifest:
    return next(found for found in manifests() if (found["kind"], found["metadata"]["name"]) == (kind, name))


def driver() -> Manifest:
    spec: Manifest = one("StatefulSet", "penstock-driver")["spec"]["template"]["spec"]
    return spec


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_every_manifest_is_valid_by_the_apis_schema(file: Path) -> None:
    for manifest in yaml.safe_load_all(file.read_text(encoding="utf-8")):
        kubernetes_validate.validate(manifest, VERSION, strict=True)


def test_the_schema_check_finds_a_misspelt_field() -> None:
    wrong = {**one("PersistentVolumeClaim", "penstock-store"), "spce": {}}
    with pytest.raises(kubernetes_validate.ValidationError):
        kubernetes_validate.validate(wrong, VERSION, strict=True)


def test_what_the_driver_refers_to_is_there() -> None:
    assert one("ServiceAccount", driver()["serviceAccountName"])
    for volume in driver()["volumes"]:
        if "configMap" in volume:
            assert one("ConfigMap", volume["configMap"]["name"])
        else:
            assert one("PersistentVolumeClaim", volume["persistentVolumeClaim"]["claimName"])
    mounted = {mount["name"] for mount in driver()["containers"][0]["volumeMounts"]}
    assert mounted == {volume["name"] for volume in driver()["volumes"]}


def test_the_role_is_bound_to_the_drivers_account() -> None:
    binding = one("RoleBinding", "penstock-driver")
    assert one("Role", binding["roleRef"]["name"])["rules"][0]["resources"][0] == "pods"
    assert [subject["name"] for subject in binding["subjects"]] == [driver()["serviceAccountName"]]


def test_the_service_selects_the_driver_at_the_ports_that_spark_is_told(tmp_path: Path) -> None:
    service = one("Service", "penstock-driver")["spec"]
    labels = one("StatefulSet", "penstock-driver")["spec"]["template"]["metadata"]["labels"]
    conf = tenants(tmp_path).conf
    assert service["selector"].items() <= labels.items()
    assert [port["port"] for port in service["ports"]] == [
        conf["spark.driver.port"],
        conf["spark.driver.blockManager.port"],
    ]
    assert conf["spark.driver.host"] == "penstock-driver"


def test_the_tenants_are_what_penstock_reads_and_their_image_is_the_drivers(tmp_path: Path) -> None:
    read = tenants(tmp_path)
    assert all(callable(job.function()) for job in read.jobs)
    assert read.master.startswith("k8s://")
    assert read.conf["spark.kubernetes.container.image"] == driver()["containers"][0]["image"]
    assert read.checkpoints in {mount["mountPath"] for mount in driver()["containers"][0]["volumeMounts"]}


@pytest.mark.parametrize(
    ("says", "age_s", "alive", "ready"),
    [
        (None, 0.0, False, False),
        ("starting", 0.0, True, False),
        ("governing", 10.0, True, True),
        ("governing", 40.0, False, False),
    ],
)
def test_probes_tell_a_driver_that_lives_from_one_that_stands_still(
    says: str | None, age_s: float, alive: bool, ready: bool, tmp_path: Path
) -> None:
    file = tmp_path / "heartbeat"
    if says is not None:
        file.write_text(says)
        os.utime(file, (time.time() - age_s,) * 2)
    (container,) = driver()["containers"]
    assert (passes(container["livenessProbe"], file), passes(container["startupProbe"], file)) == (alive, alive)
    assert passes(container["readinessProbe"], file) is ready


def passes(probe: Manifest, file: Path) -> bool:
    """The probe's own command, with a file of ours in place of the driver's."""
    option, path = driver()["containers"][0]["command"][-2:]
    command = [word.replace(path, str(file)) for word in probe["exec"]["command"]]
    assert (option, str(file) in command[-1]) == ("--heartbeat", True)
    return subprocess.run(command, capture_output=True, check=False).returncode == 0


def tenants(tmp_path: Path) -> Any:
    (tmp_path / "tenants.yaml").write_text(one("ConfigMap", "penstock-tenants")["data"]["tenants.yaml"])
    return read_tenants(tmp_path / "tenants.yaml")


def test_the_coordinators_fleet_is_what_penstock_reads_and_its_command_is_one(tmp_path: Path) -> None:
    (tmp_path / "fleet.yaml").write_text(one("ConfigMap", "penstock-fleet")["data"]["fleet.yaml"], encoding="utf-8")
    assert read_coordination(tmp_path / "fleet.yaml").cluster.kubernetes == "penstock"
    (container,) = coordinator()["containers"]
    words: list[str] = [*container["command"], *container["args"]]
    assert words[1] == coordinate.name
    assert coordinate.make_context(words[1], words[2:]).params["agents_host"] == "0.0.0.0"


def test_what_the_coordinator_refers_to_is_there_and_its_account_may_only_look() -> None:
    role = one("Role", one("RoleBinding", "penstock-coordinator")["roleRef"]["name"])
    assert {verb for rule in role["rules"] for verb in rule["verbs"]} == {"list"}
    assert one("ServiceAccount", coordinator()["serviceAccountName"])
    assert one("ResourceQuota", "penstock")["spec"]["hard"].keys() == {"requests.cpu", "requests.memory"}
    mounted = {mount["name"] for mount in coordinator()["containers"][0]["volumeMounts"]}
    assert mounted == {volume["name"] for volume in coordinator()["volumes"]}
    labels = one("StatefulSet", "penstock-coordinator")["spec"]["template"]["metadata"]["labels"]
    for kind in ("Service", "PodDisruptionBudget"):
        selector = one(kind, "penstock-coordinator")["spec"]["selector"]
        assert selector.get("matchLabels", selector).items() <= labels.items()


def coordinator() -> Manifest:
    spec: Manifest = one("StatefulSet", "penstock-coordinator")["spec"]["template"]["spec"]
    return spec


def test_the_alerts_of_the_chart_are_those_that_promtool_tests() -> None:
    root = DEPLOY.parent
    shipped = (root / "prometheus" / "penstock.rules.yml").read_text(encoding="utf-8")
    assert (root / "helm" / "penstock" / "files" / "penstock.rules.yml").read_text(encoding="utf-8") == shipped
