"""A run as OpenLineage knows it: what happens in an application is told of with it."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class LineageRun:
    """The run of an application, of a job with a name in a namespace."""

    id: str
    namespace: str
    job: str
