"""The file of a coordinator, field by field."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from penstock.config.coordination import BoundsPart, ClusterPart, CoordinationFile, read_coordination
from penstock.core.asked.price import Price
from penstock.errors import ConfigError

FLEET: dict[str, Any] = {"name": "prod", "cluster": {"standalone": "http://master:8080"}}


def read(tmp_path: Path, **changes: Any) -> CoordinationFile:
    path = tmp_path / "fleet.yaml"
    path.write_text(yaml.safe_dump({**FLEET, **changes}))
    return read_coordination(path)


def test_a_fleet_is_read_with_its_cluster_and_bounds(tmp_path: Path) -> None:
    applications = {"fraud": {"min_executors": 2, "max_executors": 12}, "team-a/ads": {"utility": 10}}
    file = read(tmp_path, interval="5s", applications=applications)
    assert (file.interval, file.lease, file.cluster.standalone) == (5.0, 15.0, "http://master:8080")
    assert (file.applications["fraud"].min_executors, file.applications["fraud"].max_executors) == (2, 12)
    assert file.applications["team-a/ads"].utility == 10.0
    assert file.others == BoundsPart()
    assert (file.awaits, file.lists_all) == (120.0, True)
    assert not read(tmp_path, others={}).lists_all
    assert read(tmp_path, awaits="0s").awaits == 0.0
    assert read(tmp_path, cluster={"cores": 64}).cluster.cores == 64
    yarn = {"yarn": "http://one:8088,http://two:8088", "queue": "root.streams"}
    assert read(tmp_path, cluster=yarn).cluster == ClusterPart(yarn=yarn["yarn"], queue="root.streams")
    assert read(tmp_path, cluster={"kubernetes": "streams"}).cluster.kubernetes == "streams"
    assert read(tmp_path, price={"slot_hour": 0.05, "currency": "EUR"}).core_price() == Price(0.05, "EUR")
    assert file.core_price() is None


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (
            {"cluster": {}},
            r"fleet.yaml:1:\d+: cluster: 'nothing' cannot be used; write one of standalone: http://host:8080",
        ),
        ({"cluster": {"standalone": "http://a:1", "cores": 3}}, "cluster: 'standalone and cores' cannot be used"),
        ({"awaits": "soon"}, "awaits: 'soon' cannot be used; write a number of seconds, or text such as '250ms', '2s'"),
        ({"awaits": -1}, "awaits: -1 cannot be used; write a number of seconds"),
        ({"cluster": {"cores": 3, "queue": "root.a"}}, "cluster.queue: 'root.a' cannot be used; write it beside yarn"),
        ({"cluster": {"yarn": "rm:8088"}}, "cluster.yarn: 'rm:8088' cannot be used; write the address of the Resource"),
        (
            {"cluster": {"yarn": "http://[::1"}},
            r"cluster.yarn: 'http://\[::1' cannot be used; write the address of the Res",
        ),
        (
            {"cluster": {"standalone": "http://a:99999"}},
            "cluster.standalone: .* write the address of the master's page",
        ),
        (
            {"cluster": {"yarn": "http://rm:8088", "queue": "a"}},
            "queue: 'a' cannot be used; write the whole path, root.a",
        ),
        ({"cluster": {"kubernetes": "Streams"}}, "cluster.kubernetes: 'Streams' cannot be used; write a namespace"),
        (
            {"cluster": {"standalone": "spark://a:7077"}},
            "standalone: 'spark://a:7077' cannot be used; write the address of",
        ),
        ({"applications": {"fraud": {"max_executors": 0}}}, "applications.fraud.max_executors: 0 cannot be used"),
        ({"applications": {"a b": {}}}, "applications"),
        (
            {"others": {"min_executors": 5, "max_executors": 2}},
            "min_executors: 5 cannot be used; write max_executors or fewer",
        ),
        ({"policy": "hengge"}, "policy: 'hengge' cannot be used; choose one of"),
        (
            {"settings": {"penstock": {"executors": {"settle": 1}}}},
            "settle: 1 cannot be used; there is no such setting",
        ),
        (
            {"price": {"executor_hour": 1.0}},
            "price.executor_hour: 1.0 cannot be used; write slot_hour, the price of a core",
        ),
        ({"leese": "15s"}, "leese: '15s' cannot be used"),
        (
            {"leadership": {"kubernetes": "fleet"}},
            "leadership.kubernetes: 'fleet' cannot be used; write NAMESPACE/NAME",
        ),
    ],
)
def test_a_wrong_field_is_named_with_its_value_and_the_remedy(
    tmp_path: Path, changes: dict[str, Any], message: str
) -> None:
    with pytest.raises(ConfigError, match=message):
        read(tmp_path, **changes)
