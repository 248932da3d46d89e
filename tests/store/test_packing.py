"""What is packed comes back, and of what is not ours no more is unpacked than ours come to."""

import tracemalloc
import zlib
from collections.abc import Callable

import pytest

from penstock.store.archive import RefusedError
from penstock.store.codec import MOST_IN_A_CELL, encode
from penstock.store.packing import SpoiltError, deflated, inflated, packed, unpacked, unpacked_whole
from tests.bombs import a_bomb


@pytest.mark.parametrize("value", ["", "soon", "\ud800", ["x" * 9_999] * 3])
def test_a_value_comes_back(value: object) -> None:
    assert unpacked(packed(value), type(value)) == value


def test_what_is_as_large_as_can_be_comes_back() -> None:
    text = " " * MOST_IN_A_CELL
    assert inflated(deflated(text)) == text
    with pytest.raises(SpoiltError, match="more than 64 MiB: no penstock has written it"):
        inflated(zlib.compress(text.encode() + b" ", level=1))


@pytest.mark.parametrize(
    ("write", "text"), [(deflated, "é" * (MOST_IN_A_CELL // 2) + " "), (encode, "x" * MOST_IN_A_CELL)], ids=["é", "x"]
)
def test_what_could_not_be_read_again_is_not_written_and_it_is_said_what_to_do(
    write: Callable[[str], object], text: str
) -> None:
    told = "a cell of 64.0 MiB is not written, for no more than 64 MiB of one can be read again: divide its jobs"
    with pytest.raises(RefusedError, match=told):
        write(text)


def test_of_a_bomb_no_more_is_unpacked_than_ours_come_to() -> None:
    bomb = a_bomb(2000)
    tracemalloc.start()
    with pytest.raises(SpoiltError, match="more than 64 MiB"):
        inflated(bomb)
    assert tracemalloc.get_traced_memory()[1] < 3 * MOST_IN_A_CELL
    tracemalloc.stop()


@pytest.mark.parametrize(
    ("body", "says"),
    [
        (b"\xff\x00", "it cannot be unpacked: error: Error -3"),
        (zlib.compress(b"soon")[:-2], "its end is missing"),
        (zlib.compress(b"\xff"), "it cannot be unpacked: UnicodeDecodeError"),
        ("soon", "it cannot be unpacked: TypeError"),
    ],
)
def test_bytes_that_nobody_packed_are_told_so(body: bytes, says: str) -> None:
    with pytest.raises(SpoiltError, match=says):
        inflated(body)


def test_of_a_text_that_is_told_the_beginning_is_read_and_of_one_that_is_not_all() -> None:
    memory = packed({"seen": "x" * 20_000})
    assert unpacked(memory, dict[str, str]) == {"seen": "x" * 10_000 + "..."}
    assert unpacked_whole(memory, dict[str, str]) == {"seen": "x" * 20_000}
