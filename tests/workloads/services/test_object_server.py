"""The object service and the task that downloads from it."""

import http.client
from contextlib import closing

import pytest

from penstock.errors import ConfigError
from penstock.workloads.services.object_server import ObjectLimits, object_service
from penstock.workloads.services.pacing import RequestBucket, SendingPace
from penstock.workloads.tasks.object_get import ObjectGet
from tests.patience import eventually


def test_an_object_comes_whole_and_over_the_same_connection_again() -> None:
    limits = ObjectLimits(object_bytes=300_000, client_mb_s=1000, connection_mb_s=1000)
    with object_service(limits) as service, ObjectGet(service.host, service.port).open() as work:
        assert [work(message) for message in range(3)] == [300_000.0] * 3


def status_of(connection: http.client.HTTPConnection) -> int:
    connection.request("GET", "/objects/1")
    answer = connection.getresponse()
    answer.read()
    return answer.status


def test_requests_beyond_the_limit_are_answered_busy_and_the_task_asks_again() -> None:
    with object_service(ObjectLimits(object_bytes=10, requests_s=2.0)) as service:
        with closing(http.client.HTTPConnection(service.host, service.port)) as connection:
            assert status_of(connection) == 200
            eventually(lambda: status_of(connection) == 503)  # once they come faster than two a second
        with ObjectGet(service.host, service.port).open() as work:
            assert work(1) == 10.0


def test_connections_share_the_bandwidth_of_their_client() -> None:
    pace = SendingPace(bytes_per_s=60.0)
    # Six pieces of 10 bytes asked for at once, by whomever: one every sixth of a second.
    assert [pace.send_at(0.0, 10) for _ in range(6)] == pytest.approx([0, 1 / 6, 2 / 6, 3 / 6, 4 / 6, 5 / 6])


def test_requests_that_were_not_made_are_not_saved_up_for_longer_than_a_second() -> None:
    few = RequestBucket(per_s=3.0)
    assert [few.take(100.0) for _ in range(5)] == [True, True, True, False, False]


def test_limits_that_cannot_be_are_refused() -> None:
    with pytest.raises(ConfigError, match="client_mb_s: 0 cannot be used"):
        ObjectLimits(client_mb_s=0)
