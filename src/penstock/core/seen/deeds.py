"""Deeds: what an engine does by itself, between rounds and without a decision; in the record beside the decisions."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Deed:
    """Something that was done to a job, or to the whole application (None), and why; `error` says why it failed.

    >>> Deed(12.0, "ads", "weight 6 -> 3", "the cluster gives 4 in all").line
    'by itself: ads: weight 6 -> 3; the cluster gives 4 in all'
    """

    at_s: float
    job: str | None
    text: str
    why: str
    error: str | None = None

    @property
    def line(self) -> str:
        """In one line for people."""
        whom = "" if self.job is None else f"{self.job}: "
        failed = "" if self.error is None else f"; failed: {self.error}"
        return f"by itself: {whom}{self.text}; {self.why}{failed}"
