"""What a fleet's file names, as its engine knows it."""

from typing import Any

import pytest

from penstock.config.coordination import BoundsPart, ClusterPart, LeadershipPart
from penstock.engines.applications.book import Bounds
from penstock.engines.applications.cluster import Cluster, FixedCluster
from penstock.engines.applications.standalone import StandaloneCluster
from penstock.engines.applications.yarn import YarnCluster
from penstock.governing.fleet_parts import bounds_of, cluster_of, lease_of


@pytest.mark.parametrize(
    ("named", "cluster"),
    [
        ({"standalone": "http://master:8080"}, StandaloneCluster("http://master:8080")),
        ({"yarn": "http://one:8088,http://two:8088"}, YarnCluster("http://one:8088,http://two:8088")),
        ({"yarn": "http://one:8088", "queue": "root.streams"}, YarnCluster("http://one:8088", "root.streams")),
        ({"cores": 64}, FixedCluster(64)),
    ],
)
def test_the_cluster_is_the_one_that_the_file_names(named: dict[str, Any], cluster: Cluster) -> None:
    assert cluster_of(ClusterPart(**named)) == cluster


def test_bounds_are_those_of_the_file_and_else_none() -> None:
    assert bounds_of(BoundsPart(min_executors=2, max_executors=12, utility=10.0)) == Bounds(2, 12, 10.0)
    assert bounds_of(BoundsPart()) == Bounds()


def test_who_leads_is_decided_beside_the_store_where_the_file_says_nothing() -> None:
    assert lease_of(LeadershipPart(), "holder", "http://here:7373") is None
