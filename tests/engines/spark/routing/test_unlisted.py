"""The places of unlisted keys, as far as they can be told; that they are Spark's, test_moves proves."""

from collections.abc import Sequence

import pytest

from penstock.core.seen.pairs import Key, PairCounts
from penstock.engines.spark.routing.unlisted import places


def of(keys: Sequence[Key], kinds: Sequence[str]) -> dict[str, dict[Key, int]]:
    pairs = PairCounts.exact({(key, "tag"): 1 for key in keys})
    return places([{("left", "right"): pairs}], {"left": kinds}, 4)


def test_every_key_that_occurs_in_any_window_has_a_place() -> None:
    windows = [{("left", "right"): PairCounts.exact({(key, "tag"): 1})} for key in ("a", "b", "a")]
    assert list(places(windows, {"left": ["string"], "right": ["string"]}, 4)["left"]) == ["a", "b"]


def test_a_text_stands_for_the_value_that_it_was_made_of() -> None:
    assert of(["7"], ["bigint"])["left"]["7"] == of([7], ["bigint"])["left"][7]


@pytest.mark.parametrize(
    ("key", "kinds"),
    [("Asia", ["int"]), (str(2**70), ["bigint"]), ("1,5", ["decimal(9,2)"]), ("soon", ["date"]), (("a", "b"), ["int"])],
    ids=str,
)
def test_keys_that_were_measured_as_something_else_have_none(key: Key, kinds: list[str]) -> None:
    assert of([key], kinds) == {}


def test_an_operator_without_keys_has_no_places_to_tell() -> None:
    assert of([], ["string"]) == {"left": {}}
