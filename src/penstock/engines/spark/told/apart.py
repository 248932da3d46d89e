"""Parts of a whole that are done each for itself: what goes wrong in one is told when all were tried."""

from dataclasses import dataclass, field

from penstock.errors import EngineError, Guarded, told


@dataclass(frozen=True, slots=True)
class Apart:
    """Tries one part after the other.

    >>> apart = Apart()
    >>> with apart.trying("executors"):
    ...     raise EngineError("no master answers")
    >>> apart.errors
    [('executors', 'no master answers')]
    """

    errors: list[tuple[str, str]] = field(default_factory=list)  # of which part, and what

    def trying(self, part: str) -> Guarded:
        """An error in the block ends the block only; once nothing is left to govern, that is heard at once."""
        return Guarded(lambda error: self._took(part, error))

    def tell(self) -> None:
        """An EngineError of all that went wrong, if anything did."""
        if self.errors:
            raise EngineError("; ".join(f"{part}: {error}" for part, error in self.errors))

    def _took(self, part: str, error: BaseException) -> bool:
        if isinstance(error, Exception):
            self.errors.append((part, told(error)))
        return isinstance(error, Exception)
