"""The Helm chart: what it renders is valid by the API's own schemas, and true to itself. Rendering needs helm.

It is looked for on the PATH and where `make chart`, which runs these tests, builds it.
"""

import json
import subprocess
from pathlib import Path
from typing import Any

import jsonschema
import kubernetes_validate
import pytest
import yaml

from penstock.cli.coordinate import coordinate
from penstock.config.coordination import CoordinationFile, read_coordination
from tests.deploy.chart import CHART, helm

pytestmark = pytest.mark.helm

VERSION = "1.33"
ALL = (
    "postgresql.enabled=true",
    "pages.enabled=true",
    "serviceMonitor.enabled=true",
    "prometheusRule.enabled=true",
    "advise=true",
    "applications.namespace=apps",
    "applications.quota.pods=50",
    "lease.enabled=true",
    "kueue.enabled=true",
    "tls.secret=coordinator",
    "tls.ca=ca.crt",
    "tls.agentsCa.secret=agents",
)
TLS = ("tls.secret=coordinator", "pages.enabled=true", "serviceMonitor.enabled=true")
PROBES = ("readinessProbe", "livenessProbe")
Manifest = dict[str, Any]


def rendered(*values: str, ok: bool = True, how: str = "--set") -> str:
    """What `helm template` says."""
    sets = [word for value in values for word in (how, value)]
    command = [helm(), "template", "fleet", str(CHART), "--namespace", "streams", "--kube-version", VERSION, *sets]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode == 0) is ok, done.stderr
    return done.stdout if ok else done.stderr


def manifests(*values: str) -> list[Manifest]:
    return [found for found in yaml.safe_load_all(rendered(*values)) if found]


def one(found: list[Manifest], kind: str, ends: str = "") -> Manifest:
    return next(m for m in found if m["kind"] == kind and m["metadata"]["name"].endswith(ends))


def coordinators_pod(*values: str) -> Manifest:
    found: Manifest = one(manifests(*values), "StatefulSet", "-coordinator")["spec"]["template"]["spec"]
    return found


def kept_in(pod: Manifest, path: Path) -> tuple[str, str]:
    """The secret and its key that a file of the coordinator's container comes from."""
    mounts = {mount["mountPath"]: mount["name"] for mount in pod["containers"][0]["volumeMounts"]}
    volumes = {volume["name"]: volume["secret"] for volume in pod["volumes"] if "secret" in volume}
    secret = volumes[mounts[str(path.parent)]]
    keys = {item["path"]: item["key"] for item in secret["items"]}
    return secret["secretName"], keys[path.name]


