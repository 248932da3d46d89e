"""A trouble that lasts is told when it begins."""

import pytest

from penstock.engines.spark.told.said_once import SaidOnce


def test_a_trouble_is_told_once_and_again_once_it_is_another_or_was_over(caplog: pytest.LogCaptureFixture) -> None:
    said = SaidOnce()
    for why in ("it is away", "it is away", "it wants a password"):
        said.warn("broker", "not read", why)
    said.well("broker")
    said.warn("broker", "not read", "it wants a password")
    told = ["it is away", "it wants a password", "it wants a password"]
    assert caplog.messages == [f"not read: {why}" for why in told]


def test_what_was_told_of_one_is_still_to_be_told_of_another(caplog: pytest.LogCaptureFixture) -> None:
    said = SaidOnce()
    for broker in ("one", "two"):
        said.warn(broker, f"{broker} is not read", "it is away")
    assert caplog.messages == ["one is not read: it is away", "two is not read: it is away"]
