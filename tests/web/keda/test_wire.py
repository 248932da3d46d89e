"""KEDA's messages: the same bytes as Google's library has, and errors of one kind for what are none."""

import gc
import weakref
from collections.abc import Mapping
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.web.keda import wire
from tests.web.keda.protocol import message, scaled

words = st.text(max_size=200)
metadata = st.dictionaries(words, words, max_size=6)


def test_a_class_of_messages_outlives_a_collection_of_garbage() -> None:
    """Else the library may hand out one that is being cleared, and the process dies of it."""
    kept = weakref.ref(message("ScaledObjectRef"))
    gc.collect()
    assert kept() is not None


@given(words, words, metadata, words)
def test_what_googles_library_writes_is_read(name: str, space: str, said: Mapping[str, str], metric: str) -> None:
    reference = message("ScaledObjectRef")(name=name, namespace=space, scalerMetadata=dict(said))
    asked = message("GetMetricsRequest")(scaledObjectRef=reference, metricName=metric)
    found = wire.read_asked(asked.SerializeToString())
    assert found == wire.MetricAsked(wire.ScaledObject(name, space, dict(said)), metric)
    assert wire.read_object(reference.SerializeToString()) == found.of


@given(words, st.floats(0.0, 1e15))
def test_what_is_written_googles_library_reads(name: str, number: float) -> None:
    (spec,) = message("GetMetricSpecResponse").FromString(wire.spec(name, number)).metricSpecs
    assert (spec.metricName, spec.targetSizeFloat, spec.targetSize) == (name, number, round(number))
    (value,) = message("GetMetricsResponse").FromString(wire.value(name, number)).metricValues
    assert (value.metricName, value.metricValueFloat, value.metricValue) == (name, number, round(number))


@pytest.mark.parametrize("result", [True, False])
def test_whether_it_is_active_is_read_too(result: bool) -> None:
    assert message("IsActiveResponse").FromString(wire.active(result)).result is result


@given(st.binary(max_size=100))
def test_bytes_that_are_no_message_are_an_error_of_one_kind(raw: bytes) -> None:
    with suppress(wire.MessageError):
        wire.read_asked(raw)


def test_fields_of_later_versions_are_passed_over() -> None:
    later = b"\x28\x96\x01" + b"\x31" + bytes(8) + b"\x3d" + bytes(4) + b"\x42\x03new"  # numbers 5 to 8, of each type
    raw = scaled({"application": "fraud"}).SerializeToString()
    assert wire.read_object(later + raw + later).metadata == {"application": "fraud"}
