"""What a trigger's metadata mean, and which number or error answers them."""

import pytest

from penstock.engines.applications.wishes import ExecutorWish, Wishes
from penstock.errors import ConfigError, OutageError
from penstock.web.keda.answers import UnknownNameError, answer, asked_by

FRAUD = ExecutorWish("fraud", ("fraud",), wanted=4, needed=6, cores=2, silent_s=1.0)
ADS = ExecutorWish("shop.ads", ("shop.ads/ads", "shop.ads/bots"), wanted=3, needed=2, cores=1, silent_s=100.0)
WISHES = Wishes("lab", (FRAUD, ADS), age_s=3.0, stale_s=40.0, silent_s=45.0)


@pytest.mark.parametrize(
    ("metadata", "number"),
    [
        ({"application": "fraud"}, 4),
        ({"application": "fraud", "count": "needed"}, 6),
        ({"application": "fraud", "unit": "cores"}, 8),  # of two cores each
        ({"tenant": "fraud"}, 4),
        ({"fleet": "lab"}, 7),  # with what the silent one is to have: nobody took it from it
        ({"fleet": "lab", "count": "needed", "unit": "cores"}, 14),  # 6 x 2 + 2
    ],
)
def test_the_number_is_what_was_decided_of_those_that_are_named(metadata: dict[str, str], number: float) -> None:
    assert answer(asked_by(metadata), WISHES) == number


@pytest.mark.parametrize(
    ("metadata", "told"),
    [
        ({}, "metadata: 'nobody' cannot be used; name one of fleet, application, tenant"),
        ({"fleet": "lab", "tenant": "a"}, "metadata: 'fleet and tenant' cannot be used; name one of"),
        ({"aplication": "fraud"}, "'aplication' cannot be used; choose one of .*; did you mean application?"),
        ({"fleet": "lab", "unit": "pods"}, r"metadata.unit: 'pods' cannot be used; choose one of executors, cores"),
        ({"fleet": "lab", "perReplica": "0"}, r"metadata.perReplica: '0' cannot be used; write how many"),
        ({"fleet": "lab", "perReplica": "nan"}, r"metadata.perReplica: 'nan' cannot be used; write how many"),
    ],
)
def test_a_question_that_is_wrong_is_told_with_its_remedy(metadata: dict[str, str], told: str) -> None:
    with pytest.raises(ConfigError, match=told):
        asked_by(metadata)


@pytest.mark.parametrize("metadata", [{"application": "shop.ads/ads"}, {"tenant": "shop.ads"}, {"fleet": "prod"}])
def test_a_name_that_nobody_has_is_no_number(metadata: dict[str, str]) -> None:
    with pytest.raises(UnknownNameError, match="coordinator of lab"):
        answer(asked_by(metadata), WISHES)


def test_what_was_decided_long_ago_is_no_number_either() -> None:
    old = Wishes("lab", (FRAUD, ADS), age_s=41.0, stale_s=40.0, silent_s=45.0)
    with pytest.raises(OutageError, match="no decision for 41 s"):
        answer(asked_by({"fleet": "lab"}), old)
    with pytest.raises(OutageError, match=r"shop\.ads was not heard for 100 s"):
        answer(asked_by({"application": "shop.ads"}), WISHES)
