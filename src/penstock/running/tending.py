"""What is done for an engine between rounds, and what the next round is to tell of it."""

from collections.abc import Callable

from penstock.errors import GoverningEndsError, told


class Tending:
    """Tends an engine between rounds. An error is told in the next round; governing ends when nothing is left to it."""

    def __init__(self, tend: Callable[[], None]) -> None:
        self._tend = tend
        self._error: Exception | None = None
        self._said: dict[str, str] = {}

    def __call__(self) -> None:
        try:
            self._tend()
        except GoverningEndsError:
            raise
        except Exception as error:  # it is tried again half a second later
            self._error = error

    def also(self, text: str, of: str = "") -> None:
        """Something else that the next round is to tell of; of what fails again and again the last is told."""
        self._said[of or text] = text

    def troubles(self) -> tuple[str, ...]:
        """The last error since it was asked, in words, and what else there is to tell."""
        error, self._error = self._error, None
        said, self._said = list(self._said.values()), {}
        if error is not None:
            said.append(f"work between rounds failed and is retried: {told(error)}")
        return tuple(said)
