"""KEDA's external scaler as its clients know it: its messages by Google's library, its calls by gRPC's."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import grpc
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

from tests.patience import patience_s

_PACKAGE = "externalscaler"
_KINDS = {"string": 9, "bool": 8, "int64": 3, "double": 1}
_MESSAGES = {
    "ScaledObjectRef": [("name", 1, "string"), ("namespace", 2, "string"), ("scalerMetadata", 3, "map")],
    "IsActiveResponse": [("result", 1, "bool")],
    "MetricSpec": [("metricName", 1, "string"), ("targetSize", 2, "int64"), ("targetSizeFloat", 3, "double")],
    "GetMetricSpecResponse": [("metricSpecs", 1, "[MetricSpec]")],
    "GetMetricsRequest": [("scaledObjectRef", 1, "ScaledObjectRef"), ("metricName", 2, "string")],
    "MetricValue": [("metricName", 1, "string"), ("metricValue", 2, "int64"), ("metricValueFloat", 3, "double")],
    "GetMetricsResponse": [("metricValues", 1, "[MetricValue]")],
}


def _pool() -> Any:
    file = descriptor_pb2.FileDescriptorProto(name="externalscaler.proto", package=_PACKAGE, syntax="proto3")
    for name, fields in _MESSAGES.items():
        message = file.message_type.add(name=name)
        for field, number, kind in fields:
            inner = kind.strip("[]")
            added = message.field.add(name=field, number=number, label=3 if kind != inner or kind == "map" else 1)
            if kind == "map":
                entry = message.nested_type.add(name="ScalerMetadataEntry")
                entry.options.map_entry = True
                for place, part in ((1, "key"), (2, "value")):
                    entry.field.add(name=part, number=place, label=1, type=9)
                added.type, added.type_name = 11, f".{_PACKAGE}.{name}.ScalerMetadataEntry"
            elif inner in _KINDS:
                added.type = _KINDS[inner]
            else:
                added.type, added.type_name = 11, f".{_PACKAGE}.{inner}"
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    return pool


def _classes() -> dict[str, Any]:
    """All of them, for as long as the process runs.

    The library keeps no class alive, and its cache hands one out that a collection of garbage is about to clear where
    another thread runs amid it, as when an object of gRPC closes its sockets: whoever then calls it has no process
    any more.
    """
    pool = _pool()
    named = {name: pool.FindMessageTypeByName(f"{_PACKAGE}.{name}") for name in _MESSAGES}
    return {name: message_factory.GetMessageClass(found) for name, found in named.items()}


_CLASSES = _classes()


def message(name: str) -> Any:
    """The class of that message."""
    return _CLASSES[name]


def scaled(metadata: Mapping[str, str]) -> Any:
    """Who asks."""
    return message("ScaledObjectRef")(name="workers", namespace="streams", scalerMetadata=dict(metadata))


@dataclass(frozen=True, slots=True)
class Keda:
    """KEDA's operator, as far as a scaler hears of it."""

    channel: Any

    def active(self, **metadata: str) -> bool:
        return bool(self._call("IsActive", scaled(metadata), "IsActiveResponse").result)

    def spec(self, **metadata: str) -> tuple[str, float, int]:
        """The metric's name, and its target in both forms."""
        (found,) = self._call("GetMetricSpec", scaled(metadata), "GetMetricSpecResponse").metricSpecs
        return found.metricName, found.targetSizeFloat, found.targetSize

    def value(self, **metadata: str) -> float:
        """What the metric of its spec is now."""
        asked = message("GetMetricsRequest")(scaledObjectRef=scaled(metadata), metricName=self.spec(**metadata)[0])
        (found,) = self._call("GetMetrics", asked, "GetMetricsResponse").metricValues
        assert found.metricValue == round(found.metricValueFloat)
        return float(found.metricValueFloat)

    def changes(self, **metadata: str) -> Iterator[bool]:
        """Whether it is active, now and with each change."""
        stream = self.channel.unary_stream(
            f"/{_PACKAGE}.ExternalScaler/StreamIsActive",
            request_serializer=lambda asked: asked.SerializeToString(),
            response_deserializer=message("IsActiveResponse").FromString,
        )
        for said in stream(scaled(metadata), timeout=patience_s(), wait_for_ready=True):
            yield bool(said.result)

    def _call(self, name: str, asked: Any, answers: str) -> Any:
        called = self.channel.unary_unary(
            f"/{_PACKAGE}.ExternalScaler/{name}",
            request_serializer=lambda one: one.SerializeToString(),
            response_deserializer=message(answers).FromString,
        )
        return called(asked, timeout=patience_s(), wait_for_ready=True)


@contextmanager
def keda_at(address: str, authority: bytes | None = None) -> Iterator[Keda]:
    """A client of that address; with TLS where an authority is given."""
    made = (
        grpc.insecure_channel(address)
        if authority is None
        else grpc.secure_channel(address, grpc.ssl_channel_credentials(authority))
    )
    with made as channel:
        yield Keda(channel)


def refused_or(call: Callable[[], float]) -> float | None:
    """The answer; None where there is none yet."""
    try:
        return call()
    except grpc.RpcError:
        return None
