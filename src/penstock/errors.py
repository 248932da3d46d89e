"""The errors that penstock raises: each names the field, the value and the remedy."""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from threading import current_thread, main_thread

_TOLD_AT_ONCE = 30  # problems of one file; who has more mends these first
_MOST = 1000  # characters of an error's line: it is kept with every round, and shown on every page


class PenstockError(Exception):
    """Something the user can mend; the message says what and how. A command that it ends has this exit code."""

    exit_code = 2


class ConfigError(PenstockError):
    """A field of a file, an option or an argument holds a value that cannot be used.

    `place` is where it stands, as file:line:column, when that is known.

    >>> print(ConfigError("jobs.ads.slots", 0, "write 1 or more", "shop.yaml:7:12"))
    shop.yaml:7:12: jobs.ads.slots: 0 cannot be used; write 1 or more
    """

    def __init__(self, field: str, value: object, remedy: str, place: str | None = None) -> None:
        self.field = field
        self.value = value
        self.remedy = remedy
        self.place = place
        where = f"{place}: " if place else ""
        wrong = "missing" if value is None or isinstance(value, Absent) else f"{shown(value)} cannot be used"
        super().__init__(in_a_line(f"{where}{field}: {wrong}; {remedy}"))


class WrongFileError(ConfigError):
    """All that is wrong with a file, a line each; field, value and remedy are those of the first."""

    def __init__(self, errors: Sequence[ConfigError]) -> None:
        first = errors[0]
        super().__init__(first.field, first.value, first.remedy, first.place)
        self.errors = tuple(errors)
        told = [str(error) for error in errors[:_TOLD_AT_ONCE]]
        more = len(errors) - len(told)
        self.args = ("\n".join([*told, *([f"and {more} more, shown once these are fixed"] if more else [])]),)


class Absent:
    """Stands for the value of a field that is not there."""

    def __repr__(self) -> str:
        return "nothing"


ABSENT = Absent()


@dataclass(frozen=True, slots=True)
class Guarded:
    """A block whose error ends the block only, where `taken` says so; once nothing is left to govern, that is heard.

    A class, for a type checker takes it from `bool` that the block may end early.

    >>> errors = []
    >>> with Guarded(lambda error: errors.append(error) is None):
    ...     raise EngineError("no master answers")
    >>> errors
    [EngineError('no master answers')]
    """

    taken: Callable[[BaseException], bool]

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> bool:
        return error is not None and not isinstance(error, GoverningEndsError) and self.taken(error)


def refuse(errors: Sequence[ConfigError]) -> None:
    """Raise what is wrong, if anything is."""
    if len(errors) == 1:
        raise errors[0]
    if errors:
        raise WrongFileError(errors)


class WrongCellError(ValueError):
    """What is stored is nothing that penstock writes; the message says in our words where it stands and what it is."""


TRIED_AGAIN = "; it is tried again by itself"  # of a remedy: true of what goes on, not of a command that ends


class OutageError(PenstockError):
    """Something is away that may come back by itself, such as a master or a database: to try again may help.

    `remedy` is what to do about it, where that is known and not in the message.
    """

    exit_code = 75  # a temporary failure, as sysexits.h has it
    remedy: str | None = None


class EngineError(PenstockError):
    """The engine refused a step or an act; nothing half-done is left behind."""


class NothingDoneError(EngineError):
    """Nobody did anything of what was asked, and nobody will."""


class GoverningEndsError(EngineError):
    """Nothing is left that this controller may govern: it ends and says why, and does not try again."""


class LeaseLostError(GoverningEndsError):
    """Another controller governs the application: this one may not act any more."""


class TakenOverError(GoverningEndsError):
    """A later driver governs this run: this one ends, its queries with it, and must not be started again."""

    exit_code = 4


class ApplicationGoneError(GoverningEndsError):
    """Spark has ended the application, or its JVM has died: the queries are gone with it."""


class PlacementError(PenstockError):
    """The slots there are do not take all threads; `task` is the one that found no place."""

    def __init__(self, task: str, slots: int, remedy: str) -> None:
        self.task = task
        self.slots = slots
        super().__init__(f"insufficient resources for task {task!r} on {slots} slots; {remedy}")


