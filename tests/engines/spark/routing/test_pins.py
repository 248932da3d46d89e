"""Pins: out of where a batch ran follows what is sent where, and the share of tasks that ran astray."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.engines.spark.routing.pins import BatchPlaces, Pins, RanTask, Send, homes


def tasks(*operators: str) -> list[RanTask]:
    """A letter for the executor of each partition, operator by operator."""
    return [RanTask(partition, home) for operator in operators for partition, home in enumerate(operator)]


def ran(pins: Pins, living: str, *batches: Sequence[str]) -> tuple[Pins, tuple[Send, ...]]:
    """The pins after these batches."""
    sends: tuple[Send, ...] = ()
    for operators in batches:
        pins, sends = pins.after(tasks(*operators), list(living))
    return pins, sends


def test_after_the_first_batch_partitions_are_dealt_out_and_only_those_elsewhere_are_sent() -> None:
    pins, sends = ran(Pins(), "abc", ("abc", "bbc"))
    assert pins.placement == {0: "a", 1: "b", 2: "c"}
    assert sends == (Send(0, "a"),)  # its second operator ran on b
    assert pins.astray is None  # nobody had said yet where they belong


def test_a_task_that_ran_elsewhere_is_astray_and_its_partition_is_sent_back_once() -> None:
    pins, sends = ran(Pins(), "ab", ("ab", "ab"), ("ab", "bb"))
    assert sends == (Send(0, "a"),)
    assert (pins.tasks, pins.astray) == (4, 0.25)
    pins, sends = ran(pins, "ab", ("ab", "ab"))
    assert (pins.tasks, pins.astray, sends) == (8, 0.125, ())


def test_what_ran_on_an_executor_that_was_lost_since_was_not_astray_and_is_sent_elsewhere() -> None:
    pins, _ = ran(Pins(), "abc", ("abc",))
    after, sends = ran(pins, "ab", ("abc",))
    assert after.astray == 0.0
    assert sends == (Send(2, "a"),)


def test_heavy_partitions_are_sent_apart() -> None:
    _, sends = Pins().after(tasks("aaaa"), ["a", "b"], [8.0, 8.0, 1.0, 1.0])
    assert [send.partition for send in sends if send.partition < 2] == [1]


@pytest.mark.parametrize(("living", "found"), [("a", "aa"), ("", "aa"), ("ab", "")])
def test_where_there_is_no_choice_nothing_is_placed(living: str, found: str) -> None:
    assert Pins().after(tasks(found), list(living)) == (Pins(), ())


def test_a_batch_of_which_no_task_is_known_moves_nothing() -> None:
    pins, _ = ran(Pins(), "ab", ("ab", "ab"))
    assert ran(pins, "ab", ()) == (pins, ())


def test_a_stage_that_is_tried_again_for_some_partitions_moves_no_others() -> None:
    pins = Pins(dict(enumerate("aaccbb")))  # and c was lost, with 2 and 3
    tried, sends = pins.after([RanTask(2, "a")], ["a", "b"])
    assert ({place: tried.placement[place] for place in (0, 1, 4, 5)}, sends) == ({0: "a", 1: "a", 4: "b", 5: "b"}, ())


def test_the_share_astray_is_that_of_the_last_hundred_batches() -> None:
    old = Pins({0: "a", 1: "b"}, (BatchPlaces(2, 2),) * 100)
    pins, _ = ran(old, "ab", *([("ab",)] * 50))
    assert (pins.tasks, pins.astray) == (200, 0.5)


def test_a_partition_on_whose_executor_operators_do_not_agree_has_no_home() -> None:
    assert homes(tasks("ab", "aa")) == {0: "a"}


@given(st.lists(st.sampled_from("abcd"), min_size=1, max_size=12), st.sets(st.sampled_from("abcd"), min_size=2))
def test_a_batch_that_ran_as_it_was_told_is_answered_with_nothing(first: list[str], living: set[str]) -> None:
    pins, _ = Pins().after(tasks("".join(first)), sorted(living))
    for _ in range(10):  # what would be evener is moved at first, and not for ever
        told = "".join(pins.placement[partition] for partition in range(len(first)))
        pins, sends = pins.after(tasks(told), sorted(living))
    assert sends == ()
    assert set(pins.placement.values()) <= living
