"""What of a round is written where not all of it could be read again: no fleet is so large that nothing is told of it.

Columns have a row for each job, and stay. Documents are whole cells: of one that is too large as much is written as
fits, and what is left out is told with the round.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any, TypeVar, cast

from penstock.core.seen.figures import JobFigures, Snapshot
from penstock.store import codec
from penstock.store.archive import RefusedError, beginning

T = TypeVar("T")

_AT_A_TIME = 100  # jobs
_NO_JOBS = '"jobs":[]'  # its first place in a snapshot's text is that of its jobs: only an instant is before it


@dataclass(frozen=True, slots=True)
class LeftOut:
    """What of one round is not written, in words.

    >>> left_out = LeftOut()
    >>> left_out.unless_too_large("memory", lambda: codec.encode([1])), left_out.said
    ('[1]', [])
    """

    said: list[str] = field(default_factory=list)

    def unless_too_large(self, what: str, write: Callable[[], T]) -> T | None:
        """What `write` makes of it; None where that could not be read again."""
        try:
            return write()
        except RefusedError as error:
            self.said.append(f"{what} not recorded: {error}")
            return None


def snapshot_text(snapshot: Snapshot, left_out: LeftOut) -> str:
    """The figures as JSON, some jobs at a time: all of 10,000 at once kept every other thread waiting for 0.2 s."""
    head = codec.encode_figures(replace(snapshot, jobs=()), Snapshot)
    some = [snapshot.jobs[at : at + _AT_A_TIME] for at in range(0, len(snapshot.jobs), _AT_A_TIME)]
    texts = [_text(jobs) for jobs in some]
    room = codec.MOST_IN_A_CELL - len(head)
    if sum(map(_size, texts)) > room:
        texts = list(_within(room, some, texts, left_out))
    return head.replace(_NO_JOBS, f'"jobs":[{",".join(texts)}]', 1)


def _within(
    room: int, some: Sequence[tuple[JobFigures, ...]], whole: Sequence[str], left_out: LeftOut
) -> Iterator[str]:
    """The first of them as they are, the others without what people look at one by one, and no more than fit."""
    bare = [_text(tuple(map(_bare, jobs))) for jobs in some]
    at_least = [0]
    for text in bare:
        at_least.append(at_least[-1] + _size(text) if at_least[-1] + _size(text) <= room else at_least[-1])
    room -= at_least[-1]
    without, absent = 0, 0
    for jobs, text, less, (before, after) in zip(some, whole, bare, pairwise(at_least), strict=True):
        more = _size(text) - _size(less)
        if before == after:
            absent += len(jobs)
        elif more <= room:
            room -= more
            yield text
        else:
            without += len(jobs)
            yield less
    jobs_in_all = sum(map(len, some))
    for count, how in ((without, "without stages, batches and keys"), (absent, "in columns alone")):
        if count:
            left_out.said.append(f"{count:,} of {jobs_in_all:,} jobs are recorded {how}, for {codec.too_large()}")


def _bare(figures: JobFigures) -> JobFigures:
    """With what policies go by: what takes most of the room is for people."""
    levers = tuple(replace(lever, worth=()) for lever in figures.levers)
    trouble, which = figures.trouble, figures.trouble_id
    return replace(
        figures,
        topology=None,
        phases_s={},
        stages=(),
        keys=(),
        batches=(),
        levers=levers,
        trouble=None if trouble is None else beginning(trouble),
        trouble_id=None if which is None else replace(which, cause=beginning(which.cause)),
    )


def _text(jobs: tuple[JobFigures, ...]) -> str:
    return codec.encode_figures(jobs, cast(Any, tuple[JobFigures, ...]))[1:-1]


def _size(text: str) -> int:
    return len(text.encode()) + 1  # and a comma
