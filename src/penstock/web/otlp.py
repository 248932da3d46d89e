"""Export to OpenTelemetry: the figures of the Prometheus endpoint, sent as OTLP over HTTP in its JSON form."""

import json
import urllib.request
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from penstock.core.addresses import place_in
from penstock.errors import ConfigError
from penstock.http_answers import opened
from penstock.web.samples import MetricSample

_ANSWERS_WITHIN_S = 5.0
_CUMULATIVE = 2  # AGGREGATION_TEMPORALITY_CUMULATIVE


@dataclass(frozen=True, slots=True)
class OtlpSink:
    """One collector."""

    url: str

    def send(self, samples: Sequence[MetricSample], at_epoch_s: float) -> None:
        body = json.dumps(document(samples, at_epoch_s)).encode()
        request = urllib.request.Request(self.url, body, {"content-type": "application/json"}, method="POST")
        opened(request, _ANSWERS_WITHIN_S).close()


def checked_url(url: str) -> str:
    """An address of a collector."""
    if place_in(url, ("http", "https")) is None:
        raise ConfigError("--otlp", url, "write the collector's address, such as http://127.0.0.1:4318/v1/metrics")
    return url


def document(samples: Sequence[MetricSample], at_epoch_s: float) -> dict[str, Any]:
    """One export request; samples of one name stand together."""
    at_ns = str(int(at_epoch_s * 1e9))
    metrics = [_metric(list(alike), at_ns) for _, alike in groupby(samples, lambda one: one.name)]
    resource = {"attributes": [_attribute("service.name", "penstock")]}
    return {
        "resourceMetrics": [
            {"resource": resource, "scopeMetrics": [{"scope": {"name": "penstock"}, "metrics": metrics}]}
        ]
    }


def _metric(samples: Sequence[MetricSample], at_ns: str) -> dict[str, Any]:
    points = [
        {
            "timeUnixNano": at_ns,
            "asDouble": sample.in_json,
            "attributes": [_attribute(name, value) for name, value in sample.labels.items()],
        }
        for sample in samples
    ]
    told = {"name": samples[0].name, "description": samples[0].about}
    if samples[0].counter:
        return {**told, "sum": {"dataPoints": points, "isMonotonic": True, "aggregationTemporality": _CUMULATIVE}}
    return {**told, "gauge": {"dataPoints": points}}


def _attribute(name: str, value: str) -> dict[str, Any]:
    return {"key": name, "value": {"stringValue": value}}
