"""What an application's state needs: a table of what is seen of it, round by round, and of what comes of that."""

from collections.abc import Mapping

import pytest

from penstock.governing.state_need import ExecutorSize, StateNeed

GIB = 2**30
SIZE = ExecutorSize(cores=1, memory_mib=1024, state_in_heap=True)  # of which each holds half a GiB of state
Seen = tuple[int, int, Mapping[str, int | None]]  # executors that live, those that it is to have, each job's state


@pytest.mark.parametrize(
    ("seen", "needs"),
    [
        ([(4, 4, {"ads": GIB})], [2]),
        ([(2, 2, {"ads": 3 * GIB})], [2]),  # it never had six, and asks for none
        ([(2, 6, {"ads": 3 * GIB}), (6, 6, {"ads": 3 * GIB})], [2, 6]),
        ([(4, 4, {"ads": 2 * GIB}), (1, 4, {"ads": 2 * GIB}), (4, 4, {"ads": 2 * GIB})], [4, 4, 4]),  # three died
        ([(4, 4, {"ads": 2 * GIB}), (0, 4, {"ads": 2 * GIB})], [4, 4]),
        ([(4, 4, {"ads": 2 * GIB}), (4, 2, {"ads": 2 * GIB}), (2, 2, {"ads": 2 * GIB})], [4, 2, 2]),  # decided
        ([(4, 4, {"ads": 2 * GIB}), (4, 2, {"ads": 2 * GIB}), (2, 4, {"ads": 2 * GIB})], [4, 2, 2]),  # to come again
        ([(4, 4, {"ads": 2 * GIB}), (4, 4, {"ads": GIB})], [4, 2]),  # the state got smaller
        ([(4, 4, {"ads": 2 * GIB}), (4, 4, {"ads": None}), (4, 4, {"ads": 0})], [4, 4, 1]),  # its query starts again
        ([(4, 4, {"ads": GIB, "geo": GIB}), (4, 4, {"ads": GIB, "geo": None})], [4, 4]),
        ([(4, 4, {"ads": GIB, "geo": GIB}), (4, 4, {"ads": GIB})], [4, 2]),  # the other tenant was taken out
        ([(4, 4, {"ads": None})], [1]),
        ([(4, 3, {"ads": 2 * GIB})], [3]),  # one more came than is wanted, and goes
    ],
)
def test_it_falls_only_where_executors_were_given_up_or_the_state_itself_is_smaller(
    seen: list[Seen], needs: list[int]
) -> None:
    need, found = StateNeed(), []
    for now, wanted, told in seen:
        need = need.after(now, wanted, told)
        found.append(need.executors(SIZE))
    assert found == needs


def test_state_on_disk_needs_no_more_than_one() -> None:
    need = StateNeed().after(4, 4, {"ads": 100 * GIB})
    assert need.executors(ExecutorSize(1, 1024, state_in_heap=False)) == 1
