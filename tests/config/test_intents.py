"""Intents of files and pages: what a part leaves unsaid."""

import pytest

from penstock.config.intents import IntentPart, intent_of
from penstock.core.asked.intents import Intent, Juice, Latency
from penstock.core.asked.shapes import AllOrNothing, Knee, LinearLatency, Shape

BEFORE = Intent(Latency("2s", percentile=95, shape="step"), Juice(0.8, shape="step"))


@pytest.mark.parametrize(
    ("part", "shape"),
    [
        ({"latency": "4s", "percentile": 95}, AllOrNothing()),  # as it was
        ({"juice": 0.5}, AllOrNothing()),
        ({"latency": "4s"}, Knee()),  # the mean is another target than the percentile was
        ({"latency": "4s", "percentile": 95, "shape": "knee"}, Knee()),
        ({"juice": 0.5, "shape": "knee"}, Knee()),
    ],
)
def test_a_changed_target_keeps_its_shape_unless_it_names_one(part: dict[str, object], shape: Shape) -> None:
    (objective,) = intent_of((IntentPart.model_validate(part),), "intents", BEFORE).objectives
    assert objective.shape == shape


def test_a_shape_that_is_kept_goes_with_its_target() -> None:
    before = Intent(Latency("2s", shape="linear", zero_at="6s"))
    (objective,) = intent_of((IntentPart(latency=10.0),), "intents", before).objectives
    assert isinstance(objective.shape, LinearLatency)
    assert isinstance(objective, Latency)
    assert (objective.share_at("10s"), objective.share_at("30s")) == (1.0, 0.0)