def test_helm_finds_nothing_wrong_with_it() -> None:
    done = subprocess.run([helm(), "lint", "--strict", str(CHART)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize("values", [(), ALL], ids=["as it ships", "with all there is"])
def test_every_manifest_is_valid_by_the_apis_schema(values: tuple[str, ...]) -> None:
    found = manifests(*values)
    for manifest in found:
        if not manifest["apiVersion"].startswith("monitoring.coreos.com/"):  # not the API's own kind
            kubernetes_validate.validate(manifest, VERSION, strict=True)
    assert {"Role", "StatefulSet", "PodDisruptionBudget"} <= {manifest["kind"] for manifest in found}


def test_the_coordinators_account_may_list_pods_and_quotas_where_applications_are_and_nothing_else() -> None:
    found = manifests("applications.namespace=apps")
    role, binding = one(found, "Role"), one(found, "RoleBinding")
    assert role["rules"] == [{"apiGroups": [""], "resources": ["pods", "resourcequotas"], "verbs": ["list"]}]
    assert (role["metadata"]["namespace"], binding["metadata"]["namespace"]) == ("apps", "apps")
    account = one(found, "ServiceAccount")["metadata"]
    assert binding["subjects"] == [{"kind": "ServiceAccount", "name": account["name"], "namespace": "streams"}]
    assert [manifest["kind"] for manifest in found if manifest["kind"].startswith("Cluster")] == []


def test_its_fleet_is_what_penstock_reads_and_its_command_is_one(tmp_path: Path) -> None:
    found = manifests(*ALL)
    (tmp_path / "fleet.yaml").write_text(one(found, "ConfigMap")["data"]["fleet.yaml"], encoding="utf-8")
    assert read_coordination(tmp_path / "fleet.yaml").cluster.kubernetes == "apps"
    (container,) = one(found, "StatefulSet", "-coordinator")["spec"]["template"]["spec"]["containers"]
    words: list[str] = [*container["command"], *container["args"]]
    params = coordinate.make_context(words[1], words[2:]).params
    assert (params["agents_host"], params["advise"], params["dashboard"]) == ("0.0.0.0", True, True)


def test_with_a_lease_object_the_account_may_read_and_write_that_one_and_the_fleet_names_it(tmp_path: Path) -> None:
    found = manifests("lease.enabled=true", "applications.namespace=apps")
    lease = one(found, "Lease")["metadata"]
    (rule,) = one(found, "Role", "-lease")["rules"]
    assert (rule["resources"], rule["resourceNames"], rule["verbs"]) == (["leases"], [lease["name"]], ["get", "update"])
    assert one(found, "RoleBinding", "-lease")["metadata"]["namespace"] == lease["namespace"] == "streams"
    (tmp_path / "fleet.yaml").write_text(one(found, "ConfigMap")["data"]["fleet.yaml"], encoding="utf-8")
    file = read_coordination(tmp_path / "fleet.yaml")
    assert file.leadership.kubernetes == f"streams/{lease['name']}"
    assert [manifest["kind"] for manifest in manifests() if manifest["kind"] == "Lease"] == []


def test_keda_is_answered_at_a_port_that_there_is() -> None:
    found = manifests("keda.enabled=true")
    (container,) = one(found, "StatefulSet", "-coordinator")["spec"]["template"]["spec"]["containers"]
    words: list[str] = [*container["command"], *container["args"]]
    params = coordinate.make_context(words[1], words[2:]).params
    ports = {port["name"]: port["port"] for port in one(found, "Service", "-coordinator")["spec"]["ports"]}
    assert (params["keda"], params["keda_host"]) == (ports["keda"], "0.0.0.0")
    assert {"name": "keda", "containerPort": ports["keda"]} in container["ports"]


def test_with_a_certificate_its_files_are_mounted_to_be_read_and_its_command_names_them() -> None:
    pod = coordinators_pod("tls.secret=coordinator", "tls.certificate=own.pem", "tls.agentsCa.secret=agents")
    (container,) = pod["containers"]
    words: list[str] = [*container["command"], *container["args"]]
    params = coordinate.make_context(words[1], words[2:]).params
    expected = {
        "tls_certificate": ("coordinator", "own.pem"),
        "tls_key": ("coordinator", "tls.key"),
        "agents_ca": ("agents", "ca.crt"),
    }
    assert {name: kept_in(pod, params[name]) for name in expected} == expected
    assert all(mount["readOnly"] for mount in container["volumeMounts"] if mount["name"] != "scratch")


def test_a_secrets_name_stays_a_name_where_yaml_would_read_another_thing() -> None:
    pod = coordinators_pod("tls.secret=y", "tls.agentsCa.secret=off", "agentTokensSecret=no")
    assert [volume["secret"]["secretName"] for volume in pod["volumes"] if "secret" in volume] == ["no", "y", "off"]


@pytest.mark.parametrize(
    ("values", "asked"),
    [
        ((), {"httpGet": {"path": "/health", "port": "agents"}}),
        (TLS, {"httpGet": {"path": "/health", "port": "agents", "scheme": "HTTPS"}}),
        ((*TLS, "tls.agentsCa.secret=agents"), {"tcpSocket": {"port": "agents"}}),
    ],
    ids=["plain", "TLS", "mTLS: the kubelet has no certificate"],
)
def test_probes_ask_in_the_way_that_the_door_answers(values: tuple[str, ...], asked: Manifest) -> None:
    (container,) = coordinators_pod(*values)["containers"]
    assert [asked.items() <= container[probe].items() for probe in PROBES] == [True, True]
    assert all(len(container[probe].keys() & {"httpGet", "tcpSocket"}) == 1 for probe in PROBES)


def test_metrics_are_scraped_over_tls_where_pages_are_served_so_by_a_name_that_agents_use_too() -> None:
    (plain,) = one(manifests(*TLS[1:]), "ServiceMonitor")["spec"]["endpoints"]
    assert plain.keys().isdisjoint({"scheme", "tlsConfig"})
    (known,) = one(manifests(*TLS), "ServiceMonitor")["spec"]["endpoints"]
    name = "fleet-coordinator-0.fleet-coordinator.streams"
    assert (known["scheme"], known["tlsConfig"]) == ("https", {"serverName": name})
    (own,) = one(manifests(*TLS, "tls.ca=ca.crt"), "ServiceMonitor")["spec"]["endpoints"]
    assert own["tlsConfig"]["ca"] == {"secret": {"name": "coordinator", "key": "ca.crt"}}


def test_a_value_that_is_misspelt_is_refused_by_its_name() -> None:
    assert "secert" in rendered("tls.secert=coordinator", ok=False)


def test_what_pods_mount_and_services_choose_is_there() -> None:
    found = manifests(*ALL)
    for name in ("-coordinator", "-postgresql"):
        pods = one(found, "StatefulSet", name)["spec"]
        labels, spec = pods["template"]["metadata"]["labels"], pods["template"]["spec"]
        mounted = {mount["name"] for mount in spec["containers"][0]["volumeMounts"]}
        claimed = {claim["metadata"]["name"] for claim in pods.get("volumeClaimTemplates", ())}
        assert mounted == {volume["name"] for volume in spec.get("volumes", ())} | claimed
        assert one(found, "Service", name)["spec"]["selector"].items() <= labels.items()
    coordinator = one(found, "StatefulSet", "-coordinator")["spec"]["template"]["metadata"]["labels"]
    for kind in ("PodDisruptionBudget", "ServiceMonitor"):
        chosen = one(found, kind)["spec"]["selector"]["matchLabels"].items()
        assert (
            chosen
            <= (coordinator if kind == "PodDisruptionBudget" else one(found, "Service")["metadata"]["labels"]).items()
        )


def test_metrics_are_scraped_at_a_port_that_there_is_and_alerts_come_unchanged() -> None:
    found = manifests(*ALL)
    (endpoint,) = one(found, "ServiceMonitor")["spec"]["endpoints"]
    assert endpoint["port"] in {port["name"] for port in one(found, "Service", "-coordinator")["spec"]["ports"]}
    assert endpoint["honorLabels"] is True  # Prometheus' own `job` would take the place of the tenants'
    rules = yaml.safe_load((CHART / "files" / "penstock.rules.yml").read_text(encoding="utf-8"))
    assert one(found, "PrometheusRule")["spec"] == rules


INJECTED = "a\n---\nkind: ClusterRole"
WRONG: list[tuple[dict[str, Any], str]] = [
    *(({"replicas": replicas}, "/replicas") for replicas in (-1, "two", 1.5, 10**9)),
    *(
        ({name: None}, f"missing property '{name}'")
        for name in ("replicas", "image", "tls", "store", "agentTokensSecret")
    ),
    ({"image": {"repository": 'a"\n      hostPID: true'}}, "/image/repository"),
    ({"image": {"tag": '1"\n'}}, "/image/tag"),
    ({"applications": {"namespace": INJECTED}}, "/applications/namespace"),
    ({"applications": {"namespace": "A_b"}}, "/applications/namespace"),
    ({"applications": {"quota": {"requests.cpu": "lots"}}}, "/applications/quota/requests.cpu"),
    ({"applications": {"quota": {"requests.cpu": -5}}}, "/applications/quota/requests.cpu"),
    ({"applications": {"quota": {INJECTED: 1}}}, "propertyName"),
    ({"agentTokensSecret": ""}, "/agentTokensSecret"),
    ({"agentTokensSecret": INJECTED}, "/agentTokensSecret"),
    ({"tls": {"secret": INJECTED}}, "/tls/secret"),
    ({"tls": {"certificate": "../../x"}}, "/tls/certificate"),
    ({"tls": {"agentsCa": None}}, "agentsCa"),
    ({"store": {"secret": None}}, "missing property 'secret'"),
    ({"fleet": {"interval": "-5s"}}, "/fleet/interval"),
    ({"fleet": {"interval": 0}}, "/fleet/interval"),
    ({"fleet": {"intervall": "5s"}}, "intervall"),
    ({"fleet": {"name": INJECTED}}, "/fleet/name"),
    ({"resources": {"limits": {"memory": -1}}}, "/resources/limits/memory"),
    ({"resources": {"request": {"cpu": 1}}}, "request"),
    ({"postgresql": {"storage": "1Gi\nx: y"}}, "/postgresql/storage"),
    ({"postgresql": {"storageClass": INJECTED}}, "/postgresql/storageClass"),
    ({"serviceMonitor": {"interval": "soon"}}, "/serviceMonitor/interval"),
    ({"serviceMonitor": {"interval": "0s"}}, "/serviceMonitor/interval"),
    ({"serviceMonitor": {"labels": {"team": INJECTED}}}, "/serviceMonitor/labels/team"),
    ({"prometheusRule": {"labels": {"team": 5}}}, "/prometheusRule/labels/team"),
]


@pytest.mark.parametrize(("values", "told"), WRONG, ids=lambda value: str(value)[:60])
def test_a_value_of_the_wrong_kind_or_with_yaml_in_it_is_refused_by_its_name(values: dict[str, Any], told: str) -> None:
    said = rendered(*(f"{name}={json.dumps(value)}" for name, value in values.items()), ok=False, how="--set-json")
    assert "don't meet the specifications of the schema" in said
    assert told in said


def test_names_that_yaml_would_read_as_other_things_stay_names() -> None:
    found = manifests("applications.namespace=yes", "postgresql.enabled=true", "postgresql.storageClass=off")
    assert one(found, "Role")["metadata"]["namespace"] == "yes"
    (claim,) = one(found, "StatefulSet", "-postgresql")["spec"]["volumeClaimTemplates"]
    assert claim["spec"]["storageClassName"] == "off"


def test_one_alone_without_a_store_names_no_secret() -> None:
    (container,) = coordinators_pod("replicas=1", "store.secret=")["containers"]
    assert [variable["name"] for variable in container["env"]] == ["HOME"]


SCHEMA = json.loads((CHART / "values.schema.json").read_text(encoding="utf-8"))
VALUES = yaml.safe_load((CHART / "values.yaml").read_text(encoding="utf-8"))
ODD: list[Any] = [None, -1, 10**9, 1.5, "", INJECTED, 'a"b', "{{ .Values }}", [], {}, True, {INJECTED: INJECTED}]


def places(values: Any, path: tuple[str, ...] = ()) -> list[tuple[str, ...]]:
    inner = values.items() if isinstance(values, dict) else ()
    return ([path] if path else []) + [place for name, value in inner for place in places(value, (*path, name))]


def with_value(values: Any, path: tuple[str, ...], value: Any) -> Any:
    """Helm leaves out what is null."""
    name, *rest = path
    inner = with_value(values[name], tuple(rest), value) if rest else value
    return {**{n: one for n, one in values.items() if n != name}, **({} if inner is None else {name: inner})}


def strings(value: Any) -> list[str]:
    if isinstance(value, dict):
        return [text for name, inner in value.items() for text in (name, *strings(inner))]
    return [value] if isinstance(value, str) else []


@pytest.mark.parametrize("path", [place for place in places(VALUES) if place[0] != "fleet"], ids=".".join)
def test_whatever_stands_in_a_value_no_line_or_quote_of_it_gets_into_a_manifest(path: tuple[str, ...]) -> None:
    for odd in ODD:
        values = with_value(VALUES, path, odd)
        if jsonschema.Draft7Validator(SCHEMA).is_valid(values):
            assert not any(letter in text for text in strings(values) for letter in '\n"{')


def test_the_fleet_has_the_fields_that_its_file_has() -> None:
    assert SCHEMA["properties"]["fleet"]["properties"].keys() == CoordinationFile.model_fields.keys()


@pytest.mark.parametrize(
    ("value", "told"),
    [
        ("lease.enabled=true,fleet.leadership.kubernetes=a/b", "fleet.leadership cannot be used; leave it out"),
        ("serviceMonitor.enabled=true", "serviceMonitor.enabled: true cannot be used; write pages.enabled: true too"),
        ("fleet.cluster.cores=4", "fleet.cluster cannot be used; leave it out"),
        ("keda.enabled=true,advise=true", "keda.enabled: true cannot be used; leave it out with advise"),
        ("store.secret=", "store.secret: '' cannot be used; name a secret"),
        ("tls.agentsCa.secret=ours", "tls.agentsCa.secret: ours cannot be used; name a secret in tls.secret too"),
    ],
)
def test_values_that_do_not_go_together_are_refused(value: str, told: str) -> None:
    assert told in rendered(value, ok=False)
