"""What the daemons of a YARN on this machine are told."""

from pathlib import Path
from xml.etree import ElementTree

import pytest

from penstock.errors import ConfigError
from penstock.local.yarn import cluster
from penstock.local.yarn.configuration import YarnShape, write

SHAPE = YarnShape(nodes=2, cores=4, memory_mib=3072, queues=("ads", "etl", "bots"), port=18_088)


def properties(file: Path) -> dict[str, str]:
    found = ElementTree.parse(file).getroot().findall("property")
    return {entry.findtext("name", ""): entry.findtext("value", "") for entry in found}


def test_queues_share_a_hundred_percent_and_cores_count(tmp_path: Path) -> None:
    write(tmp_path, SHAPE)
    queues = properties(tmp_path / "conf" / "resourcemanager" / "capacity-scheduler.xml")
    shares = [float(queues[f"yarn.scheduler.capacity.root.{name}.capacity"]) for name in SHAPE.queues]
    assert sum(shares) == 100.0
    assert queues["yarn.scheduler.capacity.resource-calculator"].endswith(".DominantResourceCalculator")


def test_each_node_has_an_address_of_its_own_and_clients_find_the_same_doors(tmp_path: Path) -> None:
    write(tmp_path, SHAPE)
    nodes = [properties(tmp_path / "conf" / f"nodemanager-{number}" / "yarn-site.xml") for number in range(2)]
    assert [node["yarn.nodemanager.hostname"] for node in nodes] == ["127.0.0.21", "127.0.0.22"]
    client = properties(tmp_path / "conf" / "client" / "yarn-site.xml")
    assert client.items() <= nodes[0].items()
    assert client["yarn.resourcemanager.webapp.address"] == "127.0.0.1:18088"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"nodes": 0}, "--workers: 0 cannot be used"),
        ({"cores": 0}, "--cores: 0 cannot be used"),
        ({"port": 80}, "--port: 80 cannot be used"),
        ({"memory_mib": 100}, "--memory: '100m' cannot be used; write at least 512m"),
    ],
)
def test_what_cannot_be_started_is_refused_before_anything_is(
    tmp_path: Path, change: dict[str, int], message: str
) -> None:
    shape = YarnShape(**{**{"nodes": 1, "cores": 1, "memory_mib": 1024, "queues": ("a",), "port": 18_088}, **change})  # type: ignore[arg-type]
    with pytest.raises(ConfigError, match=message):
        cluster.up(tmp_path / "yarn.json", shape)
    assert list(tmp_path.iterdir()) == []


def test_where_nothing_is_up_there_is_nothing_to_end_and_another_file_is_refused(tmp_path: Path) -> None:
    assert (cluster.status(tmp_path / "yarn.json"), cluster.down(tmp_path / "yarn.json")) == (None, ())
    (tmp_path / "other.json").write_text("{}")
    with pytest.raises(ConfigError, match="it is no YARN's state file"):
        cluster.status(tmp_path / "other.json")
