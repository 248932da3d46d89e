"""When to start a query again that died: back-off that doubles, forgiven after a healthy while."""

from dataclasses import dataclass, replace
from enum import StrEnum

from penstock.core.asked.restart_policy import RestartPolicy
from penstock.core.seen.failures import FailureKind
from penstock.core.seen.trouble import Trouble, TroubleKind, trouble


class Health(StrEnum):
    """Where a job stands: it runs, waits for its next start, or was given up."""

    RUNNING = "running"
    WAITING = "waiting"
    GIVEN_UP = "given up"


@dataclass(frozen=True, slots=True)
class Commit:
    """A batch that was committed: when, how many rows it had, and how long it took."""

    at_s: float
    rows: float
    took_s: float


@dataclass(frozen=True, slots=True)
class Attempts:
    """What is known of a job's starts so far.

    Starts and waits are on a clock that nobody sets (`now`); downtime is in seconds since the epoch, as commits are.
    """

    health: Health = Health.RUNNING
    failures: int = 0
    started_s: float = 0.0
    due_s: float | None = None
    error: str | None = None
    down_since_s: float | None = None  # its failure, until a batch was committed again
    downtime_s: float | None = None  # how long its last failure kept it from processing
    lost: FailureKind | None = None  # what was lost in that failure
    down_by: FailureKind | None = None  # what was lost, where it has been down since
    first: Commit | None = None  # since that failure
    failed_s: float | None = None  # when the last failure came, known also after it

    def started(self, now: float) -> "Attempts":
        """The query was started."""
        return replace(self, health=Health.RUNNING, started_s=now, due_s=None)

    def asked(self, now: float) -> "Attempts":
        """A person has it started now; what refused it may be mended, so that its failures are counted anew."""
        return replace(self, health=Health.WAITING, failures=0, due_s=now)

    def failed(self, error: str, now: float, policy: RestartPolicy, wall_s: float | None = None) -> "Attempts":
        """The query died, or could not start; `wall_s` is when, since the epoch, where `now` is not that already."""
        healthy = self.health is Health.RUNNING and now - self.started_s >= policy.healthy_after_s
        failures = 1 if healthy else self.failures + 1
        # A start that fails is part of the same outage.
        died_s = now if wall_s is None else wall_s
        down_since_s = died_s if self.down_since_s is None else self.down_since_s
        # A query that cannot start under a driver that is new is still the driver's failure.
        down_by = FailureKind.QUERY if self.down_since_s is None else self.down_by
        known = replace(self, failures=failures, error=error, down_since_s=down_since_s, down_by=down_by, first=None)
        known = replace(known, failed_s=down_since_s)
        if policy.max_restarts is not None and failures > policy.max_restarts:
            return replace(known, health=Health.GIVEN_UP, due_s=None)
        return replace(known, health=Health.WAITING, due_s=now + policy.wait_s(failures))

    def committed(self, commit: Commit) -> "Attempts":
        """A batch was committed: if the query was down, it is no longer.

        The first batch after a failure is a long one, for it takes what has gathered. So the downtime ends with its
        commit, less what its rows take at the pace of the second.
        """
        if self.down_since_s is None or self.health is not Health.RUNNING:
            return self
        if self.first is None:
            return replace(self, first=commit)
        pace_s = commit.took_s / commit.rows if commit.rows > 0 else 0.0
        working_s = min(self.first.took_s, self.first.rows * pace_s)
        downtime_s = max(0.0, self.first.at_s - working_s - self.down_since_s)
        return replace(self, down_since_s=None, down_by=None, first=None, downtime_s=downtime_s, lost=self.down_by)

    def clock_set(self, by_s: float) -> "Attempts":
        """The wall's clock, by which downtime is told, was set by so much."""
        first = self.first
        return replace(
            self,
            down_since_s=None if self.down_since_s is None else self.down_since_s + by_s,
            failed_s=None if self.failed_s is None else self.failed_s + by_s,
            first=None if first is None else replace(first, at_s=first.at_s + by_s),
        )

    @classmethod
    def after_driver(cls, died_s: float | None) -> "Attempts":
        """Under a driver that follows one which died then; None: nothing has failed."""
        return cls() if died_s is None else cls(down_since_s=died_s, down_by=FailureKind.DRIVER, failed_s=died_s)

    def due(self, now: float) -> bool:
        """Whether it is time to try again."""
        return self.due_s is not None and now >= self.due_s

    def of_job(self, job: str, now: float) -> Trouble | None:
        """What is wrong with that job, and what may be done about it; None while it runs."""
        if self.health is Health.WAITING and not self.failures:
            return trouble(TroubleKind.NOT_RUNNING, "not running: its start was asked for and is about to begin")
        error = self.error or ""
        stands, by_hand = f"not running: {error.rstrip('. ')}", f"`penstock control start {job}`"
        tried = "tried once" if self.failures == 1 else f"tried {self.failures} times"
        if self.health is Health.GIVEN_UP:
            return trouble(TroubleKind.GIVEN_UP, f"{stands}; {tried} and given up, or again by {by_hand}", error)
        if self.health is Health.WAITING and self.due_s is not None:
            next_in = _wait(max(0.0, self.due_s - now))
            said = f"{stands}; {tried}, next in {next_in}, or now by {by_hand}"
            return trouble(TroubleKind.NOT_RUNNING, said, error)
        return None

    def text(self, now: float) -> str | None:
        """What is wrong with a driver, in words; None for one that runs."""
        if self.health is Health.GIVEN_UP:
            return f"given up after {self.failures} failures; the last: {self.error}"
        if self.health is Health.WAITING and self.due_s is not None:
            return f"failed {self.failures} times, next start in {max(0.0, self.due_s - now):.0f} s; {self.error}"
        return None


def _wait(wait_s: float) -> str:
    return f"{wait_s:.0f} s" if wait_s < 90 else f"{wait_s / 60:.0f} min"
