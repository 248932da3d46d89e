"""Figures reach an OpenTelemetry collector, here one that only listens."""

import json
import math
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from penstock.errors import ConfigError
from penstock.store.sql import SqlStore
from penstock.web.otlp import document
from penstock.web.reading import Reader
from penstock.web.samples import MetricSample
from penstock.web.sinks import send_to, sink_of
from tests.patience import eventually

pytestmark = pytest.mark.sockets


@pytest.fixture
def collected() -> Iterator[tuple[str, list[Any]]]:
    received: list[Any] = []

    class Collector(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            received.append(json.loads(self.rfile.read(int(self.headers["content-length"]))))
            self.send_response(200)
            self.end_headers()

        def log_message(self, *said: object) -> None:
            """Quiet."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Collector) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/v1/metrics", received
        server.shutdown()


def test_a_collector_gets_the_same_names_and_figures(store: SqlStore, collected: tuple[str, list[Any]]) -> None:
    url, received = collected
    stop = threading.Event()
    thread = threading.Thread(target=send_to, args=(Reader(store), sink_of(f"otlp:{url}"), "otlp", stop, 0.05))
    thread.start()
    (scope,) = eventually(lambda: received[:1])[0]["resourceMetrics"][0]["scopeMetrics"]
    stop.set()
    thread.join()
    metrics = {metric["name"]: metric for metric in scope["metrics"]}
    assert metrics["penstock_utility"]["gauge"]["dataPoints"][0]["asDouble"] == 55.0
    assert metrics["penstock_cycles_total"]["sum"]["isMonotonic"] is True


@pytest.mark.parametrize("address", ["collector:4318", "http://[::1", "http://h:99999/v1"])
def test_an_address_that_is_none_is_refused(address: str) -> None:
    with pytest.raises(ConfigError, match="--otlp"):
        sink_of(f"otlp:{address}")


def test_what_never_ends_does_not_keep_a_collector_from_all_other_figures() -> None:
    samples = [MetricSample("penstock_job_recovery_seconds", value) for value in (math.inf, math.nan, 7.0)]
    told = json.loads(json.dumps(document(samples, 0.0), allow_nan=False))
    (metric,) = told["resourceMetrics"][0]["scopeMetrics"][0]["metrics"]
    assert [point["asDouble"] for point in metric["gauge"]["dataPoints"]] == ["Infinity", "NaN", 7.0]
