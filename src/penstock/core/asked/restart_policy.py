"""How often, and how soon, what died is started again: back-off that doubles."""

from dataclasses import dataclass

from penstock.core.units import non_negative, positive
from penstock.errors import ConfigError


@dataclass(frozen=True, slots=True)
class RestartPolicy:
    """How often and how fast a failed query comes back. `max_restarts=None` never gives up.

    Nobody says when what refused it is back, such as a topic or a host: it is asked again every two minutes at last, of
    which a start takes about one second.
    """

    max_restarts: int | None = None
    backoff_s: float = 1.0
    max_backoff_s: float = 120.0
    healthy_after_s: float = 60.0

    def __post_init__(self) -> None:
        positive(self.backoff_s, "backoff")
        positive(self.max_backoff_s, "max_backoff")
        non_negative(self.healthy_after_s, "healthy_after")
        if self.max_restarts is not None and self.max_restarts < 0:
            raise ConfigError("max_restarts", self.max_restarts, "write zero or more, or leave it out for no end")

    def wait_s(self, failures: int) -> float:
        """How long to wait after so many failures in a row.

        >>> [RestartPolicy(backoff_s=1, max_backoff_s=5).wait_s(n) for n in (1, 2, 3, 4)]
        [1.0, 2.0, 4.0, 5.0]
        """
        return min(float(self.max_backoff_s), float(self.backoff_s) * 2.0 ** min(failures - 1, 32))
