"""Askers: each asks one of several that may be away, in a thread of its own, so that all are waited for at once.

A thread is kept for the next question, because a new one costs a connection to the JVM; it ends with its asker.
"""

import weakref
from collections.abc import Callable
from queue import SimpleQueue
from threading import Event
from typing import Generic, TypeVar

from penstock.errors import EngineError, PenstockError, told
from penstock.threads import BesideThread

T = TypeVar("T")


class Awaited(Generic[T]):
    """What one question came to, once it is over."""

    def __init__(self, question: Callable[[], T]) -> None:
        self._question = question
        self._said: list[T] = []
        self._error: PenstockError | None = None
        self.over = Event()

    def find(self) -> None:
        """Ask, and keep what is said."""
        try:
            self._said = [self._question()]
        except PenstockError as error:
            self._error = error
        except BaseException as error:  # one that nobody foresaw is as good as no answer, and ends no thread
            self._error = EngineError(told(error))
            self._error.__cause__ = error
        finally:
            self.over.set()

    def result(self) -> T:
        """What was said; a PenstockError where it was no answer."""
        if self._error is not None:
            raise self._error
        return self._said[0]


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
