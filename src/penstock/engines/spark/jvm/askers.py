"""Askers: each asks one of several that may be away, in a thread of its own, so that all are waited for at once.

A thread is kept for the next question, because a new one costs a connection to the JVM; it ends with its asker.
"""

import weakref
from collections.abc import Callable
from queue import SimpleQueue
from typing import Generic, TypeVar

from penstock.engines.hand import Awaited
from penstock.threads import BesideThread

T = TypeVar("T")


class Asker(Generic[T]):
    """Asks one question after the other.

    >>> asker = Asker[int]()
    >>> answer = asker.ask(lambda: 42)
    >>> answer.over.wait(), answer.result(), asker.waits
    (True, 42, False)
    """

    def __init__(self) -> None:
        self._questions: SimpleQueue[Awaited[T] | None] = SimpleQueue()
        self._newest: Awaited[T] | None = None
        self._begun = False
        weakref.finalize(self, self._questions.put, None)

    @property
    def waits(self) -> bool:
        """Whether an answer is still owed."""
        return self._newest is not None and not self._newest.over.is_set()

    def ask(self, question: Callable[[], T]) -> Awaited[T]:
        """What will be said; in this very thread where there is none to be had."""
        self._newest = answer = Awaited(question)
        if not self._begun:
            self._begun = _begun(self._questions)
        if self._begun:
            self._questions.put(answer)
        else:
            answer.find()
        return answer


def _begun(questions: "SimpleQueue[Awaited[T] | None]") -> bool:
    try:
        BesideThread(_work, "penstock-asker", (questions,)).start()
    except RuntimeError:
        return False
    return True


def _work(questions: "SimpleQueue[Awaited[T] | None]") -> None:
    while _answered(questions):
        pass


def _answered(questions: "SimpleQueue[Awaited[T] | None]") -> bool:
    """The next one, of which nothing is kept while another is waited for: it would keep its asker."""
    answer = questions.get()
    if answer is not None:
        answer.find()
    return answer is not None
