"""The errors that penstock raises: each names the field, the value and the remedy."""


class PenstockError(Exception):
    """Something the user can mend; the message says what and how. A command that it ends has this exit code."""

    exit_code = 2


class ConfigError(PenstockError):
    """A field of a file, an option or an argument holds a value that cannot be used."""

    def __init__(self, field: str, value: object, remedy: str) -> None:
        self.field = field
        self.value = value
        self.remedy = remedy
        super().__init__(f"{field}: {_shown(value)} will not do; {remedy}")


class OutageError(PenstockError):
    """Something is away that may come back by itself, such as a master or a database: to try again may help."""

    exit_code = 75  # a temporary failure, as sysexits.h has it


class EngineError(PenstockError):
    """The world refused a step; nothing half-done is left behind."""


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


def first_line(error: object) -> str:
    """The line of an error that tells most to a person: Spark's first, of a Python traceback the last.

    >>> first_line("Traceback (most recent call last):\\n  File x\\nValueError: no such table")
    'ValueError: no such table'
    >>> first_line("An error occurred while calling o32.start.\\n: java.io.IOException: disk full")
    'java.io.IOException: disk full'
    """
    lines = [line.strip().removeprefix(": ") for line in _words(error).splitlines() if line.strip()]
    telling = [line for line in lines if not line.startswith("An error occurred while calling")]
    if not telling:
        return type(error).__name__
    return telling[-1] if telling[0].startswith("Traceback") else telling[0]


def told(error: BaseException) -> str:
    """An error in a line: ours in their own words, others with their kind, without which many say little.

    >>> told(EngineError("no slots are left")), told(KeyError("ads"))
    ('no slots are left', "KeyError: 'ads'")
    """
    if isinstance(error, PenstockError):
        return str(error)
    kind, line = type(error).__name__, first_line(error)
    return line if line == kind else f"{kind}: {line}"


def _words(error: object) -> str:
    """What it says. A Java error asks the JVM for its words: one that is gone raises another error instead."""
    try:
        return str(error)
    except Exception:
        return ""


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:77]}..."
