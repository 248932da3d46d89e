"""What happens as OpenLineage events: each is a run of its own, of the job that governs the tenant, begun and complete.

OpenLineage's Spark listener tells of an application as a run, and of each batch as a run below that one. Where it is in
the driver these events are of runs below the same one, in its namespace; else they stand alone, in the namespace that
OPENLINEAGE_NAMESPACE says for both. The facet names the application as the listener's `spark_applicationDetails` does.
"""

import uuid
from collections.abc import Mapping
from typing import Any

from penstock.core.seen.lineage import LineageRun

SPEC = "https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs"
PARENT = "https://openlineage.io/spec/facets/1-0-1/ParentRunFacet.json#/$defs/ParentRunFacet"
PRODUCER = "https://pypi.org/project/penstock"
ENDPOINT = "/api/v1/lineage"


def run_events(
    document: Mapping[str, Any], namespace: str, application: LineageRun | None = None
) -> tuple[dict[str, Any], dict[str, Any]]:
    """START and COMPLETE of what a message's document tells, below the application's run; again with the same ids.

    >>> document = {"id": "app-1/decision/20.000/ads/0", "run": "app-1", "name": "shop", "kind": "decision"}
    >>> document |= {"time": "2026-11-02T08:00:00+00:00", "at_s": 20.0, "job": "ads", "text": "did it", "data": {}}
    >>> start, complete = run_events(document, "default")
    >>> start["eventType"], complete["job"]["name"], start["run"]["runId"] == complete["run"]["runId"]
    ('START', 'shop.ads.penstock', True)
    """
    facet = {
        "_producer": PRODUCER,
        "_schemaURL": f"{SPEC}/RunFacet",
        "applicationId": document["run"],
        **{name: document[name] for name in ("kind", "at_s", "job", "text", "data")},
    }
    name = ".".join(part for part in (document["name"], document["job"], "penstock") if part)
    told = {
        "eventTime": document["time"],
        "producer": PRODUCER,
        "schemaURL": f"{SPEC}/RunEvent",
        "run": {
            "runId": str(uuid.uuid5(uuid.NAMESPACE_URL, document["id"])),
            "facets": {"penstock": facet, **_parent(application)},
        },
        "job": {"namespace": namespace if application is None else application.namespace, "name": name},
        "inputs": [],
        "outputs": [],
    }
    return {"eventType": "START", **told}, {"eventType": "COMPLETE", **told}


def _parent(application: LineageRun | None) -> dict[str, Any]:
    if application is None:
        return {}
    job = {"namespace": application.namespace, "name": application.job}
    return {"parent": {"_producer": PRODUCER, "_schemaURL": PARENT, "run": {"runId": application.id}, "job": job}}
