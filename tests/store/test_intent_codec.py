"""Intents of every shape come back equal."""

from collections.abc import Callable

import pytest

from penstock.core.asked.intents import Intent, Juice, Latency, Objective, Recovery
from penstock.store.intent_codec import decode_intent, encode_intent

SHAPES: list[dict[str, object]] = [
    {"shape": "knee"},
    {"shape": "step"},
    {"shape": "lognormal", "spread": 0.3},
    {"shape": "linear", "zero_at": 0.7},
]


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: str(shape["shape"]))
@pytest.mark.parametrize("kind", [lambda **s: Latency(0.3, 99, 3.3, **s), lambda **s: Recovery("300ms", 0.1, **s)])
def test_times_of_every_shape(kind: Callable[..., Objective], shape: dict[str, object]) -> None:
    intent = Intent(kind(**shape), Juice(0.7), recovery="90s")
    assert decode_intent(encode_intent(intent)) == intent


def test_juice_and_points_of_the_user_s_own() -> None:
    latency = Latency("300ms", shape="piecewise", points=[("700ms", 0.9), ("1s", 0.1)])
    intent = Intent(latency, Juice(0.7, 2.0, "linear", zero_at=0.1))
    assert decode_intent(encode_intent(intent)) == intent
    assert decode_intent(encode_intent(intent)).max_utility == 1.5
