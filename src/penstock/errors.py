"""The errors that penstock raises: each names the field, the value and the remedy."""


class PenstockError(Exception):
    """Something the user can mend; the message says what and how."""


class ConfigError(PenstockError):
    """A field of a file, an option or an argument holds a value that cannot be used."""

    def __init__(self, field: str, value: object, remedy: str) -> None:
        self.field = field
        self.value = value
        self.remedy = remedy
        super().__init__(f"{field}: {_shown(value)} will not do; {remedy}")


class EngineError(PenstockError):
    """The world refused a step; nothing half-done is left behind."""


class PlacementError(PenstockError):
    """The slots there are do not take all threads; `task` is the one that found no place."""

    def __init__(self, task: str, slots: int, remedy: str) -> None:
        self.task = task
        self.slots = slots
        super().__init__(f"insufficient resources for task {task!r} on {slots} slots; {remedy}")


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:77]}..."