def unreachable(error: OSError, field: str = "file") -> ConfigError:
    """That a file may not be read or written as whoever runs this.

    >>> print(unreachable(PermissionError(13, "Permission denied", "/srv/runs.sqlite")))
    file: '/srv/runs.sqlite' cannot be used; make it readable and writable for this user (Permission denied)
    """
    return ConfigError(field, error.filename, f"make it readable and writable for this user ({error.strerror})")


def did_you_mean(name: object, known: Iterable[str]) -> str:
    """The name that looks most like this one, as a question; nothing when none does.

    >>> did_you_mean("reductoin", ["rounds_at_max", "reduction"])
    'did you mean reduction?'
    """
    near = most_like(name, known)
    return f"did you mean {near}?" if near else ""


def most_like(name: object, known: Iterable[str]) -> str | None:
    """The name that looks most like this one, None when none does."""
    from difflib import get_close_matches  # only who made a mistake waits for it

    near = get_close_matches(str(name)[:100], list(known), 1)
    return near[0] if near else None


def choose(name: object, known: Iterable[str]) -> str:
    """What to do about a name that is none of the known ones.

    >>> choose("hengge", ["fair", "henge"]), choose("x", ["fair", "henge"])
    ('choose one of fair, henge; did you mean henge?', 'choose one of fair, henge')
    """
    listed = list(known)
    meant = did_you_mean(name, listed)
    return f"choose one of {', '.join(listed)}" + (f"; {meant}" if meant else "")


def first_line(error: object) -> str:
    """The line of an error that tells most to a person: Spark's first, of a Python traceback the last.

    >>> first_line("Traceback (most recent call last):\\n  File x\\nValueError: no such table")
    'ValueError: no such table'
    >>> first_line("An error occurred while calling o32.start.\\n: java.io.IOException: disk full")
    'java.io.IOException: disk full'
    >>> len(first_line("a plan of many lines in one" * 10**6))
    1000
    """
    lines = [line.strip().removeprefix(": ") for line in _words(error).splitlines() if line.strip()]
    telling = [line for line in lines if not line.startswith("An error occurred while calling")]
    if not telling:
        return type(error).__name__
    found = telling[-1] if telling[0].startswith("Traceback") else telling[0]
    return found if len(found) <= _MOST else f"{found[: _MOST - 3]}..."


def told(error: BaseException) -> str:
    """An error in a line: ours in their own words, others with their kind, without which many say little.

    >>> told(EngineError("no slots are left")), told(KeyError("ads"))
    ('no slots are left', "KeyError: 'ads'")
    """
    if isinstance(error, PenstockError | WrongCellError):
        return str(error)
    kind, line = type(error).__name__, first_line(error)
    return line if line == kind else f"{kind}: {line}"


def _words(error: object) -> str:
    """What it says. A Java error asks the JVM for its words: one that is gone raises another error instead.

    Somebody else's error may raise anything there; Ctrl-C is the main thread's alone.
    """
    try:
        return str(error)
    except BaseException as another:
        if isinstance(another, KeyboardInterrupt) and current_thread() is main_thread():
            raise
        return ""


def in_a_line(text: str) -> str:
    r"""The text without line breaks, and without what a terminal would obey.

    >>> in_a_line("a\n  b \x1b[31m")
    'a b \\x1b[31m'
    """
    joined = re.sub(r"\s*[\r\n]\s*", " ", text)
    return joined if joined.isprintable() else "".join(map(_printable, joined))


def shown(value: object) -> str:
    """A value as errors show it, in 80 characters at most; a path whole, for its end tells most.

    >>> shown("2s"), shown(10**5000)
    ("'2s'", 'a number of more than 4300 digits')
    """
    try:
        text = repr(value)
    except ValueError:  # Python writes no longer numbers
        return "a number of more than 4300 digits"
    except Exception:  # nested too deeply, or somebody else's own words for it
        return f"a {type(value).__name__}"
    is_path = isinstance(value, Path) or (isinstance(value, str) and value.startswith("/") and " " not in value)
    most = 500 if is_path else 80
    return text if len(text) <= most else f"{text[: most - 3]}..."


def _printable(letter: str) -> str:
    return letter if letter.isprintable() else letter.encode("unicode_escape", "backslashreplace").decode("ascii")
