"""Timelines stay small."""

from penstock.store.timelines import Timelines, moment_of
from tests.recorded import a_job, a_view


def test_the_oldest_tenth_is_let_go_beyond_the_bound() -> None:
    lines = Timelines(max_moments=20)
    for number in range(21):
        jobs = [a_job("ads")] if number % 2 else [a_job("ads"), a_job("late", threads=number + 2)]
        lines.add(moment_of(a_view(float(number), jobs)))
    assert list(lines.at_s) == [float(number) for number in range(2, 21)]
    late = lines.jobs()[1]
    assert list(late.threads)[:4] == [4, None, 6, None]
    assert len(late.threads) == len(lines.at_s)


def test_what_was_read_does_not_grow_afterwards() -> None:
    lines = Timelines()
    lines.add(moment_of(a_view(0.0)))
    read = lines.jobs()[0]
    lines.add(moment_of(a_view(1.0)))
    assert len(read.utility) == 1
