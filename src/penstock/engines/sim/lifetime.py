"""The lifetime of a simulated world: there is nothing to open, to start by hand, to tend or to close."""


class AlwaysThere:
    """Its jobs run from the beginning, or come when they are due."""

    def open(self) -> None:
        """It is."""

    def start(self) -> None:
        """They do."""

    def tend(self) -> None:
        """What dies comes back by itself."""

    def close(self, stop_jobs: bool = False) -> None:
        """It ends with the process."""
