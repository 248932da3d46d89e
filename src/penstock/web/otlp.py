"""Export to OpenTelemetry: the figures of the Prometheus endpoint, sent as OTLP over HTTP in its JSON form."""

import json
import logging
import time
import urllib.request
from collections.abc import Iterable
from threading import Event
from typing import Any
from urllib.parse import urlsplit

from prometheus_client.core import Metric

from penstock.errors import ConfigError, PenstockError
from penstock.web.metrics import families
from penstock.web.reading import Reader

EVERY_S = 15.0
_ANSWERS_WITHIN_S = 5.0
_CUMULATIVE = 2  # AGGREGATION_TEMPORALITY_CUMULATIVE

_log = logging.getLogger("penstock")


def export(reader: Reader, url: str, stop: Event, every_s: float = EVERY_S) -> None:
    """Send until told to stop. A collector that is away is said once, and tried again."""
    down = False
    while True:
        try:
            _send(url, document(families(reader.seen("last")), time.time()))
            down = False
        except (OSError, PenstockError) as error:
            if not down:
                _log.warning("figures cannot be sent to %s: %s", url, error)
            down = True
        if stop.wait(every_s):
            return


def checked_url(url: str) -> str:
    """An address of a collector."""
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ConfigError("--otlp", url, "write the collector's address, such as http://127.0.0.1:4318/v1/metrics")
    return url


def document(found: Iterable[Metric], at_epoch_s: float) -> dict[str, Any]:
    """One export request."""
    metrics = [_metric(family, str(int(at_epoch_s * 1e9))) for family in found if family.samples]
    resource = {"attributes": [_attribute("service.name", "penstock")]}
    return {
        "resourceMetrics": [
            {"resource": resource, "scopeMetrics": [{"scope": {"name": "penstock"}, "metrics": metrics}]}
        ]
    }


def _metric(family: Metric, at_ns: str) -> dict[str, Any]:
    points = [
        {
            "timeUnixNano": at_ns,
            "asDouble": sample.value,
            "attributes": [_attribute(name, value) for name, value in sample.labels.items()],
        }
        for sample in family.samples
    ]
    told = {"name": family.samples[0].name, "description": family.documentation}
    if family.type == "counter":
        return {**told, "sum": {"dataPoints": points, "isMonotonic": True, "aggregationTemporality": _CUMULATIVE}}
    return {**told, "gauge": {"dataPoints": points}}


def _attribute(name: str, value: str) -> dict[str, Any]:
    return {"key": name, "value": {"stringValue": value}}


def _send(url: str, body: dict[str, Any]) -> None:
    request = urllib.request.Request(
        url, json.dumps(body).encode(), {"content-type": "application/json"}, method="POST"
    )
    urllib.request.urlopen(request, timeout=_ANSWERS_WITHIN_S).close()
