"""Parts of a whole that are done each for itself: what goes wrong in one is told when all were tried."""

from dataclasses import dataclass, field

from penstock.errors import EngineError, GoverningEndsError, told


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

    def trying(self, part: str) -> "_Part":
        """An error in the block ends the block only; once nothing is left to govern, that is heard at once."""
        return _Part(self, part)

    def tell(self) -> None:
        """An EngineError of all that went wrong, if anything did."""
        if self.errors:
            raise EngineError("; ".join(f"{part}: {error}" for part, error in self.errors))


@dataclass(frozen=True, slots=True)
class _Part:
    """A class, for a type checker takes it from `bool` that the block may end early."""

    apart: Apart
    part: str

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> bool:
        if not isinstance(error, Exception) or isinstance(error, GoverningEndsError):
            return False
        self.apart.errors.append((self.part, told(error)))
        return True
