"""Whatever may come over KEDA's line is answered, or refused with the status that says whose mistake it is."""

from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path

import grpc
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from penstock.engines.applications.wishes import ExecutorWish, Wishes
from penstock.web.agents_door import agent_tokens, new_agent_token
from penstock.web.keda.answers import KEYS, WHO
from penstock.web.keda.door import KedaDoor, KedaSettings
from tests.patience import patience_s
from tests.web.keda.protocol import Keda, keda_at, message, scaled

pytestmark = pytest.mark.sockets

METHODS = ("IsActive", "GetMetricSpec", "GetMetrics")
ALLOWED = {
    grpc.StatusCode.INVALID_ARGUMENT,
    grpc.StatusCode.NOT_FOUND,
    grpc.StatusCode.UNAUTHENTICATED,
    grpc.StatusCode.PERMISSION_DENIED,
}
LONG = "ads/" * 12_000  # fits into a question
FRAUD = ExecutorWish("team-a/fraud", ("team-a/fraud",), wanted=3, needed=3, cores=1, silent_s=0.0)
said = st.text(max_size=50) | st.sampled_from(["", "lab", "team-a/fraud", "wanted", "cores", "0", "nan", "1e-320"])
metadata = st.dictionaries(st.sampled_from(KEYS) | st.text(max_size=30), said, max_size=5)
who = st.sampled_from(WHO).flatmap(lambda kind: st.fixed_dictionaries({kind: said}))


def asked(pairs: dict[str, str], metric: str, method: str) -> bytes:
    """The question as KEDA writes it."""
    reference = scaled(pairs)
    question = message("GetMetricsRequest")(scaledObjectRef=reference, metricName=metric)
    return bytes((question if method == "GetMetrics" else reference).SerializeToString())


@st.composite
def questions(draw: st.DrawFn) -> tuple[str, bytes]:
    """Of any words, and half of them with a byte or more spoilt."""
    method = draw(st.sampled_from(METHODS))
    raw = bytearray(asked(draw(metadata) | draw(who | st.just({})), draw(said), method))
    for _ in range(draw(st.integers(0, 3)) if raw else 0):
        raw[draw(st.integers(0, len(raw) - 1))] = draw(st.integers(0, 255))
    return method, draw(st.just(bytes(raw)) | st.binary(max_size=200))


@pytest.fixture(params=["127.0.0.1", "0.0.0.0"], scope="module")  # beyond loopback each question needs a token
def keda(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Keda]:
    hashes: Path = tmp_path_factory.mktemp("keda") / "tokens"
    new_agent_token(hashes, "team-a/*")
    known = Wishes("lab", (FRAUD,), 0.0, 40.0, 45.0)
    door = KedaDoor(lambda: known, lambda: True, partial(agent_tokens, hashes), KedaSettings(request.param))
    with door.open(), keda_at(f"127.0.0.1:{door.port}") as found:
        yield found


def refused_by(call: Callable[[], object]) -> tuple[grpc.StatusCode | None, str]:
    """The status and the words; no status where it is answered."""
    try:
        call()
    except grpc.RpcError as error:
        return error.code(), error.details()
    return None, ""


@settings(max_examples=150, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
@given(question=questions())
def test_whatever_is_asked_is_answered_or_refused_with_words(keda: Keda, question: tuple[str, bytes]) -> None:
    method, raw = question
    called = keda.channel.unary_unary(f"/externalscaler.ExternalScaler/{method}")
    code, told = refused_by(partial(called, raw, timeout=patience_s(), wait_for_ready=True))
    assert code in (None, *ALLOWED), told
    assert code is None or told


@pytest.mark.parametrize("kind", WHO)
def test_a_name_that_fills_a_question_is_refused_in_a_line(keda: Keda, kind: str) -> None:
    """A status longer than a client takes is another error there, which does not say whose mistake it was."""
    code, told = refused_by(partial(keda.active, **{kind: LONG}))
    assert code in ALLOWED
    assert 0 < len(told) <= 500
    with suppress(grpc.RpcError):
        assert keda.spec(application="team-a/fraud")[1] == 1.0
