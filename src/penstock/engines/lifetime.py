"""The lifetime of worlds that nobody has to open, and of those that nobody has to tend either."""


class NothingToOpen:
    """It is there as soon as it is made: a fleet whose applications come by themselves, or a simulated world."""

    def open(self) -> None:
        """It is."""

    def start(self) -> None:
        """Its jobs run from the beginning, or come by themselves."""

    def close(self, stop_jobs: bool = False) -> None:
        """It ends with the process; jobs that are not its own run on."""


class AlwaysThere(NothingToOpen):
    """A simulated world: its jobs run from the beginning, or come when they are due."""

    def tend(self) -> None:
        """What dies comes back by itself."""
