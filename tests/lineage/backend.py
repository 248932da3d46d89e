"""Who collects lineage: a server that keeps what OpenLineage's clients POST."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass(slots=True)
class Backend:
    """Its address, and the events that came."""

    url: str = ""
    events: list[dict[str, Any]] = field(default_factory=list)

    def jobs(self, event_type: str, job: str) -> list[dict[str, Any]]:
        """The events of that type, of jobs whose name ends so."""
        kept = [event for event in list(self.events) if event["eventType"] == event_type]
        return [event for event in kept if event["job"]["name"].endswith(job)]

    def batches(self, query: str) -> list[dict[str, Any]]:
        """Of the run of a query with that id: Spark's job group is called so."""
        return [one for one in list(self.events) if _group(one) == query]

    def below(self, event: dict[str, Any]) -> list[dict[str, Any]]:
        """What is told of runs whose parent is that event's run."""
        told = {**event["job"], **event["run"]}
        return [one for one in list(self.events) if _parent(one) == (told["namespace"], told["name"], told["runId"])]


def _parent(event: dict[str, Any]) -> tuple[str, str, str] | None:
    found = event["run"]["facets"].get("parent")
    return None if found is None else (found["job"]["namespace"], found["job"]["name"], found["run"]["runId"])


def _group(event: dict[str, Any]) -> str | None:
    found: str | None = event["run"]["facets"].get("spark_jobDetails", {}).get("jobGroup")
    return found


@contextmanager
def backend() -> Iterator[Backend]:
    """One that listens while the block lasts."""
    made = Backend()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            made.events.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            self.send_response(201)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        made.url = f"http://127.0.0.1:{server.server_port}"
        try:
            yield made
        finally:
            server.shutdown()
            thread.join()
