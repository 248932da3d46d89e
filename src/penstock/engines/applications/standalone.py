"""Spark's standalone master, by the JSON of its page: workers, and the cores that applications were granted."""

import json
from dataclasses import dataclass
from typing import Any

from penstock.engines.applications.cluster import Room, Worker, understood
from penstock.errors import OutageError
from penstock.http_answers import opened

_ANSWERS_WITHIN_S = 3.0
_MOST_BYTES = 64 * 2**20


@dataclass(frozen=True, slots=True)
class StandaloneCluster:
    """The master whose page is at that address, such as http://host:8080."""

    url: str

    @property
    def name(self) -> str:
        """The master's page."""
        return self.url

    def room(self) -> Room:
        """What the master says now."""
        with (
            understood(f"the master at {self.url}"),
            opened(f"{self.url.rstrip('/')}/json/", _ANSWERS_WITHIN_S, goes_elsewhere=True) as response,
        ):
            return room_of(json.loads(response.read(_MOST_BYTES)))


def room_of(page: dict[str, Any]) -> Room:
    """What the page says; an OutageError of a master that does not know yet what there is, or follows another."""
    status = page.get("status", "ALIVE")
    if status != "ALIVE":
        raise OutageError(f"the master at {page.get('url', 'that page')} is {status}, and does not say what is free")
    workers = tuple(_worker(found) for found in page["workers"])
    applications = page["activeapps"]
    return Room(
        workers,
        {found["id"]: int(found["cores"]) for found in applications},
        executor_mib={found["id"]: int(found["memoryperexecutor"]) for found in applications},
    )


def _worker(found: dict[str, Any]) -> Worker:
    return Worker(
        name=f"{found['host']}:{found['port']}",
        cores=int(found["cores"]),
        free_cores=int(found["coresfree"]),
        memory_mib=int(found["memory"]),
        free_memory_mib=int(found["memoryfree"]),
        alive=found["state"] == "ALIVE",
    )
